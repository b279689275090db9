//! `search_files`: lines that hold a text, with their paths and numbers from 0.

use garth_contract::Result;
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Patterns, parse},
    schema::schema_of,
    words::Counted,
    workspace::grep::{self, Hits},
};

pub(super) const TOOL: Tool = Tool {
    name: "search_files",
    title: "Search in files",
    summary: "Searches the contents of files for a text, or a regular expression, ordered by path \
              and line; lines are counted from 0. Gives 100 matches at most. Leaves out binary \
              files, dotfiles and what .gitignore names.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["matches"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

/// The most matches that are given.
const MOST: u64 = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The text to search for, or, with is_regex, the regular expression.
    query: String,
    /// The directory or file to search, relative to the root; the root itself (.) if absent.
    path: Option<String>,
    /// Searches only files that match this glob; *.rs matches at any depth.
    #[schemars(with = "Option<String>")]
    pattern: Option<Patterns>,
    /// Whether query is a regular expression (Rust's regex syntax); false if absent.
    is_regex: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.path.unwrap_or_default()).fact("pattern", self.query)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The directory or file searched, from the root.
    path: String,
    /// The matching lines.
    matches: Vec<Match>,
    /// How many matches there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more matches than these.
    truncated: bool,
}

/// One matching line.
#[derive(Serialize, JsonSchema)]
struct Match {
    /// The file, from the root.
    path: String,
    /// The number of the line, counted from 0.
    line_number: u64,
    /// The line, cut around the match where it is long.
    #[schemars(with = "String")]
    text: Clean,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let search = grep::Params {
        pattern: params.query,
        path: params.path,
        include: params.pattern,
        fixed: Some(params.is_regex != Some(true)),
        limit: Some(MOST),
        ..grep::Params::default()
    };
    let Hits { base, mut rows, place, summary } = grep::hits(workspace, search).await?;
    for row in &mut rows {
        row.number = row.number.saturating_sub(1);
    }
    let mut text = CleanWriter::new();
    grep::write(&rows, &mut text);
    let truncated = place.next().is_some();
    let cut = truncated.then(|| {
        let hint = "; a narrower query, path or pattern shows others]";
        clean!["[cut after ", Counted(place.given, "match"), hint]
    });
    for note in grep::notes(&summary, place, cut) {
        text.put(if text.is_empty() { "" } else { "\n" }).put(note);
    }
    let found = |row: grep::Row| Match {
        path: row.path.to_string(),
        line_number: row.number,
        text: row.text,
    };
    let payload = Payload {
        path: base.to_string(),
        matches: rows.into_iter().map(found).collect(),
        total: place.total(),
        truncated,
    };
    Reply::new(text.finish(), &payload)
}
