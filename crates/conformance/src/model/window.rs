//! Which bytes of a content a span means, by cutting the whole of it.

use garth_contract::Span;

/// The offset and the bytes that a span has of a content; `None` when it is a
/// whole read of too large a file.
#[must_use]
pub fn window(content: &[u8], span: Span) -> Option<(usize, &[u8])> {
    let lines = || content.split_inclusive(|byte| *byte == b'\n');
    match span {
        Span::Whole { at_most } => (content.len() <= clamp(at_most)).then_some((0, content)),
        Span::Bytes { offset, length } => {
            let start = clamp(offset).min(content.len());
            Some((start, first(content.split_at(start).1, length)))
        }
        Span::Lines { skip, take, at_most } => {
            let start: usize = lines().take(clamp(skip)).map(<[u8]>::len).sum();
            let rest = content.split_at(start).1;
            let length: usize = lines().skip(clamp(skip)).take(clamp(take)).map(<[u8]>::len).sum();
            Some((start, first(rest.split_at(length).0, at_most)))
        }
        Span::LastLines { take, at_most } => {
            let passed = lines().count().saturating_sub(clamp(take));
            let start: usize = lines().take(passed).map(<[u8]>::len).sum();
            let start = start.max(content.len().saturating_sub(clamp(at_most)));
            Some((start, content.split_at(start).1))
        }
    }
}

fn first(bytes: &[u8], at_most: u64) -> &[u8] {
    bytes.split_at(clamp(at_most).min(bytes.len())).0
}

fn clamp(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
