//! What a workspace's policy forbids, compiled.

use garth_contract::{Kind, Policy, Result};
use globset::GlobSetBuilder;

use crate::{
    fold::{Fold, folded, folded_bytes},
    glob::{build, refuse},
    globs::{Against, Globs, Pattern},
    reach::Reach,
};

/// The `allow`, `deny` and `protect` globs of one workspace.
///
/// A pattern without `/` covers every entry of that name; one with `/` the path
/// from the root. What is below a covered directory is covered too.
#[derive(Clone, Debug)]
pub struct Rules {
    allow: Set,
    deny: Set,
    protect: Set,
}

/// What stands at a path, or is to stand there, as far as a rule asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A directory, which may lead to what is allowed.
    Dir,
    /// Anything else, or nothing.
    Other,
}

impl From<Kind> for Stands {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Dir => Self::Dir,
            Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => Self::Other,
        }
    }
}

#[derive(Clone, Debug)]
struct Set {
    exact: Globs,
    caseless: Globs,
    /// The same patterns and paths, both folded beyond what ASCII needs.
    folded: Globs,
    reach: Vec<Reach>,
}

impl Rules {
    /// Compiles the globs of a policy.
    ///
    /// # Errors
    /// `INVALID_PATTERN` with the position of what is wrong.
    pub fn compile(policy: &Policy) -> Result<Self> {
        Ok(Self {
            allow: Set::compile(&policy.allow)?,
            deny: Set::compile(&policy.deny)?,
            protect: Set::compile(&policy.protect)?,
        })
    }

    /// Tells whether nothing is forbidden, so that no path needs to be checked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty() && self.protect.is_empty()
    }

    /// Tells whether the path, or a directory on the way to it, is denied, or is not
    /// allowed where only some things are.
    #[must_use]
    pub fn denies(&self, path: &[u8], fold: Fold, stands: Stands) -> bool {
        self.deny.covers(path, fold) || self.leaves_out(path, fold, stands)
    }

    /// Tells whether nothing but a directory may be seen at a path, since it only
    /// leads to what is allowed.
    #[must_use]
    pub fn shows_dirs_only(&self, path: &[u8], fold: Fold) -> bool {
        self.leaves_out(path, fold, Stands::Other)
    }

    fn leaves_out(&self, path: &[u8], fold: Fold, stands: Stands) -> bool {
        if self.allow.is_empty() || self.allow.covers(path, fold) {
            return false;
        }
        match stands {
            Stands::Dir => !self.allow.goes_below(path),
            Stands::Other => true,
        }
    }

    /// Tells whether the path, or a directory on the way to it, is protected.
    #[must_use]
    pub fn protects(&self, path: &[u8], fold: Fold) -> bool {
        self.protect.covers(path, fold)
    }

    /// Tells whether an entry is denied by its own path, ancestors apart.
    ///
    /// A walk that entered no denied directory needs to ask no more than this.
    #[must_use]
    pub fn denies_entry(&self, path: &[u8], fold: Fold, stands: Stands) -> bool {
        self.deny.holds(path, fold, Globs::matches) || self.leaves_out(path, fold, stands)
    }

    /// Tells whether a rule could cover something at or below `path`.
    ///
    /// `false` is certain; `true` means that what is there must be looked at. A
    /// directory can be removed or moved as a whole only where this is `false`.
    #[must_use]
    pub fn covers_below(&self, path: &[u8]) -> bool {
        self.deny.reaches(path)
            || self.protect.reaches(path)
            || self.leaves_out(path, Fold::Exact, Stands::Other)
    }
}

impl Set {
    fn compile(globs: &[String]) -> Result<Self> {
        let patterns: Vec<Pattern<'_>> =
            globs.iter().map(|glob| Pattern::filter(glob)).collect::<Result<_>>()?;
        Ok(Self {
            exact: Globs::compile(&patterns, Fold::Exact)?,
            caseless: Globs::compile(&patterns, Fold::Caseless)?,
            folded: folded_globs(&patterns)?,
            reach: patterns.iter().map(Reach::of).collect(),
        })
    }

    fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    fn covers(&self, path: &[u8], fold: Fold) -> bool {
        self.holds(path, fold, Globs::matches_along)
    }

    fn holds(&self, path: &[u8], fold: Fold, matches: fn(&Globs, &[u8]) -> bool) -> bool {
        if self.is_empty() {
            return false;
        }
        match fold {
            Fold::Exact => matches(&self.exact, path),
            Fold::Caseless => {
                matches(&self.caseless, path) || matches(&self.folded, &folded_bytes(path))
            }
        }
    }

    fn reaches(&self, path: &[u8]) -> bool {
        self.reach.iter().any(|reach| reach.meets(path))
    }

    fn goes_below(&self, path: &[u8]) -> bool {
        self.reach.iter().any(|reach| reach.goes_below(path))
    }
}

/// Folds the patterns themselves; one that then reads wrong adds nothing.
///
/// `[A-_]` is such a pattern, and the caseless set already has it.
fn folded_globs(patterns: &[Pattern<'_>]) -> Result<Globs> {
    let mut names = GlobSetBuilder::new();
    let mut paths = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = build(&folded(&pattern.text), Fold::Caseless) {
            match pattern.against {
                Against::Name => names.add(glob),
                Against::Path => paths.add(glob),
            };
        }
    }
    Globs::build(&names, &paths).map_err(|_| refuse("", 0, "the patterns are too large"))
}

#[cfg(test)]
mod tests;
