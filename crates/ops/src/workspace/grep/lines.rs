//! Found lines as they may be shown: redacted, cut around the match, one a row.

use garth_contract::{Code, LineKind, Result, WsPath};
use garth_redact::{Clean, CleanWriter, Raw, clean};
use garth_workspace::Workspace;

use super::{Match, gather::Kept};
use crate::{
    window::{Loaded, Wanted, load},
    words::Shown,
};

/// A line of a result.
pub(crate) struct Row {
    pub(crate) path: WsPath,
    pub(crate) number: u64,
    /// The character at which the first match begins, from 1.
    pub(crate) column: u64,
    pub(crate) kind: LineKind,
    pub(crate) text: Clean,
}

impl From<Row> for Match {
    fn from(row: Row) -> Self {
        Self {
            path: row.path.to_string(),
            line_number: row.number,
            text: row.text,
            context: row.kind == LineKind::Context,
        }
    }
}

/// Makes lines fit to be shown.
pub(super) async fn shown(workspace: &Workspace, lines: Vec<Kept>) -> Result<Vec<Row>> {
    let mut rows = Vec::with_capacity(lines.len());
    for file in lines.chunk_by(|a, b| a.path == b.path) {
        let keys = KeyLines::of(workspace, file).await;
        for line in file {
            let text = match keys.line(line) {
                Some(text) => text,
                None => own_line(workspace, line)?,
            };
            let text = around_match(&text, line, workspace.limits().line_chars);
            let Kept { number, column, kind, .. } = *line;
            rows.push(Row { path: line.path.clone(), number, column, kind, text });
        }
    }
    Ok(rows)
}

/// Writes rows as `path:12: text`, those around a match as `path-13- text`.
pub(crate) fn write(rows: &[Row], text: &mut CleanWriter) {
    let with_context = rows.iter().any(|row| row.kind == LineKind::Context);
    let mut last: Option<(&WsPath, u64)> = None;
    for row in rows {
        let adjacent = last == Some((&row.path, row.number));
        if with_context && last.is_some() && !adjacent {
            text.put("\n--");
        }
        let mark = match row.kind {
            LineKind::Match => ":",
            LineKind::Context => "-",
        };
        text.put(if text.is_empty() { "" } else { "\n" });
        text.put(Shown(&row.path)).put(mark).put(row.number).put(mark).put(" ").put(&row.text);
        let height = row.text.matches('\n').count() as u64 + 1;
        last = Some((&row.path, row.number + height));
    }
}

/// A line that its own text says everything about.
fn own_line(workspace: &Workspace, line: &Kept) -> Result<Clean> {
    match workspace.clean(&line.path, Raw::from(line.text.as_slice())) {
        // One line that is held back does not hold back the others.
        Err(error) if error.code() == Code::PermissionDenied => {
            Ok(Clean::fixed("[held back: this line holds a secret]"))
        }
        cleaned => cleaned,
    }
}

/// Lines of a file that may be part of a key which begins on another line.
///
/// A rule recognises a secret by its own line, except for the body of a key: it
/// looks like any word, and only the line before all of it tells. So such lines
/// are read again, with what stands around them.
enum KeyLines {
    /// No line of the file can be part of a key.
    None,
    /// These lines, from this number on, are what the whole file shows.
    Known { first: u64, lines: Vec<Clean> },
    /// The file is not what it was; what such a line is cannot be told.
    Lost,
}

impl KeyLines {
    async fn of(workspace: &Workspace, lines: &[Kept]) -> Self {
        let mut suspects = lines.iter().filter(|line| is_suspect(line));
        let Some(first) = suspects.next() else { return Self::None };
        if !workspace.redacts(&first.path) {
            return Self::None;
        }
        let last = suspects.next_back().unwrap_or(first);
        let take = last.number + height(last) - first.number;
        let wanted = Wanted::From { first: first.number, take };
        match load(workspace, &first.path, wanted, None).await {
            Ok(Loaded::Text(window)) => {
                Self::Known { first: first.number, lines: window.shown.lines }
            }
            Ok(Loaded::Binary(_)) | Err(_) => Self::Lost,
        }
    }

    /// The line as the whole file shows it, where it may be part of a key.
    fn line(&self, line: &Kept) -> Option<Clean> {
        let known = match self {
            Self::None => return None,
            Self::Known { .. } | Self::Lost if !is_suspect(line) => return None,
            Self::Known { first, lines } => covered(line, *first, lines),
            Self::Lost => None,
        };
        Some(known.unwrap_or_else(|| Clean::fixed("[not shown: the file changed meanwhile]")))
    }
}

/// The lines that a result covers, of those from the number `first` on.
fn covered(line: &Kept, first: u64, lines: &[Clean]) -> Option<Clean> {
    let start = usize::try_from(line.number.checked_sub(first)?).ok()?;
    let end = start.checked_add(usize::try_from(height(line)).ok()?)?;
    Some(Clean::join(lines.get(start..end)?, "\n"))
}

