//! `grep`: lines that a regular expression matches, by path and line.

use garth_contract::Result;
use garth_redact::{Clean, CleanWriter};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Patterns, parse},
    schema::schema_of,
    workspace::grep::{self, Hits},
};

pub(super) const TOOL: Tool = Tool {
    name: "grep",
    title: "Search in files",
    summary: "Searches the contents of files by a regular expression, ordered by path and line. \
              Leaves out binary files, and dotfiles and what .gitignore names unless asked.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["matches"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The regular expression (Rust's regex syntax: no look-around, no back-references).
    pattern: String,
    /// Searches only files that match this glob; *.py matches at any depth.
    #[schemars(with = "Option<String>")]
    file_glob: Option<Patterns>,
    /// Searches files whose names begin with a dot too.
    include_hidden: Option<bool>,
    /// Searches what .gitignore and .ignore files name too.
    include_ignored: Option<bool>,
    /// The most matches to give; 1,000 if absent.
    limit: Option<u64>,
    /// How many matches to pass over, to go on after a cut result.
    offset: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(String::new()).fact("pattern", self.pattern)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The matching lines.
    matches: Vec<GrepMatch>,
    /// How many matches there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more matches than these.
    truncated: bool,
    /// The offset to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// How many binary files were passed over.
    binary_skipped: u64,
}

/// One matching line.
#[derive(Serialize, JsonSchema)]
struct GrepMatch {
    /// The file, from the root.
    path: String,
    /// The number of the line, counted from 1.
    line_number: u64,
    /// The line, cut around the match where it is long.
    #[schemars(with = "String")]
    line_content: Clean,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let search = grep::Params {
        pattern: params.pattern,
        include: params.file_glob,
        include_hidden: params.include_hidden,
        include_ignored: params.include_ignored,
        limit: params.limit,
        offset: params.offset,
        ..grep::Params::default()
    };
    let Hits { rows, place, summary, .. } = grep::hits(workspace, search).await?;
    let mut text = CleanWriter::new();
    grep::write(&rows, &mut text);
    for note in grep::notes(&summary, place, place.footer("match")) {
        text.put(if text.is_empty() { "" } else { "\n" }).put(note);
    }
    let found = |row: grep::Row| GrepMatch {
        path: row.path.to_string(),
        line_number: row.number,
        line_content: row.text,
    };
    let payload = Payload {
        matches: rows.into_iter().map(found).collect(),
        total: place.total(),
        truncated: place.next().is_some(),
        next_offset: place.next(),
        binary_skipped: summary.binary,
    };
    Reply::new(text.finish(), &payload)
}
