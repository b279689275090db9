//! Where the results of one root go: into the sink of the whole tree, under their
//! whole paths.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use garth_contract::{Entry, Flow, Found, Line, LineKind, Sink, Summary, Total, WsPath};

/// A sink that puts paths under the name of their root and hands results on.
pub(crate) struct Outlet {
    base: WsPath,
    sink: Arc<dyn Sink>,
    /// The path that came last, inside and outside: lines of one file come together.
    last: Mutex<Option<(WsPath, WsPath)>>,
    /// How many results have a path that is too long for the whole tree.
    unnameable: AtomicU64,
}

impl Outlet {
    pub(crate) fn new(base: WsPath, sink: Arc<dyn Sink>) -> Self {
        Self { base, sink, last: Mutex::default(), unnameable: AtomicU64::new(0) }
    }

    /// What the search did, as far as the whole tree can tell of it.
    pub(crate) fn settle(&self, summary: Summary) -> Summary {
        let lost = self.unnameable.load(Ordering::Relaxed);
        Summary {
            given: summary.given.saturating_sub(lost),
            total: match summary.total {
                Total::Exact(count) => Total::Exact(count.saturating_sub(lost)),
                Total::AtLeast(count) => Total::AtLeast(count.saturating_sub(lost)),
            },
            unreadable: summary.unreadable.saturating_add(lost),
            ..summary
        }
    }

    /// The whole path of a line's file.
    fn of_line(&self, path: &WsPath) -> Option<WsPath> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((inner, outer)) = &*last
            && inner == path
        {
            return Some(outer.clone());
        }
        let outer = path.under(&self.base).ok()?;
        *last = Some((path.clone(), outer.clone()));
        Some(outer)
    }

    fn hand_on(&self, found: Found<'_>) -> Option<Flow> {
        let outer = |path: &WsPath| path.under(&self.base).ok();
        Some(match found {
            Found::Entry(entry) => {
                let entry = Entry { path: outer(&entry.path)?, ..entry.clone() };
                self.sink.accept(Found::Entry(&entry))
            }
            Found::Name(path, kind) => self.sink.accept(Found::Name(&outer(path)?, kind)),
            Found::File(path) => self.sink.accept(Found::File(&outer(path)?)),
            Found::Count(path, count) => self.sink.accept(Found::Count(&outer(path)?, count)),
            Found::Line(line) => {
                let path = self.of_line(line.path)?;
                self.sink.accept(Found::Line(Line { path: &path, ..line }))
            }
        })
    }
}

impl Sink for Outlet {
    fn accept(&self, found: Found<'_>) -> Flow {
        let counts = !matches!(found, Found::Line(Line { kind: LineKind::Context, .. }));
        self.hand_on(found).unwrap_or_else(|| {
            self.unnameable.fetch_add(u64::from(counts), Ordering::Relaxed);
            Flow::Continue
        })
    }
}
