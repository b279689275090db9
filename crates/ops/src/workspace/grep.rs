//! `grep`: lines, files or counts of what a pattern matches, by path and line.

mod gather;
mod lines;

use std::sync::Arc;

use garth_contract::{
    Case, Facts, Grep, Hidden, Kinds, Lines, Order, Output, Query, Reach, Result, Summary, Syntax,
    Total, WsPath,
};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    page::{Page, Place},
    params::{Patterns, invalid, parse},
    schema::schema_of,
    tree::{git_inside, hidden, ignored},
    words::{Counted, Shown},
};
use gather::{Gather, Gathered};
pub(crate) use lines::{Row, write};

pub(super) const TOOL: Tool = Tool {
    name: "grep",
    title: "Search in files",
    summary: "Searches the contents of files by a regular expression, ordered by path and line. \
              Leaves out binary files, and dotfiles and what .gitignore names unless asked.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["matches", "files", "counts"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

/// The most lines around a match.
const MOST_CONTEXT: u64 = 100;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The regular expression (Rust's regex syntax: no look-around, no back-references).
    pub(crate) pattern: String,
    /// The directory or file to search, relative to the workspace's root; the root if absent.
    pub(crate) path: Option<String>,
    /// Searches only files that match this glob; *.ts matches at any depth.
    #[schemars(with = "Option<String>")]
    pub(crate) include: Option<Patterns>,
    /// Passes over files that match this glob.
    #[schemars(with = "Option<String>")]
    pub(crate) exclude: Option<Patterns>,
    /// What to give.
    pub(crate) output: Option<What>,
    /// How many lines before each match to show.
    pub(crate) before: Option<u64>,
    /// How many lines after each match to show.
    pub(crate) after: Option<u64>,
    /// How many lines before and after each match to show.
    pub(crate) context: Option<u64>,
    /// How letters compare.
    pub(crate) case: Option<Letters>,
    /// Lets a match span several lines, and . match a line's end.
    pub(crate) multiline: Option<bool>,
    /// Searches for the pattern as plain text.
    pub(crate) fixed: Option<bool>,
    /// Matches whole words only.
    pub(crate) word: Option<bool>,
    /// Searches files whose names begin with a dot too.
    pub(crate) include_hidden: Option<bool>,
    /// Searches what .gitignore and .ignore files name too.
    pub(crate) include_ignored: Option<bool>,
    /// The most results to give; 1,000 if absent.
    pub(crate) limit: Option<u64>,
    /// How many results to pass over, to go on after a cut result.
    pub(crate) offset: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.path.unwrap_or_default()).fact("pattern", self.pattern)
    }
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// Matching lines with their paths and numbers; this is the default.
    Content,
    /// The paths of files that match.
    Files,
    /// The number of matching lines of each file.
    Count,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Letters {
    /// Upper and lower case differ; this is the default.
    Sensitive,
    /// They do not.
    Insensitive,
    /// They differ only where the pattern has an upper-case letter.
    Smart,
}

#[derive(Default, Serialize, JsonSchema)]
struct Payload {
    /// The directory or file searched, from the root.
    path: String,
    /// The pattern.
    pattern: String,
    /// The matching lines, and those around them.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<Match>>,
    /// The files that match.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    /// The number of matching lines of each file that has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<Count>>,
    /// How many results there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more results than these.
    truncated: bool,
    /// The offset to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// How many files were searched.
    files_searched: u64,
    /// How many binary files were passed over.
    binary_skipped: u64,
    /// How many entries could not be read.
    unreadable: u64,
}

/// One line of a result.
#[derive(Serialize, JsonSchema)]
struct Match {
    /// The file, from the root.
    path: String,
    /// The number of the (first) line, from 1.
    line_number: u64,
    /// The line, cut around the match where it is long; for a match over several lines, all.
    #[schemars(with = "String")]
    text: Clean,
    /// Whether the line only surrounds a match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    context: bool,
}

/// One file of a result with its number of matching lines.
#[derive(Serialize, JsonSchema)]
struct Count {
    /// The file, from the root.
    path: String,
    /// The number of its matching lines.
    count: u64,
}

/// Lines that match, and how the search went.
pub(crate) struct Hits {
    pub(crate) base: WsPath,
    pub(crate) rows: Vec<Row>,
    pub(crate) place: Place,
    pub(crate) summary: Summary,
}

/// Searches for lines, for a dialect that gives nothing else.
///
/// # Errors
/// Those of searching, and what the parameters rule out.
pub(crate) async fn hits(workspace: &Workspace, params: Params) -> Result<Hits> {
    let page = Page::of(workspace.limits(), params.offset, params.limit)?;
    let query = query(workspace, params, page)?;
    let (gathered, place, summary) = search(workspace, &query, page).await?;
    let rows = lines::shown(workspace, gathered.lines).await?;
    Ok(Hits { base: query.base, rows, place, summary })
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let page = Page::of(workspace.limits(), params.offset, params.limit)?;
    let what = params.output.unwrap_or(What::Content);
    let query = query(workspace, params, page)?;
    let (gathered, place, summary) = search(workspace, &query, page).await?;
    let mut payload = Payload {
        path: query.base.to_string(),
        pattern: query.grep.map(|grep| grep.pattern).unwrap_or_default(),
        total: place.total(),
        truncated: place.next().is_some(),
        next_offset: place.next(),
        files_searched: summary.searched,
        binary_skipped: summary.binary,
        unreadable: summary.unreadable,
        ..Payload::default()
    };
    let mut text = CleanWriter::new();
    let noun = describe(workspace, gathered, what, (&mut text, &mut payload)).await?;
    for note in notes(&summary, place, place.footer(noun)) {
        text.put(if text.is_empty() { "" } else { "\n" }).put(note);
    }
    Reply::new(text.finish(), &payload)
}

