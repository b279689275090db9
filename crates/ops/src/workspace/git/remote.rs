//! `push`, `fetch`, `pull` and `clone`: through whoever reaches the workspace's remote.

use garth_contract::{Code, Depth, Error, Made, Parents, Result, WsPath};
use garth_git::{
    Branch, Cloned, Diverged, Failed, Fetch, Fetched, Merged, Moved, Push, Pushed, Repository,
    Revision,
};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;

use super::{
    At, Here, Told,
    params::{Action, Params},
    payload::Payload,
    telling::{name, ours, refs, refs_text, short, whole},
};
use crate::words::{Counted, Shown};

pub(super) async fn push((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let remotes = workspace.remotes()?;
    let branch = branch(at, params).await?;
    let tip = at.resolve(&(&branch).into()).await?;
    let wanted = Push { branch: branch.clone(), tip };
    let Pushed { url, before, now } = remotes.push(*at, wanted).await?;
    at.follow(&branch).await?;
    let moved = [Moved { name: branch.full(), before, now: Some(now.clone()) }];
    let mut payload = Payload::of(Action::Push, at.directory);
    payload.branch = Some(clean![ours(&branch)]);
    payload.commit = Some(now.to_string());
    let [Moved { before, .. }] = &moved;
    payload.created = Some(before.is_none());
    let words = match before {
        Some(before) if *before == now => clean!["The remote has ", ours(&branch), " already, at "],
        Some(_) => clean!["Sent ", ours(&branch), ", now at "],
        None => clean!["Sent ", ours(&branch), ", which is new there, at "],
    };
    payload.refs = Some(refs(&moved));
    payload.remote = Some(name(workspace, url.as_bytes()));
    let (_, record) = refs_text(&moved);
    Ok(Told { text: clean![words, short(&now)], payload, record })
}

pub(super) async fn fetch((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let remotes = workspace.remotes()?;
    let branches = params.branch()?.into_iter().collect();
    let fetched = remotes.fetch(*at, Fetch { branches }).await?;
    let mut payload = Payload::of(Action::Fetch, at.directory);
    let (text, record) = brought(workspace, &fetched, &mut payload);
    Ok(Told { text, payload, record })
}

pub(super) async fn pull((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let remotes = workspace.remotes()?;
    let status = at.status(&[]).await?;
    let current = status.branch.as_deref().and_then(|name| str::from_utf8(name).ok());
    let Some(current) = current.and_then(|name| Branch::parse(name).ok()) else {
        return Err(no_branch().into());
    };
    let branch = params.branch()?.unwrap_or_else(|| current.clone());
    if !status.conflicts.is_empty() {
        let error = Error::new(Code::Conflict, "there are conflicts that are not resolved");
        return Err(error.hint("Resolve them and commit, then pull again.").into());
    }
    let fetched = remotes.fetch(*at, Fetch { branches: vec![branch.clone()] }).await?;
    let mut payload = Payload::of(Action::Pull, at.directory);
    let (mut text, record) = brought(workspace, &fetched, &mut payload);
    let theirs = at.find(&(&branch.tracking()).into()).await?.ok_or_else(|| {
        let message = format!("the remote has no branch {:?}", branch.as_str());
        Error::new(Code::InvalidParams, message)
    })?;
    let merge = params.merge == Some(true);
    let diverged = if merge { Diverged::Merged } else { Diverged::Refused };
    payload.branch = Some(clean![ours(&current)]);
    let record = match at.merge(&theirs, diverged).await? {
        Merged::Nothing => {
            text = clean![text, "\n", ours(&current), " has all of it"];
            record
        }
        Merged::At(now) => {
            payload.commit = Some(now.to_string());
            text = clean![text, "\n", ours(&current), " is now at ", short(&now)];
            let before = status.commit.map_or_else(|| ours("nothing"), |oid| whole(&oid));
            clean![record, ", ", ours(&current.full()), " ", before, "..", whole(&now)]
        }
        Merged::Conflicts(paths) => return Err(conflicts(workspace, &paths)),
    };
    if branch == current {
        at.follow(&branch).await?;
    }
    payload.commit = match payload.commit {
        Some(commit) => Some(commit),
        None => at.find(&Revision::head()).await?.map(|oid| oid.to_string()),
    };
    Ok(Told { text, payload, record })
}

pub(super) async fn clone(at: &At<'_>, params: &Params) -> Result<Told, Failed> {
    let remotes = at.workspace.remotes()?;
    let wanted = params.branch()?;
    let made = empty_directory(at).await?;
    let done = fill(at, remotes, wanted).await;
    if done.is_err() {
        // What was begun is of no use to anybody; what was there before was nothing.
        let (path, depth) = match made {
            true => (at.named.clone(), Depth::All),
            false => (at.named.join(b".git")?, Depth::All),
        };
        let _ = at.workspace.fs().remove(&path, depth).await;
    }
    done
}

async fn fill(
    at: &At<'_>,
    remotes: &dyn garth_git::Remotes,
    wanted: Option<Branch>,
) -> Result<Told, Failed> {
    let repository = at.repository(at.named)?;
    let first = wanted.clone().map_or_else(|| Branch::parse("main"), Ok)?;
    repository.init(&first).await?;
    let branches = wanted.iter().cloned().collect();
    let Cloned { url, head, moved } = remotes.clone_into(repository, Fetch { branches }).await?;
    repository.name_origin(&url).await?;
    let mut payload = Payload::of(Action::Clone, at.named);
    payload.remote = Some(name(at.workspace, url.as_bytes()));
    payload.refs = Some(refs(&moved));
    let (_, record) = refs_text(&moved);
    let mut text = CleanWriter::new();
    text.put("Cloned into ").put(Shown(&at.workspace.shown_path(at.named))).put(", ");
    text.put(Counted(moved.len() as u64, "ref"));
    if let Some(branch) = wanted.or(head) {
        repository.checkout(&branch, None).await?;
        let oid = repository.resolve(&Revision::head()).await?;
        text.put(", on ").put(ours(&branch)).put(" at ").put(short(&oid));
        payload.branch = Some(clean![ours(&branch)]);
        payload.commit = Some(oid.to_string());
    }
    Ok(Told { text: text.finish(), payload, record })
}

/// Makes the directory that is cloned into, and says whether it was made; one that is there
/// is empty.
async fn empty_directory(at: &At<'_>) -> Result<bool, Failed> {
    let fs = at.workspace.fs();
    let made = match at.named.is_root() {
        true => false,
        false => fs.make_dir(at.named, Parents::Create).await? == Made::Created,
    };
    let page = garth_contract::Page { skip: 0, take: 1 };
    if !made && fs.list(at.named, page).await?.total > 0 {
        let error = Error::at(Code::DirectoryNotEmpty, at.named);
        return Err(error.hint("Clone into a new directory, with path.").into());
    }
    Ok(made)
}

/// The branch that is named, or that is checked out.
async fn branch(at: &Repository<'_>, params: &Params) -> Result<Branch, Failed> {
    if let Some(branch) = params.branch()? {
        return Ok(branch);
    }
    let status = at.status(&[]).await?;
    let current = status.branch.as_deref().and_then(|name| str::from_utf8(name).ok());
    Ok(current.and_then(|name| Branch::parse(name).ok()).ok_or_else(no_branch)?)
}

fn no_branch() -> Error {
    Error::new(Code::InvalidParams, "no branch is checked out, and none is named")
        .hint("Name one with branch, or check one out.")
}

fn conflicts(workspace: &Workspace, paths: &[WsPath]) -> Failed {
    const MOST: usize = 20;
    let named: Vec<String> =
        paths.iter().take(MOST).map(|path| workspace.shown_path(path).to_string()).collect();
    let message = format!("the merge has conflicts in: {}", named.join(", "));
    Error::new(Code::Conflict, message).hint("Resolve them in the files, then commit them.").into()
}

/// What came of a fetch.
fn brought(workspace: &Workspace, fetched: &Fetched, payload: &mut Payload) -> (Clean, Clean) {
    let Fetched { url, moved } = fetched;
    payload.remote = Some(name(workspace, url.as_bytes()));
    payload.refs = Some(refs(moved));
    let (list, record) = refs_text(moved);
    let text = match moved.is_empty() {
        true => Clean::fixed("The remote has nothing new."),
        false => clean!["Fetched ", Counted(moved.len() as u64, "ref"), ":", list],
    };
    (text, record)
}
