//! `edit_file`: replaces a text in one file.

use garth_contract::Result;
use garth_redact::Clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    schema::schema_of,
    workspace::edit::{Call, One, Payload, Words},
};

pub(super) const TOOL: Tool = Tool {
    name: "edit_file",
    title: "Edit a file",
    summary: "Replaces text in a file. old_string must stand in exactly one place, unless \
              replace_all is set; small differences in white space are forgiven. An empty \
              old_string creates a new file.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

const WORDS: Words = Words {
    old: "old_string",
    new: "new_string",
    read: "read_file",
    write: "write_file",
    several: "Give more surrounding lines, or set replace_all.",
    first_line: 1,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, relative to the root.
    path: String,
    /// The text to replace, as it stands in the file.
    #[schemars(required)]
    old_string: Option<String>,
    /// The text to put in its place.
    #[schemars(required)]
    new_string: Option<String>,
    /// Replaces every place where old_string stands; false if absent.
    replace_all: Option<bool>,
    /// Several edits, by callers who know them from elsewhere.
    #[schemars(skip)]
    edits: Option<Vec<One>>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let edits = match (params.old_string, params.new_string, params.edits) {
        (Some(old_string), Some(new_string), None) => {
            vec![One { old_string, new_string, replace_all: params.replace_all }]
        }
        (None, None, Some(edits)) if params.replace_all.is_none() && !edits.is_empty() => edits,
        (None, _, None) => return Err(invalid("the parameter old_string is missing")),
        (Some(_), None, None) => return Err(invalid("the parameter new_string is missing")),
        (_, _, Some(_)) => return Err(invalid("send old_string and new_string, and no edits")),
    };
    Call::new(&WORDS, path, edits).run(workspace, Clean::fixed("Edited ")).await
}
