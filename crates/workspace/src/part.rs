//! Any part of a text as it may be shown, and what its placeholders stand for.

use std::ops::Range;

use garth_contract::{Result, Version, WsPath};
use garth_redact::{Clean, Digested, Raw, Redaction, Span};

use crate::{Workspace, pieces::Pieces};

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part, with what stands for its secrets.
    pub text: Clean,
    /// The secrets that reach into it, in order.
    pub secrets: Vec<Secret>,
}

/// A secret that something else is shown for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule that found it.
    pub rule: String,
    /// Which distinct secret of that rule in the text, counted from 1.
    pub nth: u32,
    /// What is shown in its place.
    pub mark: Clean,
    /// The version of the secret itself, by which it can be found again.
    pub version: Version,
}

impl Workspace {
    /// The bytes of `text` that `window` covers, as they may be shown.
    ///
    /// What stands before and behind the window is looked at with it, since it tells
    /// a secret; [`AROUND`](crate::AROUND) on either side is enough. The window begins
    /// and ends between characters. Of a secret that reaches into it, the whole of
    /// what stands for it is shown.
    ///
    /// # Errors
    /// As for [`clean`](Self::clean).
    pub fn part(&self, path: &WsPath, text: &str, window: Range<usize>) -> Result<Part> {
        let redaction = self.redact(path, Raw::from(text))?;
        Ok(self.part_of(redaction, text, window))
    }

    /// The same of a whole text that may have been looked through before.
    ///
    /// # Errors
    /// As for [`clean`](Self::clean).
    pub fn part_again(
        &self,
        path: &WsPath,
        digested: &Digested<'_>,
        window: Range<usize>,
    ) -> Result<Part> {
        let redaction = self.redactor.clean_again(&path.to_string(), digested);
        let redaction = redaction.map_err(|blocked| self.held_back(path, &blocked))?;
        Ok(self.part_of(redaction, digested.text(), window))
    }

    fn part_of(&self, redaction: Redaction, text: &str, window: Range<usize>) -> Part {
        let Redaction { clean, count, .. } = redaction;
        if count == 0 {
            let whole = window == (0..text.len());
            let text = if whole { clean } else { clean.slice(window).unwrap_or_default() };
            return Part { text, secrets: Vec::new() };
        }
        let spans = self.redactor.find(text);
        let pieces = Pieces::align(text, &clean, &spans);
        let inside = |span: &&Span<'_>| span.start < window.end && span.end > window.start;
        let secret = |span: &Span<'_>| Secret {
            rule: span.rule.to_owned(),
            nth: span.nth,
            mark: pieces.part(&clean, &(span.start..span.end)),
            version: Version::of(text.get(span.start..span.end).unwrap_or_default().as_bytes()),
        };
        let secrets = spans.iter().filter(inside).map(secret).collect();
        Part { text: pieces.part(&clean, &window), secrets }
    }

    /// Tells whether something else than a placeholder may stand for a secret of this file.
    #[must_use]
    pub fn has_own_words(&self, path: &WsPath) -> bool {
        self.redactor.has_own_words() && self.redacts(path)
    }

    /// Where the secrets of a text of the file at `path` stand, in order; nowhere where
    /// they are not replaced.
    #[must_use]
    pub fn secrets(&self, path: &WsPath, text: &str) -> Vec<Span<'_>> {
        if self.redacts(path) { self.redactor.find(text) } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    const TEXT: &str = "a = 1\nstripe = \"sk_live_4eC39HqLyjWDarjtT1zdp7dc\"\nb = 2\n";
    const SHOWN: &str = "a = 1\nstripe = \"[REDACTED: STRIPE_KEY]\"\nb = 2\n";

    fn part(window: Range<usize>) -> Part {
        let path = WsPath::from_bytes(b"a.txt").unwrap();
        fixture::workspace().part(&path, TEXT, window).unwrap()
    }

    #[test]
    fn a_part_shows_all_of_what_stands_for_a_secret_that_reaches_into_it() {
        let Part { text, secrets } = part(0..TEXT.len());
        assert_eq!(&*text, SHOWN);
        let [Secret { rule, nth, mark, version }] = secrets.as_slice() else { panic!() };
        assert_eq!((rule.as_str(), *nth, &**mark), ("STRIPE_KEY", 1, "[REDACTED: STRIPE_KEY]"));
        assert_eq!(*version, Version::of(b"sk_live_4eC39HqLyjWDarjtT1zdp7dc"));
        let (start, end) = (TEXT.find("sk_").unwrap(), TEXT.find("dc\"").unwrap() + 2);
        for at in start..end {
            let before = part(0..at + 1).text;
            assert_eq!(&*before, "a = 1\nstripe = \"[REDACTED: STRIPE_KEY]", "{at}");
            let behind = part(at..TEXT.len());
            assert_eq!(&*behind.text, "[REDACTED: STRIPE_KEY]\"\nb = 2\n", "{at}");
            assert_eq!(behind.secrets.len(), 1);
        }
        for window in [0..start, end..TEXT.len(), 3..3] {
            let Part { text, secrets } = part(window.clone());
            assert_eq!((&*text, secrets.len()), (&TEXT[window], 0));
        }
    }

    #[test]
    fn a_text_without_secrets_is_what_it_is() {
        let path = WsPath::from_bytes(b"a.txt").unwrap();
        let workspace = fixture::workspace();
        let Part { text, secrets } = workspace.part(&path, "plain é text", 6..8).unwrap();
        assert_eq!((&*text, secrets.len()), ("é", 0));
        assert_eq!(workspace.secrets(&path, "plain"), []);
        assert_eq!(workspace.secrets(&path, TEXT).len(), 1);
    }
}
