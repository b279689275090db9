//! How much a repository may be and how long its transfer may take.

use std::time::Duration;

use garth_contract::{Code, Detail, Error, Result};

/// The bounds of every workspace's repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes one pack of objects may have, and all that is kept of a repository.
    pub bytes: u64,
    /// How many objects.
    pub objects: u64,
    /// How many refs of a remote are looked at.
    pub refs: usize,
    /// How much memory one run of git may take.
    pub memory: u64,
    /// How long a push, a fetch or a clone may take in all.
    pub time: Duration,
}

impl Limits {
    /// What large repositories need and a machine can bear.
    #[must_use]
    pub const fn usual() -> Self {
        Self {
            bytes: 2 << 30,
            objects: 5_000_000,
            refs: 20_000,
            memory: 4 << 30,
            time: Duration::from_secs(600),
        }
    }

    /// Looks at a number of bytes.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED`.
    pub(crate) fn admit_bytes(&self, actual: u64) -> Result<()> {
        within(actual, self.bytes, "the repository has more bytes than this gateway takes")
    }

    /// Looks at a number of objects.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED`.
    pub(crate) fn admit_objects(&self, actual: u64) -> Result<()> {
        within(actual, self.objects, "the repository has more objects than this gateway takes")
    }

    /// Looks at a number of refs.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED`.
    pub(crate) fn admit_refs(&self, actual: usize) -> Result<()> {
        let what = "the repository has more refs than this gateway takes";
        within(actual as u64, self.refs as u64, what)
    }
}

fn within(actual: u64, limit: u64, what: &'static str) -> Result<()> {
    if actual <= limit {
        return Ok(());
    }
    Err(Error::new(Code::QuotaExceeded, what)
        .with(Detail::Limit { limit, actual })
        .hint("Ask the operator to raise the bounds of git."))
}
