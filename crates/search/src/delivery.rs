//! Hands results on, in order: passes over the first, stops after the last.

use garth_contract::{Flow, Found, Kind, Line, LineKind, OwnedLine, Query, Sink, Total, WsPath};

use crate::{
    Newest,
    hits::{Hits, Item, Name, Row, RowKind},
};

/// The results of one query on their way into a sink.
pub struct Delivery<'a> {
    sink: &'a dyn Sink,
    skip: u64,
    take: u64,
    before: u64,
    /// How many results came by, those passed over included.
    seen: u64,
    given: u64,
    /// Whether the match that came last was handed on.
    last_was_given: bool,
    /// Lines after the last result that was passed over: they may also stand
    /// before the first one wanted.
    held: Vec<OwnedLine>,
    flow: Flow,
}

impl<'a> Delivery<'a> {
    /// Starts handing results of a query to a sink.
    #[must_use]
    pub fn new(query: &Query, sink: &'a dyn Sink) -> Self {
        Self {
            sink,
            skip: query.skip,
            take: query.take,
            before: query.grep.as_ref().map_or(0, |grep| grep.before),
            seen: 0,
            given: 0,
            last_was_given: false,
            held: Vec::new(),
            flow: if query.take == 0 { Flow::Stop } else { Flow::Continue },
        }
    }

    /// How many results were handed on.
    #[must_use]
    pub fn given(&self) -> u64 {
        self.given
    }

    /// How many results came by.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Whether more results are wanted.
    #[must_use]
    pub fn flow(&self) -> Flow {
        self.flow
    }

    /// Hands on what was kept for the end, and says how many results there were.
    ///
    /// `flow` is how the walk ended: one that was stopped may have missed some.
    pub fn finish(&mut self, newest: Option<Newest>, flow: Flow) -> Total {
        let Some(newest) = newest else {
            return match flow {
                Flow::Continue => Total::Exact(self.seen),
                Flow::Stop => Total::AtLeast(self.seen),
            };
        };
        let total = newest.total();
        for hits in newest.into_hits() {
            if self.push(&hits) == Flow::Stop {
                break;
            }
        }
        Total::Exact(total)
    }

    /// Takes the next result, a path and a kind, and says whether more are wanted.
    pub fn name(&mut self, path: &WsPath, kind: Kind) -> Flow {
        if self.flow == Flow::Continue {
            self.one(Found::Name(path, kind));
        }
        self.flow
    }

    /// Takes the next results and says whether more are wanted.
    pub fn push(&mut self, hits: &Hits) -> Flow {
        let mut cursor = Cursor { hits, name: 0, path: 0, line: 0, text: 0, spans: 0 };
        // Of names there may be a great many, so there is one path for all of them.
        let mut named = WsPath::root();
        for item in &hits.items {
            if self.flow == Flow::Stop {
                break;
            }
            match item {
                Item::Entry(entry) => self.one(Found::Entry(entry)),
                Item::Names(count) => {
                    for _ in 0..*count {
                        if self.flow == Flow::Stop {
                            return Flow::Stop;
                        }
                        let Some((path, kind)) = cursor.next_name() else { break };
                        if named.become_bytes(path).is_ok() {
                            self.one(Found::Name(&named, kind));
                        }
                    }
                }
                Item::File(path) => self.one(Found::File(path)),
                Item::Count(path, count) => self.one(Found::Count(path, *count)),
                Item::Lines { path, count, end } => {
                    for _ in 0..*count {
                        let Some((row, line)) = cursor.next(path) else { break };
                        self.line(row, line);
                        if self.flow == Flow::Stop {
                            return Flow::Stop;
                        }
                    }
                    if *end {
                        self.end_file();
                    }
                }
            }
        }
        self.flow
    }

    /// Hands on a result that is not a line, if it is wanted.
    fn one(&mut self, found: Found<'_>) {
        if self.count_match() {
            self.flow = self.sink.accept(found);
            self.stop_when_full();
        }
    }

    /// Counts one more result and tells whether it is wanted.
    fn count_match(&mut self) -> bool {
        self.seen += 1;
        self.last_was_given = self.seen > self.skip;
        self.given += u64::from(self.last_was_given);
        self.last_was_given
    }

    fn stop_when_full(&mut self) {
        if self.given >= self.take {
            self.flow = Flow::Stop;
        }
    }

    fn line(&mut self, row: &Row, line: Line<'_>) {
        match row.kind {
            RowKind::Match if self.given >= self.take => self.flow = Flow::Stop,
            RowKind::Match => {
                if self.count_match() {
                    self.release(line.number);
                    self.accept(line);
                } else {
                    self.held.clear();
                    self.hold(line);
                }
            }
            RowKind::Before if self.given >= self.take => self.flow = Flow::Stop,
            RowKind::Before if self.seen >= self.skip => self.accept(line),
            RowKind::Before => {}
            RowKind::After if self.last_was_given => self.accept(line),
            RowKind::After => self.hold(line),
        }
    }

    fn accept(&mut self, line: Line<'_>) {
        if self.flow == Flow::Continue {
            self.flow = self.sink.accept(Found::Line(line));
        }
    }

    /// Keeps a line back in case it also stands before the first wanted match.
    fn hold(&mut self, line: Line<'_>) {
        if self.before == 0 || self.seen < self.skip {
            return;
        }
        self.held.push(OwnedLine {
            path: line.path.clone(),
            number: line.number,
            kind: LineKind::Context,
            text: line.text.to_vec(),
            spans: Vec::new(),
        });
    }

    /// Hands on the lines kept back that stand right before line `number`.
    fn release(&mut self, number: u64) {
        for line in std::mem::take(&mut self.held) {
            if line.number.saturating_add(self.before) >= number {
                self.accept(Line {
                    path: &line.path,
                    number: line.number,
                    kind: line.kind,
                    text: &line.text,
                    spans: &[],
                });
            }
        }
    }

    fn end_file(&mut self) {
        self.held.clear();
        self.last_was_given = false;
        self.stop_when_full();
    }
}

/// Goes through the names and the lines of [`Hits`] one by one.
struct Cursor<'h> {
    hits: &'h Hits,
    name: usize,
    path: usize,
    line: usize,
    text: usize,
    spans: usize,
}

impl<'h> Cursor<'h> {
    fn next_name(&mut self) -> Option<(&'h [u8], Kind)> {
        let Name { path_end, kind } = *self.hits.names.get(self.name)?;
        let path = self.hits.paths.get(self.path..path_end)?;
        self.name += 1;
        self.path = path_end;
        Some((path, kind))
    }

    fn next(&mut self, path: &'h WsPath) -> Option<(&'h Row, Line<'h>)> {
        let row = self.hits.lines.get(self.line)?;
        let line = Line {
            path,
            number: row.number,
            kind: row.kind.shown(),
            text: self.hits.text.get(self.text..row.text_end)?,
            spans: self.hits.spans.get(self.spans..row.spans_end)?,
        };
        self.line += 1;
        self.text = row.text_end;
        self.spans = row.spans_end;
        Some((row, line))
    }
}

impl std::fmt::Debug for Delivery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("seen", &self.seen).field("given", &self.given).finish()
    }
}

#[cfg(test)]
mod tests;
