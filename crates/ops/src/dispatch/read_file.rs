//! `read_file`: lines of a text file, counted from 0.

use garth_contract::{Code, Detail, Error, Result, WsPath};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{ViewRange, invalid, parse},
    schema::schema_of,
    window::{Loaded, Wanted, Window, load},
    words::{Counted, Number, Shown},
    workspace::read::{cut_note, numbered, warnings},
};

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    title: "Read a file",
    summary: "Reads a text file, each line after its number, counted from 0 (\"12: text\"). At \
              most 2,000 lines at once; start_line reads on.",
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
    /// The first line to read, counted from 0; 0 if absent.
    start_line: Option<u64>,
    /// The last line to read, counted from 0 and included; -1 is the end of the file, as if absent.
    end_line: Option<i64>,
    /// What other tools have instead, counted from 1.
    #[schemars(skip)]
    view_range: Option<ViewRange>,
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
    /// The lines, each after its number.
    #[schemars(with = "String")]
    content: Clean,
    /// The number of the first line given, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    /// The number of the last line given, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// How many lines the file has, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Whether lines follow those that are given.
    truncated: bool,
    /// The numbers of lines that are longer than what is given of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut_lines: Vec<i64>,
    /// The names of secrets that are shown as placeholders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
    /// The size of the file.
    size_bytes: u64,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let (start, take) = match params.view_range {
        Some(_) if params.start_line.is_some() || params.end_line.is_some() => {
            return Err(invalid("view_range cannot be combined with start_line or end_line"));
        }
        Some(range) => range.lines().map(|(first, take)| (first - 1, take))?,
        None => lines(params.start_line.unwrap_or(0), params.end_line.unwrap_or(-1))?,
    };
    let most = workspace.limits().lines;
    let first = start.saturating_add(1);
    let wanted = Wanted::From { first, take: take.unwrap_or(most).min(most) };
    match load(workspace, &path, wanted, None).await? {
        Loaded::Text(window) => text(workspace, &path, *window, start),
        Loaded::Binary(_) => {
            let message = format!("a binary file cannot be read as text: {path}");
            Err(Error::new(Code::UnsupportedEncoding, message)
                .hint("Only text files can be read; list_files shows what else there is."))
        }
    }
}

/// The first line and how many there are; to the end if nothing is said.
fn lines(start: u64, end: i64) -> Result<(u64, Option<u64>)> {
    if end == -1 {
        return Ok((start, None));
    }
    let Ok(end) = u64::try_from(end) else {
        return Err(invalid("end_line must be -1, or 0 or more"));
    };
    let Some(more) = end.checked_sub(start) else {
        return Err(invalid("end_line must not be before start_line"));
    };
    Ok((start, Some(more.saturating_add(1))))
}

fn text(workspace: &Workspace, path: &WsPath, window: Window, start: u64) -> Result<Reply> {
    if let Some(total) = window.total
        && start > 0
        && start >= total
    {
        let has = Counted(total, "line");
        return Err(invalid(format!("start_line {start} is past the end: {path} has {has}"))
            .with(Detail::Limit { limit: total, actual: start })
            .hint("Lines are counted from 0; read from an earlier one."));
    }
    let first = i64::try_from(start).unwrap_or(i64::MAX);
    let (content, cut_lines) = numbered(&window, (first, 1), workspace.limits().line_chars);
    let count = window.shown.lines.len() as u64;
    let mut out = CleanWriter::new();
    out.put(&content);
    for note in notes(path, &window, (start, &cut_lines)) {
        out.put(if out.is_empty() { "" } else { "\n" }).put(note);
    }
    let payload = Payload {
        path: path.to_string(),
        content,
        start_line: (count > 0).then_some(start),
        end_line: (count > 0).then(|| start + count - 1),
        total_lines: window.total,
        truncated: window.more,
        cut_lines,
        redacted: window.shown.redacted,
        size_bytes: window.size,
    };
    Reply::new(out.finish(), &payload)
}

/// What the reader must know beside the lines.
fn notes(path: &WsPath, window: &Window, (start, cut_lines): (u64, &[i64])) -> Vec<Clean> {
    let mut notes = Vec::new();
    let next = start.saturating_add(window.shown.lines.len() as u64);
    if window.total == Some(0) {
        notes.push(clean!["[", Shown(path), " is empty]"]);
    }
    if window.more {
        let range = clean!["[lines ", Number(start), "-", Number(next.saturating_sub(1))];
        let of = window.total.map_or(Clean::fixed("more"), |total| clean![Number(total)]);
        notes.push(clean![range, " of ", of, "; read on with start_line ", next, "]"]);
    }
    notes.extend(cut_note(cut_lines, "search_files"));
    notes.extend(warnings(window, "search_files"));
    notes
}
