//! Line endings: which ones a text has, and a text converted to one of them.
//!
//! `\n` and `\r\n` end a line. A lone `\r` is counted, so that an old Macintosh
//! file can be told apart, but it is never converted: inside a line it may mean
//! something.

use std::borrow::Cow;

use memchr::memchr_iter;

/// One way to end a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// A `\r` with no `\n` after it.
    Cr,
}

impl Ending {
    /// The bytes of this ending.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
        }
    }
}

/// What the endings of a text amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The text has no line ending at all.
    None,
    /// Every line ends the same way.
    Uniform(Ending),
    /// Lines end in more than one way.
    Mixed,
}

/// How often each ending occurs in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endings {
    /// The number of `\n` without a `\r` before it.
    pub lf: usize,
    /// The number of `\r\n`.
    pub crlf: usize,
    /// The number of `\r` without a `\n` after it.
    pub cr: usize,
}

impl Endings {
    /// Says whether the text is uniform, and in what.
    pub fn style(self) -> Style {
        match (self.lf, self.crlf, self.cr) {
            (0, 0, 0) => Style::None,
            (_, 0, 0) => Style::Uniform(Ending::Lf),
            (0, _, 0) => Style::Uniform(Ending::CrLf),
            (0, 0, _) => Style::Uniform(Ending::Cr),
            _ => Style::Mixed,
        }
    }

    /// The ending that a new line of this text gets: `\r\n` where it is at
    /// least as frequent as `\n`, else `\n`; `None` when the text has neither.
    pub fn dominant(self) -> Option<Ending> {
        match (self.lf, self.crlf) {
            (0, 0) => None,
            (lf, crlf) if crlf >= lf => Some(Ending::CrLf),
            _ => Some(Ending::Lf),
        }
    }
}

/// Counts the line endings of a text.
pub fn detect(text: &[u8]) -> Endings {
    let returns = memchr_iter(b'\r', text).count();
    let feeds = memchr_iter(b'\n', text);
    if returns == 0 {
        return Endings { lf: feeds.count(), crlf: 0, cr: 0 };
    }
    let (mut lf, mut crlf) = (0, 0);
    for at in feeds {
        if follows_return(text, at) {
            crlf += 1;
        } else {
            lf += 1;
        }
    }
    Endings { lf, crlf, cr: returns - crlf }
}

/// Ends every line of a text the same way.
///
/// `\n` and `\r\n` become `to`; a lone `\r` stays what it is. A text that is
/// already so is borrowed, not copied.
pub fn convert(text: &[u8], to: Ending) -> Cow<'_, [u8]> {
    let found = detect(text);
    let already = match to {
        Ending::Lf => found.crlf == 0,
        Ending::CrLf => found.lf == 0,
        Ending::Cr => found.lf == 0 && found.crlf == 0,
    };
    if already {
        return Cow::Borrowed(text);
    }
    let mut converted = Vec::with_capacity(text.len() + found.lf);
    let mut from = 0;
    for at in memchr_iter(b'\n', text) {
        let end = if follows_return(text, at) { at - 1 } else { at };
        converted.extend_from_slice(text.get(from..end).unwrap_or_default());
        converted.extend_from_slice(to.bytes());
        from = at + 1;
    }
    converted.extend_from_slice(text.get(from..).unwrap_or_default());
    Cow::Owned(converted)
}

/// Keeps the line endings of a file that is about to be overwritten.
///
/// Returns the text with `\r\n` when `existing` mostly has `\r\n` and the text
/// has only `\n`; `None` when the text is right as it is.
pub fn follow(text: &[u8], existing: &[u8]) -> Option<Vec<u8>> {
    let sent = detect(text);
    if sent.lf == 0 || sent.crlf > 0 {
        return None;
    }
    match detect(existing).dominant() {
        Some(Ending::CrLf) => Some(convert(text, Ending::CrLf).into_owned()),
        Some(Ending::Lf | Ending::Cr) | None => None,
    }
}

fn follows_return(text: &[u8], feed: usize) -> bool {
    feed.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_ending_is_counted_once() {
        let found = detect(b"a\nb\r\nc\rd\r\r\n\n");
        assert_eq!(found, Endings { lf: 2, crlf: 2, cr: 2 });
        assert_eq!(found.style(), Style::Mixed);
    }

    #[test]
    fn a_uniform_text_says_which_ending_it_has() {
        let style = |text: &[u8]| detect(text).style();
        assert_eq!(style(b""), Style::None);
        assert_eq!(style(b"no ending"), Style::None);
        assert_eq!(style(b"a\nb"), Style::Uniform(Ending::Lf));
        assert_eq!(style(b"a\r\nb\r\n"), Style::Uniform(Ending::CrLf));
        assert_eq!(style(b"a\rb"), Style::Uniform(Ending::Cr));
    }

    #[test]
    fn the_dominant_ending_ignores_lone_returns_and_prefers_crlf_on_a_tie() {
        let dominant = |text: &[u8]| detect(text).dominant();
        assert_eq!(dominant(b"a\rb\rc"), None);
        assert_eq!(dominant(b"a\nb\r\n"), Some(Ending::CrLf));
        assert_eq!(dominant(b"a\nb\nc\r\n"), Some(Ending::Lf));
    }

    #[test]
    fn conversion_touches_endings_only_and_keeps_lone_returns() {
        assert_eq!(&*convert(b"a\nb\r\nc\rd\n", Ending::CrLf), b"a\r\nb\r\nc\rd\r\n");
        assert_eq!(&*convert(b"a\nb\r\nc\rd\n", Ending::Lf), b"a\nb\nc\rd\n");
        assert_eq!(&*convert(b"\n\r\n", Ending::Cr), b"\r\r");
        assert!(matches!(convert(b"a\nb", Ending::Lf), Cow::Borrowed(_)));
    }

    #[test]
    fn lf_text_over_a_crlf_file_keeps_crlf() {
        assert_eq!(follow(b"x\ny\n", b"a\r\nb\r\n"), Some(b"x\r\ny\r\n".to_vec()));
        assert_eq!(follow(b"x\ny\n", b"a\nb\n"), None);
        assert_eq!(follow(b"x\r\ny\n", b"a\r\nb\r\n"), None, "the caller chose its endings");
        assert_eq!(follow(b"x", b"a\r\nb\r\n"), None);
        assert_eq!(follow(b"x\n", b"a\rb\r"), None, "a lone return is no style to follow");
    }
}
