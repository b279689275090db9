//! The text that goes where an old text was found.
//!
//! Lines that old and new text share, at their front and at their end, are not
//! changed by the edit: they stay the file's own bytes, with its typography,
//! its white space and its line endings. The lines between are the new text,
//! ended like the lines around them and, at the last level, indented like them.

use std::cell::OnceCell;

use super::{Edit, Level};
use crate::endings::{self, Ending};
use crate::indent::{Block, reindent};
use crate::lines::{self, Line};

/// One edit, ready to be made wherever its old text was found.
pub(super) struct Change<'a> {
    level: Level,
    content: &'a [u8],
    old: Vec<Line<'a>>,
    new: Vec<Line<'a>>,
    ending: OnceCell<Ending>,
}

/// How many pieces old and new text share at either end.
struct Shared {
    front: usize,
    back: usize,
}

impl<'a> Change<'a> {
    pub(super) fn new(edit: Edit<'a>, level: Level, content: &'a [u8]) -> Self {
        let old = pieces(edit.old.as_bytes());
        let mut new = pieces(edit.new.as_bytes());
        // Whole lines are replaced by whole lines: the last one must not run
        // into the line that follows.
        let closed = old.last().is_some_and(|last| last.text.is_empty());
        if level == Level::Indentation && closed && !edit.new.is_empty() {
            close(&mut new);
        }
        Self { level, content, old, new, ending: OnceCell::new() }
    }

    /// Whether what goes in is the same at every place.
    pub(super) fn is_constant(&self) -> bool {
        self.old.len() == 1 && matches!(self.level, Level::Exact | Level::LineEndings)
    }

    /// The bytes that replace one place; `None` when the indentation of a new
    /// line cannot be known.
    pub(super) fn replacement(&self, place: &[u8]) -> Option<Vec<u8>> {
        let file = pieces(place);
        let (mut old, mut new) = (self.old.as_slice(), self.new.as_slice());
        // The old text ends its last line and the file does not.
        if file.len() < old.len() {
            old = old.get(..file.len())?;
            new = match new.split_last() {
                Some((last, rest)) if last.text.is_empty() && !rest.is_empty() => rest,
                _ => new,
            };
        }
        let shared = Shared::between(old, new);
        let old_end = old.len() - shared.back;
        let new_end = new.len() - shared.back;
        let fresh = self.fresh(&file, old, new, &shared)?;
        let usual = self.usual(&file);
        let paired = old_end == new_end;
        let mut bytes = Vec::with_capacity(place.len());
        for (index, line) in new.iter().enumerate() {
            let (source, text) = if index < shared.front {
                let kept = file.get(index);
                (kept, kept.map_or(line.text, |kept| kept.text))
            } else if index >= new_end {
                let kept = file.get(index + old.len() - new.len());
                (kept, kept.map_or(line.text, |kept| kept.text))
            } else {
                let text = fresh.get(index - shared.front).map_or(line.text, Vec::as_slice);
                (file.get(index).filter(|_| paired), text)
            };
            bytes.extend_from_slice(text);
            if index + 1 < new.len() {
                let ending = source.map(|line| line.ending).filter(|ending| !ending.is_empty());
                bytes.extend_from_slice(ending.unwrap_or_else(|| usual.bytes()));
            }
        }
        Some(bytes)
    }

    /// The new lines between the shared ones, as they go into the file.
    fn fresh(
        &self,
        file: &[Line<'_>],
        old: &[Line<'_>],
        new: &[Line<'_>],
        shared: &Shared,
    ) -> Option<Vec<Vec<u8>>> {
        match self.level {
            Level::Exact | Level::LineEndings | Level::Typography | Level::TrailingWhitespace => {
                Some(Vec::new())
            }
            Level::Indentation => {
                let (file, old, new) = (texts(file), texts(old), texts(new));
                let block = Block {
                    gone: shared.front..old.len() - shared.back,
                    come: shared.front..new.len() - shared.back,
                    file: &file,
                    old: &old,
                    new: &new,
                };
                reindent(&block, self.content)
            }
        }
    }

    /// How a new line ends: like most lines of the place, else of the file.
    fn usual(&self, file: &[Line<'_>]) -> Ending {
        let count =
            |ending: Ending| file.iter().filter(|line| line.ending == ending.bytes()).count();
        match count(Ending::CrLf).cmp(&count(Ending::Lf)) {
            std::cmp::Ordering::Greater => Ending::CrLf,
            std::cmp::Ordering::Less => Ending::Lf,
            std::cmp::Ordering::Equal => *self
                .ending
                .get_or_init(|| endings::detect(self.content).dominant().unwrap_or(Ending::Lf)),
        }
    }
}

impl Shared {
    fn between(old: &[Line<'_>], new: &[Line<'_>]) -> Self {
        // An empty piece may be white space in the file: it is the same line
        // only where it ends in both texts, or in neither.
        let same = |(left, right): &(&Line<'_>, &Line<'_>)| {
            left.text == right.text
                && (!left.text.is_empty() || left.ending.is_empty() == right.ending.is_empty())
        };
        let least = old.len().min(new.len());
        let front = old.iter().zip(new).take_while(same).count();
        let back = old.iter().rev().zip(new.iter().rev()).take(least - front);
        Self { front, back: back.take_while(same).count() }
    }
}

fn texts<'a>(lines: &[Line<'a>]) -> Vec<&'a [u8]> {
    lines.iter().map(|line| line.text).collect()
}

/// The parts of a text between its line endings: one more than it has endings.
fn pieces(text: &[u8]) -> Vec<Line<'_>> {
    let mut pieces: Vec<_> = lines::split(text).collect();
    if pieces.last().is_none_or(|last| !last.ending.is_empty()) {
        pieces.push(Line { text: b"", ending: b"" });
    }
    pieces
}

/// Ends the last line, if it is not ended yet.
fn close(pieces: &mut Vec<Line<'_>>) {
    if let Some(last) = pieces.last_mut()
        && !last.text.is_empty()
    {
        last.ending = b"\n";
        pieces.push(Line { text: b"", ending: b"" });
    }
}
