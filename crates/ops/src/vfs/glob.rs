//! `glob`: files whose path matches a pattern, newest first.

use garth_contract::Result;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    file_entry::FileEntry,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    workspace::glob,
};

pub(super) const TOOL: Tool = Tool {
    name: "glob",
    title: "Find files by name",
    summary: "Finds files by a pattern such as **/*.py, newest first. Leaves out dotfiles and \
              what .gitignore names unless asked.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["files"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The pattern, from the root. * matches within a name, ** across directories: src/*.py
    /// finds files directly in src, src/**/*.py at any depth. {a,b} and [a-z] work.
    pattern: String,
    /// Finds names that begin with a dot too.
    include_hidden: Option<bool>,
    /// Finds what .gitignore and .ignore files name too.
    include_ignored: Option<bool>,
    /// The most files to give; 1,000 if absent.
    limit: Option<u64>,
    /// How many files to pass over, to go on after a cut result.
    offset: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(String::new()).fact("pattern", self.pattern)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The files, newest first.
    files: Vec<FileEntry>,
    /// How many files match in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more files than these.
    truncated: bool,
    /// The offset to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let Params { pattern, include_hidden, include_ignored, limit, offset } = params;
    let search =
        glob::Params { pattern, path: None, include_hidden, include_ignored, limit, offset };
    let found = glob::find(workspace, search).await?;
    let payload = Payload {
        files: FileEntry::all(workspace, &found.files).await,
        total: found.place.total(),
        truncated: found.place.next().is_some(),
        next_offset: found.place.next(),
    };
    Reply::new(found.text(), &payload)
}
