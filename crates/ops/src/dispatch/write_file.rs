//! `write_file`: writes a file, whether or not it exists.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Needs, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    workspace::write,
};

pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    title: "Write a file",
    summary: "Creates a file or replaces the whole of one; missing directories are made. To \
              change a part of a file, use edit_file.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<write::Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(async move {
            let Params { path, content } = parse(call.params)?;
            let params = write::Params::text(path, content);
            Ok(write::write(workspace, params).await?.reply()?)
        })
    },
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
