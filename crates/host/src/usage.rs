//! How many bytes a workspace's files take, where a quota bounds them.
//!
//! Our own writes are counted as they happen. Other programs write too, so the
//! count is taken anew from the tree when it has grown old.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use garth_contract::{Code, Detail, Error, Result, WsPath};
use rustix::fs::{Mode, OFlags, openat};

use crate::{descend, errno, tree::Tree};

/// How long a count is trusted; a bound on what other programs add unseen.
const FRESH: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Usage {
    quota: Option<u64>,
    count: Mutex<Option<Count>>,
}

#[derive(Debug)]
struct Count {
    bytes: u64,
    taken: Instant,
}

/// Room that a write has taken. Dropping it gives the room back.
#[derive(Debug)]
pub(crate) struct Charge<'a> {
    usage: &'a Usage,
    added: u64,
    freed: u64,
    kept: bool,
}

impl Usage {
    pub(crate) fn new(quota: Option<u64>) -> Self {
        Self { quota, count: Mutex::new(None) }
    }

    /// Tells whether files are counted at all.
    pub(crate) fn is_bounded(&self) -> bool {
        self.quota.is_some()
    }

    /// Takes room for a file of `new` bytes in place of one of `old` bytes.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED` when there is not enough.
    pub(crate) fn charge<'a>(&'a self, tree: &Tree, new: u64, old: u64) -> Result<Charge<'a>> {
        let charge = |added| Charge { usage: self, added, freed: old, kept: false };
        let Some(quota) = self.quota else { return Ok(charge(0)) };
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = count.take().filter(|count| count.taken.elapsed() < FRESH);
        let mut current = match fresh {
            Some(current) => current,
            None => Count { bytes: measure(tree)?, taken: Instant::now() },
        };
        let after = current.bytes.saturating_add(new).saturating_sub(old);
        let fits = after <= quota || new <= old;
        if fits {
            current.bytes = current.bytes.saturating_add(new);
        }
        *count = Some(current);
        if fits {
            return Ok(charge(new));
        }
        let limit = Detail::Limit { limit: quota, actual: after };
        Err(Error::of(Code::QuotaExceeded).with(limit))
    }

    /// Forgets the count after something else than a write changed the tree.
    pub(crate) fn forget(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Charge<'_> {
    /// The write landed: the old file's room is free, the new one's is taken.
    pub(crate) fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        let mut count = self.usage.count.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = count.as_mut() {
            let free = if self.kept { self.freed } else { self.added };
            count.bytes = count.bytes.saturating_sub(free);
        }
    }
}

/// Adds up the sizes of all files below the root.
pub(crate) fn measure(tree: &Tree) -> Result<u64> {
    let root = WsPath::root();
    let fail = |errno| errno::error(errno, &root);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = openat(tree.root(), c".", flags, Mode::empty()).map_err(fail)?;
    let mut sum = descend::Sum::default();
    descend::descend(top, &mut sum).map_err(fail)?;
    Ok(sum.bytes)
}
