//! What the suite found about one backend.

use std::{collections::BTreeMap, fmt, time::Duration};

/// The outcome of every check on one backend.
#[derive(Clone, Debug)]
pub struct Report {
    /// The backend's name.
    pub backend: String,
    /// The checks that hold.
    pub passed: Vec<&'static str>,
    /// The checks that could not be made, each with what cannot be done.
    pub skipped: Vec<(&'static str, &'static str)>,
    /// The checks that do not hold, each with why.
    pub failed: Vec<(&'static str, String)>,
    /// How long each check took.
    pub took: Vec<(Duration, &'static str)>,
}

impl Report {
    pub(crate) fn of(backend: &str) -> Self {
        Self {
            backend: backend.into(),
            passed: Vec::new(),
            skipped: Vec::new(),
            failed: Vec::new(),
            took: Vec::new(),
        }
    }

    /// Tells whether a check of this name failed.
    #[must_use]
    pub fn caught(&self, check: &str) -> bool {
        self.failed.iter().any(|(name, _)| *name == check)
    }
}

/// Writes the counts, then what was skipped by reason, then what failed.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, passed, skipped, failed, took } = self;
        let (passed, missing, wrong) = (passed.len(), skipped.len(), failed.len());
        let all: Duration = took.iter().map(|(took, _)| *took).sum();
        write!(f, "{backend}: {passed} of {} checks hold", passed + missing + wrong)?;
        write!(f, ", {missing} skipped, {wrong} failed in {all:.1?}")?;
        if let Some((longest, check)) = took.iter().max() {
            write!(f, "; the longest was {check} with {longest:.1?}")?;
        }
        let mut reasons: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (check, why) in skipped {
            reasons.entry(why).or_default().push(*check);
        }
        for (why, checks) in reasons {
            write!(f, "\n  cannot {why}, so skips {}: {}", checks.len(), checks.join(" "))?;
        }
        for (check, why) in failed {
            write!(f, "\n  FAILED {check}: {why}")?;
        }
        Ok(())
    }
}
