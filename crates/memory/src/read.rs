//! Cuts a span out of a content; the bytes stay shared.

use std::ops::Range;

use bytes::Bytes;
use garth_contract::{Code, Content, Detail, Error, Result, Span, WsPath};
use garth_text::lines::{self, Front, Tail};

use crate::tree::File;

/// Reads a span of a file.
///
/// # Errors
/// `FILE_TOO_LARGE` for `Span::Whole` of a file over its bound.
pub(crate) fn read(file: &File, path: &WsPath, span: Span) -> Result<Content> {
    let content = cut(&file.content, path, span)?;
    let whole = content.bytes.len() == file.content.len();
    Ok(Content {
        known: whole.then_some(file.version),
        modified: Some(file.modified),
        mode: Some(file.mode),
        ..content
    })
}

/// Cuts a span out of the whole content of a file, for a backend that has it at hand.
///
/// # Errors
/// `FILE_TOO_LARGE` for `Span::Whole` of a content over its bound.
pub fn cut(content: &Bytes, path: &WsPath, span: Span) -> Result<Content> {
    let size = content.len();
    let (range, lines) = match span {
        Span::Whole { at_most } => {
            if size as u64 > at_most {
                let limit = Detail::Limit { limit: at_most, actual: size as u64 };
                return Err(Error::at(Code::FileTooLarge, path).with(limit));
            }
            (0..size, None)
        }
        Span::Bytes { offset, length } => {
            let start = bound(offset).min(size);
            (start..start.saturating_add(bound(length)).min(size), None)
        }
        Span::Lines { skip, take, at_most } => first_lines(content, skip, take, at_most),
        Span::LastLines { take, at_most } => last_lines(content, take, at_most),
    };
    Ok(Content {
        known: None,
        offset: range.start as u64,
        bytes: content.slice(range),
        size: size as u64,
        lines,
        modified: None,
        mode: None,
    })
}

fn first_lines(content: &Bytes, skip: u64, take: u64, at_most: u64) -> (Range<usize>, Option<u64>) {
    let window = lines::window(content, bound(skip), bound(take));
    let Range { start, end } = window.range;
    let end = end.min(start.saturating_add(bound(at_most)));
    (start..end, window.span.total.map(|total| total as u64))
}

fn last_lines(content: &Bytes, take: u64, at_most: u64) -> (Range<usize>, Option<u64>) {
    let floor = content.len().saturating_sub(bound(at_most));
    let mut tail = Tail::new(bound(take));
    let start = tail.feed(content.get(floor..).unwrap_or_default());
    let lines = (start.is_none() && floor == 0).then(|| tail.lines(Front::Reached) as u64);
    (floor + start.unwrap_or(0)..content.len(), lines)
}

/// A bound as a length in memory; what memory cannot hold is no bound.
fn bound(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
