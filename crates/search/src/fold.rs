//! How letters of a name compare, for directories that do not tell case apart.

use std::borrow::Cow;

/// How the names of a directory compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Byte for byte.
    Exact,
    /// Without regard to case: `A` and `a` are one name.
    Caseless,
}

/// Code points that a case-folding file system drops before it compares names.
const IGNORABLE: &[(char, char)] = &[
    ('\u{00ad}', '\u{00ad}'),
    ('\u{034f}', '\u{034f}'),
    ('\u{061c}', '\u{061c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Writes text so that names which a folding directory takes for one are equal.
///
/// Going through upper case joins more letters than Unicode's folding does (`ı`
/// and `i`), which is the safe side for rules that forbid.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .filter(|letter| !IGNORABLE.iter().any(|(low, high)| (low..=high).contains(&letter)))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Folds a path; bytes that are no text stay as they are.
pub(crate) fn folded_bytes(path: &[u8]) -> Cow<'_, [u8]> {
    if !path.iter().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        out.extend_from_slice(folded(chunk.valid()).as_bytes());
        out.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_folding_directory_joins_are_equal() {
        for (left, right) in
            [("A", "a"), ("ÉTÉ", "été"), ("STRASSE", "straße"), ("\u{212a}ey", "KEY"), ("ſ", "S")]
        {
            assert_eq!(folded(left), folded(right));
        }
        assert_eq!(folded(".e\u{200c}nv"), ".env");
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        assert_eq!(&*folded_bytes(b"A\xffB"), b"a\xffb");
    }
}
