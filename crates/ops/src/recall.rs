//! What a caller was last shown of files that hold secrets, so that text which it
//! sends back can be told from text that would destroy one.
//!
//! No secret is kept: a placeholder is remembered with the version of what it stands
//! for, and the secret itself is found again in the file when it is written back.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use garth_contract::{Result, Version, WsPath};
use garth_redact::{Placeholder, Span, placeholders};
use garth_workspace::{Secret, Workspace};

use crate::placeholders::refused;

/// The most files that are remembered; those not shown for the longest time go first.
/// Nobody has more of them open who writes them back.
const MOST_FILES: usize = 256;

/// The most secrets of one file that are remembered; a file with more is no text
/// that anybody edits.
const MOST_SECRETS: usize = 10_000;

/// What one caller was shown of one workspace.
#[derive(Debug, Default)]
pub struct Recall {
    /// The file shown last stands last.
    files: Mutex<VecDeque<(WsPath, Seen)>>,
}

/// How much of a file was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// A part, of this version where that is known.
    Part(Option<Version>),
}

/// What was shown of one file.
#[derive(Debug, Default)]
struct Seen {
    /// The version that parts were shown of, where it is known.
    version: Option<Version>,
    /// What each placeholder stands for; nothing where it stood for several things,
    /// because parts of the file were shown one by one.
    secrets: HashMap<(String, u32), Option<Version>>,
    /// What stands for secrets of rules that have their own words for it.
    own_marks: BTreeSet<String>,
}

impl Recall {
    /// Nothing was shown yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers what was shown of a file.
    ///
    /// Parts of one version are remembered together; a whole file, and another version,
    /// take the place of what was shown before.
    pub(crate) fn saw(&self, path: &WsPath, extent: Extent, secrets: &[Secret]) {
        let mut files = self.files();
        let known = files.iter().position(|(known, _)| known == path);
        let seen = known.and_then(|at| files.remove(at)).map(|(_, seen)| seen);
        let mut seen = match extent {
            Extent::Whole => Seen::default(),
            Extent::Part(version) => {
                let seen = seen.filter(|seen| seen.version == version);
                seen.unwrap_or_else(|| Seen { version, ..Seen::default() })
            }
        };
        secrets.iter().for_each(|secret| seen.add(secret));
        if seen.secrets.is_empty() && seen.own_marks.is_empty() {
            return;
        }
        if files.len() >= MOST_FILES {
            files.pop_front();
        }
        files.push_back((path.clone(), seen));
    }

    /// Takes what is known of a file, and of all below it, along when it moves.
    pub(crate) fn moved(&self, from: &WsPath, to: &WsPath) {
        let mut files = self.files();
        files.retain(|(path, _)| path.below(to).is_none() || path.below(from).is_some());
        for (path, _) in files.iter_mut() {
            let below = path.below(from).and_then(|below| WsPath::from_bytes(below).ok());
            if let Some(new) = below.and_then(|below| below.under(to).ok()) {
                *path = new;
            }
        }
    }

    /// Forgets a file, and all below it.
    pub(crate) fn forget(&self, path: &WsPath) {
        self.files().retain(|(known, _)| known.below(path).is_none());
    }

    /// Tells whether a text that takes the place of this file needs a look at the file.
    pub(crate) fn concerns(&self, workspace: &Workspace, path: &WsPath, text: &str) -> bool {
        let own = || self.seen(path, |seen| !seen.own_marks.is_empty()).unwrap_or(false);
        workspace.redacts(path) && (placeholders(text).next().is_some() || own())
    }

    /// Puts the secrets of the text `file` back where a text has their placeholders.
    ///
    /// A placeholder that was not shown of this file, or whose secret is gone, stays.
    ///
    /// # Errors
    /// `REDACTED_CONTENT` for a placeholder of which it is not known what it stands for.
    pub(crate) fn restore<'t>(
        &self,
        workspace: &Workspace,
        path: &WsPath,
        file: &str,
        text: &'t str,
    ) -> Result<Cow<'t, str>> {
        if !workspace.redacts(path) || placeholders(text).next().is_none() {
            return Ok(Cow::Borrowed(text));
        }
        let secret = |span: Span<'_>| {
            let secret = file.get(span.start..span.end)?;
            Some((Version::of(secret.as_bytes()), secret))
        };
        let secrets = workspace.secrets(path, file);
        let secrets: HashMap<_, _> = secrets.into_iter().filter_map(secret).collect();
        let literal: BTreeSet<_> = placeholders(file).map(|own| (own.name, own.nth)).collect();
        let mut out = String::new();
        let mut done = 0;
        for found in placeholders(text) {
            let key = (found.name.to_owned(), found.nth);
            let Some(known) = self.seen(path, |seen| seen.secrets.get(&key).copied()).flatten()
            else {
                continue;
            };
            // The file has the placeholder itself too, letter by letter.
            let ambiguous = literal.contains(&(found.name, found.nth));
            let Some(version) = known.filter(|_| !ambiguous) else { return Err(refused(path)) };
            let Some(secret) = secrets.get(&version) else { continue };
            out.push_str(text.get(done..found.start).unwrap_or_default());
            out.push_str(secret);
            done = found.end;
        }
        if done == 0 {
            return Ok(Cow::Borrowed(text));
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Ok(Cow::Owned(out))
    }

    /// Refuses a new text that has the words of some rule for a secret more often than
    /// the old one: such words do not say which secret they stand for.
    ///
    /// # Errors
    /// `REDACTED_CONTENT`.
    pub(crate) fn check_own_marks(&self, path: &WsPath, old: &str, new: &str) -> Result<()> {
        let count = |text: &str, mark: &str| text.matches(mark).count();
        let more = |mark: &String| !mark.is_empty() && count(new, mark) > count(old, mark);
        let hit = self.seen(path, |seen| seen.own_marks.iter().any(more)).unwrap_or(false);
        if hit { Err(refused(path)) } else { Ok(()) }
    }

    /// The same for a text that takes the place of a whole file, which must not be one
    /// that was shown with nothing at all for a secret.
    ///
    /// # Errors
    /// `REDACTED_CONTENT`.
    pub(crate) fn check_whole(&self, path: &WsPath, old: &str, new: &str) -> Result<()> {
        if self.seen(path, |seen| seen.own_marks.contains("")).unwrap_or(false) {
            return Err(refused(path));
        }
        self.check_own_marks(path, old, new)
    }

    fn seen<T>(&self, path: &WsPath, look: impl FnOnce(&Seen) -> T) -> Option<T> {
        let files = self.files();
        files.iter().rev().find(|(known, _)| known == path).map(|(_, seen)| look(seen))
    }

    fn files(&self) -> MutexGuard<'_, VecDeque<(WsPath, Seen)>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn add(&mut self, secret: &Secret) {
        if self.secrets.len() + self.own_marks.len() >= MOST_SECRETS {
            return;
        }
        let whole = |found: &Placeholder<'_>| (found.start, found.end) == (0, secret.mark.len());
        let Some(found) = placeholders(&secret.mark).next().filter(whole) else {
            self.own_marks.insert(secret.mark.to_string());
            return;
        };
        let known = self.secrets.entry((found.name.to_owned(), found.nth));
        let known = known.or_insert(Some(secret.version));
        if *known != Some(secret.version) {
            *known = None;
        }
    }
}
