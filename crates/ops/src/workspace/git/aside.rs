//! `init`, `restore` and `stash`.

use garth_contract::{Parents, Result};
use garth_git::{Branch, Failed, Restored, Then, Unknown};
use garth_redact::{Clean, CleanWriter, clean};

use super::{
    At, Here, Told,
    params::{Action, Params, Stashing},
    payload::{Payload, Stash},
    telling::{date, ours, short, text, whole},
};
use crate::{
    params::invalid,
    words::{Counted, Shown},
};

/// The branch of a new repository, where none is named.
const FIRST: &str = "main";

pub(super) async fn init(at: &At<'_>, params: &Params) -> Result<Told, Failed> {
    let branch = params.branch()?;
    let branch = branch.map_or_else(|| Branch::parse(FIRST), Ok)?;
    if !at.named.is_root() {
        at.workspace.fs().make_dir(at.named, Parents::Create).await?;
    }
    at.repository(at.named)?.init(&branch).await?;
    let mut payload = Payload::of(Action::Init, at.named);
    payload.branch = Some(clean![ours(&branch)]);
    payload.created = Some(true);
    let text = clean![
        "Made a repository in ",
        Shown(&at.workspace.shown_path(at.named)),
        ", on branch ",
        ours(&branch)
    ];
    Ok(Told { text, payload, record: clean![ours(&branch)] })
}

pub(super) async fn restore((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let files = params.files(workspace).await?;
    let from = match params.revision()? {
        Some(revision) => Some(at.resolve(&revision).await?),
        None => None,
    };
    let what = match (params.staged, &from) {
        (Some(true), _) => Restored::Index,
        (Some(false), _) | (None, None) => Restored::Files,
        (None, Some(_)) => Restored::Both,
    };
    at.restore(&files, what, from.as_ref()).await?;
    let mut payload = Payload::of(Action::Restore, at.directory);
    payload.commit = from.as_ref().map(ToString::to_string);
    let count = Counted(files.len() as u64, "path");
    let words = match what {
        Restored::Index => "Unstaged ",
        Restored::Files | Restored::Both => "Restored ",
    };
    let source = from.as_ref().map(|oid| clean![" from ", short(oid)]).unwrap_or_default();
    let record = from.as_ref().map(|oid| clean![whole(oid)]).unwrap_or_default();
    Ok(Told { text: clean![words, count, source], payload, record })
}

pub(super) async fn stash(here: Here<'_>, params: &Params) -> Result<Told, Failed> {
    let (workspace, at) = here;
    let operation = params.operation.unwrap_or(Stashing::Push);
    let pushes = operation == Stashing::Push;
    if !pushes && (params.files.is_some() || params.message.is_some()) {
        return Err(invalid("files and message are for what is put aside").into());
    }
    if (pushes || operation == Stashing::List) && params.index.is_some() {
        return Err(invalid("index is for what was put aside before").into());
    }
    let index = params.index.unwrap_or(0);
    let mut payload = Payload::of(Action::Stash, at.directory);
    let (oid, words) = match operation {
        Stashing::List => return list(here).await,
        Stashing::Push => {
            let files = params.files(workspace).await?;
            let take = params.include_untracked == Some(true);
            let unknown = if take { Unknown::Taken } else { Unknown::Left };
            if params.message.as_deref().is_some_and(|message| message.contains('\0')) {
                return Err(invalid("message holds a NUL byte").into());
            }
            match at.stash(params.message.as_deref(), &files, unknown).await? {
                Some(oid) => (oid, "Put aside as "),
                None => {
                    let text = Clean::fixed("There is nothing to put aside.");
                    return Ok(Told { text, payload, record: Clean::default() });
                }
            }
        }
        Stashing::Apply => (at.unstash(index, Then::Kept).await?, "Brought back, and kept, "),
        Stashing::Pop => (at.unstash(index, Then::Dropped).await?, "Brought back "),
        Stashing::Drop => (at.drop_stash(index).await?, "Forgot "),
    };
    payload.commit = Some(oid.to_string());
    Ok(Told { text: clean![words, short(&oid)], payload, record: clean![whole(&oid)] })
}

async fn list((workspace, at): Here<'_>) -> Result<Told, Failed> {
    let mut payload = Payload::of(Action::Stash, at.directory);
    let mut page = CleanWriter::new();
    let mut stashes = Vec::new();
    for stash in at.stashes().await? {
        let message = text(workspace, &stash.message);
        page.put(if page.is_empty() { "" } else { "\n" }).put(stash.index).put(": ").put(&message);
        stashes.push(Stash {
            index: stash.index,
            commit: stash.oid.to_string(),
            date: date(stash.time),
            message,
        });
    }
    if stashes.is_empty() {
        page.put("Nothing is put aside.");
    }
    payload.total = Some(stashes.len() as u64);
    payload.stashes = Some(stashes);
    Ok(Told { text: page.finish(), payload, record: Clean::default() })
}
