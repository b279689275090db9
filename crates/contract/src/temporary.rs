//! The names of temporary files, which every backend and every walk passes over.

const PREFIX: &[u8] = b".garth-";
const SUFFIX: &[u8] = b".tmp";
const DIGITS: usize = 16;

/// Tells whether a name is one of our temporary files': `.garth-`, 16 digits of a
/// hexadecimal number, `.tmp`.
#[must_use]
pub fn is_temporary(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)).is_some_and(|middle| {
        middle.len() == DIGITS
            && middle.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_form_is_temporary() {
        assert!(is_temporary(b".garth-0123456789abcdef.tmp"));
        for name in [
            ".garth-.tmp",
            ".garth-0123456789abcdeg.tmp",
            "garth-0123456789abcdef.tmp",
            ".garth-0123456789abcdef.tmp.txt",
            ".garth",
            "x.tmp",
        ] {
            assert!(!is_temporary(name.as_bytes()), "{name}");
        }
    }
}
