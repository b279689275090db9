//! A file that arrives in pieces, on whatever backend the workspace has.
//!
//! A backend that can keeps the pieces out of memory; for another one they are
//! collected here, within a bound, and written whole.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use garth_contract::{
    Code, Detail, DynFilesystem, Error, Incoming, Put, Result, Version, Written, WsPath,
};

use crate::Workspace;

/// The largest file that is collected in memory, in bytes.
const MOST_COLLECTED: u64 = 256 << 20;

/// A file on its way; dropping it discards it.
pub struct Received {
    path: WsPath,
    place: Place,
    length: u64,
}

/// Where the pieces are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Where the backend has its files.
    Apart,
    /// In this program's memory.
    InMemory,
}

enum Place {
    Apart(Box<dyn Incoming>),
    Here { fs: Arc<dyn DynFilesystem>, bytes: BytesMut },
}

impl Workspace {
    /// Opens a file that arrives in pieces.
    ///
    /// # Errors
    /// Those of [`receive`](garth_contract::Filesystem::receive).
    pub async fn receive(&self, path: &WsPath) -> Result<Received> {
        let place = match self.fs.receive(path).await {
            Ok(incoming) => Place::Apart(incoming),
            Err(error) if error.code() == Code::Unsupported => {
                Place::Here { fs: Arc::clone(&self.fs), bytes: BytesMut::new() }
            }
            Err(error) => return Err(error),
        };
        Ok(Received { path: path.clone(), place, length: 0 })
    }
}

impl Received {
    /// Where the pieces are.
    #[must_use]
    pub fn kept(&self) -> Kept {
        match self.place {
            Place::Apart(_) => Kept::Apart,
            Place::Here { .. } => Kept::InMemory,
        }
    }

    /// How many bytes came.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Takes what comes next.
    ///
    /// # Errors
    /// Those of [`Incoming::add`]; `FILE_TOO_LARGE` for more than is collected.
    ///
    /// Cancel: as there.
    pub async fn add(&mut self, pieces: Vec<Bytes>) -> Result<()> {
        let more: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
        let length = self.length.saturating_add(more);
        match &mut self.place {
            Place::Apart(incoming) => incoming.add(pieces).await?,
            Place::Here { bytes, .. } => {
                if length > MOST_COLLECTED {
                    let limit = Detail::Limit { limit: MOST_COLLECTED, actual: length };
                    return Err(Error::at(Code::FileTooLarge, &self.path).with(limit));
                }
                pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
            }
        }
        self.length = length;
        Ok(())
    }

    /// Reads what came: at most `length` bytes from `offset`; past the end none.
    ///
    /// # Errors
    /// Those of [`Incoming::read_back`].
    pub async fn read_back(&mut self, offset: u64, length: u64) -> Result<Bytes> {
        match &mut self.place {
            Place::Apart(incoming) => incoming.read_back(offset, length).await,
            Place::Here { bytes, .. } => {
                let at = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                let (start, end) = (at(offset), at(offset.saturating_add(length)));
                Ok(Bytes::copy_from_slice(bytes.get(start..end).unwrap_or_default()))
            }
        }
    }

    /// The version of what came so far.
    ///
    /// # Errors
    /// Those of [`Incoming::version`].
    pub async fn version(&mut self) -> Result<Version> {
        match &mut self.place {
            Place::Apart(incoming) => incoming.version().await,
            Place::Here { bytes, .. } => Ok(Version::of(bytes)),
        }
    }

    /// Takes its place.
    ///
    /// # Errors
    /// Those of [`Incoming::land`], or of a write.
    ///
    /// Cancel: the file has its old or its new content, whole.
    pub async fn land(self, put: Put) -> Result<Written> {
        match self.place {
            Place::Apart(incoming) => incoming.land(put).await,
            Place::Here { fs, bytes } => fs.write(&self.path, bytes.freeze(), put).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use garth_contract::{Guard, Parents};

    use super::*;
    use crate::fixture;

    #[test]
    fn a_backend_that_takes_files_whole_gets_them_so() {
        let workspace = fixture::over(&fixture::memory());
        let path = WsPath::from_bytes(b"a").unwrap();
        let put = Put { guard: Guard::Absent, parents: Parents::Create, mode: None };
        let read = fixture::wait(async {
            let mut received = workspace.receive(&path).await.unwrap();
            assert_eq!(received.kept(), Kept::InMemory);
            received.add(vec![Bytes::from("one "), Bytes::from("two")]).await.unwrap();
            received.add(vec![Bytes::from(" three")]).await.unwrap();
            assert_eq!(received.length(), 13);
            assert_eq!(received.version().await.unwrap(), Version::of(b"one two three"));
            assert_eq!(received.read_back(4, 3).await.unwrap(), "two");
            assert_eq!(received.read_back(13, 3).await.unwrap(), "");
            assert!(received.land(put.clone()).await.unwrap().created);
            let again = workspace.receive(&path).await.unwrap().land(put).await;
            assert_eq!(again.map_err(|error| error.code()), Err(Code::FileExists));
            let span = garth_contract::Span::Whole { at_most: 100 };
            workspace.fs().read(&path, span).await.unwrap().bytes
        });
        assert_eq!(read, "one two three");
    }
}
