//! Read, compute, write back: a change of one file that loses nobody's update.

use bytes::Bytes;
use garth_contract::{
    Code, Content, Error, Guard, Parents, Put, Result, Span, Version, Written, WsPath,
};

use crate::Workspace;

/// How often a change is computed anew because another program was faster.
///
/// Each try is a read and a compare under the file's lock, so losing this often
/// in a row means that somebody writes the file without a pause.
const TRIES: u32 = 100;

/// What a change makes of a file.
#[derive(Debug)]
pub struct Plan<T> {
    /// The new content; `None` leaves the file as it is.
    pub content: Option<Bytes>,
    /// Whether missing parents of a new file are made.
    pub parents: Parents,
    /// What else the change found out.
    pub facts: T,
}

/// What a change did.
#[derive(Debug)]
pub struct Updated<T> {
    /// What the write did; `None` when nothing was to be written.
    pub written: Option<Written>,
    /// What else the change found out.
    pub facts: T,
}

impl Workspace {
    /// Changes one file by what it holds now.
    ///
    /// `plan` gets the whole current content, or `None` where there is no file,
    /// and may be called several times: when the file changes between the read and
    /// the write, the change is computed anew on what the file is then.
    ///
    /// # Errors
    /// Those of `plan`, of reading and of writing; `FILE_TOO_LARGE` for a file over
    /// the limit for texts; `CONFLICT` when the file would not hold still.
    pub async fn update<T: Send>(
        &self,
        path: &WsPath,
        mut plan: impl FnMut(Option<&Content>) -> Result<Plan<T>> + Send,
    ) -> Result<Updated<T>> {
        let _held = self.locks.hold(&[path]).await;
        for attempt in 0..TRIES {
            let current = self.current(path).await?;
            let Plan { content, parents, facts } = plan(current.as_ref())?;
            let Some(content) = content else {
                return Ok(Updated { written: None, facts });
            };
            let put = Put { guard: guard(current.as_ref()), parents, mode: None };
            match self.fs.write(path, content, put.clone()).await {
                Ok(written) => return Ok(Updated { written: Some(written), facts }),
                Err(error) if lost(&put.guard, &error) => self.locks.pause(attempt).await,
                Err(error) => return Err(error),
            }
        }
        let hint = "Another program writes this file all the time; try again later.";
        Err(Error::at(Code::Conflict, path).hint(hint))
    }

    /// The whole content of a file; `None` where there is nothing.
    ///
    /// # Errors
    /// Those of reading, except `FILE_NOT_FOUND`.
    pub async fn current(&self, path: &WsPath) -> Result<Option<Content>> {
        let span = Span::Whole { at_most: self.limits.text_bytes };
        match self.fs.read(path, span).await {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.code() == Code::FileNotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The guard that holds a write to the content that was read.
#[must_use]
pub fn guard(current: Option<&Content>) -> Guard {
    match current {
        Some(content) => Guard::Holding(content.bytes.clone()),
        None => Guard::Absent,
    }
}

/// The version of a content that was read whole.
#[must_use]
pub fn version_of(content: &Content) -> Version {
    content.known.unwrap_or_else(|| Version::of(&content.bytes))
}

/// Tells whether a write failed because the file is not what it was.
fn lost(guard: &Guard, error: &Error) -> bool {
    match guard {
        Guard::Any => false,
        Guard::Absent => error.code() == Code::FileExists,
        Guard::Unchanged(_) | Guard::Holding(_) => error.code() == Code::Conflict,
    }
}

#[cfg(test)]
mod tests;
