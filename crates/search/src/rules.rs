//! What a workspace's policy forbids, compiled.

use garth_contract::{Policy, Result};
use globset::GlobSetBuilder;

use crate::{
    fold::{Fold, folded, folded_bytes},
    glob::{build, refuse},
    globs::{Against, Globs, Pattern},
};

/// The `deny` and `protect` globs of one workspace.
///
/// A pattern without `/` covers every entry of that name; one with `/` the path
/// from the root. What is below a covered directory is covered too.
#[derive(Clone, Debug)]
pub struct Rules {
    deny: Set,
    protect: Set,
}

#[derive(Clone, Debug)]
struct Set {
    exact: Globs,
    caseless: Globs,
    /// The same patterns and paths, both folded beyond what ASCII needs.
    folded: Globs,
    reach: Vec<Reach>,
}

/// Where in the tree a pattern can match.
#[derive(Clone, Debug)]
enum Reach {
    Anywhere,
    /// The components of a pattern from the root; `None` matches any name.
    Along(Vec<Option<String>>),
}

impl Rules {
    /// Compiles the globs of a policy.
    ///
    /// # Errors
    /// `INVALID_PATTERN` with the position of what is wrong.
    pub fn compile(policy: &Policy) -> Result<Self> {
        Ok(Self { deny: Set::compile(&policy.deny)?, protect: Set::compile(&policy.protect)? })
    }

    /// Tells whether nothing is forbidden, so that no path needs to be checked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.deny.is_empty() && self.protect.is_empty()
    }

    /// Tells whether the path, or a directory on the way to it, is denied.
    #[must_use]
    pub fn denies(&self, path: &[u8], fold: Fold) -> bool {
        self.deny.covers(path, fold)
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
    pub fn denies_entry(&self, path: &[u8], fold: Fold) -> bool {
        self.deny.holds(path, fold, Globs::matches)
    }

    /// Tells whether a rule could cover something at or below `path`.
    ///
    /// `false` is certain; `true` means that what is there must be looked at. A
    /// directory can be removed or moved as a whole only where this is `false`.
    #[must_use]
    pub fn covers_below(&self, path: &[u8]) -> bool {
        self.deny.reaches(path) || self.protect.reaches(path)
    }
}

impl Set {
    fn compile(globs: &[String]) -> Result<Self> {
        let tidy: Vec<String> = globs.iter().map(|glob| single_slashes(glob)).collect();
        let patterns: Vec<Pattern<'_>> = tidy.iter().map(|glob| Pattern::filter(glob)).collect();
        for pattern in &patterns {
            check(pattern.text)?;
        }
        Ok(Self {
            exact: Globs::compile(&patterns, Fold::Exact)?,
            caseless: Globs::compile(&patterns, Fold::Caseless)?,
            folded: folded_globs(&patterns)?,
            reach: patterns.iter().map(reach).collect(),
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
        self.reach.iter().any(|reach| match reach {
            Reach::Anywhere => true,
            Reach::Along(pattern) => {
                let names = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
                names.zip(pattern).all(|(name, expected)| {
                    let alike = |expected: &String| *folded_bytes(name) == *expected.as_bytes();
                    expected.as_ref().is_none_or(alike)
                })
            }
        })
    }
}

/// Folds the patterns themselves; one that then reads wrong adds nothing.
///
/// `[A-_]` is such a pattern, and the caseless set already has it.
fn folded_globs(patterns: &[Pattern<'_>]) -> Result<Globs> {
    let mut names = GlobSetBuilder::new();
    let mut paths = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = build(&folded(pattern.text), Fold::Caseless) {
            match pattern.against {
                Against::Name => names.add(glob),
                Against::Path => paths.add(glob),
            };
        }
    }
    Globs::build(&names, &paths).map_err(|_| refuse("", 0, "the patterns are too large"))
}

/// Refuses patterns that could never cover anything, since a rule without effect
/// would be taken for protection.
fn check(pattern: &str) -> Result<()> {
    if pattern.is_empty() {
        return Err(refuse(pattern, 0, "it names nothing"));
    }
    let mut position = 0;
    for name in pattern.split('/') {
        if matches!(name, "." | "..") {
            return Err(refuse(pattern, position, "a rule is read from the root, without '..'"));
        }
        position += name.len() + 1;
    }
    Ok(())
}

fn single_slashes(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len());
    for character in glob.chars() {
        if character != '/' || !out.ends_with('/') {
            out.push(character);
        }
    }
    out
}

fn reach(pattern: &Pattern<'_>) -> Reach {
    match pattern.against {
        Against::Name => Reach::Anywhere,
        Against::Path => {
            let mut names = Vec::new();
            for name in pattern.text.split('/') {
                // Braces may hold a `/`, and so may what follows them.
                if name.contains("**") || name.contains(['{', '[', '\\']) {
                    return if names.is_empty() { Reach::Anywhere } else { Reach::Along(names) };
                }
                names.push((!name.contains(['*', '?'])).then(|| folded(name)));
            }
            Reach::Along(names)
        }
    }
}

#[cfg(test)]
mod tests;
