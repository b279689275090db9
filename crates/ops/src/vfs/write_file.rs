//! `write_file`: writes a file, whether or not it exists.

use garth_contract::Result;
use garth_redact::CleanWriter;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::{Counted, Shown},
    workspace::write,
};

pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    title: "Write a file",
    summary: "Creates a file or replaces the whole of one; missing directories are made. To \
              change a part of a file, use edit_file.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, relative to the root.
    path: String,
    /// The whole new content.
    content: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The file, from the root.
    path: String,
    /// How many bytes were written.
    bytes_written: u64,
    /// Whether the file is new.
    created: bool,
    /// Its version now.
    version: String,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let Params { path, content } = params;
    let landed = write::write(workspace, write::Params::text(path, content)).await?;
    let mut text = CleanWriter::new();
    text.put("Wrote ").put(Counted(landed.size(), "byte")).put(" to ").put(Shown(&landed.path));
    landed.notes(&mut text);
    let payload = Payload {
        path: landed.path.to_string(),
        bytes_written: landed.size(),
        created: landed.written.created,
        version: landed.written.version.to_string(),
    };
    Reply::new(text.finish(), &payload)
}
