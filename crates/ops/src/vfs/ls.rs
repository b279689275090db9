//! `ls`: the entries of a directory, by name.

use garth_contract::{Reach, Result};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    file_entry::FileEntry,
    names::{Names, Naming, names_of},
    page::Page,
    params::parse,
    schema::schema_of,
    tree::{hidden, ignored},
    workspace::list::{Scope, look},
};

pub(super) const TOOL: Tool = Tool {
    name: "ls",
    title: "List a directory",
    summary: "Lists a directory by name, one entry a line, directories with a trailing slash. \
              Leaves out dotfiles and what .gitignore names unless asked.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["entries"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The directory, relative to the root; the root itself if absent or empty.
    path: Option<String>,
    /// Lists names that begin with a dot too.
    include_hidden: Option<bool>,
    /// Lists what .gitignore and .ignore files name too.
    include_ignored: Option<bool>,
    /// The most entries to list; 1,000 if absent.
    limit: Option<u64>,
    /// How many entries to pass over, to go on after a cut listing.
    offset: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path.unwrap_or_default())
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The directory, from the root.
    path: String,
    /// The entries, by name.
    entries: Vec<FileEntry>,
    /// How many entries there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// How many hidden or ignored entries are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
    /// The offset to go on with, where there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path.unwrap_or_default())?;
    let scope = Scope {
        reach: Reach::Entries,
        depth: None,
        hidden: hidden(params.include_hidden),
        ignored: ignored(params.include_ignored),
        page: Page::of(workspace.limits(), params.offset, params.limit)?,
    };
    let looked = look(workspace, &path, &scope).await?;
    let payload = Payload {
        path: path.to_string(),
        entries: FileEntry::all(workspace, &looked.entries).await,
        total: looked.place.total(),
        left_out: looked.left_out,
        next_offset: looked.place.next(),
    };
    Reply::new(looked.text(&path), &payload)
}