async fn search(
    workspace: &Workspace,
    query: &Query,
    page: Page,
) -> Result<(Gathered, Place, Summary)> {
    let gather = Arc::new(Gather::new(page.take));
    let summary = workspace.fs().find(query, Arc::<Gather>::clone(&gather)).await?;
    let gathered = gather.finish();
    let given = gathered.results;
    let seen = page.skip.saturating_add(given).saturating_add(1);
    let total = if gathered.more { Total::AtLeast(seen) } else { summary.total };
    Ok((gathered, Place { skip: page.skip, given, total }, summary))
}

/// Writes the results as text and as facts, and says what one of them is called.
async fn describe(
    workspace: &Workspace,
    gathered: Gathered,
    what: What,
    (text, payload): (&mut CleanWriter, &mut Payload),
) -> Result<&'static str> {
    let Gathered { lines, files, .. } = gathered;
    match what {
        What::Content => {
            let rows = lines::shown(workspace, lines).await?;
            write(&rows, text);
            payload.matches = Some(rows.into_iter().map(Match::from).collect());
            Ok("match")
        }
        What::Files => {
            for (path, _) in &files {
                text.put(if text.is_empty() { "" } else { "\n" }).put(Shown(path));
            }
            payload.files = Some(files.iter().map(|(path, _)| path.to_string()).collect());
            Ok("file")
        }
        What::Count => {
            for (path, count) in &files {
                text.put(if text.is_empty() { "" } else { "\n" });
                text.put(Shown(path)).put(": ").put(*count);
            }
            let count = |(path, count): &(_, u64)| Count { path: format!("{path}"), count: *count };
            payload.counts = Some(files.iter().map(count).collect::<Vec<Count>>());
            Ok("file")
        }
    }
}

/// What is said below the results; `footer` says which of them these are.
pub(crate) fn notes(summary: &Summary, place: Place, footer: Option<Clean>) -> Vec<Clean> {
    let mut notes = Vec::new();
    if place.given == 0 && place.skip == 0 {
        let searched = Counted(summary.searched, "file");
        let binary = match summary.binary {
            0 => Clean::default(),
            binary => clean!["; ", Counted(binary, "binary file"), " passed over"],
        };
        notes.push(clean!["[no match in ", searched, &binary, "]"]);
    }
    notes.extend(footer);
    if summary.unreadable > 0 {
        notes.push(clean!["[", Counted(summary.unreadable, "entry"), " could not be read]"]);
    }
    notes
}

fn query(workspace: &Workspace, params: Params, page: Page) -> Result<Query> {
    let around = |own: Option<u64>| own.or(params.context).unwrap_or(0);
    let (before, after) = (around(params.before), around(params.after));
    if before.max(after) > MOST_CONTEXT {
        return Err(invalid(format!("before, after and context are at most {MOST_CONTEXT}")));
    }
    let syntax = match (params.fixed == Some(true), params.word == Some(true)) {
        (true, true) => return Err(invalid("send either fixed or word, not both")),
        (true, false) => Syntax::Fixed,
        (false, true) => Syntax::Word,
        (false, false) => Syntax::Regex,
    };
    let globs = |patterns: Option<Patterns>| patterns.map_or(Vec::new(), Patterns::filters);
    let hidden = hidden(params.include_hidden);
    let mut exclude = globs(params.exclude);
    if hidden == Hidden::Include {
        exclude.push(git_inside());
    }
    let multiline = params.multiline == Some(true);
    Ok(Query {
        base: workspace.path(params.path.unwrap_or_default())?,
        reach: Reach::Tree,
        include: globs(params.include),
        exclude,
        kinds: Kinds::Files,
        hidden,
        ignored: ignored(params.include_ignored),
        grep: Some(Grep {
            pattern: params.pattern,
            syntax,
            case: match params.case {
                Some(Letters::Insensitive) => Case::Insensitive,
                Some(Letters::Smart) => Case::Smart,
                Some(Letters::Sensitive) | None => Case::Sensitive,
            },
            lines: if multiline { Lines::Multi } else { Lines::Single },
            output: match params.output {
                Some(What::Files) => Output::Files,
                Some(What::Count) => Output::Count,
                Some(What::Content) | None => Output::Content,
            },
            before,
            after,
        }),
        facts: Facts::All,
        order: Order::Path,
        skip: page.skip,
        // One more than is shown tells whether there are more.
        take: page.take.saturating_add(1),
        after: None,
    })
}
