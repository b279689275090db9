//! `read_multiple_files`: several text files in one reply.

use garth_contract::{Code, Detail, Error, Result};
use garth_redact::CleanWriter;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    read_text_file::whole,
    speech::{
        answer::{Payload, answer},
        paths::{Sent, resolve},
        refusal::told,
    },
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Patterns, invalid, parse},
    schema::schema_of,
    words::Ours,
    worktree::Reach,
};

pub(super) const TOOL: Tool = Tool {
    name: "read_multiple_files",
    title: "Read Multiple Files",
    summary: "Reads several text files at once, each after its path. One that cannot be read is reported \
              in its place and stops nothing.",
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
struct Params {
    /// The files, inside allowed directories.
    #[schemars(with = "Vec<String>", length(min = 1))]
    paths: Patterns,
}

impl Naming for Params {
    fn names(self) -> Names {
        let Patterns(paths) = self.paths;
        paths.into_iter().fold(Names::default(), |names, path| names.and(path, Reach::This))
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let Patterns(paths) = params.paths;
    if paths.is_empty() {
        return Err(invalid("paths is empty: send at least one"));
    }
    let most = workspace.limits().text_bytes;
    let mut text = CleanWriter::new();
    for (index, sent) in paths.iter().enumerate() {
        if index > 0 {
            text.put("\n---\n");
        }
        let read = async { whole(workspace, &resolve(workspace, sent)?).await };
        match told(workspace, read.await).await {
            Ok(content) => text.put(Sent(sent)).put(":\n").put(content).put("\n"),
            Err(error) => {
                let message = Ours(error.message().to_owned());
                text.put(Sent(sent)).put(": Error - ").put(message)
            }
        };
        if text.len() as u64 > most {
            let limit = Detail::Limit { limit: most, actual: text.len() as u64 };
            return Err(Error::new(Code::FileTooLarge, "the files together are too large")
                .with(limit)
                .hint("Read fewer files at once, or parts of them with read_text_file."));
        }
    }
    answer(text.finish())
}
