//! The way back from a change of several files.

use bytes::Bytes;
use garth_contract::{
    Code, Content, Depth, Error, Guard, Links, Parents, Put, Result, Span, Version, WsPath,
};

use super::Step;
use crate::Workspace;

/// What was done, and how each part of it is undone.
pub(super) struct Undo<'a> {
    workspace: &'a Workspace,
    done: Vec<Done>,
}

enum Done {
    /// A directory that was not there and may have been made.
    Parent(WsPath),
    /// A file was created.
    Created(WsPath, Version),
    /// A file was replaced.
    Replaced(WsPath, Version, Bytes),
    /// A file was removed.
    Removed(WsPath, Content),
}

impl<'a> Undo<'a> {
    pub(super) fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, done: Vec::new() }
    }

    /// Notes which directories on the way to a path are about to be made.
    pub(super) async fn note_parents(&mut self, path: &WsPath) {
        let mut missing = Vec::new();
        let mut parent = path.parent();
        while let Some(dir) = parent {
            match self.workspace.fs.stat(&dir, Links::Follow).await {
                Err(error) if error.code() == Code::FileNotFound => {
                    parent = dir.parent();
                    missing.push(dir);
                }
                Ok(_) | Err(_) => break,
            }
        }
        self.done.extend(missing.into_iter().rev().map(Done::Parent));
    }

    pub(super) fn written(&mut self, step: &Step<'_>, version: Version) {
        self.done.push(match &step.before {
            Some(before) => Done::Replaced(step.path.clone(), version, before.bytes.clone()),
            None => Done::Created(step.path.clone(), version),
        });
    }

    pub(super) fn removed(&mut self, step: &Step<'_>) {
        if let Some(before) = &step.before {
            self.done.push(Done::Removed(step.path.clone(), before.clone()));
        }
    }

    /// Undoes everything and gives the error, which says what could not be undone.
    pub(super) async fn all(self, error: Error) -> Error {
        let mut stuck = Vec::new();
        for done in self.done.iter().rev() {
            if let Err(path) = back(self.workspace, done).await {
                stuck.push(path.to_string());
            }
        }
        if stuck.is_empty() {
            return error;
        }
        let message = format!("{error}; changed meanwhile and not put back: {}", stuck.join(", "));
        let hint = "Look at the files that were not put back before you go on.";
        // Another code than CONFLICT, so that nobody takes it for nothing done.
        Error::new(Code::Internal, message).hint(hint)
    }
}

/// Undoes one thing; the path of it when somebody else has changed it since.
async fn back<'a>(workspace: &Workspace, done: &'a Done) -> Result<(), &'a WsPath> {
    match done {
        Done::Parent(dir) => {
            // It may not have been made, or hold something of others by now.
            let _ = workspace.fs.remove(dir, Depth::One).await;
            Ok(())
        }
        Done::Created(path, version) => {
            let at_most = version.length();
            let now = workspace.fs.read(path, Span::Whole { at_most }).await.map_err(|_| path)?;
            if Version::of(&now.bytes) != *version {
                return Err(path);
            }
            workspace.fs.remove(path, Depth::One).await.map(drop).map_err(|_| path)
        }
        Done::Replaced(path, version, bytes) => {
            let guard = Guard::Unchanged(*version);
            write(workspace, path, bytes, Put { guard, parents: Parents::Require, mode: None })
                .await
        }
        Done::Removed(path, before) => {
            let put = Put { guard: Guard::Absent, parents: Parents::Require, mode: before.mode };
            write(workspace, path, &before.bytes, put).await
        }
    }
}

async fn write<'a>(
    workspace: &Workspace,
    path: &'a WsPath,
    bytes: &Bytes,
    put: Put,
) -> Result<(), &'a WsPath> {
    workspace.fs.write(path, bytes.clone(), put).await.map(drop).map_err(|_| path)
}
