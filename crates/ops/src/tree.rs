//! Questions to a tree that several tools ask alike.

use std::sync::Arc;

use garth_contract::{
    Code, Collect, Entry, Error, Glob, Hidden, Ignored, Kind, Links, Owned, Query, Result, Summary,
    WsPath,
};
use garth_workspace::Workspace;

use crate::page::Place;

/// Whether dotfiles count, as a caller said it.
pub(crate) fn hidden(include: Option<bool>) -> Hidden {
    if include == Some(true) { Hidden::Include } else { Hidden::Skip }
}

/// Whether ignored files count, as a caller said it.
///
/// The inside of `.git` never does: nobody who asks for ignored files means it.
pub(crate) fn ignored(include: Option<bool>) -> Ignored {
    if include == Some(true) { Ignored::IncludeNoGit } else { Ignored::Skip }
}

/// What is passed over below a base although dotfiles count: the inside of `.git`.
pub(crate) fn git_inside() -> Glob {
    Glob::Path("**/.git/**".to_owned())
}

/// Makes sure that a path leads to a directory.
///
/// # Errors
/// `NOT_A_DIRECTORY`, and those of looking at it.
pub(crate) async fn directory(workspace: &Workspace, path: &WsPath) -> Result<()> {
    match workspace.fs().stat(path, Links::Follow).await?.kind {
        Kind::Dir => Ok(()),
        Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            Err(Error::at(Code::NotADirectory, path))
        }
    }
}

/// Asks a query without `grep` and gives the entries of one page.
pub(crate) async fn entries(workspace: &Workspace, query: &Query) -> Result<(Vec<Entry>, Place)> {
    let sink = Arc::new(Collect::default());
    let Summary { total, .. } = workspace.fs().find(query, Arc::<Collect>::clone(&sink)).await?;
    let entries: Vec<Entry> = sink.take().into_iter().filter_map(entry).collect();
    let place = Place { skip: query.skip, given: entries.len() as u64, total };
    Ok((entries, place))
}

fn entry(found: Owned) -> Option<Entry> {
    match found {
        Owned::Entry(entry) => Some(entry),
        Owned::Name(..) | Owned::Line(_) | Owned::File(_) | Owned::Count(..) => None,
    }
}
