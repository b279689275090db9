//! A change of several files: all of it or nothing.
//!
//! Everything is read and computed before anything is written. Files are then
//! replaced one by one, each under the guard of what was read, and removed last.
//! When one of them fails, those before it are put back, again under a guard, so
//! that nobody else's update is lost on the way back either.
//!
//! What remains: while it runs, others may see some files new and some old; a
//! process that dies in between, or a future that is dropped, leaves it so, each
//! single file whole. A removal has no guard of its own, so a program that writes
//! a file between the last look at it and its removal loses that write. A removed
//! link that has to be put back comes back as a file.

mod undo;

use bytes::Bytes;
use garth_contract::{Code, Content, Depth, Error, Parents, Put, Result, Version, Written, WsPath};

use crate::{Workspace, guard};
use undo::Undo;

/// How often everything is computed anew because another program was faster.
const TRIES: u32 = 20;

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// It stays as it is, there or not.
    Same,
    /// It is there with this content.
    Content {
        /// The whole content.
        bytes: Bytes,
        /// Permission bits to set; `None` keeps those of the file, or the default.
        mode: Option<u32>,
    },
    /// It is not there.
    Gone,
}

/// What a change makes of several files.
#[derive(Debug)]
pub struct PlanAll<T> {
    /// What becomes of each file, in the order of the paths.
    pub files: Vec<After>,
    /// What else the change found out.
    pub facts: T,
}

/// What a change of several files did.
#[derive(Debug)]
pub struct UpdatedAll<T> {
    /// The version of each file that was written, in the order of the paths.
    pub versions: Vec<Option<Version>>,
    /// What else the change found out.
    pub facts: T,
}

impl Workspace {
    /// Changes several files by what they hold now, all of them or none.
    ///
    /// `plan` gets the content of each path in order, `None` where there is no
    /// file, and may be called several times, like that of
    /// [`update`](Self::update). The paths must differ.
    ///
    /// # Errors
    /// Those of `plan`, of reading, writing and removing; `CONFLICT` when the files
    /// would not hold still. After an error everything is as it was, unless the
    /// message says what could not be put back.
    ///
    /// Cancel: some of the files may have been changed.
    pub async fn update_all<T: Send>(
        &self,
        paths: &[WsPath],
        mut plan: impl FnMut(&[Option<Content>]) -> Result<PlanAll<T>> + Send,
    ) -> Result<UpdatedAll<T>> {
        let _held = self.hold(&paths.iter().collect::<Vec<_>>()).await;
        let mut attempt = 0;
        loop {
            let mut current = Vec::with_capacity(paths.len());
            for path in paths {
                current.push(self.current(path).await?);
            }
            let PlanAll { files, facts } = plan(&current)?;
            let steps = steps(paths, current, files);
            match self.commit(&steps).await {
                Ok(versions) => return Ok(UpdatedAll { versions, facts }),
                Err(Failed::Moved(_)) if attempt < TRIES => {
                    self.locks.pause(attempt).await;
                    attempt += 1;
                }
                Err(Failed::Moved(error) | Failed::For(error)) => return Err(error),
            }
        }
    }

    /// Makes every step, or none.
    async fn commit(&self, steps: &[Step<'_>]) -> Result<Vec<Option<Version>>, Failed> {
        let mut undo = Undo::new(self);
        let mut versions = vec![None; steps.len()];
        for (step, version) in steps.iter().zip(&mut versions) {
            let After::Content { bytes, mode } = &step.after else { continue };
            undo.note_parents(step.path).await;
            match step.write(self, bytes, *mode).await {
                Ok(written) => {
                    *version = Some(written.version);
                    undo.written(step, written.version);
                }
                Err(error) => return Err(step.failed(undo.all(error).await)),
            }
        }
        for step in steps.iter().filter(|step| step.after == After::Gone) {
            match step.remove(self).await {
                Ok(()) => undo.removed(step),
                Err(error) => return Err(step.failed(undo.all(error).await)),
            }
        }
        Ok(versions)
    }
}

/// Why nothing was done.
enum Failed {
    /// A file is not what it was when it was read; everything else is.
    Moved(Error),
    /// Anything else.
    For(Error),
}

/// One file of a change.
struct Step<'a> {
    path: &'a WsPath,
    before: Option<Content>,
    after: After,
}

fn steps(paths: &[WsPath], current: Vec<Option<Content>>, files: Vec<After>) -> Vec<Step<'_>> {
    let files = current.into_iter().zip(files);
    paths.iter().zip(files).map(|(path, (before, after))| Step { path, before, after }).collect()
}

impl Step<'_> {
    async fn write(
        &self,
        workspace: &Workspace,
        bytes: &Bytes,
        mode: Option<u32>,
    ) -> Result<Written> {
        let put = Put { guard: guard(self.before.as_ref()), parents: Parents::Create, mode };
        workspace.fs.write(self.path, bytes.clone(), put).await
    }

    async fn remove(&self, workspace: &Workspace) -> Result<()> {
        let now = workspace.current(self.path).await?;
        if now.as_ref().map(|now| &now.bytes) != self.before.as_ref().map(|then| &then.bytes) {
            return Err(Error::at(Code::Conflict, self.path));
        }
        workspace.fs.remove(self.path, Depth::One).await.map(drop)
    }

    fn failed(&self, error: Error) -> Failed {
        let moved = match (&self.before, error.code()) {
            (Some(_), Code::Conflict) | (None, Code::FileExists) => true,
            (Some(_) | None, _) => false,
        };
        if moved { Failed::Moved(error) } else { Failed::For(error) }
    }
}

#[cfg(test)]
mod tests;
