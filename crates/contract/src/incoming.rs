//! A file that arrives in pieces, out of sight, and then takes its place.
//!
//! A file that is written whole has to be in memory whole. One that arrives costs as
//! much as its pieces, whatever its size, and lands as a write does: whole or not at
//! all, under a guard.

use bytes::Bytes;

use crate::{BoxFuture, Put, Result, Version, Written};

/// A file on its way; dropping it discards it, soon after.
pub trait Incoming: Send {
    /// Takes what comes next, in order.
    ///
    /// *Errors*: `FILE_TOO_LARGE` over the workspace's bound, `QUOTA_EXCEEDED` or
    /// `DISK_FULL` when there is no room; it cannot land after one.
    /// *Cancel*: the pieces may be there or not; it cannot land.
    fn add(&mut self, pieces: Vec<Bytes>) -> BoxFuture<'_, Result<()>>;

    /// Reads what came: at most `length` bytes from `offset`; past the end none.
    fn read_back(&mut self, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes>>;

    /// The version of what came so far.
    fn version(&mut self) -> BoxFuture<'_, Result<Version>>;

    /// Takes its place, as [`write`](crate::Filesystem::write) of the same bytes would.
    ///
    /// *Errors*: those of `write`, and `CONFLICT` where a piece was not taken.
    /// *After*: the same, and no temporary file is left, also after an error.
    /// *Cancel*: the file has its old or its new content, whole.
    fn land(self: Box<Self>, put: Put) -> BoxFuture<'static, Result<Written>>;
}
