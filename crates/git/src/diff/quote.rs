//! Names as git writes them in the first line of a patch.

/// The first line of the patch of a file that had one name and has another.
pub(crate) fn header(from: &[u8], now: &[u8]) -> Vec<u8> {
    let mut line = b"diff --git ".to_vec();
    push(&mut line, b"a/", from);
    line.push(b' ');
    push(&mut line, b"b/", now);
    line
}

fn push(line: &mut Vec<u8>, prefix: &[u8], name: &[u8]) {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if name.iter().all(plain) {
        line.extend_from_slice(prefix);
        line.extend_from_slice(name);
        return;
    }
    line.push(b'"');
    line.extend_from_slice(prefix);
    for byte in name {
        let short = match byte {
            0x07 => b'a',
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b'"' => b'"',
            b'\\' => b'\\',
            byte if plain(byte) => {
                line.push(*byte);
                continue;
            }
            byte => {
                line.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
        };
        line.extend_from_slice(&[b'\\', short]);
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_stand_between_quotes() {
        let text = |name: &[u8]| String::from_utf8(header(name, name)).unwrap();
        assert_eq!(text(b"a b"), "diff --git a/a b b/a b");
        assert_eq!(text(b"n\nl\"q"), r#"diff --git "a/n\nl\"q" "b/n\nl\"q""#);
        assert_eq!(text(b"caf\xe9\\\x01"), r#"diff --git "a/caf\351\\\001" "b/caf\351\\\001""#);
    }
}
