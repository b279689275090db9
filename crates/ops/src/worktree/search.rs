//! `worktree.search`: lines of files that hold a text, by path and line.

use garth_contract::{LineKind, Result};
use garth_redact::Clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach,
    wire::{agent::Agent, cursor, entry::shown, named},
};
use crate::{
    Needs,
    params::{Patterns, invalid, parse_strictly},
    schema::schema_of,
    workspace::grep::{self, Hits, Letters, Row, hits},
};

pub(super) const METHOD: Method = Method {
    name: "worktree.search",
    title: "Search in files",
    summary: "Searches the contents of files for a text or a regular expression, ordered by path \
              and line. Leaves out binary files, and dotfiles and what .gitignore names unless \
              asked.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path_or_root(params, Reach::Tree).into_iter().collect(),
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The text to find.
    #[schemars(length(min = 1))]
    query: String,
    /// Searches only files that match this glob; *.ts matches at any depth.
    glob: Option<String>,
    /// Whether upper and lower case differ; false if absent.
    case_sensitive: Option<bool>,
    /// Takes query as a regular expression (Rust's regex syntax); false if absent.
    regex: Option<bool>,
    /// The directory or file to search, from the root; the root itself (/) if absent.
    path: Option<String>,
    /// How many lines before and after each match to give; 0 if absent.
    context_lines: Option<u64>,
    /// Searches files whose names begin with a dot too; false if absent.
    include_hidden: Option<bool>,
    /// Searches what .gitignore and .ignore files name too; false if absent.
    include_ignored: Option<bool>,
    /// The most matches to give; 1,000 if absent.
    limit: Option<u64>,
    /// Goes on where an earlier reply ended: what it gave as nextCursor.
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The directory or file that was searched, from the root.
    path: String,
    /// The lines that match, by path and line.
    matches: Vec<Match>,
    /// How many lines match in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more matches than these.
    truncated: bool,
    /// What to send as cursor to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// How many files were searched.
    files_searched: u64,
    /// How many binary files were passed over.
    binary_skipped: u64,
    /// How many entries could not be read.
    unreadable: u64,
}

/// One line that matches.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    /// The file, from the root.
    path: String,
    /// The number of the line, from 1.
    line: u64,
    /// The character of the line in the file at which the first match begins, from 1.
    column: u64,
    /// The line, cut around the match where it is long, secrets as placeholders.
    #[schemars(with = "String")]
    text: Clean,
    /// The lines before it, where they were asked for.
    #[schemars(with = "Option<Vec<String>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<Clean>>,
    /// The lines after it.
    #[schemars(with = "Option<Vec<String>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Vec<Clean>>,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    if params.query.is_empty() {
        return Err(invalid("query must not be empty"));
    }
    if params.context_lines.is_some_and(|lines| lines > MOST_CONTEXT) {
        return Err(invalid(format!("contextLines must be at most {MOST_CONTEXT}")));
    }
    let limits = workspace.limits();
    let page = (params.limit, params.cursor.as_deref());
    let page = cursor::page(page, (limits.results, limits.most_results))?;
    let asked = grep::Params {
        pattern: params.query,
        path: params.path,
        include: params.glob.map(|glob| Patterns(vec![glob])),
        context: params.context_lines,
        case: Some(match params.case_sensitive {
            Some(true) => Letters::Sensitive,
            Some(false) | None => Letters::Insensitive,
        }),
        fixed: Some(params.regex != Some(true)),
        include_hidden: params.include_hidden,
        include_ignored: params.include_ignored,
        limit: Some(page.take),
        offset: Some(page.skip),
        ..grep::Params::default()
    };
    let Hits { base, rows, place, summary } = hits(workspace, asked).await?;
    Json::of(&Payload {
        path: shown(&base),
        matches: matches(&rows, params.context_lines.unwrap_or(0)),
        total: place.total(),
        truncated: place.next().is_some(),
        next_cursor: cursor::next(place),
        files_searched: summary.searched,
        binary_skipped: summary.binary,
        unreadable: summary.unreadable,
    })
}

/// The most lines around a match.
const MOST_CONTEXT: u64 = 100;

fn matches(rows: &[Row], context: u64) -> Vec<Match> {
    let most = usize::try_from(context).unwrap_or(usize::MAX);
    let one = |(at, row): (usize, &Row)| {
        let (before, rest) = rows.split_at_checked(at).unwrap_or_default();
        let mut before = beside(row, before.iter().rev(), most);
        before.reverse();
        let after = beside(row, rest.iter().skip(1), most);
        Match {
            path: row.path.to_string(),
            line: row.number,
            column: row.column,
            text: row.text.clone(),
            before: (most > 0).then_some(before),
            after: (most > 0).then_some(after),
        }
    };
    let found = rows.iter().enumerate().filter(|(_, row)| row.kind == LineKind::Match);
    found.map(one).collect()
}

/// The lines that follow a row without a gap, as they come from it.
fn beside<'a>(row: &Row, others: impl Iterator<Item = &'a Row>, most: usize) -> Vec<Clean> {
    let near = (1..).zip(others).take(most);
    let near = near.take_while(|(distance, other)| {
        other.path == row.path && other.number.abs_diff(row.number) == *distance
    });
    near.map(|(_, other)| other.text.clone()).collect()
}
