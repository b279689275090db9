//! The way from the remote: into the quarantine, checked, and then into the workspace.

use std::collections::BTreeSet;

use bytes::Bytes;
use garth_contract::{Code, Error, Guard, Parents, Put, Result, WsPath};
use garth_git::{Branch, Fetch, Mapped, Moved, Oid, RefName, Repository, Tip};

use crate::{
    bundle::Arriving,
    failure::{self, plain},
    git::{Reads, printed},
    mirror::Mirror,
    own_files::Passing,
    quarantine::{Quarantine, REMOTE, next},
};

/// Fetches from the remote into the quarantine: every object is checked on its way.
///
/// Errors: `INVALID_PARAMS` for a branch that the remote has not; `QUOTA_EXCEEDED` for too
/// much; those of [`failure::remote`].
/// After: the quarantine's refs of the remote are as there, and those alone are given that
/// were asked for.
pub(crate) async fn bring(
    mirror: &Mirror,
    quarantine: &Quarantine<'_>,
    wanted: &Fetch,
) -> Result<Vec<Tip>> {
    let url = mirror.url();
    let mut refspecs = Vec::new();
    match wanted.branches.as_slice() {
        [] => refspecs.extend([
            format!("+refs/heads/*:{REMOTE}heads/*"),
            format!("+refs/tags/*:{REMOTE}tags/*"),
        ]),
        branches => refspecs
            .extend(branches.iter().map(|name| format!("+refs/heads/{name}:{REMOTE}heads/{name}"))),
    }
    let mut fetch = vec![
        "fetch",
        "--quiet",
        "--prune",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        &url,
    ];
    fetch.extend(refspecs.iter().map(String::as_str));
    let report = mirror.network(quarantine, &fetch).await?;
    if report.ended.exit.code() != 0 {
        let said = String::from_utf8_lossy(&report.stderr.head);
        return Err(if said.contains("couldn't find remote ref") {
            Error::new(Code::InvalidParams, "the remote has no such branch")
                .hint("Fetch all branches to see which there are.")
        } else {
            failure::remote(&report)
        });
    }
    admit(mirror, quarantine).await?;
    let mut refs = quarantine.refs().await?;
    if !wanted.branches.is_empty() {
        let names: BTreeSet<_> = wanted.branches.iter().map(Branch::full).collect();
        refs.retain(|tip| names.contains(&tip.name));
    }
    Ok(refs)
}

/// Counts the objects that there are now.
async fn admit(mirror: &Mirror, quarantine: &Quarantine<'_>) -> Result<()> {
    let what = "git could not count the objects";
    let count = quarantine.work.must(&["count-objects", "-v"], Reads::Nothing, what).await?;
    let number = |name: &str| {
        let line = count.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
    };
    mirror.limits().admit_objects(number("in-pack") + number("count"))
}

/// The branch that is the remote's own first choice.
pub(crate) async fn head(mirror: &Mirror, quarantine: &Quarantine<'_>) -> Result<Option<Branch>> {
    let ask = ["ls-remote", "--symref", "--quiet", "--end-of-options", &mirror.url(), "HEAD"];
    let report = mirror.network(quarantine, &ask).await?;
    if report.ended.exit.code() != 0 {
        return Err(failure::remote(&report));
    }
    let text = printed(&report)?;
    let name = text.lines().find_map(|line| line.strip_prefix("ref: ")?.split('\t').next());
    Ok(name.and_then(|name| RefName::parse(name).ok()?.branch()))
}

/// Hands refs of the quarantine over to a workspace's repository.
///
/// After: its refs of the remote are as they are given, tags that it lacks are there, and
/// those of the remote that are gone are gone where `prune` says so.
pub(crate) async fn hand_over(
    repository: Repository<'_>,
    quarantine: &Quarantine<'_>,
    (refs, prune): (&[Tip], Prune),
) -> Result<Vec<Moved>> {
    let there = repository
        .tips(&["refs/remotes/origin/", "refs/tags/", "refs/heads/"])
        .await
        .map_err(plain)?;
    let wanted: Vec<_> = refs.iter().filter_map(|tip| place(tip, &there)).collect();
    let oids: BTreeSet<_> = there.iter().map(|tip| tip.oid.clone()).collect();
    let known = quarantine.present(&oids.into_iter().collect::<Vec<_>>()).await?;
    let from: Vec<_> = wanted.iter().map(|(tip, _)| (*tip).clone()).collect();
    let mut moved = Vec::new();
    if let Some(file) = quarantine.give(&from, &known).await? {
        moved = unbundle(repository, file, &wanted).await?;
    }
    let mut rest: Vec<(RefName, Option<Oid>)> =
        wanted.iter().map(|(tip, to)| (to.clone(), Some(tip.oid.clone()))).collect();
    if prune == Prune::Gone {
        let kept: BTreeSet<_> = wanted.iter().map(|(_, to)| to).collect();
        let gone = there.iter().map(|tip| &tip.name).filter(|name| {
            name.as_str().starts_with("refs/remotes/origin/")
                && name.as_str() != "refs/remotes/origin/HEAD"
                && !kept.contains(name)
        });
        rest.extend(gone.map(|name| (name.clone(), None)));
    }
    moved.extend(repository.track(&rest).await.map_err(plain)?);
    Ok(moved)
}

/// Whether refs go that the remote no longer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prune {
    /// They do.
    Gone,
    /// Only some refs were asked for.
    Nothing,
}

/// Where a ref of the remote stands in a workspace; a tag that it has stays as it is.
fn place<'a>(tip: &'a Tip, there: &[Tip]) -> Option<(&'a Tip, RefName)> {
    if let Some(branch) = tip.name.branch() {
        return Some((tip, branch.tracking()));
    }
    let tag = tip.name.as_str().starts_with("refs/tags/");
    (tag && !there.iter().any(|other| other.name == tip.name)).then(|| (tip, tip.name.clone()))
}

/// Brings a file with objects into a workspace and has its repository take them.
async fn unbundle(
    repository: Repository<'_>,
    file: Passing,
    wanted: &[(&Tip, RefName)],
) -> Result<Vec<Moved>> {
    let path = repository.bundle_path().await.map_err(plain)?;
    let names = carry(repository, file, &path).await?;
    let mapped = wanted.iter().filter_map(|(tip, to)| {
        let from = format!("{REMOTE}{}", tip.name.as_str().strip_prefix("refs/")?);
        let from = names.iter().find(|name| name.as_str() == from)?;
        Some(Mapped { from: from.clone(), to: to.clone() })
    });
    let moved = repository.bundle_in(&path, &mapped.collect::<Vec<_>>()).await;
    repository.discard(&path).await.map_err(plain)?;
    moved.map_err(plain)
}

/// Writes a file of ours into a workspace, piece by piece; tells the refs that are in it.
async fn carry(
    repository: Repository<'_>,
    mut file: Passing,
    path: &WsPath,
) -> Result<Vec<RefName>> {
    let mut arriving = Arriving::default();
    let mut incoming = repository.fs.receive(path).await?;
    loop {
        let (rest, bytes): (_, Bytes) = next(file).await?;
        file = rest;
        if bytes.is_empty() {
            break;
        }
        arriving.take(&bytes)?;
        incoming.add(vec![bytes]).await?;
    }
    let put = Put { guard: Guard::Absent, parents: Parents::Require, mode: Some(0o600) };
    incoming.land(put).await?;
    Ok(arriving.end()?.tips.into_iter().map(|tip| tip.name).collect())
}
