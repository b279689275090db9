//! Results of a search on their way: many in one message, a path once for its lines.

use std::ops::Range;

use garth_contract::{Found, Line, Owned, OwnedLine, WsPath};

use crate::{
    Fault, Packet,
    answer::{FOUND, Told},
    codec::{BAD_VALUE, In, Out, UNKNOWN, Wire},
};

/// Results that have come so far and are sent as one answer.
#[derive(Debug)]
pub struct Batch {
    out: Out,
    /// The file that the last line was of.
    last: Option<WsPath>,
    count: usize,
}

impl Default for Batch {
    fn default() -> Self {
        let mut out = Out::new();
        out.byte(FOUND);
        Self { out, last: None, count: 0 }
    }
}

impl Batch {
    /// Adds a result.
    pub fn push(&mut self, found: Found<'_>) {
        self.count += 1;
        match found {
            Found::Entry(entry) => {
                self.out.byte(0);
                entry.path.put(&mut self.out);
                Told::of(entry).put(&mut self.out);
            }
            Found::Name(path, kind) => {
                self.out.byte(1);
                path.put(&mut self.out);
                kind.put(&mut self.out);
            }
            Found::File(path) => {
                self.out.byte(2);
                path.put(&mut self.out);
            }
            Found::Count(path, count) => {
                self.out.byte(3);
                path.put(&mut self.out);
                self.out.number(count);
            }
            Found::Line(line) => self.line(line),
        }
    }

    fn line(&mut self, line: Line<'_>) {
        if self.last.as_ref() == Some(line.path) {
            self.out.byte(5);
        } else {
            self.out.byte(4);
            line.path.put(&mut self.out);
            self.last = Some(line.path.clone());
        }
        self.out.number(line.number);
        line.kind.put(&mut self.out);
        self.out.bytes(line.text);
        self.out.number(line.spans.len() as u64);
        for span in line.spans {
            self.out.number(span.start as u64);
            self.out.number(span.end as u64);
        }
    }

    /// Whether there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes wait in it.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.out.size()
    }

    /// The answer that carries them.
    #[must_use]
    pub fn encode(self) -> Packet {
        self.out.finish()
    }
}

/// Results as they came from a guest: each by itself is sound, and no more is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results(pub Vec<Owned>);

impl Wire for Results {
    fn put(&self, out: &mut Out) {
        let mut batch = Batch { out: std::mem::replace(out, Out::new()), last: None, count: 0 };
        for found in &self.0 {
            batch.push(match found {
                Owned::Entry(entry) => Found::Entry(entry),
                Owned::Name(path, kind) => Found::Name(path, *kind),
                Owned::File(path) => Found::File(path),
                Owned::Count(path, count) => Found::Count(path, *count),
                Owned::Line(line) => Found::Line(Line {
                    path: &line.path,
                    number: line.number,
                    kind: line.kind,
                    text: &line.text,
                    spans: &line.spans,
                }),
            });
        }
        *out = batch.out;
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let mut results = Vec::new();
        let mut last = None;
        while !from.is_empty() {
            results.push(match from.byte()? {
                0 => {
                    let path = Wire::take(from)?;
                    Owned::Entry(Told::take(from)?.at(path))
                }
                1 => Owned::Name(Wire::take(from)?, Wire::take(from)?),
                2 => Owned::File(Wire::take(from)?),
                3 => Owned::Count(Wire::take(from)?, from.number()?),
                4 => {
                    let path: WsPath = Wire::take(from)?;
                    last = Some(path.clone());
                    Owned::Line(line(path, from)?)
                }
                5 => Owned::Line(line(last.clone().ok_or(BAD_VALUE)?, from)?),
                _ => return Err(UNKNOWN),
            });
        }
        Ok(Self(results))
    }
}

fn line(path: WsPath, from: &mut In) -> Result<OwnedLine, Fault> {
    let (number, kind) = (from.number()?, Wire::take(from)?);
    let text = Vec::from(from.bytes()?);
    let spans: Vec<Stretch> = Wire::take(from)?;
    let spans: Vec<_> = spans.into_iter().map(|span| span.0).collect();
    // Whoever shows the line cuts it at these places.
    let inside = spans.iter().all(|span| span.start <= span.end && span.end <= text.len());
    let sorted = spans.is_sorted_by(|one, next| one.end <= next.start);
    if !inside || !sorted {
        return Err(BAD_VALUE);
    }
    Ok(OwnedLine { path, number, kind, text, spans })
}

/// Where in a line a match stands.
struct Stretch(Range<usize>);

impl Wire for Stretch {
    fn put(&self, out: &mut Out) {
        self.0.start.put(out);
        self.0.end.put(out);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(Self(Wire::take(from)?..Wire::take(from)?))
    }
}
