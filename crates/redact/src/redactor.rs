//! The one way from `Raw` to `Clean` for text of a workspace.

use std::fmt;
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::clean::Clean;
use crate::config::{BadPattern, Behaviour, Config};
use crate::keyword::{Keywords, Slash};
use crate::placeholder;
use crate::raw::Raw;
use crate::ruleset::Ruleset;
use crate::scan::{self, Found};
use crate::seen::{Digested, Seen};
use crate::stream::Stream;

/// Replaces the secrets of a text; cheap to clone.
#[derive(Debug, Clone)]
pub struct Redactor {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    behaviour: Behaviour,
    rules: Ruleset,
    excluded: GlobSet,
    seen: Seen,
}

/// A secret found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span<'r> {
    /// Where the secret begins, in bytes.
    pub start: usize,
    /// Right behind its last byte.
    pub end: usize,
    /// The rule's name.
    pub rule: &'r str,
    /// Which distinct secret of that name, counted from 1.
    pub nth: u32,
}

/// A text that was redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The text, with placeholders where secrets stood.
    pub clean: Clean,
    /// How many places were replaced.
    pub count: usize,
    /// The names of the rules that found something, by first appearance.
    pub names: Vec<String>,
    /// How many places each of them found, in the same order.
    pub counts: Vec<(String, usize)>,
}

/// A text that was held back because of a secret in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The name of the rule that found the first secret.
    pub rule: String,
    /// The line it begins on, counted from 1.
    pub line: usize,
}

/// What becomes of a text: it is redacted, or held back where the configuration says so.
pub type Outcome = Result<Redaction, Blocked>;

impl Redactor {
    /// Takes the rules of a configuration into use.
    ///
    /// # Errors
    /// A custom pattern or a glob that cannot be used, with its name and place.
    pub fn new(config: &Config) -> Result<Self, BadPattern> {
        let rules = Ruleset::new(config)?;
        let excluded = globs(&config.exclude_paths)?;
        let (behaviour, seen) = (config.behaviour, Seen::default());
        Ok(Self { shared: Arc::new(Shared { behaviour, rules, excluded, seen }) })
    }

    /// Replaces the secrets of a whole text. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// # Errors
    /// [`Blocked`] where the configuration holds back texts with secrets and there is one.
    pub fn clean(&self, raw: Raw) -> Outcome {
        let text = raw.into_text();
        let rules = &self.shared.rules;
        let found = self.scan(&text);
        if let (Behaviour::Block, Some(first)) = (self.shared.behaviour, found.first()) {
            let before = text.as_bytes().get(..first.start).unwrap_or_default();
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            return Err(Blocked { rule: rules.name(first.id).to_owned(), line });
        }
        let mut summary = Summary::default();
        if found.is_empty() {
            return Ok(summary.into_redaction(Clean::trusted(text)));
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for span in &found {
            out.push_str(text.get(at..span.start).unwrap_or_default());
            summary.put(&mut out, rules, span);
            at = span.end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        Ok(summary.into_redaction(Clean::trusted(out)))
    }

    /// The same for the text of a file, which passes as it is where its path is excluded.
    ///
    /// # Errors
    /// As for [`clean`](Self::clean).
    pub fn clean_file(&self, path: &str, raw: Raw) -> Outcome {
        if self.excludes(path) {
            return Ok(Summary::default().into_redaction(Clean::trusted(raw.into_text())));
        }
        self.clean(raw)
    }

    /// The same for a text that may have been looked through before.
    ///
    /// # Errors
    /// As for [`clean`](Self::clean).
    pub fn clean_again(&self, path: &str, digested: &Digested<'_>) -> Outcome {
        if self.shared.seen.has(digested) {
            return Ok(Summary::default().into_redaction(Clean::trusted(digested.text().into())));
        }
        if self.excludes(path) {
            return self.clean_file(path, Raw::from(digested.text()));
        }
        let outcome = self.clean(Raw::from(digested.text()));
        if outcome.as_ref().is_ok_and(|redaction| redaction.count == 0) {
            self.shared.seen.keep(digested);
        }
        outcome
    }

    /// Whether the text of the file at `path`, relative to the workspace, is not redacted.
    pub fn excludes(&self, path: &str) -> bool {
        self.shared.excluded.is_match(path.trim_start_matches('/'))
    }

    /// Whether some rule has words of its own for a secret, which cannot be told from text.
    pub fn has_own_words(&self) -> bool {
        self.shared.rules.customs().any(|(_, custom)| custom.has_own_words())
    }

    /// Replaces the secrets of a text that arrives in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    /// The secrets of a text: sorted, without overlaps.
    pub fn find(&self, text: &str) -> Vec<Span<'_>> {
        let rules = &self.shared.rules;
        let span = |found: Found| Span {
            start: found.start,
            end: found.end,
            rule: rules.name(found.id),
            nth: found.nth,
        };
        self.scan(text).into_iter().map(span).collect()
    }

    /// Whether a secret could be in a text, or in one of the names that slashes join in it.
    ///
    /// It costs one pass without any rule, so that many short texts can be passed over.
    pub fn may_hold(&self, text: &str) -> bool {
        let rules = &self.shared.rules;
        let mut hit = false;
        Keywords::get().hits(text, (0, Slash::PartsNames), |_| hit = true);
        !rules.is_idle() && (hit || rules.has_customs())
    }

    pub(crate) fn rules(&self) -> &Ruleset {
        &self.shared.rules
    }

    pub(crate) fn behaviour(&self) -> Behaviour {
        self.shared.behaviour
    }

    fn scan(&self, text: &str) -> Vec<Found> {
        if self.shared.rules.is_idle() {
            return Vec::new();
        }
        scan::find_all(&self.shared.rules, text)
    }
}

/// What was replaced so far.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    count: usize,
    counts: Vec<(String, usize)>,
}

impl Summary {
    /// Writes what stands for a secret, and counts it.
    pub(crate) fn put(&mut self, out: &mut String, rules: &Ruleset, found: &Found) {
        let name = rules.name(found.id);
        match &found.replacement {
            Some(text) => out.push_str(text),
            None => placeholder::write(out, name, found.nth),
        }
        self.count += 1;
        match self.counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((name.to_owned(), 1)),
        }
    }

    pub(crate) fn into_redaction(self, clean: Clean) -> Redaction {
        let names = self.counts.iter().map(|(name, _)| name.clone()).collect();
        Redaction { clean, count: self.count, names, counts: self.counts }
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "held back: {} on line {}", self.rule, self.line)
    }
}

impl std::error::Error for Blocked {}

fn globs(patterns: &[String]) -> Result<GlobSet, BadPattern> {
    let bad = |error: &globset::Error| BadPattern {
        name: "exclude_paths".to_owned(),
        position: None,
        message: error.to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches('/');
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| bad(&error))?);
    }
    set.build().map_err(|error| bad(&error))
}
