//! `log`, `show` and `commit`: commits, and what they changed.

use garth_contract::{Code, Error, Result, Total};
use garth_git::{Between, Commit, Detail, Failed, NewCommit, Oid, Revision, Wanted};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;

use super::{
    Here, Told, changes, named,
    params::{Action, Params},
    payload::{self, Payload},
    telling::{date, message, name, ours, short, whole},
};
use crate::{
    page::Place,
    params::{at_least_one, invalid},
    words::Ours,
};

/// How many commits a log shows when nothing is said.
const USUAL: u64 = 50;
/// How many lines of a commit's files a reader is shown.
const MOST_FILES: usize = 200;

pub(super) async fn log((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let files = params.files(workspace).await?;
    let most = workspace.limits().results;
    let take = at_least_one("limit", params.limit)?.unwrap_or(USUAL).min(most);
    let skip = params.offset.unwrap_or(0);
    // Git counts commits in numbers of 31 bits.
    if skip > u64::from(u32::MAX >> 1) {
        return Err(invalid("offset is beyond what git counts").into());
    }
    let mut payload = Payload::of(Action::Log, at.directory);
    let start = match params.revision()? {
        Some(revision) => Some(at.resolve(&revision).await?),
        None => at.find(&Revision::head()).await?,
    };
    let Some(start) = start else {
        payload.commits = Some(Vec::new());
        let text = Clean::fixed("There are no commits yet.");
        return Ok(Told { text, payload, record: Clean::default() });
    };
    let wanted = Wanted {
        files: &files,
        since: params.since.as_deref(),
        until: params.until.as_deref(),
        author: params.author.as_deref(),
        skip,
        take: take + 1,
    };
    let found = at.log(&start, &wanted).await?;
    let more = found.cut || found.commits.len() as u64 > take;
    let index = usize::try_from(take).unwrap_or(usize::MAX);
    let commits: Vec<&Commit> = found.commits.iter().take(index).collect();
    let given = commits.len() as u64;
    let total = match more {
        true => Total::AtLeast(skip + given + 1),
        false => Total::Exact(skip + given),
    };
    let place = Place { skip, given, total };
    let mut text = CleanWriter::new();
    let mut told = Vec::with_capacity(commits.len());
    for commit in commits {
        let commit = described(workspace, commit);
        text.put(if text.is_empty() { "" } else { "\n" }).put(row(&commit));
        told.push(commit);
    }
    if told.is_empty() {
        text.put("There are no such commits.");
    }
    if let Some(footer) = place.footer("commit") {
        text.put("\n").put(footer);
    }
    payload.commits = Some(told);
    (payload.total, payload.next_offset) = (place.total(), place.next());
    payload.truncated = more;
    Ok(Told { text: text.finish(), payload, record: clean![whole(&start)] })
}

pub(super) async fn show((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let files = params.files(workspace).await?;
    let detail = changes::detail(params)?;
    let mut page = changes::page(workspace, params)?;
    let revision = params.revision()?.unwrap_or_else(Revision::head);
    let oid = at.resolve(&revision).await?;
    let commit = at.commit_of(&oid).await?;
    let found = named::diff((workspace, at), &Between::of(&commit), &files, detail).await?;
    let mut payload = Payload::of(Action::Show, at.directory);
    payload.commit = Some(oid.to_string());
    payload.files = Some(changes::write(workspace, &found, &mut page));
    let told = described(workspace, &commit);
    let mut text = CleanWriter::new();
    text.put("commit ").put(whole(&oid)).put("\nAuthor: ").put(&told.author);
    text.put(" <").put(&told.email).put(">\nDate: ").put(Ours(told.date.clone()));
    text.put("\n\n").put(&told.subject);
    if !told.body.is_empty() {
        text.put("\n\n").put(&told.body);
    }
    text.put("\n\n").put(changes::finish(page, &mut payload, found.cut));
    payload.commits = Some(vec![told]);
    Ok(Told { text: text.finish(), payload, record: clean![whole(&oid)] })
}

pub(super) async fn commit((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let files = params.files(workspace).await?;
    let co_author = params.co_author()?;
    let Some(message) = params.message.as_deref() else {
        let hint = "Send message: one line, an empty one, and what more there is to say.";
        return Err(Error::new(Code::InvalidParams, "a commit needs a message").hint(hint).into());
    };
    if params.files.is_some() && files.is_empty() {
        return Err(invalid("files is empty; leave it out to commit all that changed").into());
    }
    let new = NewCommit { message, files: &files, co_author: co_author.as_ref() };
    let oid = at.commit(&new).await?;
    told_commit((workspace, at), Action::Commit, &oid).await
}

/// Tells of a commit that was made.
pub(super) async fn told_commit(
    (workspace, at): Here<'_>,
    action: Action,
    oid: &Oid,
) -> Result<Told, Failed> {
    let commit = at.commit_of(oid).await?;
    let found = named::diff((workspace, at), &Between::of(&commit), &[], Detail::Files).await?;
    let status = named::status((workspace, at), &[]).await?;
    let mut payload = Payload::of(action, at.directory);
    payload.commit = Some(oid.to_string());
    payload.branch = status.branch.as_deref().map(|branch| name(workspace, branch));
    payload.files = Some(found.files.iter().map(changes::described).collect());
    let told = described(workspace, &commit);
    let mut text = CleanWriter::new();
    text.put("Committed ").put(short(oid));
    if let Some(branch) = &payload.branch {
        text.put(" on ").put(branch);
    }
    text.put(": ").put(&told.subject).put("\n").put(changes::count(&found.files)).put(":");
    for file in found.files.iter().take(MOST_FILES) {
        text.put("\n").put(changes::summed(file));
    }
    let more = found.files.len().saturating_sub(MOST_FILES);
    if more > 0 {
        text.put("\n  and ").put(more).put(" more");
    }
    let on = payload.branch.clone().unwrap_or_else(|| Clean::fixed("no branch"));
    let before = commit.parents.first().map_or_else(|| ours("nothing"), whole);
    let record = clean![on, " ", before, "..", whole(oid)];
    payload.commits = Some(vec![told]);
    Ok(Told { text: text.finish(), payload, record })
}

fn described(workspace: &Workspace, commit: &Commit) -> payload::Commit {
    let (subject, body) = message(workspace, &commit.message);
    payload::Commit {
        id: commit.oid.to_string(),
        parents: commit.parents.iter().map(ToString::to_string).collect(),
        author: name(workspace, &commit.author.name),
        email: name(workspace, &commit.author.email),
        date: date(commit.author.time),
        committer: name(workspace, &commit.committer.name),
        subject,
        body,
    }
}

/// A commit on one line.
fn row(commit: &payload::Commit) -> Clean {
    let id = Ours(commit.id.get(..10).unwrap_or_default().to_owned());
    let day = Ours(commit.date.get(..10).unwrap_or_default().to_owned());
    clean![id, " ", day, " ", &commit.author, ": ", &commit.subject]
}
