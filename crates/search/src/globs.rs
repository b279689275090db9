//! A set of globs that a path is held against.

use std::borrow::Cow;

use garth_contract::{Code, Detail, Error, Result};
use globset::{Candidate, GlobSet, GlobSetBuilder};

use crate::{
    fold::Fold,
    glob::{compile, refuse},
};

/// The most bytes that all patterns of one set have together.
const MAX_SET: usize = 64 << 10;

/// A pattern, and whether it is held against names or whole paths.
pub(crate) struct Pattern<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) against: Against,
}

/// What a pattern is held against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// The last component of a path.
    Name,
    /// All of it.
    Path,
}

impl<'a> Pattern<'a> {
    /// Reads a filter: without a `/` it is held against names at any depth.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern that can match nothing.
    pub(crate) fn filter(text: &'a str) -> Result<Self> {
        let body = text.trim_end_matches('/');
        let against = if body.contains('/') { Against::Path } else { Against::Name };
        Ok(Self { text: tidy(text)?, against })
    }

    /// Reads a pattern for whole paths.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern that can match nothing.
    pub(crate) fn path(text: &'a str) -> Result<Self> {
        Ok(Self { text: tidy(text)?, against: Against::Path })
    }
}

/// Brings a pattern into the form that paths have.
///
/// A leading `/` or `./` means where the paths begin, a trailing `/` says nothing
/// more. A pattern with `..` is refused: it would silently match nothing, and as
/// a rule be taken for protection.
fn tidy(text: &str) -> Result<Cow<'_, str>> {
    let body = text.strip_prefix("./").unwrap_or(text).trim_matches('/');
    if body.is_empty() {
        return Err(refuse(text, 0, "it names nothing"));
    }
    let mut at = text.find(body).unwrap_or(0);
    for name in body.split('/') {
        if matches!(name, "." | "..") {
            return Err(refuse(text, at, "a glob is read from its base down, without '..'"));
        }
        at += name.len() + 1;
    }
    if !body.contains("//") {
        return Ok(Cow::Borrowed(body));
    }
    let names: Vec<&str> = body.split('/').filter(|name| !name.is_empty()).collect();
    Ok(Cow::Owned(names.join("/")))
}

/// Compiled patterns.
#[derive(Clone, Debug)]
pub(crate) struct Globs {
    names: GlobSet,
    paths: GlobSet,
}

impl Globs {
    /// Compiles all patterns.
    pub(crate) fn compile(patterns: &[Pattern<'_>], fold: Fold) -> Result<Self> {
        let bytes = patterns.iter().map(|pattern| pattern.text.len() + 1).sum::<usize>();
        if bytes > MAX_SET {
            let message = format!("the globs have more than {MAX_SET} bytes together");
            return Err(Error::new(Code::InvalidPattern, message)
                .with(Detail::Position(0))
                .with(Detail::Limit { limit: MAX_SET as u64, actual: bytes as u64 }));
        }
        let mut names = GlobSetBuilder::new();
        let mut paths = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = compile(&pattern.text, fold)?;
            match pattern.against {
                Against::Name => names.add(glob),
                Against::Path => paths.add(glob),
            };
        }
        Self::build(&names, &paths)
            .map_err(|_| refuse("", 0, "the patterns together are too large; send fewer"))
    }

    /// Puts compiled patterns together.
    pub(crate) fn build(
        names: &GlobSetBuilder,
        paths: &GlobSetBuilder,
    ) -> Result<Self, globset::Error> {
        Ok(Self { names: names.build()?, paths: paths.build()? })
    }

    /// Tells whether nothing can match.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Tells whether a pattern matches this path, ancestors apart.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        (!self.names.is_empty()
            && self.names.is_match_candidate(&Candidate::from_bytes(name(path))))
            || (!self.paths.is_empty()
                && self.paths.is_match_candidate(&Candidate::from_bytes(path)))
    }

    /// Tells whether a pattern matches this path or a directory on the way to it.
    pub(crate) fn matches_along(&self, path: &[u8]) -> bool {
        if self.is_empty() || path.is_empty() {
            return false;
        }
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes
            .map(|(position, _)| position)
            .chain([path.len()])
            .any(|end| path.get(..end).is_some_and(|prefix| self.matches(prefix)))
    }
}

/// The last component of a path.
fn name(path: &[u8]) -> &[u8] {
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    path.get(start..).unwrap_or_default()
}
