//! Watches under their whole paths, and those of several roots as one.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use garth_contract::{Event, Hidden, Ignored, Reach, Result, Watch, WatchSpec, WsPath};

use crate::roots::Root;

/// The watch of one root, as the whole tree tells it.
pub(crate) fn told(root: &Root, watch: Watch) -> Watch {
    Box::pin(Told { base: root.path.clone(), about: About::All, watch })
}

/// Watches all roots at once.
pub(crate) async fn watch_top(roots: &[Root], spec: &WatchSpec) -> Result<Watch> {
    let about = match spec.reach {
        Reach::Tree => About::All,
        Reach::Entries => About::RootOnly,
    };
    let mut watches = Vec::new();
    for root in roots.iter().filter(|root| is_seen(root, spec)) {
        let watch = root.told(root.fs.watch(spec).await)?;
        watches.push(Told { base: root.path.clone(), about, watch });
    }
    if watches.is_empty() {
        return Ok(Box::pin(Silent));
    }
    Ok(Box::pin(Merged { watches, turn: 0 }))
}

/// Tells whether the name of a root is one that is looked into.
fn is_seen(root: &Root, spec: &WatchSpec) -> bool {
    let name = root.path.as_bytes();
    let hidden = spec.hidden == Hidden::Skip && name.starts_with(b".");
    let git = spec.ignored == Ignored::IncludeNoGit && name == b".git";
    !hidden && !git
}

/// Which events of a root are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    All,
    /// Those about the root itself, which is an entry of the top.
    RootOnly,
}

/// The watch of one root under its whole paths.
struct Told {
    base: WsPath,
    about: About,
    watch: Watch,
}

impl Told {
    /// The event as the whole tree tells it, if it does.
    fn tell(&self, event: Event) -> Option<Event> {
        match event {
            Event::Overflow => Some(Event::Overflow),
            Event::Changed { path, .. } if self.about == About::RootOnly && !path.is_root() => None,
            Event::Changed { path, change } => Some(match path.under(&self.base) {
                Ok(path) => Event::Changed { path, change },
                // What cannot be named is lost, and the watcher must know.
                Err(_) => Event::Overflow,
            }),
        }
    }
}

impl Stream for Told {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            match self.watch.as_mut().poll_next(context) {
                Poll::Ready(Some(event)) => {
                    if let Some(event) = self.tell(event) {
                        return Poll::Ready(Some(event));
                    }
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// Several watches as one, which ends when all of them have.
struct Merged {
    watches: Vec<Told>,
    /// Whose turn is next, so that a busy root does not silence the others.
    turn: usize,
}

impl Stream for Merged {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut quiet = 0;
        while quiet < self.watches.len() {
            let turn = self.turn % self.watches.len();
            let Some(watch) = self.watches.get_mut(turn) else { break };
            match Pin::new(watch).poll_next(context) {
                Poll::Ready(Some(event)) => {
                    self.turn = turn + 1;
                    return Poll::Ready(Some(event));
                }
                Poll::Ready(None) => drop(self.watches.remove(turn)),
                Poll::Pending => {
                    self.turn = turn + 1;
                    quiet += 1;
                }
            }
        }
        if self.watches.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    }
}

/// A watch of what never changes: the top, when none of its roots is seen.
struct Silent;

impl Stream for Silent {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Event>> {
        Poll::Pending
    }
}
