//! The form of a text that editors take away: byte order mark and line endings.
//!
//! Many editors hold every text with LF and without a mark, and put both back when
//! they save. Seen through such a buffer a file with CRLF would look changed when
//! nobody changed it, and a write would look as if it had not landed.

use garth_text::endings::{Ending, Style, convert, detect};

const MARK: &str = "\u{feff}";

/// Tells whether two texts are the same but for a byte order mark and how lines end.
pub(crate) fn same_but_for_form(one: &str, other: &str) -> bool {
    one == other || plain(one).eq(plain(other))
}

/// The bytes of a text without its mark, every line's end as LF.
fn plain(text: &str) -> impl Iterator<Item = u8> + '_ {
    let bytes = text.strip_prefix(MARK).unwrap_or(text).bytes();
    let mut after_return = false;
    bytes.filter_map(move |byte| {
        let second_half = after_return && byte == b'\n';
        after_return = byte == b'\r';
        match byte {
            _ if second_half => None,
            b'\r' => Some(b'\n'),
            byte => Some(byte),
        }
    })
}

/// A text of a buffer as it would be saved over `file`: with its mark, and with CRLF
/// where the file has nothing else and the buffer nothing but LF.
pub(crate) fn in_form_of(file: &str, text: String) -> String {
    let returns = detect(file.as_bytes()).style() == Style::Uniform(Ending::CrLf)
        && detect(text.as_bytes()).style() == Style::Uniform(Ending::Lf);
    let text = if returns {
        let bytes = convert(text.as_bytes(), Ending::CrLf).into_owned();
        // Only ends of lines were exchanged, so it is as good a text as before.
        String::from_utf8(bytes).unwrap_or(text)
    } else {
        text
    };
    if file.starts_with(MARK) && !text.starts_with(MARK) { format!("{MARK}{text}") } else { text }
}

/// Tells whether a client that gave this text keeps the form of texts.
pub(crate) fn has_form(text: &str) -> bool {
    text.starts_with(MARK) || text.contains('\r')
}

/// The text of a content that an editor can hold: UTF-8 without a NUL.
pub(crate) fn text_of(bytes: &[u8]) -> Option<&str> {
    if bytes.contains(&0) {
        return None;
    }
    str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_and_a_mark_are_form_and_nothing_else_is() {
        for (one, other) in [
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb", "a\nb"),
            ("\u{feff}a\n", "a\n"),
            ("a\r\n\r\n", "a\n\n"),
        ] {
            assert!(same_but_for_form(one, other), "{one:?} {other:?}");
            assert!(same_but_for_form(other, one), "{one:?} {other:?}");
        }
        for (one, other) in [("a\n", "a"), ("a\r\n\n", "a\n"), ("a ", "a"), ("a\n\ra", "a\na")] {
            assert!(!same_but_for_form(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_buffer_without_form_gets_that_of_its_file() {
        let crlf = "one\r\ntwo\r\n";
        assert_eq!(in_form_of(crlf, "a\nb".to_owned()), "a\r\nb");
        assert_eq!(in_form_of("\u{feff}one\n", "a\n".to_owned()), "\u{feff}a\n");
    }

    #[test]
    fn a_buffer_with_form_keeps_it() {
        for text in ["a\r\nb\n", "a\r\nb\r\n", "a"] {
            assert_eq!(in_form_of("one\r\ntwo\r\n", text.to_owned()), text);
        }
        assert_eq!(in_form_of("one\r\ntwo\n", "a\nb\n".to_owned()), "a\nb\n");
        assert_eq!(in_form_of("one\n", "a\r\nb\r\n".to_owned()), "a\r\nb\r\n");
    }

    #[test]
    fn bytes_that_an_editor_cannot_hold_are_no_text() {
        assert_eq!(text_of("naïve\n".as_bytes()), Some("naïve\n"));
        assert_eq!(text_of(b"a\0b"), None);
        assert_eq!(text_of(b"caf\xe9"), None);
    }
}
