//! `write`: creates a file or replaces the whole of one.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use garth_contract::{
    Code, Content, Error, Guard, Parents, Put, Result, Span, Version, Written, WsPath,
};
use garth_redact::{Clean, CleanWriter};
use garth_text::{
    encoding::{self, Encoding},
    endings,
};
use garth_workspace::{Plan, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    change::{Change, Side},
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    placeholders,
    schema::schema_of,
    segments::{Knows, Segments, check_hidden},
    text_file::{TextFile, named, refused},
    versions,
    words::{Counted, Ours, Shown},
};

pub(super) const TOOL: Tool = Tool {
    name: "write",
    title: "Write a file",
    summary: "Creates a file or replaces the whole of one; missing directories are made. To \
              change a part of a file, use edit.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

/// Of files up to this size, a reply says what changed.
const MOST_DIFF_BYTES: usize = 1 << 20;
/// The most lines of that; who wrote a whole file knows what is in it.
const MOST_DIFF_LINES: usize = 100;
/// How much of a file too large to be read whole tells how its lines end.
const HEAD: u64 = 64 << 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The file, relative to the workspace's root.
    path: String,
    /// The whole new content.
    content: String,
    /// utf8 (the default) for text, base64 for bytes, or the name of the text encoding to
    /// write in, such as latin1; a file that exists keeps its own unless another is named.
    encoding: Option<String>,
    /// Whether a file that exists is replaced; true unless said otherwise.
    overwrite: Option<bool>,
    /// Whether missing directories are made; true unless said otherwise.
    create_dirs: Option<bool>,
    /// The version that a read returned; any other is a CONFLICT.
    expected_version: Option<String>,
    /// What becomes of line endings.
    line_endings: Option<LineEndings>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

impl Params {
    /// A text for a file that may exist.
    pub(crate) fn text(path: String, content: String) -> Self {
        Self {
            path,
            content,
            encoding: None,
            overwrite: None,
            create_dirs: None,
            expected_version: None,
            line_endings: None,
        }
    }

    /// The same for a file that must not exist.
    pub(crate) fn new_file(self) -> Self {
        Self { overwrite: Some(false), ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LineEndings {
    /// Text with LF over a file with CRLF gets CRLF; this is the default.
    Keep,
    /// The text is written as it was sent.
    AsIs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Payload {
    /// The file, from the root.
    path: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// Whether it is new.
    created: bool,
    /// Its version now.
    version: String,
    /// What was kept of the file that was replaced: its encoding, its line endings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<String>,
    /// What changed, as a unified diff, for a text of moderate size.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Clean>,
}

/// What the caller wants to be in the file.
enum Wanted {
    Bytes(Bytes),
    Text { text: String, encoding: Option<Encoding>, endings: LineEndings },
}

struct Call {
    path: WsPath,
    wanted: Wanted,
    parents: Parents,
    expected: Option<Version>,
}

/// What is written, and what was found out about it.
struct Outcome {
    size: u64,
    kept: Vec<String>,
    change: Option<Change>,
}

/// A write that was made.
pub(crate) struct Landed {
    pub(crate) path: WsPath,
    pub(crate) written: Written,
    outcome: Outcome,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    write(workspace, params).await?.reply()
}

/// Writes a file as the parameters say.
///
/// # Errors
/// Those of writing, and what the parameters rule out.
pub(crate) async fn write(workspace: &Workspace, params: Params) -> Result<Landed> {
    if params.overwrite == Some(false) && params.expected_version.is_some() {
        return Err(invalid("expected_version makes no sense with overwrite: false"));
    }
    let overwrite = params.overwrite != Some(false);
    let call = Call::of(workspace, params)?;
    let (written, outcome) = if overwrite {
        match workspace.update(&call.path, |current| call.plan(workspace, current)).await {
            Ok(updated) => (updated.written, updated.facts),
            Err(error) if error.code() == Code::FileTooLarge && call.expected.is_none() => {
                call.over_large(workspace, error).await?
            }
            Err(error) => return Err(error),
        }
    } else {
        let Plan { content, facts, .. } = call.plan(workspace, None)?;
        let put = Put { guard: Guard::Absent, parents: call.parents, mode: None };
        let content = content.unwrap_or_default();
        (Some(workspace.fs().write(&call.path, content, put).await?), facts)
    };
    let Some(written) = written else {
        return Err(Error::new(Code::Internal, "nothing was written"));
    };
    Ok(Landed { path: call.path, written, outcome })
}

impl Call {
    fn of(workspace: &Workspace, params: Params) -> Result<Self> {
        let endings = params.line_endings.unwrap_or(LineEndings::Keep);
        let wanted = match params.encoding.as_deref() {
            Some(name) if name.eq_ignore_ascii_case("base64") => {
                let bytes = STANDARD.decode(params.content.trim()).map_err(|_| {
                    Error::new(Code::InvalidEncoding, "content is not valid base64")
                })?;
                Wanted::Bytes(bytes.into())
            }
            // It says that content is text; a file stays in the encoding it has.
            Some("utf8" | "utf-8" | "UTF-8") | None => {
                Wanted::Text { text: params.content, encoding: None, endings }
            }
            name => Wanted::Text { text: params.content, encoding: named(name)?, endings },
        };
        let create = params.create_dirs != Some(false);
        Ok(Self {
            path: workspace.path(params.path)?,
            wanted,
            parents: if create { Parents::Create } else { Parents::Require },
            expected: versions::expected(params.expected_version.as_deref())?,
        })
    }

    fn plan(&self, workspace: &Workspace, current: Option<&Content>) -> Result<Plan<Outcome>> {
        versions::check(&self.path, self.expected, current)?;
        let old = current.map(|content| &content.bytes[..]);
        // What is no text has neither line endings nor an encoding to keep.
        let old = old.and_then(|bytes| TextFile::of(&self.path, bytes, None).ok());
        let (bytes, kept, change) = match &self.wanted {
            Wanted::Bytes(bytes) => (bytes.clone(), Vec::new(), None),
            Wanted::Text { text, encoding, endings } => {
                let before = old.as_ref().map_or("", |old| &old.text);
                let segments = Segments::of_text(workspace, &self.path, (before, text));
                let knows = match self.expected {
                    Some(_) => Knows::Version,
                    None => Knows::Nothing,
                };
                let restored = segments.restore_whole(text, knows)?;
                placeholders::check(workspace, &self.path, before, &restored)?;
                if let Cow::Owned(restored) = &restored {
                    check_hidden(workspace, &self.path, (before, restored), &[text])?;
                }
                let (text, kept) = fit(&restored, *encoding, *endings, old.as_ref());
                let target = encoding.or(old.as_ref().map(|old| old.encoding));
                let bytes = encoding::encode(&text, target.unwrap_or(Encoding::Utf8))
                    .map_err(|error| refused(&self.path, &error))?;
                let change = match &old {
                    Some(old) => self.difference(workspace, &old.text, &text)?,
                    None => None,
                };
                (bytes.into(), kept, change)
            }
        };
        let size = bytes.len() as u64;
        Ok(Plan {
            content: Some(bytes),
            parents: self.parents,
            facts: Outcome { size, kept, change },
        })
    }

    fn difference(&self, workspace: &Workspace, old: &str, new: &str) -> Result<Option<Change>> {
        if old.len().max(new.len()) > MOST_DIFF_BYTES {
            return Ok(None);
        }
        let name = self.path.to_string();
        let side = |text| Side { name: &name, path: &self.path, text };
        Change::between(workspace, side(old.as_bytes()), side(new.as_bytes()), MOST_DIFF_LINES)
            .map(Some)
    }

    /// Writes over a file that is too large to be read whole.
    ///
    /// Its front says how its lines end. What it holds of secrets cannot be known,
    /// so a text with a placeholder is refused.
    async fn over_large(
        &self,
        workspace: &Workspace,
        error: Error,
    ) -> Result<(Option<Written>, Outcome)> {
        let span = Span::Bytes { offset: 0, length: HEAD };
        let head = match workspace.fs().read(&self.path, span).await {
            Ok(head) if head.size > workspace.limits().text_bytes => head,
            // It was the new content that is too large.
            Ok(_) | Err(_) => return Err(error),
        };
        let front = std::str::from_utf8(&head.bytes).or_else(|error| {
            std::str::from_utf8(head.bytes.get(..error.valid_up_to()).unwrap_or_default())
        });
        let front = front.unwrap_or_default();
        let content = Content { bytes: Bytes::copy_from_slice(front.as_bytes()), ..head };
        let Plan { content, facts, .. } = self.plan(workspace, Some(&content))?;
        let put = Put { guard: Guard::Any, parents: self.parents, mode: None };
        let content = content.unwrap_or_default();
        let written = workspace.fs().write(&self.path, content, put).await?;
        Ok((Some(written), Outcome { change: None, ..facts }))
    }
}

impl Landed {
    /// How many bytes the file has now.
    pub(crate) fn size(&self) -> u64 {
        self.outcome.size
    }

    /// Says it in the words of the dialect `workspace`.
    pub(crate) fn reply(self) -> Result<Reply> {
        let mut text = CleanWriter::new();
        text.put(if self.written.created { "Created " } else { "Wrote " });
        text.put(Shown(&self.path)).put(" (").put(Counted(self.size(), "byte")).put(")");
        self.notes(&mut text);
        let Outcome { size, kept, change } = self.outcome;
        let payload = Payload {
            path: self.path.to_string(),
            size_bytes: size,
            created: self.written.created,
            version: self.written.version.to_string(),
            kept,
            diff: change.map(|change| change.diff),
        };
        Reply::new(text.finish(), &payload)
    }

    /// Writes what was kept of the file that was replaced, and what changed in it.
    pub(crate) fn notes(&self, text: &mut CleanWriter) {
        for kept in &self.outcome.kept {
            text.put("\n[kept ").put(Ours(kept.clone())).put(" of the file that was there]");
        }
        let Some(change) = &self.outcome.change else { return };
        if change.diff.is_empty() {
            text.put("\n[no line changed]");
        }
        change.write(text);
    }
}

/// Fits a text to the file that it replaces, and says what was kept of that.
fn fit<'a>(
    text: &'a str,
    encoding: Option<Encoding>,
    endings: LineEndings,
    old: Option<&TextFile<'_>>,
) -> (Cow<'a, str>, Vec<String>) {
    let mut kept = Vec::new();
    let Some(old) = old else { return (Cow::Borrowed(text), kept) };
    // The mark belongs to the encoding; a text that brings its own keeps one.
    let text = match encoding.unwrap_or(old.encoding) {
        Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be => {
            text.strip_prefix('\u{feff}').unwrap_or(text)
        }
        Encoding::Utf8 | Encoding::Named(_) => text,
    };
    match old.encoding {
        Encoding::Utf8Bom if encoding.is_none() => kept.push("the byte order mark".to_owned()),
        Encoding::Utf16Le | Encoding::Utf16Be if encoding.is_none() => {
            kept.push(format!("the encoding {}", old.encoding.name()));
        }
        Encoding::Utf8
        | Encoding::Utf8Bom
        | Encoding::Utf16Le
        | Encoding::Utf16Be
        | Encoding::Named(_) => {}
    }
    let followed = match endings {
        LineEndings::Keep => endings::follow(text.as_bytes(), old.text.as_bytes()),
        LineEndings::AsIs => None,
    };
    let followed = followed.and_then(|bytes| String::from_utf8(bytes).ok());
    match followed {
        Some(followed) => {
            kept.push("the CRLF line endings".to_owned());
            (Cow::Owned(followed), kept)
        }
        None => (Cow::Borrowed(text), kept),
    }
}
