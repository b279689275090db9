//! Calls about files: what is there, made, moved, removed.

use garth_contract::{
    Clobber, Code, Depth, DynFilesystem, Error, Links, Made, Move, Page, Parents, WsPath,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    connect,
    door::{path, shown},
    entry::{self, Told},
    envd::Inside,
    line,
    refuse::{Result, Wrong},
};

/// The most entries of a listing, whatever its depth.
const MOST_ENTRIES: usize = 20_000;
/// How many are asked for at a time.
const PAGE: u64 = 1_000;
/// The deepest that a listing goes.
const MOST_DEPTH: u32 = 64;

#[derive(Deserialize)]
struct One {
    #[serde(default)]
    path: String,
}

/// Looks at an entry.
pub(super) async fn stat(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let One { path: sent } = connect::message(&inside.parts.headers, bytes)?;
    let path = path(&sent, inside.user)?;
    let asked = inside.asked(line::FILE_STAT, json!({ "path": shown(&path) }));
    let told = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        Ok((entry::look(&*workspace.inside()?.files, &path).await?, 0))
    });
    Ok(json!({ "entry": message(inside, &told.await?) }))
}

fn message(inside: &Inside, told: &Told) -> Value {
    told.message(&inside.entered.sandbox.metadata)
}

/// Makes a directory, with those above it.
pub(super) async fn make_dir(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let One { path: sent } = connect::message(&inside.parts.headers, bytes)?;
    let path = path(&sent, inside.user)?;
    let asked = inside.asked(line::FILE_MAKE_DIR, json!({ "path": shown(&path) }));
    let made = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        let files = &workspace.inside()?.files;
        match files.make_dir(&path, Parents::Create).await? {
            Made::Created => Ok((entry::look(&**files, &path).await?, 0)),
            Made::Existed => Err(Error::at(Code::FileExists, &path)),
        }
    });
    Ok(json!({ "entry": message(inside, &made.await?) }))
}

#[derive(Deserialize)]
struct Moved {
    #[serde(default)]
    source: String,
    #[serde(default)]
    destination: String,
}

/// Moves an entry; a file at its destination is replaced.
pub(super) async fn rename(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let Moved { source, destination } = connect::message(&inside.parts.headers, bytes)?;
    let (from, to) = (path(&source, inside.user)?, path(&destination, inside.user)?);
    let params = json!({ "path": shown(&from), "to": shown(&to) });
    let asked = inside.asked(line::FILE_MOVE, params);
    let (source, target) = (from.clone(), to.clone());
    let moved = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        let files = &workspace.inside()?.files;
        let how = Move { clobber: Clobber::Replace, parents: Parents::Create };
        files.rename(&source, &target, how).await?;
        Ok((entry::look(&**files, &target).await?, 0))
    });
    let told = moved.await?;
    inside.entered.sandbox.metadata.forget(&to);
    inside.entered.sandbox.metadata.moved(&from, &to);
    Ok(json!({ "entry": message(inside, &told) }))
}

/// Removes an entry with everything below it; one that is not there is removed.
pub(super) async fn remove(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let One { path: sent } = connect::message(&inside.parts.headers, bytes)?;
    let path = path(&sent, inside.user)?;
    let asked = inside.asked(line::FILE_REMOVE, json!({ "path": shown(&path) }));
    let gone = path.clone();
    let removed = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        match workspace.inside()?.files.remove(&gone, Depth::All).await {
            Ok(_) => Ok(((), 0)),
            Err(error) if error.code() == Code::FileNotFound => Ok(((), 0)),
            Err(error) => Err(error),
        }
    });
    removed.await?;
    inside.entered.sandbox.metadata.forget(&path);
    Ok(json!({}))
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    path: String,
    #[serde(default)]
    depth: u32,
}

/// Lists a directory, so deep.
pub(super) async fn list(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let Listed { path: sent, depth } = connect::message(&inside.parts.headers, bytes)?;
    let path = path(&sent, inside.user)?;
    if depth > MOST_DEPTH {
        return Err(Wrong::invalid(format!("a listing is at most {MOST_DEPTH} deep")));
    }
    let depth = depth.max(1);
    let asked = inside.asked(line::FILE_LIST, json!({ "path": shown(&path) }));
    let listed = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        let files = &workspace.inside()?.files;
        let mut all = Vec::new();
        walk(&**files, &path, depth, &mut all).await?;
        Ok((all, 0))
    });
    let entries: Vec<Value> = listed.await?.iter().map(|told| message(inside, told)).collect();
    Ok(json!({ "entries": entries }))
}

/// Lists directories, parents first; links are listed and not followed.
async fn walk(
    files: &dyn DynFilesystem,
    path: &WsPath,
    depth: u32,
    all: &mut Vec<Told>,
) -> garth_contract::Result<()> {
    let top = files.stat(path, Links::Follow).await?;
    if top.kind != garth_contract::Kind::Dir {
        return Err(Error::at(Code::NotADirectory, path));
    }
    // Directories that are to be listed, the next one last, each with how deep it may go.
    let mut waiting = vec![(path.clone(), depth)];
    while let Some((directory, depth)) = waiting.pop() {
        let mut below = Vec::new();
        let mut skip = 0;
        loop {
            let page = files.list(&directory, Page { skip, take: PAGE }).await;
            let page = match page {
                Ok(page) => page,
                // One that was removed meanwhile, or may not be read, is empty.
                Err(_) if directory != *path => break,
                Err(error) => return Err(error),
            };
            let count = page.entries.len() as u64;
            for entry in page.entries {
                if all.len() >= MOST_ENTRIES {
                    let message = format!("the listing has more than {MOST_ENTRIES} entries");
                    return Err(Error::new(Code::FileTooLarge, message));
                }
                let at = entry.path.clone();
                // A link that was removed meanwhile is left out.
                let Ok(told) = entry::complete(files, entry).await else { continue };
                if told.is_dir() && !told.is_link() && depth > 1 {
                    below.push((at, depth - 1));
                }
                all.push(told);
            }
            skip += count;
            if count < PAGE {
                break;
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    Ok(())
}
