//! `search_files`: paths below a directory that match a glob.

use garth_contract::{Glob, Kind, Links, Reach, Result};
use garth_redact::CleanWriter;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    names::{Walk, cut, globs, most},
    paths::{Told, resolve},
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Patterns, parse},
    schema::schema_of,
    tree::directory,
};

pub(super) const TOOL: Tool = Tool {
    name: "search_files",
    title: "Search Files",
    summary: "Finds files and directories below a directory by a glob and gives their whole paths. *.ts \
              finds those in the directory itself, **/*.ts those at any depth.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(
            async move { Ok(told(workspace, run(workspace, parse(call.params)?).await).await?) },
        )
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "the name is part of the dialect")]
struct Params {
    /// The directory to look in, inside an allowed one.
    path: String,
    /// The glob, held against paths below the directory.
    pattern: String,
    /// Globs of what is left out, with everything below it.
    #[schemars(with = "Option<Vec<String>>")]
    excludePatterns: Option<Patterns>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.path).fact("pattern", self.pattern)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let base = resolve(workspace, &params.path)?;
    directory(workspace, &base).await?;
    let Patterns(patterns) = params.excludePatterns.unwrap_or(Patterns(Vec::new()));
    let walk = Walk {
        base,
        reach: Reach::Tree,
        include: vec![Glob::Path(params.pattern)],
        exclude: globs(&patterns),
    };
    let names = walk.names(workspace).await?;
    let mut text = CleanWriter::new();
    for (path, kind) in &names.found {
        // A link that leads out or nowhere cannot be used for anything.
        if *kind == Kind::Symlink && workspace.fs().stat(path, Links::Follow).await.is_err() {
            continue;
        }
        text.put(if text.is_empty() { "" } else { "\n" }).put(Told::of(workspace, path));
    }
    if text.is_empty() {
        text.put("No matches found");
    }
    if names.more {
        text.put(cut(most(workspace), "match"));
    }
    answer(text.finish())
}
