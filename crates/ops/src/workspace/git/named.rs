//! Git's paths under the names that may be shown: git knows the files by those that they have.

use garth_contract::WsPath;
use garth_git::{Between, Detail, Diff, Failed, Status};
use garth_workspace::Workspace;

use super::Here;

/// What is not as committed.
pub(super) async fn status((workspace, at): Here<'_>, files: &[WsPath]) -> Result<Status, Failed> {
    let mut status = at.status(files).await?;
    for change in &mut status.changes {
        show(workspace, &mut change.path);
        change.from.iter_mut().for_each(|from| show(workspace, from));
    }
    status.conflicts.iter_mut().for_each(|conflict| show(workspace, &mut conflict.path));
    status.untracked.iter_mut().for_each(|untracked| show(workspace, &mut untracked.path));
    Ok(status)
}

/// What differs.
pub(super) async fn diff(
    (workspace, at): Here<'_>,
    between: &Between,
    files: &[WsPath],
    detail: Detail,
) -> Result<Diff, Failed> {
    let mut diff = at.diff(between, files, detail).await?;
    for file in &mut diff.files {
        show(workspace, &mut file.path);
        file.from.iter_mut().for_each(|from| show(workspace, from));
    }
    Ok(diff)
}

fn show(workspace: &Workspace, path: &mut WsPath) {
    *path = workspace.shown_path(path);
}
