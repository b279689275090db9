//! What the naive backend does not show: what is denied, and what is not allowed.

use std::path::Path;

use garth_conformance::model::Node;
use garth_contract::{Code, Error, Policy, Result, WsPath};
use globset::{GlobBuilder, GlobMatcher};

use crate::{fault::Fault, naive::as_path};

/// The rules on what can be seen.
pub(crate) struct Veil {
    denied: Globs,
    allowed: Globs,
    fault: Option<Fault>,
}

impl Veil {
    pub(crate) fn new(policy: &Policy, fault: Option<Fault>) -> Result<Self> {
        let (denied, allowed) = (Globs::new(&policy.deny)?, Globs::new(&policy.allow)?);
        Ok(Self { denied, allowed, fault })
    }

    /// Tells whether a path is denied, or is not allowed with what stands there.
    pub(crate) fn covers(&self, path: &WsPath, node: Option<&Node>) -> bool {
        if self.fault == Some(Fault::AllowsDenied) && self.allowed.cover(path) {
            return false;
        }
        self.denied.cover(path) || self.leaves_out(path, node)
    }

    /// Tells whether a path is denied.
    pub(crate) fn denies(&self, path: &WsPath) -> bool {
        self.denied.cover(path)
    }

    fn leaves_out(&self, path: &WsPath, node: Option<&Node>) -> bool {
        if self.allowed.0.is_empty() || self.allowed.cover(path) {
            return false;
        }
        let is_dir = matches!(node, Some(Node::Dir)) || path.is_root();
        let counts = is_dir || self.fault == Some(Fault::TakesFilesForTheWay);
        let leads = self.allowed.0.iter().any(|glob| glob.leads(path));
        !(counts && leads && self.fault != Some(Fault::HidesTheWay))
    }
}

/// The globs of a policy.
pub(crate) struct Globs(Vec<Pattern>);

struct Pattern {
    /// The names of the path that it matches; `None` where it matches names.
    names: Option<Vec<String>>,
    glob: GlobMatcher,
}

impl Globs {
    pub(crate) fn new(patterns: &[String]) -> Result<Self> {
        let compile = |pattern: &String| {
            let path = pattern.contains('/');
            let names = path.then(|| pattern.split('/').map(str::to_owned).collect());
            Ok(Pattern { names, glob: matcher(pattern)? })
        };
        Ok(Self(patterns.iter().map(compile).collect::<Result<_>>()?))
    }

    /// Tells whether a rule covers a path or a directory on the way to it.
    pub(crate) fn cover(&self, path: &WsPath) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let mut here = path.clone();
        while let Some((parent, name)) = here.split() {
            let matches = |pattern: &Pattern| {
                let whole = pattern.names.is_some();
                pattern.glob.is_match(as_path(if whole { here.as_bytes() } else { name }))
            };
            if self.0.iter().any(matches) {
                return true;
            }
            here = parent;
        }
        false
    }
}

impl Pattern {
    /// Tells whether something below a directory could match.
    fn leads(&self, dir: &WsPath) -> bool {
        let Some(names) = &self.names else { return true };
        let mut expected = names.iter();
        for name in dir.components() {
            let Some(pattern) = expected.next() else { return false };
            if pattern == "**" {
                return true;
            }
            if !matcher(pattern).unwrap().is_match::<&Path>(as_path(name)) {
                return false;
            }
        }
        expected.next().is_some()
    }
}

fn matcher(pattern: &str) -> Result<GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    Ok(glob.map_err(|_| Error::of(Code::InvalidPattern))?.compile_matcher())
}
