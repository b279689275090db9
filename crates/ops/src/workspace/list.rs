//! `list`: the entries of a directory, or of everything below it, by name.

use garth_contract::{
    Entry, Facts, Glob, Hidden, Ignored, Kinds, Order, Page as Range, Query, Reach, Result, Total,
    WsPath,
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
    params::{at_least_one, invalid, parse},
    schema::schema_of,
    tree::{directory, entries, git_inside, hidden, ignored},
    words::{Counted, Row, Shown},
};

pub(super) const TOOL: Tool = Tool {
    name: "list",
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
    /// The directory, relative to the workspace's root; the root itself if absent.
    path: Option<String>,
    /// Lists everything below it, not only its own entries.
    recursive: Option<bool>,
    /// How many levels a recursive listing goes down; 1 is the directory's own entries.
    depth: Option<u64>,
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
        let path = self.path.unwrap_or_default();
        let deep = self.recursive.unwrap_or(self.depth.is_some_and(|depth| depth > 1));
        if deep { Names::tree(path) } else { Names::this(path) }
    }
}

/// A listing in a payload.
#[derive(Serialize, JsonSchema)]
pub(super) struct Payload {
    /// The directory, from the root.
    path: String,
    /// The entries, by name.
    entries: Vec<Listed>,
    /// How many entries there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// How many hidden or ignored entries of the directory are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
    /// Whether there are more entries than these.
    truncated: bool,
    /// The offset to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

/// What a listing shows.
pub(crate) struct Scope {
    pub(crate) reach: Reach,
    pub(crate) depth: Option<u64>,
    pub(crate) hidden: Hidden,
    pub(crate) ignored: Ignored,
    pub(crate) page: Page,
}

/// What a look at a directory showed.
pub(crate) struct Looked {
    pub(crate) entries: Vec<Entry>,
    pub(crate) place: Place,
    /// How many hidden or ignored entries of the directory are left out.
    pub(crate) left_out: Option<u64>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path.unwrap_or_default())?;
    let depth = at_least_one("depth", params.depth)?;
    if depth.is_some_and(|depth| depth > DEEPEST) {
        return Err(invalid(format!("depth must be at most {DEEPEST}; leave it out for no limit")));
    }
    let deep = params.recursive.unwrap_or(depth.is_some_and(|depth| depth > 1));
    let scope = Scope {
        reach: if deep { Reach::Tree } else { Reach::Entries },
        depth: depth.filter(|_| deep),
        hidden: hidden(params.include_hidden),
        ignored: ignored(params.include_ignored),
        page: Page::of(workspace.limits(), params.offset, params.limit)?,
    };
    let (text, payload) = show(workspace, &path, &scope).await?;
    Reply::new(text, &payload)
}

/// The deepest level that a glob of that many parts is made for.
const DEEPEST: u64 = 256;

/// Lists what a caller wants to see of a directory that it named as a file.
pub(super) async fn entries_of(workspace: &Workspace, path: &WsPath) -> Result<(Clean, Payload)> {
    let scope = Scope {
        reach: Reach::Entries,
        depth: None,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        page: Page::of(workspace.limits(), None, None)?,
    };
    show(workspace, path, &scope).await
}

async fn show(workspace: &Workspace, path: &WsPath, scope: &Scope) -> Result<(Clean, Payload)> {
    let looked = look(workspace, path, scope).await?;
    let text = looked.text(path);
    let Looked { entries, place, left_out } = looked;
    let payload = Payload {
        path: path.to_string(),
        entries: entries.iter().map(Listed::from).collect(),
        total: place.total(),
        left_out,
        truncated: place.next().is_some(),
        next_offset: place.next(),
    };
    Ok((text, payload))
}

/// Looks at a directory.
///
/// # Errors
/// `NOT_A_DIRECTORY`, and those of listing.
pub(crate) async fn look(workspace: &Workspace, path: &WsPath, scope: &Scope) -> Result<Looked> {
    directory(workspace, path).await?;
    let everything = scope.hidden == Hidden::Include && scope.ignored != Ignored::Skip;
    let (entries, place, left_out) = match (scope.reach, everything) {
        (Reach::Tree, _) => {
            let (found, place) = entries(workspace, &query(path, scope)).await?;
            (found, place, None)
        }
        (Reach::Entries, true) => {
            let Page { skip, take } = scope.page;
            let listing = workspace.fs().list(path, Range { skip, take }).await?;
            let given = listing.entries.len() as u64;
            (listing.entries, Place { skip, given, total: Total::Exact(listing.total) }, None)
        }
        (Reach::Entries, false) => {
            let (found, place) = entries(workspace, &query(path, scope)).await?;
            let all = workspace.fs().list(path, Range { skip: 0, take: 0 }).await?.total;
            (found, place, place.total().map(|shown| all.saturating_sub(shown)))
        }
    };
    Ok(Looked { entries, place, left_out: left_out.filter(|count| *count > 0) })
}

fn query(path: &WsPath, scope: &Scope) -> Query {
    let mut exclude = Vec::new();
    if scope.reach == Reach::Tree && scope.hidden == Hidden::Include {
        exclude.push(git_inside());
    }
    if let Some(depth) = scope.depth {
        let levels = usize::try_from(depth).unwrap_or(usize::MAX);
        exclude.push(Glob::Path(format!("{}*", "*/".repeat(levels))));
    }
    Query {
        base: path.clone(),
        reach: scope.reach,
        include: Vec::new(),
        exclude,
        kinds: Kinds::All,
        hidden: scope.hidden,
        ignored: scope.ignored,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: scope.page.skip,
        take: scope.page.take,
        after: None,
    }
}

impl Looked {
    /// The entries, one a line, and what is left out of them.
    pub(crate) fn text(&self, path: &WsPath) -> Clean {
        let Self { entries, place, left_out } = self;
        let mut text = CleanWriter::new();
        for (index, entry) in entries.iter().enumerate() {
            text.put(if index > 0 { "\n" } else { "" }).put(Row(entry));
        }
        let nothing = entries.is_empty() && place.skip == 0;
        let footers = [
            nothing.then(|| clean!["[", Shown(path), "/ has no entries to show]"]),
            place.footer("entry"),
            left_out.map(|count| {
                let hint = " left out; see include_hidden and include_ignored]";
                clean!["[", Counted(count, "hidden or ignored entry"), hint]
            }),
        ];
        for footer in footers.into_iter().flatten() {
            text.put(if text.is_empty() { "" } else { "\n" }).put(footer);
        }
        text.finish()
    }
}
