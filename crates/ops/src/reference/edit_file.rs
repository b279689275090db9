//! `edit_file`: replaces texts in one file, all or none, and shows the difference.

use std::borrow::Cow;

use garth_contract::{Code, Content, Detail, Error, Parents, Result, WsPath};
use garth_redact::{CleanWriter, clean};
use garth_text::{
    diff::diff,
    edit::{Edit, Edited, Failure, FileError, Mode, Replace, Why, apply_to_decoded},
    encoding::Encoding,
    lines,
};
use garth_workspace::{Plan, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    paths::{Told, resolve},
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    change::{Change, Side},
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    placeholders,
    schema::schema_of,
    text_file::{TextFile, refused},
    words::{Counted, Ours},
};

pub(super) const TOOL: Tool = Tool {
    name: "edit_file",
    title: "Edit File",
    summary: "Replaces texts in a file and shows the difference. Each oldText must stand in exactly one \
              place; small differences in white space are forgiven. All edits are made or none.",
    needs: Needs::Replace,
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
#[allow(non_snake_case, reason = "the names are part of the dialect")]
struct Params {
    /// The file, inside an allowed directory.
    path: String,
    /// The edits, each made on what those before it left.
    edits: Vec<One>,
    /// Shows the difference and writes nothing.
    dryRun: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

/// One of the edits.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "the names are part of the dialect")]
struct One {
    /// The text to replace, as it stands in the file.
    oldText: String,
    /// The text to put in its place.
    newText: String,
}

impl One {
    fn as_edit(&self) -> Edit<'_> {
        Edit { old: &self.oldText, new: &self.newText, replace: Replace::One }
    }
}

/// The most characters of an edit that an error repeats.
const MOST_REPEATED: usize = 2_000;

struct Call {
    path: WsPath,
    edits: Vec<One>,
    dry_run: bool,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let Params { path, edits, dryRun: dry_run } = params;
    if edits.is_empty() {
        return Err(invalid("edits is empty: send at least one"));
    }
    let path = resolve(workspace, &path)?;
    let call = Call { path, edits, dry_run: dry_run == Some(true) };
    let updated = workspace.update(&call.path, |current| call.plan(workspace, current)).await?;
    call.reply(workspace, &updated.facts)
}

impl Call {
    fn plan(&self, workspace: &Workspace, current: Option<&Content>) -> Result<Plan<Change>> {
        let Some(content) = current else {
            return Err(Error::at(Code::FileNotFound, &self.path));
        };
        let file = TextFile::of(&self.path, &content.bytes, None).map_err(|error| {
            error.hint("Only text in UTF-8, or in UTF-16 with its mark, is edited.")
        })?;
        let edits: Vec<Edit<'_>> = self.edits.iter().map(One::as_edit).collect();
        let decoded = (&*content.bytes, &*file.text);
        let Edited { bytes, .. } =
            apply_to_decoded(decoded, file.encoding, &edits, Mode::Forgiving)
                .map_err(|error| self.refusal(workspace, &error))?;
        let after = match file.encoding {
            Encoding::Utf8 => Cow::Borrowed(&bytes[..]),
            Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_) => {
                let after = TextFile::of(&self.path, &bytes, Some(file.encoding))?;
                Cow::Owned(after.text.into_owned().into_bytes())
            }
        };
        let found = diff(file.text.as_bytes(), &after);
        placeholders::check_lines(workspace, &self.path, &found)?;
        let name = Told::of(workspace, &self.path);
        let names = [format!("{name}\toriginal"), format!("{name}\tmodified")];
        let [old, new] = &names;
        let old = Side { name: old, path: &self.path, text: file.text.as_bytes() };
        let new = Side { name: new, path: &self.path, text: &after };
        let change = Change::of(workspace, (old, new), &found, workspace.limits().diff_lines)?;
        let content = (!self.dry_run).then(|| bytes.into());
        Ok(Plan { content, parents: Parents::Require, facts: change })
    }

    /// An error of the edit engine, in the dialect's words.
    fn refusal(&self, workspace: &Workspace, error: &FileError) -> Error {
        let Failure { edit, why, .. } = match error {
            FileError::Edit(failure) => failure,
            FileError::Encoding(error) => return refused(&self.path, error),
        };
        let sent = self.edits.get(*edit).map_or("", |edit| edit.oldText.as_str());
        let repeated = lines::cut(sent, MOST_REPEATED).kept;
        let error = match why {
            Why::NotFound { .. }
                if workspace.redacts(&self.path) && placeholders::has_any(sent) =>
            {
                return placeholders::refused(&self.path);
            }
            Why::NotFound { nearest } => {
                let message = format!("Could not find exact match for edit:\n{repeated}");
                let error = Error::new(Code::TextNotFound, message);
                nearest.iter().fold(error, |error, line| error.with(Detail::Nearest(*line as u64)))
            }
            Why::Ambiguous { lines, total, .. } => {
                let at: Vec<String> = lines.iter().map(usize::to_string).collect();
                let at = at.join(", ");
                let message = format!("Found multiple matches for edit (lines {at}):\n{repeated}");
                Error::new(Code::AmbiguousMatch, message)
                    .with(Detail::Lines(lines.iter().map(|line| *line as u64).collect()))
                    .with(Detail::Places(*total as u64))
                    .hint("Send more of the lines around the place as oldText.")
            }
            Why::EmptyOld => invalid("oldText is empty")
                .hint("Send the text to replace, or use write_file for the whole file."),
            Why::Same => invalid("oldText and newText are the same"),
            Why::Omission { line } => {
                let message = format!("line {line} of newText stands for text that was left out");
                invalid(message).hint("Send the whole new text; nothing is filled in for it.")
            }
            Why::TooLarge { .. } => {
                Error::at(Code::FileTooLarge, &self.path).hint("Replace by less in one call.")
            }
        };
        if self.edits.len() > 1 { error.with(Detail::Edit(*edit as u64)) } else { error }
    }

    fn reply(&self, workspace: &Workspace, change: &Change) -> Result<Reply> {
        let name = Told::of(workspace, &self.path);
        let fence = fence(&change.diff);
        let mut text = CleanWriter::new();
        text.put(Ours(fence.clone())).put("diff\nIndex: ").put(&name).put("\n");
        text.put(RULE).put("\n");
        if change.diff.is_empty() {
            text.put(clean!["--- ", &name, "\toriginal\n+++ ", &name, "\tmodified\n"]);
        } else {
            text.put(&change.diff).put("\n");
        }
        text.put(Ours(fence)).put("\n\n");
        if change.missing > 0 {
            text.put("[").put(Counted(change.missing, "line")).put(" of the diff left out]\n");
        }
        answer(text.finish())
    }
}

const RULE: &str = "===================================================================";

/// As many backticks as no line of the text has in a row.
fn fence(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}
