//! `status`: the branch, and the files that are not as committed.

use garth_contract::{Result, Total, WsPath};
use garth_git::{Change, Conflict, Failed, Kind, Status, Untracked};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;

use super::{
    Here, Told, named,
    params::{Action, Params},
    payload::{File, Payload},
    telling::{name, short, whole},
};
use crate::{
    page::{Page, Place},
    words::{Ours, Shown},
};

/// One line of the status: under which heading, how it differs.
struct Row<'a> {
    list: List,
    kind: &'static str,
    path: &'a WsPath,
    from: Option<&'a WsPath>,
    directory: bool,
    submodule: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Staged,
    Changed,
    Conflicted,
    Untracked,
}

pub(super) async fn status(here: Here<'_>, params: &Params) -> Result<Told, Failed> {
    let (workspace, at) = here;
    let files = params.files(workspace).await?;
    let page = Page::of(workspace.limits(), params.offset, params.limit)?;
    let status = named::status(here, &files).await?;
    let (mut payload, mut text) = described(workspace, at.directory, &status);
    let rows = rows(&status);
    let total = rows.len() as u64;
    let index = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let shown: Vec<&Row> = rows.iter().skip(index(page.skip)).take(index(page.take)).collect();
    let mut list = None;
    for row in &shown {
        if list != Some(row.list) {
            text.put("\n").put(row.list.heading());
            list = Some(row.list);
        }
        text.put("\n  ").put(row.kind).put(": ").put(row.name());
        if let Some(from) = row.from {
            text.put(" (was ").put(Shown(from)).put(")");
        }
        row.list.of(&mut payload).push(row.file());
    }
    let whole_list = if status.cut { Total::AtLeast(total) } else { Total::Exact(total) };
    let place = Place { skip: page.skip, given: shown.len() as u64, total: whole_list };
    if total == 0 && !status.cut {
        text.put("\nNothing to commit, the work tree is clean.");
    }
    if let Some(footer) = place.footer("file") {
        text.put("\n").put(footer);
    }
    payload.clean = Some(total == 0 && !status.cut);
    (payload.total, payload.next_offset) = (place.total(), place.next());
    payload.truncated = place.next().is_some();
    let record = status.commit.as_ref().map(|oid| clean!["HEAD ", whole(oid)]).unwrap_or_default();
    Ok(Told { text: text.finish(), payload, record })
}

/// The branch and what it follows.
fn described(workspace: &Workspace, top: &WsPath, status: &Status) -> (Payload, CleanWriter) {
    let mut payload = Payload::of(Action::Status, top);
    let mut text = CleanWriter::new();
    for list in [List::Staged, List::Changed, List::Conflicted, List::Untracked] {
        list.of(&mut payload);
    }
    payload.branch = status.branch.as_deref().map(|branch| name(workspace, branch));
    payload.commit = status.commit.as_ref().map(ToString::to_string);
    payload.detached = Some(status.branch.is_none());
    match &payload.branch {
        Some(branch) => text.put("On branch ").put(branch),
        None => text.put("On no branch"),
    };
    match &status.commit {
        Some(commit) => text.put(" at ").put(short(commit)),
        None => text.put(", without a commit yet"),
    };
    if let Some(upstream) = &status.upstream {
        let shown = name(workspace, &upstream.name);
        match upstream.counts {
            Some((0, 0)) => text.put(", as ").put(&shown),
            Some((ahead, behind)) => {
                text.put(", ").put(ahead).put(" ahead of and ").put(behind).put(" behind ");
                text.put(&shown)
            }
            None => text.put(", follows ").put(&shown).put(", which is gone"),
        };
        (payload.ahead, payload.behind) = upstream.counts.unzip();
        payload.upstream = Some(shown);
    }
    (payload, text)
}

/// Everything that differs, list by list.
fn rows(status: &Status) -> Vec<Row<'_>> {
    fn changed(list: List, change: &Change, kind: Option<Kind>) -> Option<Row<'_>> {
        let Change { path, from, submodule, .. } = change;
        let moved = matches!(kind, Some(Kind::Renamed | Kind::Copied));
        kind.map(|kind| Row {
            list,
            kind: kind.name(),
            path,
            from: from.as_ref().filter(|_| moved),
            directory: false,
            submodule: submodule.is_some(),
        })
    }
    let staged = status.changes.iter().filter_map(|one| changed(List::Staged, one, one.staged));
    let unstaged =
        status.changes.iter().filter_map(|one| changed(List::Changed, one, one.unstaged));
    let conflicted = status.conflicts.iter().map(|Conflict { path, kind }| Row {
        list: List::Conflicted,
        kind: kind.name(),
        path,
        from: None,
        directory: false,
        submodule: false,
    });
    let untracked = status.untracked.iter().map(|Untracked { path, directory }| Row {
        list: List::Untracked,
        kind: "untracked",
        path,
        from: None,
        directory: *directory,
        submodule: false,
    });
    staged.chain(unstaged).chain(conflicted).chain(untracked).collect()
}

impl Row<'_> {
    fn name(&self) -> Clean {
        clean![Shown(self.path), if self.directory { "/" } else { "" }]
    }

    fn file(&self) -> File {
        File {
            path: self.name().into_string(),
            kind: self.kind,
            from: self.from.map(ToString::to_string),
            additions: None,
            deletions: None,
            binary: false,
            submodule: self.submodule,
        }
    }
}

impl List {
    fn heading(self) -> Ours {
        let heading = match self {
            Self::Staged => "Staged:",
            Self::Changed => "Changed, not staged:",
            Self::Conflicted => "In conflict:",
            Self::Untracked => "Not known to git:",
        };
        Ours(heading.to_owned())
    }

    /// The list of the payload, which is there even if nothing is in it.
    fn of(self, payload: &mut Payload) -> &mut Vec<File> {
        let list = match self {
            Self::Staged => &mut payload.staged,
            Self::Changed => &mut payload.changed,
            Self::Conflicted => &mut payload.conflicted,
            Self::Untracked => &mut payload.untracked,
        };
        list.get_or_insert_default()
    }
}
