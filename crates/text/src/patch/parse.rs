//! The grammar of a patch.
//!
//! Markers may be padded with white space, and the whole patch may come wrapped
//! as a shell here-document. Inside a chunk a line that begins with a space is
//! context, whatever follows it: there a header stands at the margin.

use super::{Change, Chunk, Line, Malformed, ParseError, Place, Tag};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// Reads a patch.
///
/// # Errors
///
/// The first line that does not follow the grammar.
pub fn parse(patch: &str) -> Result<Vec<Change<'_>>, ParseError> {
    let mut reader = Reader { changes: Vec::new(), header: 0, gap: None };
    let numbered: Vec<(usize, &str)> =
        patch.lines().enumerate().map(|(index, line)| (index + 1, line)).collect();
    let (body, last) = body(&numbered)?;
    for (number, line) in body {
        reader.line(*number, line).map_err(|what| ParseError { line: *number, what })?;
    }
    reader.close().map_err(|what| ParseError { line: reader.header, what })?;
    if reader.changes.is_empty() {
        return Err(ParseError { line: last, what: Malformed::Empty });
    }
    Ok(reader.changes)
}

type Numbered<'a> = (usize, &'a str);

/// The lines between the markers, and the number of the last marker.
fn body<'b, 'a>(lines: &'b [Numbered<'a>]) -> Result<(&'b [Numbered<'a>], usize), ParseError> {
    let lines = unwrapped(without_blank_ends(lines));
    let Some(((first, begin), rest)) = lines.split_first() else {
        return Err(ParseError { line: 1, what: Malformed::NoBegin });
    };
    if begin.trim() != BEGIN {
        return Err(ParseError { line: *first, what: Malformed::NoBegin });
    }
    match rest.split_last() {
        Some(((last, end), body)) if end.trim() == END => Ok((body, *last)),
        Some(((last, _), _)) => Err(ParseError { line: *last, what: Malformed::NoEnd }),
        None => Err(ParseError { line: *first, what: Malformed::NoEnd }),
    }
}

fn without_blank_ends<'b, 'a>(lines: &'b [Numbered<'a>]) -> &'b [Numbered<'a>] {
    let has_text = |line: &Numbered<'_>| !line.1.trim().is_empty();
    let start = lines.iter().position(has_text).unwrap_or(lines.len());
    let end = lines.iter().rposition(has_text).map_or(start, |last| last + 1);
    lines.get(start..end).unwrap_or_default()
}

/// Takes off the lines of a here-document: `<<'EOF'` … `EOF`, with or without
/// the command before it.
fn unwrapped<'b, 'a>(lines: &'b [Numbered<'a>]) -> &'b [Numbered<'a>] {
    let [(_, first), inner @ .., (_, last)] = lines else { return lines };
    let command = first.trim();
    let command = command.strip_prefix("apply_patch").unwrap_or(command).trim_start();
    let Some(word) = command.strip_prefix("<<") else { return lines };
    let word = word.trim_matches(['\'', '"']);
    let is_word =
        !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if is_word && last.trim() == word { without_blank_ends(inner) } else { lines }
}

/// The changes read so far; the last one is still open.
struct Reader<'a> {
    changes: Vec<Change<'a>>,
    /// The line of the last header.
    header: usize,
    /// A blank line in a new file, which is fine only if the file ends there.
    gap: Option<usize>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, number: usize, line: &'a str) -> Result<(), Malformed> {
        if let Some(change) = header(self.unpadded(line))? {
            self.close()?;
            self.changes.push(change);
            self.header = number;
            return Ok(());
        }
        match self.changes.last_mut() {
            Some(Change::Add { content, .. }) => match line.strip_prefix('+') {
                Some(text) if self.gap.is_none() => {
                    content.push_str(text);
                    content.push('\n');
                    Ok(())
                }
                None if line.trim().is_empty() => {
                    self.gap = Some(number);
                    Ok(())
                }
                Some(_) | None => Err(Malformed::BadAddition),
            },
            Some(Change::Update { to, chunks, .. }) => update(number, line, to, chunks),
            Some(Change::Delete { .. }) | None if line.trim().is_empty() => Ok(()),
            Some(Change::Delete { .. }) | None => Err(Malformed::BadHeader),
        }
    }

    /// A line as a header would be read at this point.
    fn unpadded(&self, line: &'a str) -> &'a str {
        match self.changes.last() {
            Some(Change::Update { chunks, .. }) if !chunks.is_empty() => line.trim_end(),
            Some(Change::Update { .. } | Change::Add { .. } | Change::Delete { .. }) | None => {
                line.trim()
            }
        }
    }

    /// Checks that the open change is whole.
    fn close(&mut self) -> Result<(), Malformed> {
        self.gap = None;
        match self.changes.last() {
            Some(Change::Update { to: None, chunks, .. }) if chunks.is_empty() => {
                Err(Malformed::EmptyUpdate)
            }
            Some(Change::Update { chunks, .. }) => match chunks.last() {
                Some(last) if last.lines.is_empty() => Err(Malformed::EmptyChunk),
                Some(_) | None => Ok(()),
            },
            Some(Change::Add { .. } | Change::Delete { .. }) | None => Ok(()),
        }
    }
}

