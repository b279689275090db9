//! What files pass through on their way into an archive, where not all may see
//! them as they are.

use std::fmt;

use bytes::Bytes;
use garth_contract::WsPath;

/// Decides what of a file goes into an archive.
///
/// An archive leaves a workspace, and who takes it may not be one who may see the
/// raw text of its files. What that means is for the caller to know; here it is made
/// sure that no file goes round it.
pub trait Sieve: fmt::Debug + Send + Sync + 'static {
    /// Tells whether a file passes through here, by its path and by how it begins:
    /// all of it, or at least 8 KiB. What does not goes in as it is.
    fn covers(&self, path: &WsPath, begins: &[u8]) -> bool;

    /// What goes in for a file, of which this is all. It may take its time.
    fn sift(&self, path: &WsPath, content: &Bytes) -> Sifted;
}

/// What goes into an archive for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sifted {
    /// The file as it is.
    Same,
    /// Something else.
    Instead(Bytes),
    /// Nothing: the file is left out, and counted as withheld.
    Nothing,
}

/// How much of a file is shown to tell whether it is covered.
pub(super) const BEGINS: u64 = 8 << 10;

/// The largest file that is sifted, since all of it is in memory then; a larger one
/// that is covered is withheld.
pub const MOST_SIFTED: u64 = 16 << 20;

/// What is sifted in place; more of it goes to a thread that may take its time.
pub(super) const SIFTED_IN_PLACE: usize = 16 << 10;
