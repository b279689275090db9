//! Extended records: `length key=value\n`, the length its own included.

use crate::digits;

/// Adds a record.
pub(super) fn push(records: &mut Vec<u8>, key: &str, value: &[u8]) {
    let rest = 1 + key.len() + 1 + value.len() + 1;
    let mut length = rest + 1;
    while length != rest + digits::count(length as u64) {
        length = rest + digits::count(length as u64);
    }
    digits::push(records, length as u64, 0);
    records.push(b' ');
    records.extend_from_slice(key.as_bytes());
    records.push(b'=');
    records.extend_from_slice(value);
    records.push(b'\n');
}

/// Reads all records, in order.
///
/// # Errors
/// `None` when a record is not what its length says.
pub(super) fn parse(mut records: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut found = Vec::new();
    while !records.is_empty() {
        let space = records.iter().take(20).position(|byte| *byte == b' ')?;
        let length = std::str::from_utf8(records.get(..space)?).ok()?;
        if !length.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let length: usize = length.parse().ok()?;
        let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
        let equals = record.iter().position(|byte| *byte == b'=')?;
        let (key, value) = record.split_at(equals);
        found.push((key, value.get(1..)?));
        records = records.get(length..)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_its_own_length() {
        for length in [0, 1, 5, 80, 90, 91, 92, 93, 94, 980, 985, 990, 9980, 9990] {
            let value = vec![b'v'; length];
            let mut records = Vec::new();
            push(&mut records, "path", &value);
            push(&mut records, "mtime", b"1.5");
            let told: usize =
                std::str::from_utf8(records.split(|byte| *byte == b' ').next().unwrap())
                    .unwrap()
                    .parse()
                    .unwrap();
            assert_eq!(told, records.len() - "13 mtime=1.5\n".len());
            assert_eq!(parse(&records), Some(vec![(&b"path"[..], &value[..]), (b"mtime", b"1.5")]));
        }
    }

    #[test]
    fn a_record_that_lies_about_its_length_is_refused() {
        for wrong in [
            "x",
            "5 a=b",
            "7 a=b\n",
            "5 a=b\n",
            "0 a=b\n",
            "1 a=b\n",
            "99999999999999999999999 a=b\n",
            "-6 a=b\n",
            "6 axb\n",
            "+6 a=b\n",
        ] {
            assert_eq!(parse(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}
