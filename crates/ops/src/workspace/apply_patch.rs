//! `apply_patch`: changes several files by one patch, all of them or none.

mod plan;

use garth_contract::{Result, Version};
use garth_redact::{Clean, CleanWriter, clean};
use garth_text::patch::{self, Change};
use garth_workspace::{After, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    schema::schema_of,
    words::{Counted, Ours},
    worktree::Reach,
};
use plan::{Act, Planned, Touched, paths_of, plan};

pub(super) const TOOL: Tool = Tool {
    name: "apply_patch",
    title: "Apply a patch",
    summary: "Adds, updates, moves and deletes files by one patch, all of them or none. The patch \
              stands between *** Begin Patch and *** End Patch, with *** Add File: PATH, \
              *** Delete File: PATH or *** Update File: PATH (then maybe *** Move to: PATH) for \
              each file, and lines that begin with a space, + or - under @@ for each change.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The patch, from *** Begin Patch to *** End Patch.
    patch: String,
    /// Says what the patch would do, and writes nothing.
    dry_run: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        let changes = patch::parse(&self.patch).unwrap_or_default();
        changes.iter().fold(Names::default(), |names, change| match change {
            Change::Add { path, .. } | Change::Delete { path } => {
                names.and((*path).to_owned(), Reach::This)
            }
            Change::Update { path, to, .. } => {
                let names = names.and((*path).to_owned(), Reach::This);
                match to {
                    Some(to) => names.and((*to).to_owned(), Reach::This),
                    None => names,
                }
            }
        })
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// Whether nothing was written because only a dry run was asked for.
    dry_run: bool,
    /// What was done to each file.
    files: Vec<FileDone>,
    /// How many lines were added in all.
    lines_added: u64,
    /// How many lines were removed in all.
    lines_removed: u64,
    /// What changed, as a unified diff.
    #[schemars(with = "String")]
    diff: Clean,
    /// Whether lines of the diff were left out.
    diff_truncated: bool,
    /// The names of secrets that are shown as placeholders in the diff.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
}

/// What was done to one file.
#[derive(Serialize, JsonSchema)]
struct FileDone {
    /// The file, from the root.
    path: String,
    /// added, updated, deleted or moved.
    action: &'static str,
    /// Where a moved file was.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Whether a file that was there before was replaced.
    replaced: bool,
    /// How many lines were added.
    lines_added: u64,
    /// How many lines were removed.
    lines_removed: u64,
    /// Whether some lines matched only with white space or typography forgiven.
    forgiven: bool,
    /// The version of the file now.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let changes = patch::parse(&params.patch).map_err(|error| {
        invalid(error.to_string()).hint(
            "Begin with *** Begin Patch, end with *** End Patch, and name each file in between.",
        )
    })?;
    let dry_run = params.dry_run == Some(true);
    let paths = paths_of(workspace, &changes)?;
    let updated = workspace
        .update_all(&paths, |current| {
            let mut planned = plan(workspace, &changes, &paths, current)?;
            if dry_run {
                planned.files.fill(After::Same);
            }
            Ok(planned)
        })
        .await?;
    let version_of = |touched: &Touched| -> Option<Version> {
        let index = paths.iter().position(|path| *path == touched.path)?;
        *updated.versions.get(index)?
    };
    reply(&updated.facts, dry_run, version_of)
}

fn reply(
    planned: &Planned,
    dry_run: bool,
    version_of: impl Fn(&Touched) -> Option<Version>,
) -> Result<Reply> {
    let mut text = CleanWriter::new();
    text.put(if dry_run { "Would change " } else { "Changed " });
    text.put(Counted(planned.touched.len() as u64, "file"));
    for touched in &planned.touched {
        text.put("\n").put(touched.mark()).put(" ");
        if let Act::Moved(from) = &touched.act {
            text.put(Ours(from.to_string())).put(" -> ");
        }
        text.put(Ours(touched.path.to_string()));
        if touched.forgiven {
            text.put(" [matched although white space or typography differs]");
        }
    }
    let mut diff = CleanWriter::new();
    for touched in planned.touched.iter().filter(|touched| !touched.change.diff.is_empty()) {
        diff.put(if diff.is_empty() { "" } else { "\n" }).put(&touched.change.diff);
    }
    let diff = diff.finish();
    if !diff.is_empty() {
        text.put("\n").put(&diff);
    }
    let missing: u64 = planned.touched.iter().map(|touched| touched.change.missing).sum();
    if missing > 0 {
        text.put(clean!["\n[", Counted(missing, "line"), " of the diff left out]"]);
    }
    let mut redacted: Vec<String> = Vec::new();
    for name in planned.touched.iter().flat_map(|touched| &touched.change.redacted) {
        if !redacted.contains(name) {
            redacted.push(name.clone());
        }
    }
    let payload = Payload {
        dry_run,
        files: planned.touched.iter().map(|file| done(file, version_of(file))).collect(),
        lines_added: planned.touched.iter().map(|touched| touched.change.added).sum(),
        lines_removed: planned.touched.iter().map(|touched| touched.change.removed).sum(),
        diff,
        diff_truncated: missing > 0,
        redacted,
    };
    Reply::new(text.finish(), &payload)
}

fn done(touched: &Touched, version: Option<Version>) -> FileDone {
    FileDone {
        path: touched.path.to_string(),
        action: match &touched.act {
            Act::Added => "added",
            Act::Updated => "updated",
            Act::Deleted => "deleted",
            Act::Moved(_) => "moved",
        },
        from: match &touched.act {
            Act::Moved(from) => Some(from.to_string()),
            Act::Added | Act::Updated | Act::Deleted => None,
        },
        replaced: touched.replaced,
        lines_added: touched.change.added,
        lines_removed: touched.change.removed,
        forgiven: touched.forgiven,
        version: version.map(|version| version.to_string()),
    }
}
