//! What of a remote repository an agent may change: the operator's word.

use garth_contract::{Code, Error, Result};
use garth_git::RefName;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The most patterns of one policy.
const MOST_PATTERNS: usize = 64;

/// What an agent may change. Nobody may force a ref or delete one.
#[derive(Clone, Debug)]
pub struct Policy {
    allowed: GlobSet,
    /// Whether commits may change what the remote's own automation runs.
    pub workflows: Workflows,
}

/// Whether commits may change files below `.github/workflows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workflows {
    /// They may.
    Allow,
    /// A push of such commits is refused.
    Refuse,
}

impl Policy {
    /// A policy by patterns of branches; one that begins with `refs/` is of whole refs.
    /// Without a pattern every branch may be pushed to, and no tag.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern that is none, `INVALID_PARAMS` for too many.
    pub fn new(patterns: &[String], workflows: Workflows) -> Result<Self> {
        if patterns.len() > MOST_PATTERNS {
            return Err(Error::new(Code::InvalidParams, "there are too many patterns of branches"));
        }
        let every = [String::from("**")];
        let patterns = if patterns.is_empty() { &every[..] } else { patterns };
        let wrong = || Error::new(Code::InvalidPattern, "a pattern of branches is malformed");
        let mut allowed = GlobSetBuilder::new();
        for pattern in patterns {
            let whole = match pattern.strip_prefix("refs/") {
                Some(_) => pattern.clone(),
                None => format!("refs/heads/{pattern}"),
            };
            let glob = GlobBuilder::new(&whole).literal_separator(true).build();
            allowed.add(glob.map_err(|_| wrong())?);
        }
        Ok(Self { allowed: allowed.build().map_err(|_| wrong())?, workflows })
    }

    /// Looks whether a ref may be pushed to.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub fn admit(&self, name: &RefName) -> Result<()> {
        let kinds = ["refs/heads/", "refs/tags/"];
        let known = kinds.iter().any(|kind| name.as_str().starts_with(kind));
        if known && self.allowed.is_match(name.as_str()) {
            return Ok(());
        }
        let message = format!("this workspace may not push to {name}");
        Err(Error::new(Code::PermissionDenied, message)
            .hint("Push to a branch that the operator allows, or ask the operator."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(patterns: &[&str]) -> Policy {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        Policy::new(&patterns, Workflows::Allow).unwrap()
    }

    fn admits(policy: &Policy, name: &str) -> bool {
        policy.admit(&RefName::parse(name).unwrap()).is_ok()
    }

    #[test]
    fn only_refs_that_a_pattern_covers_may_be_pushed_to() {
        let some = policy(&["agent/*", "refs/tags/v*"]);
        assert!(admits(&some, "refs/heads/agent/a") && admits(&some, "refs/tags/v1"));
        for name in ["refs/heads/main", "refs/heads/agent/a/b", "refs/tags/x", "refs/notes/v"] {
            assert!(!admits(&some, name), "{name}");
        }
        let usual = policy(&[]);
        assert!(admits(&usual, "refs/heads/main") && admits(&usual, "refs/heads/a/b"));
        for name in ["refs/tags/v1", "refs/pull/1", "refs/garth/in/1"] {
            assert!(!admits(&usual, name), "{name}");
        }
        assert!(!admits(&policy(&["refs/**"]), "refs/meta/config"));
        let broken = Policy::new(&["[".to_owned()], Workflows::Allow).unwrap_err();
        assert_eq!(broken.code(), Code::InvalidPattern);
    }
}
