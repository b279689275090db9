//! `glob`: files whose path matches a pattern, newest first.

use garth_contract::{
    Code, Entry, Error, Facts, Glob, Hidden, Kinds, Order, Query, Reach, Result, WsPath,
};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    listing::Listed,
    names::{Names, Naming, names_of},
    page::{Page, Place},
    params::parse,
    schema::schema_of,
    tree::{directory, entries, git_inside, hidden, ignored},
    words::{Row, Shown},
    worktree::Reach as Reaches,
};

pub(super) const TOOL: Tool = Tool {
    name: "glob",
    title: "Find files by name",
    summary: "Finds files by a pattern such as **/*.rs, newest first. Leaves out dotfiles and \
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
pub(crate) struct Params {
    /// The pattern, relative to path. * matches within a name, ** across directories:
    /// *.ts finds files directly in path, **/*.ts at any depth. {a,b} and [a-z] work.
    pub(crate) pattern: String,
    /// The directory to look in, relative to the workspace's root; the root if absent.
    pub(crate) path: Option<String>,
    /// Finds names that begin with a dot too.
    pub(crate) include_hidden: Option<bool>,
    /// Finds what .gitignore and .ignore files name too.
    pub(crate) include_ignored: Option<bool>,
    /// The most files to give; 1,000 if absent.
    pub(crate) limit: Option<u64>,
    /// How many files to pass over, to go on after a cut result.
    pub(crate) offset: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        let names = Names::tree(self.path.unwrap_or_default());
        // An absolute pattern begins where it says, wherever that is.
        let names = if self.pattern.starts_with('/') {
            names.and(String::new(), Reaches::Tree)
        } else {
            names
        };
        names.fact("pattern", self.pattern)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The directory looked in, from the root.
    path: String,
    /// The pattern.
    pattern: String,
    /// The files, newest first.
    files: Vec<Listed>,
    /// How many files match in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more files than these.
    truncated: bool,
    /// The offset to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

/// The files that were found.
pub(crate) struct Found {
    base: WsPath,
    pattern: String,
    pub(crate) files: Vec<Entry>,
    pub(crate) place: Place,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let found = find(workspace, params).await?;
    let text = found.text();
    let payload = Payload {
        path: found.base.to_string(),
        pattern: found.pattern,
        files: found.files.iter().map(Listed::from).collect(),
        total: found.place.total(),
        truncated: found.place.next().is_some(),
        next_offset: found.place.next(),
    };
    Reply::new(text, &payload)
}

/// Finds files as the parameters say.
///
/// # Errors
/// Those of looking, and what the parameters rule out.
pub(crate) async fn find(workspace: &Workspace, params: Params) -> Result<Found> {
    let page = Page::of(workspace.limits(), params.offset, params.limit)?;
    let base = workspace.path(params.path.unwrap_or_default())?;
    let (base, pattern) = relative(workspace, base, &params.pattern)?;
    directory(workspace, &base).await?;
    let hidden = hidden(params.include_hidden);
    let query = Query {
        base,
        reach: Reach::Tree,
        include: vec![Glob::Path(pattern.clone())],
        exclude: if hidden == Hidden::Include { vec![git_inside()] } else { Vec::new() },
        kinds: Kinds::Files,
        hidden,
        ignored: ignored(params.include_ignored),
        grep: None,
        facts: Facts::All,
        order: Order::Newest,
        skip: page.skip,
        take: page.take,
        after: None,
    };
    let (files, place) = entries(workspace, &query).await?;
    Ok(Found { base: query.base, pattern, files, place })
}

impl Found {
    /// The files, one a line, and what is left out of them.
    pub(crate) fn text(&self) -> Clean {
        let Self { base, files, place, .. } = self;
        let mut text = CleanWriter::new();
        for (index, file) in files.iter().enumerate() {
            text.put(if index > 0 { "\n" } else { "" }).put(Row(file));
        }
        let nothing = files.is_empty() && place.skip == 0;
        let none = nothing.then(|| clean!["[no file in ", Shown(base), "/ matches]"]);
        for footer in [none, place.footer("file")].into_iter().flatten() {
            text.put(if text.is_empty() { "" } else { "\n" }).put(footer);
        }
        text.finish()
    }
}

/// The pattern as one that starts at a directory of the workspace.
///
/// An absolute pattern starts where one of the workspace's aliases leads.
///
/// # Errors
/// `INVALID_PATTERN` for an empty pattern, `PATH_OUTSIDE_WORKSPACE` for one that
/// names a place outside.
fn relative(workspace: &Workspace, base: WsPath, pattern: &str) -> Result<(WsPath, String)> {
    let (base, rest) = if pattern.starts_with('/') {
        let (base, inside) = workspace.aliases().find(pattern.as_bytes()).ok_or_else(outside)?;
        (base.clone(), std::str::from_utf8(inside).map_err(|_| outside())?)
    } else {
        (base, pattern)
    };
    let parts: Vec<&str> = rest.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return Err(outside());
    }
    if parts.is_empty() {
        return Err(Error::new(Code::InvalidPattern, "the pattern is empty")
            .hint("Send a pattern such as **/*.rs, or list the directory."));
    }
    Ok((base, parts.join("/")))
}

fn outside() -> Error {
    Error::new(Code::PathOutsideWorkspace, "the pattern leaves the workspace")
        .hint("Send a pattern relative to the workspace's root, without \"..\".")
}
