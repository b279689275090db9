//! A search behind a link: results into the sink in order, on threads that may block.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use garth_contract::{
    Code, Error, Facts, Flow, Found, Line, LineKind, Order, Output, Owned, Query, Result, Sink,
    Summary, Total,
};
use garth_wire::{Answer, Request};

use crate::{
    Link,
    call::Nature,
    check::{beside, lie},
};

/// The longest body of a message with results: the longest lines that a search
/// holds, and some others.
const MOST_BODY: u64 = 80 << 20;

/// How many messages may still come when the guest was told that it is enough. They
/// were on their way; more would be a guest that goes on.
const MOST_AFTER: u64 = 1_024;

/// Searches.
///
/// Cancel: the guest is told, and the sink is not called again, but for a call that
/// it is in.
pub(crate) async fn find(link: &Link, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
    let request = Request::Find(Box::new(query.clone()));
    let mut call = link.begin(&request, Nature::Lasting).await?;
    let wanted = Arc::new(AtomicBool::new(true));
    let _shut = ShutOnDrop(Arc::clone(&wanted));
    let mut tally = Tally::new(query);
    let mut after = 0;
    loop {
        let answer = call.answer(MOST_BODY).await?;
        if let Answer::Found(results) = answer {
            if tally.flow == Flow::Stop {
                after += 1;
                if after > MOST_AFTER {
                    return Err(lie("it does not stop searching"));
                }
                continue;
            }
            let (sink, wanted) = (Arc::clone(&sink), Arc::clone(&wanted));
            // A sink may block, and must not block whoever moves the pipe.
            let delivery = move || tally.deliver(&results.0, &*sink, &wanted);
            let delivered = tokio::task::spawn_blocking(delivery).await;
            tally = delivered.map_err(|_| Error::of(Code::Internal))??;
            if tally.flow == Flow::Stop {
                call.add(&Request::Enough).await?;
            }
            continue;
        }
        let Answer::Summary(summary) = answer else { return Err(beside()) };
        call.finish();
        return tally.settle(summary, query);
    }
}

/// What came of a search so far.
#[derive(Clone, Copy)]
struct Tally {
    expected: Shape,
    take: u64,
    /// How many lines around one match there may be.
    around: u64,
    given: u64,
    context: u64,
    flow: Flow,
}

/// What the results of a query are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Entry,
    Name,
    Line,
    File,
    Count,
}

impl Tally {
    fn new(query: &Query) -> Self {
        let expected = match (&query.grep, query.facts) {
            (None, Facts::All) => Shape::Entry,
            (None, Facts::Names) => Shape::Name,
            (Some(grep), _) => match grep.output {
                Output::Content => Shape::Line,
                Output::Files => Shape::File,
                Output::Count => Shape::Count,
            },
        };
        let around = query.grep.as_ref().map_or(0, |grep| grep.before.saturating_add(grep.after));
        Self { expected, take: query.take, around, given: 0, context: 0, flow: Flow::Continue }
    }

    /// Hands results on until there are enough, each one counted and looked at before.
    fn deliver(mut self, results: &[Owned], sink: &dyn Sink, wanted: &AtomicBool) -> Result<Self> {
        for found in results {
            self.count(found)?;
            if !wanted.load(Ordering::SeqCst) {
                return Err(Error::of(Code::Cancelled));
            }
            if sink.accept(borrowed(found)) == Flow::Stop {
                self.flow = Flow::Stop;
                break;
            }
        }
        Ok(self)
    }

    fn count(&mut self, found: &Owned) -> Result<()> {
        let (shape, counts) = match found {
            Owned::Entry(_) => (Shape::Entry, true),
            Owned::Name(..) => (Shape::Name, true),
            Owned::File(_) => (Shape::File, true),
            Owned::Count(..) => (Shape::Count, true),
            Owned::Line(line) => (Shape::Line, line.kind == LineKind::Match),
        };
        if shape != self.expected {
            return Err(beside());
        }
        if counts {
            self.given += 1;
        } else {
            self.context += 1;
        }
        // Lines before a match come before it is counted.
        let most_context = self.around.saturating_mul(self.given.saturating_add(1));
        if self.given > self.take || self.context > most_context {
            return Err(lie("it found more than was asked for"));
        }
        Ok(())
    }

    fn settle(self, summary: Summary, query: &Query) -> Result<Summary> {
        let given = self.given;
        match self.flow {
            Flow::Continue if summary.given == given => Ok(summary),
            Flow::Continue => Err(lie("it counts other results than it gave")),
            // The guest was ahead of what was wanted; what it counted beyond that is not
            // told, unless all was counted before any was given.
            Flow::Stop => {
                let seen = Total::AtLeast(query.skip.saturating_add(given));
                let total = match query.order {
                    Order::Path => seen,
                    Order::Newest => summary.total,
                };
                Ok(Summary { given, total, ..summary })
            }
        }
    }
}

fn borrowed(found: &Owned) -> Found<'_> {
    match found {
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
    }
}

/// Keeps results from a sink whose search was dropped.
struct ShutOnDrop(Arc<AtomicBool>);

impl Drop for ShutOnDrop {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
