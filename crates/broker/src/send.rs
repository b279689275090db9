//! The way to the remote: policy first, then one ref, never forced.

use garth_contract::{Code, Detail, Error, Report, Result};
use garth_git::{Branch, Oid, Tip};

use crate::{
    failure,
    git::{Reads, printed},
    mirror::Mirror,
    quarantine::{Quarantine, lines},
};

/// How many new commits are looked through for what they change.
const MOST_COMMITS: usize = 100_000;

/// Where the remote's own automation is described.
const WORKFLOWS: &str = ".github/workflows";

/// Where a remote's branch was and is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) before: Option<Oid>,
}

/// Pushes a commit that is in the quarantine to a branch.
///
/// Errors: `CONFLICT` where the branch has commits that this one lacks,
/// `PERMISSION_DENIED` where the remote refuses, those of [`failure::remote`].
pub(crate) async fn send(
    mirror: &Mirror,
    quarantine: &Quarantine<'_>,
    (branch, tip): (&Branch, &Oid),
) -> Result<Sent> {
    let refspec = format!("{tip}:{}", branch.full());
    let push = [
        "push",
        "--porcelain",
        "--no-progress",
        "--no-verify",
        "--no-follow-tags",
        "--no-signed",
        "--no-recurse-submodules",
        "--end-of-options",
        &mirror.url(),
        &refspec,
    ];
    let report = mirror.network(quarantine, &push).await?;
    outcome(&report, (branch, tip))
}

/// Reads what became of the one ref.
fn outcome(report: &Report, (branch, tip): (&Branch, &Oid)) -> Result<Sent> {
    let text = printed(report)?;
    let to = format!(":{}", branch.full());
    let found = text.lines().find_map(|line| {
        let mut fields = line.split('\t');
        let (flag, refs) = (fields.next()?, fields.next()?);
        refs.ends_with(&to).then_some((flag, fields.next().unwrap_or_default()))
    });
    let done = report.ended.exit.code() == 0;
    match found {
        Some(("!", summary)) => Err(rejected(summary)),
        Some((" ", summary)) if done => {
            let before = summary.split("..").next().unwrap_or_default();
            Ok(Sent { before: Oid::parse(before).ok() })
        }
        Some(("=", _)) if done => Ok(Sent { before: Some(tip.clone()) }),
        Some(_) | None if done => Ok(Sent { before: None }),
        Some(_) | None => Err(failure::remote(report)),
    }
}

fn rejected(summary: &str) -> Error {
    let behind = ["fetch first", "non-fast-forward", "stale info", "lock ref", "update ref"];
    if behind.iter().any(|word| summary.contains(word)) {
        return Error::new(Code::Conflict, "the remote's branch has commits that this one lacks")
            .hint("Pull, then push again, or push to another branch.");
    }
    Error::new(Code::PermissionDenied, "the remote refuses changes of this branch")
        .hint("Push to another branch, or ask the operator.")
}

/// Looks whether a push changes what the remote's automation runs: by a commit that is
/// not there yet, or by going back to an earlier state of it.
///
/// Errors: `PERMISSION_DENIED`.
pub(crate) async fn check_workflows(
    quarantine: &Quarantine<'_>,
    (branch, tip): (&Branch, &Oid),
    remote: &[Tip],
) -> Result<()> {
    let what = "git could not look at the new commits";
    let there: Vec<_> = remote.iter().map(|tip| format!("^{}", tip.oid)).collect();
    let mut words = vec![tip.as_str()];
    words.extend(there.iter().map(String::as_str));
    let input = lines(&words);
    let count = format!("--max-count={}", MOST_COMMITS + 1);
    let list = ["rev-list", &count, "--stdin"];
    let new = quarantine.work.must(&list, Reads::Text(&input), what).await?;
    let number = new.lines().count();
    if number > MOST_COMMITS {
        let limit = Detail::Limit { limit: MOST_COMMITS as u64, actual: number as u64 };
        return Err(Error::new(Code::QuotaExceeded, "there are too many new commits").with(limit));
    }
    let options = ["diff-tree", "--stdin", "-c", "-r", "--root", "--no-renames", "--name-only"];
    let mut diff = options.to_vec();
    diff.extend(["--no-commit-id", "--", WORKFLOWS]);
    let changed = quarantine.work.must(&diff, Reads::Text(&new), what).await?;
    if !changed.trim().is_empty() {
        return Err(refused());
    }
    let full = branch.full();
    if !remote.iter().any(|tip| tip.name == full) {
        return Ok(());
    }
    // Several commits that are all known could be put together to an earlier state.
    let mut states = vec![format!("{tip}:{WORKFLOWS}")];
    states.extend(remote.iter().map(|tip| format!("{}:{WORKFLOWS}", tip.oid)));
    let states: Vec<_> = states.iter().map(String::as_str).collect();
    let check = ["cat-file", "--batch-check=%(objectname)"];
    let input = lines(&states);
    let printed = quarantine.work.must(&check, Reads::Text(&input), what).await?;
    // Where there is none the line says so, and its beginning names the commit.
    let mut found = printed.lines().map(|line| Oid::parse(line).ok());
    let state = found.next().flatten();
    if found.any(|other| other == state) { Ok(()) } else { Err(refused()) }
}

fn refused() -> Error {
    Error::new(
        Code::PermissionDenied,
        "this workspace may not change files below .github/workflows",
    )
    .hint("Leave them as they are on the remote, or ask the operator.")
}
