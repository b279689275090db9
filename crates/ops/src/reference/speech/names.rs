//! Names and kinds of what stands below a directory, found by one walk.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use garth_contract::{
    Facts, Flow, Found, Glob, Hidden, Ignored, Kind, Kinds, Order, Query, Reach, Result, Sink,
    WsPath, escape_onto,
};
use garth_redact::{Clean, clean};
use garth_workspace::Workspace;

use crate::words::Counted;

/// The most names of one reply. These tools have no pages, so it is far above what
/// the other dialects give at once.
pub(in crate::reference) fn most(workspace: &Workspace) -> u64 {
    workspace.limits().most_results.saturating_mul(10)
}

/// What a listing says below its end where there are more entries than these.
pub(in crate::reference) fn cut(most: u64, noun: &'static str) -> Clean {
    clean!["\n[only the first ", Counted(most, noun), " are given]"]
}

/// What a walk looks for. Dotfiles and ignored files count in this dialect.
pub(in crate::reference) struct Walk {
    pub(in crate::reference) base: WsPath,
    pub(in crate::reference) reach: Reach,
    pub(in crate::reference) include: Vec<Glob>,
    pub(in crate::reference) exclude: Vec<Glob>,
}

/// What a walk found, in the order of paths.
pub(in crate::reference) struct Names {
    pub(in crate::reference) found: Vec<(WsPath, Kind)>,
    /// Whether there are more than these.
    pub(in crate::reference) more: bool,
}

/// What a walk found, as lines.
#[derive(Debug, Default)]
pub(in crate::reference) struct Lines {
    pub(in crate::reference) text: String,
    count: u64,
    /// Whether there are more than these.
    pub(in crate::reference) more: bool,
}

impl Walk {
    /// Asks for the names.
    ///
    /// # Errors
    /// Those of a query.
    pub(in crate::reference) async fn names(self, workspace: &Workspace) -> Result<Names> {
        let most = most(workspace);
        let sink = Arc::new(Kept::default());
        self.find(workspace, Arc::<Kept>::clone(&sink)).await?;
        let mut found = std::mem::take(&mut *sink.names());
        let more = found.len() as u64 > most;
        found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(Names { found, more })
    }

    /// Asks for the names as lines, each with its mark; of the paths it gives the last part.
    ///
    /// # Errors
    /// Those of a query.
    pub(in crate::reference) async fn lines(self, workspace: &Workspace) -> Result<Lines> {
        let sink = Arc::new(Marked { most: most(workspace), lines: Mutex::default() });
        self.find(workspace, Arc::<Marked>::clone(&sink)).await?;
        let lines = std::mem::take(&mut *sink.lines());
        Ok(lines)
    }

    /// Looks for as many as are given at most, and one more that tells whether there are more.
    async fn find(self, workspace: &Workspace, sink: Arc<dyn Sink>) -> Result<()> {
        let query = Query {
            base: self.base,
            reach: self.reach,
            include: self.include,
            exclude: self.exclude,
            kinds: Kinds::All,
            hidden: Hidden::Include,
            ignored: Ignored::Include,
            grep: None,
            facts: Facts::Names,
            order: Order::Path,
            skip: 0,
            take: most(workspace).saturating_add(1),
            after: None,
        };
        workspace.fs().find(&query, sink).await.map(drop)
    }
}

/// A sink that keeps names and kinds and nothing else: there may be a great many.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<(WsPath, Kind)>>);

impl Kept {
    fn names(&self) -> MutexGuard<'_, Vec<(WsPath, Kind)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Kept {
    fn accept(&self, found: Found<'_>) -> Flow {
        match found {
            Found::Name(path, kind) => self.names().push((path.clone(), kind)),
            Found::Entry(_) | Found::Line(_) | Found::File(_) | Found::Count(..) => {}
        }
        Flow::Continue
    }
}

/// A sink that writes lines as the names come, and keeps no path.
#[derive(Debug)]
struct Marked {
    most: u64,
    lines: Mutex<Lines>,
}

impl Marked {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Marked {
    fn accept(&self, found: Found<'_>) -> Flow {
        let Found::Name(path, kind) = found else { return Flow::Continue };
        let mut lines = self.lines();
        if lines.count >= self.most {
            lines.more = true;
            return Flow::Stop;
        }
        let (first, next) = marks(kind);
        let mark = if lines.count == 0 { first } else { next };
        lines.text.push_str(mark);
        lines.count += 1;
        escape_onto(&mut lines.text, path.name().unwrap_or_default());
        Flow::Continue
    }
}

/// The globs of patterns that are held against whole paths; an empty one says nothing.
pub(in crate::reference) fn globs(patterns: &[String]) -> Vec<Glob> {
    patterns.iter().filter(|pattern| !pattern.is_empty()).cloned().map(Glob::Path).collect()
}

/// How a listing marks an entry.
pub(in crate::reference) fn mark(kind: Kind) -> &'static str {
    marks(kind).0
}

/// The same on the first line, and on those that follow.
fn marks(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Dir => ("[DIR] ", "\n[DIR] "),
        Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            ("[FILE] ", "\n[FILE] ")
        }
    }
}
