//! `edit_file`: replaces texts in one file, one after the other, all or none.

use garth_contract::Result;
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    schema::schema_of,
    words::Counted,
    workspace::edit::{Call, One, Payload, Words},
};

pub(super) const TOOL: Tool = Tool {
    name: "edit_file",
    title: "Edit a file",
    summary: "Replaces text in a file. The edits apply in order, all or none; each old_text must \
              stand in exactly one place. Small differences in white space are forgiven.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

const WORDS: Words = Words {
    old: "old_text",
    new: "new_text",
    read: "read_file",
    write: "write_file",
    several: "Give more surrounding lines, so that old_text stands in one place only.",
    first_line: 0,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, relative to the root.
    path: String,
    /// The edits, applied in order.
    #[schemars(required)]
    edits: Option<Vec<Edit>>,
    /// A single edit, by callers who leave out the list.
    #[schemars(skip)]
    old_text: Option<String>,
    #[schemars(skip)]
    new_text: Option<String>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The text to replace, as the edits before this one left it, without line numbers.
    old_text: String,
    /// The text to put in its place.
    new_text: String,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let edits = match (params.edits, params.old_text, params.new_text) {
        (Some(edits), None, None) if edits.is_empty() => {
            return Err(invalid("edits is empty: send at least one"));
        }
        (Some(edits), None, None) => edits,
        (None, Some(old_text), Some(new_text)) => vec![Edit { old_text, new_text }],
        (None, None, None) => return Err(invalid("the parameter edits is missing")),
        (Some(_), ..) | (None, ..) => {
            return Err(invalid("send old_text and new_text within each of the edits"));
        }
    };
    let edited = clean!["Applied ", Counted(edits.len() as u64, "edit"), " to "];
    let one = |Edit { old_text, new_text }| One {
        old_string: old_text,
        new_string: new_text,
        replace_all: None,
    };
    let edits = edits.into_iter().map(one).collect();
    Call::new(&WORDS, path, edits).run(workspace, edited).await
}
