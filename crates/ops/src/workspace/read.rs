//! `read`: lines of a text file with their numbers, or what else stands at a path.

use garth_contract::{Code, Content, Detail, Kind, Links, Result, Span, WsPath};
use garth_redact::{Clean, CleanWriter, clean};
use garth_text::{
    endings::{Ending, Style},
    sniff,
};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list;
use crate::{
    Attachment, Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{ViewRange, at_least_one, invalid, parse},
    schema::schema_of,
    text_file::{named, without_bytes},
    timestamp::rfc3339,
    window::{Loaded, Wanted, Window, load},
    words::{Counted, Number, Ours, Shown, cut},
};

pub(super) const TOOL: Tool = Tool {
    name: "read",
    title: "Read a file",
    summary: "Reads a text file, each line after its number (\"12: text\"). At most 2,000 lines \
              at once; offset and limit read on, tail reads the end. A directory is listed, of \
              a binary file size and type are given.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["content", "listing"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, relative to the workspace's root.
    path: String,
    /// The first line to read, counted from 1.
    offset: Option<u64>,
    /// How many lines to read; 2,000 at most.
    limit: Option<u64>,
    /// Reads so many lines at the end of the file, instead of offset and limit.
    tail: Option<u64>,
    /// The first character of each line to show, counted from 1, to see the rest of long lines.
    column: Option<u64>,
    /// The encoding of the file where it is neither UTF-8 nor marked, such as latin1.
    encoding: Option<String>,
    /// What other tools have instead of offset and limit.
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
    /// What was read, from the root.
    path: String,
    /// What it is: text, binary, image or dir.
    kind: &'static str,
    /// The lines of a text, each after its number.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Clean>,
    /// The number of the first line given, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<u64>,
    /// How many lines are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u64>,
    /// How many lines the file has, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Whether lines follow those that are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The offset to read on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// The numbers of lines that are longer than what is given of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut_lines: Vec<u64>,
    /// The names of secrets that are shown as placeholders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
    /// The encoding of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// Whether a byte order mark stands before the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_order_mark: Option<bool>,
    /// How the lines end: lf, crlf, cr, mixed or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_endings: Option<&'static str>,
    /// The type of a file that is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'static str>,
    /// The size of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// When it last changed, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_at: Option<String>,
    /// The version of the file, to send back as expected_version; of large files it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// The listing of a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing: Option<list::Payload>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let most = workspace.limits().lines;
    let (offset, limit) = match params.view_range {
        Some(_) if params.offset.or(params.limit).or(params.tail).is_some() => {
            return Err(invalid("view_range cannot be combined with offset, limit or tail"));
        }
        Some(range) => range.lines().map(|(first, take)| (Some(first), take))?,
        None => (params.offset, params.limit),
    };
    let wanted = wanted((offset, limit, params.tail), most)?;
    let column = at_least_one("column", params.column)?.unwrap_or(1);
    let encoding = named(params.encoding.as_deref())?;
    match load(workspace, &path, wanted, encoding).await {
        Ok(Loaded::Text(window)) => text(workspace, &path, *window, (wanted, column)),
        Ok(Loaded::Binary(head)) => binary(workspace, &path, &head).await,
        Err(error) if error.code() == Code::NotAFile => {
            if workspace.fs().stat(&path, Links::Follow).await?.kind != Kind::Dir {
                return Err(error);
            }
            let (text, listing) = list::entries_of(workspace, &path).await?;
            let (kind, listing) = ("dir", Some(listing));
            let payload = Payload { path: path.to_string(), kind, listing, ..Payload::default() };
            Reply::new(text, &payload)
        }
        Err(error) => Err(error),
    }
}

fn wanted(
    (offset, limit, tail): (Option<u64>, Option<u64>, Option<u64>),
    most: u64,
) -> Result<Wanted> {
    let first = at_least_one("offset", offset)?;
    let limit = at_least_one("limit", limit)?;
    match at_least_one("tail", tail)? {
        Some(_) if first.is_some() || limit.is_some() => {
            Err(invalid("tail cannot be combined with offset or limit"))
        }
        Some(tail) => Ok(Wanted::Last { take: tail.min(most) }),
        None => {
            Ok(Wanted::From { first: first.unwrap_or(1), take: limit.unwrap_or(most).min(most) })
        }
    }
}