/// How many lines of the file a result covers.
fn height(line: &Kept) -> u64 {
    line.text.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// Whether a line may hold what only a line before it tells to be a secret: one run without a
/// blank, within what stands before and behind such lines (indentation, quotes, comment signs,
/// and what joins lines of source code), or a name and such a run.
fn is_suspect(line: &Kept) -> bool {
    const MARGIN: &[u8] = b" \t\"'`#*>|/";
    const GLUE: &[u8] = b" \t\r\"'`+,;)\\";
    line.text.split(|byte| *byte == b'\n').any(|line| {
        let start = line.iter().position(|byte| !MARGIN.contains(byte)).unwrap_or(line.len());
        let end = line.iter().rposition(|byte| !GLUE.contains(byte)).map_or(0, |last| last + 1);
        let core = line.get(start..end).unwrap_or_default();
        is_run(core) || may_be_pair(core)
    })
}

/// Bytes without a blank, and a letter or digit among them.
fn is_run(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_graphic) && bytes.iter().any(u8::is_ascii_alphanumeric)
}

/// `name: value`, as in a list of secrets, and `default = …`, which a variable is given.
fn may_be_pair(core: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let end = core.iter().position(|byte| !in_name(byte)).unwrap_or(core.len());
    let (name, rest) = core.split_at(end);
    let mark = rest.strip_prefix(b"\"").unwrap_or(rest).trim_ascii_start();
    let paired = mark.strip_prefix(b":").is_some_and(|value| is_run(value.trim_ascii_start()));
    let given = name == b"default" && rest.trim_ascii_start().starts_with(b"=");
    (!name.is_empty() && paired) || given
}

/// A line of at most so many characters, cut around its match where it is longer.
fn around_match(text: &Clean, line: &Kept, characters: usize) -> Clean {
    let before = if line.before { "…" } else { "" };
    let after = if line.after { "…" } else { "" };
    if text.len() <= characters || text.chars().nth(characters).is_none() {
        return clean![before, text, after];
    }
    let at = place_of_match(text, line);
    // A third of the room stands before the match, so that what follows is seen.
    let start = back(text, at, characters / 3);
    let end = text.get(start..).and_then(|rest| rest.char_indices().nth(characters));
    let end = end.map_or(text.len(), |(offset, _)| start + offset);
    let before = if start > 0 { "…" } else { before };
    let after = if end < text.len() { "…" } else { after };
    clean![before, text.slice(start..end).unwrap_or_default(), after]
}

/// Where the match stands in the text that is shown.
fn place_of_match(text: &Clean, line: &Kept) -> usize {
    let matched = line.text.get(line.matched.clone()).unwrap_or_default();
    let matched = std::str::from_utf8(matched).unwrap_or_default();
    // A placeholder before the match has moved it.
    match text.get(line.matched.clone()) {
        Some(there) if there == matched => line.matched.start,
        Some(_) | None => text.find(matched).unwrap_or(0),
    }
}

/// The place so many characters before another.
fn back(text: &str, at: usize, characters: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.char_indices().rev().take(characters).last().map_or(at, |(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(number: u64, text: &str) -> Kept {
        Kept {
            path: WsPath::root(),
            number,
            kind: LineKind::Match,
            text: text.as_bytes().to_vec(),
            matched: 0..1,
            column: 1,
            before: false,
            after: false,
        }
    }

    #[test]
    fn only_lines_that_may_be_part_of_a_key_are_suspect() {
        for line in [
            "MIIEvQIBADANBgkq",
            "  \"q0==\\n\" +",
            "# YWJj",
            "word",
            "  \"7-YWJj\",",
            "  Kp4_Qx7.Rm2!",
            "\t<string>Kp4Qx7</string>",
            "  user: YWRh",
            "  tls.key: \"YWRh\"",
            "  \"value\": \"Kp4Qx7\",",
            "  default     = \"two words\"",
        ] {
            assert!(is_suspect(&kept(1, line)), "{line}");
        }
        for line in ["", "let x = 1;", "two words", "x = f(a, b)", "name: of something", "}", "});"]
        {
            assert!(!is_suspect(&kept(1, line)), "{line}");
        }
    }

    #[test]
    fn a_suspect_line_that_is_not_there_any_more_is_not_shown() {
        let hidden = Some("[not shown: the file changed meanwhile]");
        let (suspect, other) = (kept(7, "MIIEvQIBADANBgkq"), kept(7, "let x = 1;"));
        let short = KeyLines::Known { first: 6, lines: vec![Clean::fixed("x")] };
        for keys in [short, KeyLines::Lost] {
            assert_eq!(keys.line(&suspect).as_deref(), hidden);
            assert_eq!(keys.line(&other), None);
        }
        let known = KeyLines::Known { first: 7, lines: vec![Clean::fixed("[REDACTED: X]")] };
        assert_eq!(known.line(&suspect).as_deref(), Some("[REDACTED: X]"));
        assert_eq!(KeyLines::None.line(&suspect), None);
    }
}
