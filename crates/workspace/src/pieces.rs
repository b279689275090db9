//! A redacted text laid beside the raw one, so that parts of it can be taken.

use std::ops::Range;

use garth_redact::{Clean, CleanWriter, Span};

/// Which bytes of the clean text stand for which bytes of the raw one.
pub(crate) struct Pieces(Vec<Piece>);

struct Piece {
    raw: Range<usize>,
    clean: Range<usize>,
    secret: bool,
}

impl Pieces {
    /// Lays the clean text beside the raw one, secret by secret.
    pub(crate) fn align(raw: &str, clean: &str, spans: &[Span<'_>]) -> Self {
        let mut pieces = Vec::with_capacity(spans.len() * 2 + 1);
        let (mut at, mut to) = (0, 0);
        for (index, span) in spans.iter().enumerate() {
            let literal = span.start.saturating_sub(at);
            pieces.push(Piece { raw: at..span.start, clean: to..to + literal, secret: false });
            to += literal;
            let next = spans.get(index + 1).map_or(raw.len(), |next| next.start);
            let follows = raw.get(span.end..next).unwrap_or_default();
            let length = replacement_length(clean.get(to..).unwrap_or_default(), span, follows);
            pieces.push(Piece { raw: span.start..span.end, clean: to..to + length, secret: true });
            (at, to) = (span.end, to + length);
        }
        pieces.push(Piece { raw: at..raw.len(), clean: to..clean.len(), secret: false });
        Self(pieces)
    }

    /// A part of the raw text, put together from what stands for its pieces: of a
    /// secret that reaches into it, the whole placeholder.
    pub(crate) fn part(&self, clean: &Clean, part: &Range<usize>) -> Clean {
        let first = self.0.partition_point(|piece| piece.raw.end <= part.start);
        let mut out = CleanWriter::new();
        for piece in self.0.iter().skip(first).take_while(|piece| piece.raw.start < part.end) {
            let range = if piece.secret {
                piece.clean.clone()
            } else {
                let from = part.start.max(piece.raw.start) - piece.raw.start;
                let to = part.end.min(piece.raw.end) - piece.raw.start;
                piece.clean.start + from..piece.clean.start + to
            };
            // A range that fits no character would show less, never more.
            out.put(clean.slice(range).unwrap_or_default());
        }
        out.finish()
    }
}

/// How many bytes at the front of `clean` stand for a secret.
///
/// A rule of the configuration may have a replacement of its own; that one goes
/// as far as the text that followed the secret.
fn replacement_length(clean: &str, span: &Span<'_>, follows: &str) -> usize {
    let placeholder = match span.nth {
        0 | 1 => format!("[REDACTED: {}]", span.rule),
        nth => format!("[REDACTED: {}#{nth}]", span.rule),
    };
    if clean.starts_with(&placeholder) {
        return placeholder.len();
    }
    if follows.is_empty() {
        return clean.len();
    }
    clean.find(follows).unwrap_or(clean.len())
}