/// The change that a header begins, if the line is one.
fn header(line: &str) -> Result<Option<Change<'_>>, Malformed> {
    let change = if let Some(path) = line.strip_prefix(ADD) {
        Change::Add { path: named(path)?, content: String::new() }
    } else if let Some(path) = line.strip_prefix(DELETE) {
        Change::Delete { path: named(path)? }
    } else if let Some(path) = line.strip_prefix(UPDATE) {
        Change::Update { path: named(path)?, to: None, chunks: Vec::new() }
    } else {
        return Ok(None);
    };
    Ok(Some(change))
}

fn named(path: &str) -> Result<&str, Malformed> {
    let path = path.trim();
    if path.is_empty() { Err(Malformed::NoPath) } else { Ok(path) }
}

/// Takes one line of an update that is no header of a file.
fn update<'a>(
    number: usize,
    line: &'a str,
    to: &mut Option<&'a str>,
    chunks: &mut Vec<Chunk<'a>>,
) -> Result<(), Malformed> {
    if chunks.is_empty() {
        if line.trim().is_empty() {
            return Ok(());
        }
        if let Some(path) = line.trim().strip_prefix(MOVE).filter(|_| to.is_none()) {
            *to = Some(named(path)?);
            return Ok(());
        }
    }
    let marker = if chunks.is_empty() { line.trim() } else { line.trim_end() };
    if let Some(context) = marker.strip_prefix("@@") {
        return open(number, context, chunks);
    }
    let first =
        Chunk { line: number, headers: Vec::new(), lines: Vec::new(), place: Place::Anywhere };
    if chunks.is_empty() {
        chunks.push(first);
    }
    let Some(chunk) = chunks.last_mut() else { return Err(Malformed::BadUpdate) };
    if marker == END_OF_FILE {
        chunk.place = Place::EndOfFile;
        return if chunk.lines.is_empty() { Err(Malformed::EmptyChunk) } else { Ok(()) };
    }
    if chunk.place == Place::EndOfFile {
        return if line.trim().is_empty() { Ok(()) } else { Err(Malformed::BadUpdate) };
    }
    chunk.lines.push(signed(line)?);
    Ok(())
}

/// Takes a line that begins with `@@`: a new chunk, or one more header of a
/// chunk that has no lines yet.
fn open<'a>(number: usize, context: &'a str, chunks: &mut Vec<Chunk<'a>>) -> Result<(), Malformed> {
    let header = match context.strip_prefix(' ') {
        Some(header) => Some(header).filter(|header| !header.trim().is_empty()),
        None if context.is_empty() => None,
        None => return Err(Malformed::BadUpdate),
    };
    match chunks.last_mut().filter(|chunk| chunk.lines.is_empty()) {
        Some(chunk) => chunk.headers.extend(header),
        None => chunks.push(Chunk {
            line: number,
            headers: header.into_iter().collect(),
            lines: Vec::new(),
            place: Place::Anywhere,
        }),
    }
    Ok(())
}

fn signed(line: &str) -> Result<Line<'_>, Malformed> {
    // Many writers drop the space of an empty context line.
    if line.is_empty() {
        return Ok(Line { tag: Tag::Context, text: "" });
    }
    let signs = [(' ', Tag::Context), ('-', Tag::Removed), ('+', Tag::Added)];
    signs
        .into_iter()
        .find_map(|(sign, tag)| Some(Line { tag, text: line.strip_prefix(sign)? }))
        .ok_or(Malformed::BadUpdate)
}
