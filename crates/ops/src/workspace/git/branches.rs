//! `branch` and `checkout`.

use garth_contract::{Result, Total};
use garth_git::{CheckedOut, Failed, Listed, Loss, Revision, Whose};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;

use super::{
    Here, Told,
    params::{Action, Params},
    payload::{self, Payload},
    telling::{date, name, ours, short, text, whole},
};
use crate::{
    page::{Page, Place},
    params::invalid,
};

pub(super) async fn checkout((_, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let mut payload = Payload::of(Action::Checkout, at.directory);
    match (params.branch()?, params.revision()?) {
        (Some(branch), None) => {
            let start = match params.start()? {
                Some(start) => Some(at.resolve(&start).await?),
                None => None,
            };
            let how = at.checkout(&branch, start.as_ref()).await?;
            let oid = at.find(&Revision::head()).await?;
            payload.branch = Some(clean![ours(&branch)]);
            payload.commit = oid.as_ref().map(ToString::to_string);
            payload.detached = Some(false);
            payload.created = Some(how != CheckedOut::Existing);
            let words = match how {
                CheckedOut::Existing => "Checked out ",
                CheckedOut::Created => "Made and checked out ",
                CheckedOut::Tracking => "Made from the remote's and checked out ",
            };
            let place = oid.as_ref().map(|oid| clean![" at ", short(oid)]).unwrap_or_default();
            let record = oid.map_or_else(|| ours("nothing"), |oid| whole(&oid));
            Ok(Told {
                text: clean![words, ours(&branch), place],
                payload,
                record: clean![ours(&branch), " ", record],
            })
        }
        (None, Some(revision)) => {
            if params.start.is_some() {
                return Err(invalid("start is for a branch that is made").into());
            }
            let oid = at.resolve(&revision).await?;
            at.detach(&oid).await?;
            payload.commit = Some(oid.to_string());
            payload.detached = Some(true);
            let text = clean!["Checked out ", short(&oid), " and no branch"];
            Ok(Told { text, payload, record: clean![whole(&oid)] })
        }
        (Some(_), Some(_)) => {
            Err(invalid("branch and ref are two things; start says where a branch begins").into())
        }
        (None, None) => Err(invalid("checkout needs a branch, or a ref").into()),
    }
}

pub(super) async fn branch(here: Here<'_>, params: &Params) -> Result<Told, Failed> {
    let (_, at) = here;
    let Some(branch) = params.branch()? else {
        if params.delete == Some(true) || params.start.is_some() {
            return Err(invalid("branch says which one").into());
        }
        return list(here, params).await;
    };
    let mut payload = Payload::of(Action::Branch, at.directory);
    payload.branch = Some(clean![ours(&branch)]);
    let (oid, words) = match params.delete {
        Some(true) => {
            if params.start.is_some() {
                return Err(invalid("start is for a branch that is made").into());
            }
            let force = params.force == Some(true);
            let loss = if force { Loss::Accepted } else { Loss::Refused };
            (at.delete_branch(&branch, loss).await?, "Deleted ")
        }
        Some(false) | None => {
            let start = params.start()?.unwrap_or_else(Revision::head);
            let oid = at.resolve(&start).await?;
            at.make_branch(&branch, &oid).await?;
            payload.created = Some(true);
            (oid, "Made ")
        }
    };
    payload.commit = Some(oid.to_string());
    let text = clean![words, ours(&branch), " at ", short(&oid)];
    Ok(Told { text, payload, record: clean![ours(&branch), " ", whole(&oid)] })
}

async fn list((workspace, at): Here<'_>, params: &Params) -> Result<Told, Failed> {
    let page = Page::of(workspace.limits(), params.offset, params.limit)?;
    let whose = if params.all == Some(true) { Whose::All } else { Whose::Own };
    let all = at.branches(whose).await?;
    let total = all.len() as u64;
    let index = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let shown = all.iter().skip(index(page.skip)).take(index(page.take));
    let mut payload = Payload::of(Action::Branch, at.directory);
    let mut page_text = CleanWriter::new();
    let mut branches = Vec::new();
    for branch in shown {
        let told = described(workspace, branch);
        page_text.put(if page_text.is_empty() { "" } else { "\n" });
        page_text.put(if branch.current { "* " } else { "  " }).put(&told.name).put(" ");
        page_text.put(short(&branch.oid)).put(" ").put(&told.subject);
        branches.push(told);
    }
    let given = branches.len() as u64;
    let place = Place { skip: page.skip, given, total: Total::Exact(total) };
    if total == 0 {
        page_text.put("There are no branches yet.");
    }
    if let Some(footer) = place.footer("branch") {
        page_text.put("\n").put(footer);
    }
    let current = branches.iter().find(|branch| branch.current);
    payload.branch = current.map(|branch| branch.name.clone());
    payload.branches = Some(branches);
    (payload.total, payload.next_offset) = (Some(total), place.next());
    payload.truncated = place.next().is_some();
    Ok(Told { text: page_text.finish(), payload, record: Clean::default() })
}

fn described(workspace: &Workspace, branch: &Listed) -> payload::Branch {
    let (ahead, behind) = branch.counts.unzip();
    payload::Branch {
        name: name(workspace, &branch.name),
        remote: branch.remote,
        current: branch.current,
        commit: branch.oid.to_string(),
        date: date(branch.time),
        subject: text(workspace, &branch.subject),
        upstream: (!branch.upstream.is_empty()).then(|| name(workspace, &branch.upstream)),
        ahead,
        behind,
    }
}
