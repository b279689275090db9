//! Names and kinds of what stands below a directory, found by one walk.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use garth_contract::{
    Facts, Flow, Found, Glob, Hidden, Ignored, Kind, Kinds, Order, Query, Reach, Result, Sink,
    WsPath,
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

impl Walk {
    /// Asks for the names.
    ///
    /// # Errors
    /// Those of a query.
    pub(in crate::reference) async fn names(self, workspace: &Workspace) -> Result<Names> {
        let most = most(workspace);
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
            // One more than is given tells whether there are more.
            take: most.saturating_add(1),
            after: None,
        };
        let sink = Arc::new(Kept::default());
        workspace.fs().find(&query, Arc::<Kept>::clone(&sink)).await?;
        let mut found = std::mem::take(&mut *sink.names());
        let more = found.len() as u64 > most;
        found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(Names { found, more })
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

/// The globs of patterns that are held against whole paths; an empty one says nothing.
pub(in crate::reference) fn globs(patterns: &[String]) -> Vec<Glob> {
    patterns.iter().filter(|pattern| !pattern.is_empty()).cloned().map(Glob::Path).collect()
}

/// How a listing marks an entry.
pub(in crate::reference) fn mark(kind: Kind) -> &'static str {
    match kind {
        Kind::Dir => "[DIR] ",
        Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => "[FILE] ",
    }
}