fn text(
    workspace: &Workspace,
    path: &WsPath,
    window: Window,
    (wanted, column): (Wanted, u64),
) -> Result<Reply> {
    if let (Wanted::From { first, .. }, Some(total)) = (wanted, window.total)
        && first > total.max(1)
    {
        let message =
            format!("offset {first} is past the end: {path} has {}", Counted(total, "line"));
        let limit = Detail::Limit { limit: total, actual: first };
        return Err(invalid(message).with(limit).hint("Read from an earlier line, or use tail."));
    }
    let count = window.shown.lines.len() as u64;
    let first = first_number(&window);
    let (content, cut_lines) = numbered(&window, (first, column), workspace.limits().line_chars);
    let next = window.first.filter(|_| window.more).map(|first| first.saturating_add(count));
    let mut out = CleanWriter::new();
    out.put(&content);
    let rest = column.saturating_add(workspace.limits().line_chars as u64);
    for note in notes(path, &window, &cut_lines, rest) {
        out.put(if out.is_empty() { "" } else { "\n" }).put(note);
    }
    let payload = Payload {
        path: path.to_string(),
        kind: "text",
        content: Some(content),
        first_line: window.first.filter(|_| count > 0),
        lines: Some(count),
        total_lines: window.total,
        truncated: Some(window.more),
        next_offset: next,
        cut_lines: cut_lines.iter().filter_map(|line| u64::try_from(*line).ok()).collect(),
        redacted: window.shown.redacted,
        encoding: Some(window.encoding.name()),
        byte_order_mark: Some(!window.encoding.bom().is_empty()),
        line_endings: Some(endings(window.endings)),
        size_bytes: Some(window.size),
        modified_at: window.modified.map(rfc3339),
        version: window.version.map(|version| version.to_string()),
        ..Payload::default()
    };
    Reply::new(out.finish(), &payload)
}

/// The number of the first line, counted from 1.
///
/// At the end of a file whose lines nobody counted, the last line is -1.
fn first_number(window: &Window) -> i64 {
    match window.first {
        Some(first) => i64::try_from(first).unwrap_or(i64::MAX),
        None => i64::try_from(window.shown.lines.len()).map_or(i64::MIN, |count| -count),
    }
}

/// The lines after their numbers, and the numbers of those that were cut.
pub(crate) fn numbered(
    window: &Window,
    (first, column): (i64, u64),
    characters: usize,
) -> (Clean, Vec<i64>) {
    let lines = &window.shown.lines;
    let mut out = CleanWriter::new();
    let mut cut_lines = Vec::new();
    for (line, number) in lines.iter().zip(first..) {
        let rest = from_column(line, column);
        let (kept, mark) = cut(&rest, characters);
        if !mark.is_empty() {
            cut_lines.push(number);
        }
        out.put(if out.is_empty() { "" } else { "\n" });
        out.put(number).put(": ").put(kept).put(mark);
    }
    (out.finish(), cut_lines)
}

fn from_column(line: &Clean, column: u64) -> Clean {
    if column == 1 {
        return line.clone();
    }
    let skip = usize::try_from(column - 1).unwrap_or(usize::MAX);
    let start = line.char_indices().nth(skip).map_or(line.len(), |(at, _)| at);
    line.slice(start..line.len()).unwrap_or_default()
}

