//! The ignore files that hold in a directory, one level a directory.
//!
//! The rules are ripgrep's: a deeper file counts before a shallower one, any
//! `.ignore` before any `.gitignore`, and both before `.git/info/exclude`. They
//! hold with or without a repository around them.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path, sync::Arc};

use garth_contract::Kind;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// How much of an ignore file is read; what follows has no effect.
pub const MAX_IGNORE_FILE: usize = 1 << 20;
/// How much work the rules of one ignore file may make, a rule counting one and
/// each of its wildcards another; more would take seconds to compile.
const MAX_WORK: usize = 16 << 10;

/// The rules that hold for the entries of one directory.
#[derive(Clone, Debug, Default)]
pub struct Ignores(Option<Arc<Level>>);

/// The contents of a directory's ignore files, as far as they exist.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreFiles<'a> {
    /// `.ignore`.
    pub ignore: Option<&'a [u8]>,
    /// `.gitignore`.
    pub gitignore: Option<&'a [u8]>,
    /// `.git/info/exclude`.
    pub exclude: Option<&'a [u8]>,
}

/// What ignore files say about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// To be passed over.
    Ignored,
    /// Taken back in by a `!` rule.
    Wanted,
    /// Nothing.
    Silent,
}

#[derive(Debug)]
struct Level {
    parent: Ignores,
    /// How many bytes of a path from the root lead to this directory.
    strip: usize,
    /// The rules by kind of file, the weightiest first.
    rules: [Gitignore; 3],
}

impl Ignores {
    /// No rules.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// The rules that hold in the directory `dir`, whose parent's these are.
    ///
    /// `dir` is a path from the workspace's root.
    #[must_use]
    pub fn below(&self, dir: &[u8], files: IgnoreFiles<'_>) -> Self {
        let rules = [files.ignore, files.gitignore, files.exclude].map(compile);
        if rules.iter().all(Gitignore::is_empty) {
            return self.clone();
        }
        let strip = if dir.is_empty() { 0 } else { dir.len() + 1 };
        Self(Some(Arc::new(Level { parent: self.clone(), strip, rules })))
    }

    pub(crate) fn verdict(&self, path: &[u8], kind: Kind) -> Verdict {
        let mut said = [Verdict::Silent; 3];
        let mut next = self;
        while let Self(Some(level)) = next {
            let below = path.get(level.strip..).unwrap_or_default();
            for (said, rules) in said.iter_mut().zip(&level.rules) {
                if *said == Verdict::Silent {
                    *said = judge(rules, below, kind);
                }
            }
            // What the weightiest kind of file says in the deepest place is final.
            if let [Verdict::Ignored | Verdict::Wanted, ..] = said {
                break;
            }
            next = &level.parent;
        }
        said.into_iter().find(|said| *said != Verdict::Silent).unwrap_or(Verdict::Silent)
    }
}

fn judge(rules: &Gitignore, below: &[u8], kind: Kind) -> Verdict {
    match rules.matched(Path::new(OsStr::from_bytes(below)), kind == Kind::Dir) {
        Match::Ignore(_) => Verdict::Ignored,
        Match::Whitelist(_) => Verdict::Wanted,
        Match::None => Verdict::Silent,
    }
}

/// Compiles one file; a line that is wrong or no text is passed over.
fn compile(content: Option<&[u8]>) -> Gitignore {
    let Some(content) = content else { return Gitignore::empty() };
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let whole = match content.get(..MAX_IGNORE_FILE) {
        None => content,
        // The last line may have been cut, and half a rule is another rule.
        Some(cut) => cut
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(b"".as_slice(), |end| cut.split_at(end).0),
    };
    // Paths come relative to the directory; this root is the one that the matcher
    // does not try to strip off them.
    let mut builder = GitignoreBuilder::new(".");
    let mut work = 0;
    for line in whole.split(|byte| *byte == b'\n') {
        let Ok(line) = str::from_utf8(line) else { continue };
        work += 1 + line.matches(['*', '?', '[', '{']).count();
        if work > MAX_WORK {
            break;
        }
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests;
