//! Where a body waits whose call has a name: what tells it from another call of that
//! name is known only when all of it came.
//!
//! It waits on the disk, in the gateway's own directory, and nothing of it is left when
//! it is dropped; what a crash left is removed at the next start.

use std::path::Path;

use bytes::Bytes;
use futures::{StreamExt, stream};
use garth_contract::{
    Aliases, Code, Detail, Durability, Error, Filesystem, Incoming, Policy, Result, Version, WsPath,
};
use garth_host::Host;

use super::{answer::Coming, data};

/// The name of its directory.
const NAME: &str = "incoming";
/// The largest body that waits, in bytes.
const MOST: u64 = 4 << 30;
/// How much is read at once.
const STEP: u64 = 1 << 20;

/// The place.
pub(crate) struct Spool(Host);

/// A body that came whole.
pub(crate) struct Spooled {
    pub(crate) version: Version,
    /// The same bytes once more.
    pub(crate) again: Coming,
}

impl Spool {
    /// Opens the place in the gateway's own directory.
    ///
    /// # Errors
    /// `INTERNAL` where it cannot be made.
    pub(crate) async fn open(data: &Path) -> Result<Self> {
        let path = data.join(NAME);
        data::make(&path)?;
        let policy = Policy { durability: Durability::Fast, max_file: MOST, ..Policy::open() };
        let host = Host::open(&path, policy, Aliases::none())?;
        host.sweep().await?;
        Ok(Self(host))
    }

    /// Takes a whole body.
    ///
    /// # Errors
    /// Those of the body, and `FILE_TOO_LARGE`.
    ///
    /// Cancel: nothing is left.
    pub(crate) async fn take(&self, mut coming: Coming) -> Result<Spooled> {
        let name = WsPath::from_bytes(b"body")?;
        let mut waiting = self.0.receive(&name).await?;
        let mut length = 0;
        while let Some(piece) = coming.next().await {
            let piece = piece?;
            length += piece.len() as u64;
            if length > MOST {
                let limit = Detail::Limit { limit: MOST, actual: length };
                let message = "the body of a request with a name is too large";
                return Err(Error::new(Code::FileTooLarge, message).with(limit));
            }
            waiting.add(vec![piece]).await?;
        }
        let version = waiting.version().await?;
        Ok(Spooled { version, again: again(waiting) })
    }
}

/// What came, once more.
fn again(waiting: Box<dyn Incoming>) -> Coming {
    Box::pin(stream::try_unfold((waiting, 0), |(mut waiting, at)| async move {
        let piece: Bytes = waiting.read_back(at, STEP).await?;
        let next = at + piece.len() as u64;
        Ok((!piece.is_empty()).then_some((piece, (waiting, next))))
    }))
}