/// What the reader must know beside the lines.
fn notes(path: &WsPath, window: &Window, cut_lines: &[i64], column: u64) -> Vec<Clean> {
    let mut notes = Vec::new();
    let count = window.shown.lines.len() as u64;
    match (window.first, window.total) {
        (_, Some(0)) => notes.push(clean!["[", Shown(path), " is empty]"]),
        (Some(first), total) if window.more => {
            let (last, next) = (first + count - 1, first + count);
            let of = total.map_or(Clean::fixed(" of more"), |total| clean![" of ", Number(total)]);
            let range = clean!["[lines ", Number(first), "-", Number(last), &of];
            notes.push(clean![range, "; read on with offset ", next, "]"]);
        }
        (None, _) => {
            let hint = "; the file is too large to count those before]";
            notes.push(clean!["[the last ", Counted(count, "line"), hint]);
        }
        (Some(_), _) => {}
    }
    if let Some(first) = cut_lines.first() {
        let which = match cut_lines.len() {
            1 => clean!["line ", *first],
            more => clean![Counted(more as u64, "line"), " (the first is ", *first, ")"],
        };
        notes.push(clean!["[", which, " cut; column ", column, " shows more]"]);
    }
    notes.extend(warnings(window, "grep"));
    notes
}

/// What the reader must know of the lines themselves; `search` is the tool that
/// finds a place within a long line.
pub(crate) fn warnings(window: &Window, search: &'static str) -> Vec<Clean> {
    let mut notes = Vec::new();
    if window.open {
        let open = "[a line is longer than what can be read at once; use ";
        notes.push(clean![open, search, "]"]);
    }
    if window.lossy {
        notes.push(Clean::fixed("[bytes that are no UTF-8 are shown as \u{fffd}]"));
    }
    if !window.shown.redacted.is_empty() {
        let names = Ours(window.shown.redacted.join(", "));
        notes.push(clean!["[secrets are shown as placeholders: ", names, "]"]);
    }
    notes
}

/// Says which lines were cut, in a dialect that shows no more of them; `search` is
/// the tool that does.
pub(crate) fn cut_note(cut_lines: &[i64], search: &'static str) -> Option<Clean> {
    let first = cut_lines.first()?;
    let lines = Counted(cut_lines.len() as u64, "line");
    let hint = " shows what is around a match]";
    Some(clean!["[", lines, " cut, the first is ", *first, "; ", search, hint])
}

/// What is said of a file that is no text.
pub(crate) struct Described {
    pub(crate) text: Clean,
    /// What it is: binary or image.
    pub(crate) kind: &'static str,
    pub(crate) media_type: &'static str,
    /// The bytes of an image that is not too large.
    pub(crate) attachment: Option<Attachment>,
}

/// Describes a file that is no text by its front.
pub(crate) async fn described(
    workspace: &Workspace,
    path: &WsPath,
    head: &Content,
) -> Result<Described> {
    let media_type = sniff::media_type(&head.bytes);
    let image = sniff::image(&head.bytes).is_some();
    let at_most = workspace.limits().image_bytes;
    let attachment = if image && head.size <= at_most {
        let content = workspace.fs().read(path, Span::Whole { at_most }).await;
        let content = content.map_err(|error| without_bytes(path, error))?;
        Some(Attachment { media_type, bytes: content.bytes, uri: None })
    } else {
        None
    };
    let kind = if image { "image" } else { "binary" };
    let size = Counted(head.size, "byte");
    let text = clean![Shown(path), ": ", kind, ", ", media_type, ", ", size];
    Ok(Described { text, kind, media_type, attachment })
}

async fn binary(workspace: &Workspace, path: &WsPath, head: &Content) -> Result<Reply> {
    let Described { text, kind, media_type, attachment } = described(workspace, path, head).await?;
    let payload = Payload {
        path: path.to_string(),
        kind,
        media_type: Some(media_type),
        size_bytes: Some(head.size),
        modified_at: head.modified.map(rfc3339),
        version: head.version().map(|version| version.to_string()),
        ..Payload::default()
    };
    Ok(Reply::new(text, &payload)?.attach(attachment))
}

fn endings(style: Style) -> &'static str {
    match style {
        Style::None => "none",
        Style::Mixed => "mixed",
        Style::Uniform(Ending::Lf) => "lf",
        Style::Uniform(Ending::CrLf) => "crlf",
        Style::Uniform(Ending::Cr) => "cr",
    }
}
