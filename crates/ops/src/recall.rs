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
/// It is more than anybody has open who writes them back.
const MOST_FILES: usize = 100;

/// The most secrets of one file that are remembered; with those of all files they take
/// some ten megabytes.
const MOST_SECRETS: usize = 1_000;

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
    /// How often one text that was shown had each secret, where that was more than once.
    repeated: HashMap<Version, usize>,
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
        seen.count(secrets);
        if seen.secrets.is_empty() {
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

    /// Puts the secrets of the text `file` back where a text has their placeholders.
    ///
    /// A placeholder that was not shown of this file, or whose secret is gone, stays. One stands for
    /// a secret as often as the file has it, or had it when it was shown.
    ///
    /// # Errors
    /// `REDACTED_CONTENT` for a placeholder of which it is not known what it stands for, and for
    /// one that would write its secret more often than it was there.
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
        let mut secrets: HashMap<Version, (&str, usize)> = HashMap::new();
        for (version, secret) in workspace.secrets(path, file).into_iter().filter_map(secret) {
            secrets.entry(version).or_insert((secret, 0)).1 += 1;
        }
        let literal: BTreeSet<_> = placeholders(file).map(|own| (own.name, own.nth)).collect();
        let mut out = String::new();
        let mut done = 0;
        let mut written: HashMap<Version, usize> = HashMap::new();
        for found in placeholders(text) {
            let key = (found.name.to_owned(), found.nth);
            let Some(known) = self.seen(path, |seen| seen.secrets.get(&key).copied()).flatten()
            else {
                continue;
            };
            // The file has the placeholder itself too, letter by letter.
            let ambiguous = literal.contains(&(found.name, found.nth));
            let Some(version) = known.filter(|_| !ambiguous) else { return Err(refused(path)) };
            let Some((secret, times)) = secrets.get(&version) else { continue };
            // Somebody else may have taken one of them out since they were shown.
            let shown = self.seen(path, |seen| seen.repeated.get(&version).copied()).flatten();
            let written = written.entry(version).or_insert(0_usize);
            *written += 1;
            if *written > (*times).max(shown.unwrap_or(1)) {
                return Err(refused(path));
            }
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

    fn seen<T>(&self, path: &WsPath, look: impl FnOnce(&Seen) -> T) -> Option<T> {
        let files = self.files();
        files.iter().rev().find(|(known, _)| known == path).map(|(_, seen)| look(seen))
    }

    fn files(&self) -> MutexGuard<'_, VecDeque<(WsPath, Seen)>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn count(&mut self, secrets: &[Secret]) {
        let mut times: HashMap<Version, usize> = HashMap::new();
        for secret in secrets.iter().take(MOST_SECRETS) {
            *times.entry(secret.version).or_default() += 1;
        }
        for (version, times) in times.into_iter().filter(|(_, times)| *times > 1) {
            if self.repeated.len() >= MOST_SECRETS {
                return;
            }
            let most = self.repeated.entry(version).or_default();
            *most = times.max(*most);
        }
    }

    fn add(&mut self, secret: &Secret) {
        if self.secrets.len() >= MOST_SECRETS {
            return;
        }
        let whole = |found: &Placeholder<'_>| (found.start, found.end) == (0, secret.mark.len());
        // Other words for a secret are looked at when something is written.
        let Some(found) = placeholders(&secret.mark).next().filter(whole) else { return };
        let known = self.secrets.entry((found.name.to_owned(), found.nth));
        let known = known.or_insert(Some(secret.version));
        if *known != Some(secret.version) {
            *known = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use garth_redact::Clean;

    use super::*;

    fn path(name: &str) -> WsPath {
        WsPath::from_bytes(name.as_bytes()).unwrap()
    }

    fn secret(rule: &str, text: &str) -> Secret {
        let (mark, version) = (Clean::fixed("[REDACTED: X]"), Version::of(text.as_bytes()));
        Secret { rule: rule.to_owned(), nth: 1, mark, version }
    }

    fn knows(recall: &Recall, name: &str) -> bool {
        recall.seen(&path(name), |_| ()).is_some()
    }

    #[test]
    fn what_was_not_shown_for_the_longest_time_is_forgotten_first() {
        let recall = Recall::new();
        for number in 0..MOST_FILES {
            recall.saw(&path(&number.to_string()), Extent::Whole, &[secret("X", "a")]);
        }
        recall.saw(&path("0"), Extent::Whole, &[secret("X", "b")]);
        assert!(knows(&recall, "1"));
        recall.saw(&path("new"), Extent::Whole, &[secret("X", "a")]);
        assert!(knows(&recall, "0") && knows(&recall, "new") && !knows(&recall, "1"));
        assert_eq!(recall.files().len(), MOST_FILES);
    }

    #[test]
    fn a_file_without_secrets_takes_no_place_and_leaves_its_own() {
        let recall = Recall::new();
        recall.saw(&path("a"), Extent::Whole, &[]);
        assert!(!knows(&recall, "a"));
        recall.saw(&path("a"), Extent::Whole, &[secret("X", "a")]);
        assert!(knows(&recall, "a"));
        recall.saw(&path("a"), Extent::Part(None), &[]);
        assert!(knows(&recall, "a"));
        recall.saw(&path("a"), Extent::Whole, &[]);
        assert!(!knows(&recall, "a"));
    }

    #[test]
    fn a_move_takes_along_what_is_below_and_drops_what_it_covers() {
        let recall = Recall::new();
        for name in ["a/x", "a", "b/x", "ab"] {
            recall.saw(&path(name), Extent::Whole, &[secret("X", name)]);
        }
        recall.moved(&path("a"), &path("b"));
        let names: Vec<_> = recall.files().iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(names, ["b/x", "b", "ab"]);
        let known = recall.seen(&path("b/x"), |seen| seen.secrets.get(&("X".into(), 1)).copied());
        assert_eq!(known, Some(Some(Some(Version::of(b"a/x")))));
        recall.forget(&path("b"));
        assert!(!knows(&recall, "b/x") && knows(&recall, "ab"));
    }
}
