//! `list_files`: the files of a directory, or of everything below it.

use garth_contract::{Facts, Glob, Hidden, Ignored, Kinds, Order, Query, Reach, Result};
use garth_redact::{CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Patterns, parse},
    schema::schema_of,
    tree::{directory, entries, git_inside},
    words::{Counted, Shown},
};

pub(super) const TOOL: Tool = Tool {
    name: "list_files",
    title: "List files",
    summary: "Lists the files below a directory, one path a line, relative to the root. Leaves \
              out nothing but .git.",
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
    /// The directory, relative to the root; the root itself (.) if absent.
    path: Option<String>,
    /// Lists only files that match this glob; *.rs matches at any depth, a pattern with / the
    /// path below the directory.
    #[schemars(with = "Option<String>")]
    pattern: Option<Patterns>,
    /// Whether files of directories below count; true if absent.
    recursive: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        let path = self.path.unwrap_or_default();
        if self.recursive == Some(false) { Names::this(path) } else { Names::tree(path) }
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The directory, from the root.
    path: String,
    /// The files, from the root, by name.
    files: Vec<String>,
    /// How many files there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more files than these.
    truncated: bool,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path.unwrap_or_default())?;
    directory(workspace, &path).await?;
    let query = Query {
        base: path,
        reach: if params.recursive == Some(false) { Reach::Entries } else { Reach::Tree },
        include: params.pattern.map_or(Vec::new(), Patterns::filters),
        // In a linked worktree .git is a file.
        exclude: vec![git_inside(), Glob::Path("**/.git".to_owned())],
        kinds: Kinds::Files,
        hidden: Hidden::Include,
        ignored: Ignored::IncludeNoGit,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: workspace.limits().most_results,
        after: None,
    };
    let (files, place) = entries(workspace, &query).await?;
    let mut text = CleanWriter::new();
    for (index, file) in files.iter().enumerate() {
        text.put(if index > 0 { "\n" } else { "" }).put(Shown(&file.path));
    }
    if files.is_empty() {
        text.put(clean!["[no files in ", Shown(&query.base), "/]"]);
    }
    let truncated = place.next().is_some();
    if truncated {
        let hint = "; a narrower path or pattern shows others]";
        text.put("\n[cut after ").put(Counted(place.given, "file")).put(hint);
    }
    let payload = Payload {
        path: query.base.to_string(),
        files: files.iter().map(|file| file.path.to_string()).collect(),
        total: place.total(),
        truncated,
    };
    Reply::new(text.finish(), &payload)
}
