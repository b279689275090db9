//! Errors in the words by which clients of this dialect know them.

use garth_contract::{Code, Error, Kind, Links, Result, WsPath};
use garth_workspace::Workspace;

use super::paths::{Told, outside};

/// Gives an outcome back, an error in the dialect's words.
pub(in crate::reference) async fn told<T>(workspace: &Workspace, outcome: Result<T>) -> Result<T> {
    match outcome {
        Ok(value) => Ok(value),
        Err(error) => Err(reworded(workspace, error).await),
    }
}

/// What a client looks for in the message of an error.
const WORDS: &[(Code, &str)] = &[
    (Code::FileNotFound, "ENOENT: no such file or directory"),
    (Code::SourceNotFound, "ENOENT: no such file or directory"),
    (Code::ParentNotFound, "ENOENT: no such file or directory, Parent directory does not exist"),
    (Code::NotADirectory, "ENOTDIR: not a directory"),
    (Code::FileExists, "EEXIST: file already exists"),
    (Code::DestinationExists, "Destination already exists"),
    (Code::PermissionDenied, "EACCES: permission denied"),
];

/// The same error in the dialect's words. Its code, details and hint stay.
async fn reworded(workspace: &Workspace, error: Error) -> Error {
    // An error without a path has a sentence of its own.
    let Some(path) = error.path().cloned() else { return error };
    let place = Told::of(workspace, &path);
    if error.code() == Code::PathOutsideWorkspace {
        return outside(workspace, place);
    }
    let known = WORDS.iter().find(|(code, _)| *code == error.code()).map(|(_, words)| *words);
    let words = match known {
        Some(words) => words,
        None if error.code() == Code::NotAFile && is_dir(workspace, &path).await => {
            "EISDIR: illegal operation on a directory"
        }
        None => error.code().row().phrase,
    };
    error.reword(format!("{words}: {place}"))
}

async fn is_dir(workspace: &Workspace, path: &WsPath) -> bool {
    let entry = workspace.fs().stat(path, Links::Follow).await;
    entry.is_ok_and(|entry| entry.kind == Kind::Dir)
}
