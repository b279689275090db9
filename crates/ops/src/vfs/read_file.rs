//! `read_file`: the text of a file, or some lines of it, as it is.

use garth_contract::{Content, Result, WsPath};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{ViewRange, at_least_one, invalid, parse},
    schema::schema_of,
    window::{Loaded, Wanted, Window, load},
    words::{Counted, Number, Shown, cut},
    workspace::read::{Described, cut_note, described, warnings},
};

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    title: "Read a file",
    summary: "Reads a text file as it is, without line numbers. At most 2,000 lines at once; \
              offset and limit read on. Of a binary file size and type are given.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["content"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, relative to the root.
    path: String,
    /// How many lines to skip; 0 if absent.
    offset: Option<u64>,
    /// How many lines to read; 2,000 at most, and if absent.
    limit: Option<u64>,
    /// What other tools have instead, counted from 1.
    #[schemars(skip)]
    view_range: Option<ViewRange>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Default, Serialize, JsonSchema)]
struct Payload {
    /// The file, from the root.
    path: String,
    /// The text, with its line endings.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Clean>,
    /// How many lines the file has, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// How many lines were skipped.
    offset: u64,
    /// The most lines that were to be read.
    limit: u64,
    /// The offset to go on with, where lines follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// The numbers, from 1, of lines that are longer than what is given of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut_lines: Vec<i64>,
    /// The names of secrets that are shown as placeholders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
    /// The type of a file that is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'static str>,
    /// The size of the file.
    size_bytes: u64,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let (offset, limit) = match params.view_range {
        Some(_) if params.offset.or(params.limit).is_some() => {
            return Err(invalid("view_range cannot be combined with offset or limit"));
        }
        Some(range) => range.lines().map(|(first, take)| (first - 1, take))?,
        None => (params.offset.unwrap_or(0), at_least_one("limit", params.limit)?),
    };
    let most = workspace.limits().lines;
    let limit = limit.unwrap_or(most).min(most);
    let page = Payload { path: path.to_string(), offset, limit, ..Payload::default() };
    let wanted = Wanted::From { first: offset.saturating_add(1), take: limit };
    match load(workspace, &path, wanted, None).await? {
        Loaded::Text(window) => text(workspace, &path, *window, page),
        Loaded::Binary(head) => binary(workspace, &path, &head, page).await,
    }
}

fn text(workspace: &Workspace, path: &WsPath, window: Window, page: Payload) -> Result<Reply> {
    let (content, cut_lines) = exact(&window, page.offset, workspace.limits().line_chars);
    let next = page.offset.saturating_add(window.shown.lines.len() as u64);
    let mut out = CleanWriter::new();
    out.put(&content);
    let mut joint = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
    for note in notes(path, &window, (&page, &cut_lines)) {
        out.put(joint).put(note);
        joint = "\n";
    }
    let payload = Payload {
        content: Some(content),
        total_lines: window.total,
        next_offset: window.more.then_some(next),
        cut_lines,
        redacted: window.shown.redacted,
        size_bytes: window.size,
        ..page
    };
    Reply::new(out.finish(), &payload)
}

/// The lines with what they end with in the file, and the numbers of those cut.
fn exact(window: &Window, offset: u64, characters: usize) -> (Clean, Vec<i64>) {
    let mut out = CleanWriter::new();
    let mut cut_lines = Vec::new();
    let lines = window.shown.lines.iter().zip(&window.line_ends);
    let first = i64::try_from(offset).unwrap_or(i64::MAX).saturating_add(1);
    for ((line, end), number) in lines.zip(first..) {
        let (kept, mark) = cut(line, characters);
        if !mark.is_empty() {
            cut_lines.push(number);
        }
        out.put(kept).put(mark).put(*end);
    }
    (out.finish(), cut_lines)
}

/// What the reader must know beside the text.
fn notes(path: &WsPath, window: &Window, (page, cut): (&Payload, &[i64])) -> Vec<Clean> {
    let mut notes = Vec::new();
    let count = window.shown.lines.len() as u64;
    let next = page.offset.saturating_add(count);
    match window.total {
        Some(0) => notes.push(clean!["[", Shown(path), " is empty]"]),
        Some(total) if count == 0 => {
            let has = Counted(total, "line");
            notes.push(clean!["[nothing past the end: ", Shown(path), " has ", has, "]"]);
        }
        total if window.more => {
            let first = Number(page.offset.saturating_add(1));
            let of = total.map_or(Clean::fixed("more"), |total| clean![Number(total)]);
            let range = clean!["[lines ", first, "-", Number(next), " of ", of];
            notes.push(clean![range, "; read on with offset ", next, "]"]);
        }
        Some(_) | None => {}
    }
    notes.extend(cut_note(cut, "grep"));
    notes.extend(warnings(window, "grep"));
    notes
}

async fn binary(
    workspace: &Workspace,
    path: &WsPath,
    head: &Content,
    page: Payload,
) -> Result<Reply> {
    let Described { text, media_type, attachment, .. } = described(workspace, path, head).await?;
    let payload = Payload { media_type: Some(media_type), size_bytes: head.size, ..page };
    Ok(Reply::new(text, &payload)?.attach(attachment))
}
