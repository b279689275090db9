//! Changes of a tree, as a stream that never grows without a bound.

use std::pin::Pin;

use futures_core::Stream;

use crate::{Hidden, Ignored, Reach, WsPath};

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSpec {
    /// The file or directory whose changes are wanted.
    pub path: WsPath,
    /// Whether everything below it counts, or its direct entries only.
    pub reach: Reach,
    /// Whether dotfiles are reported.
    pub hidden: Hidden,
    /// Whether ignored files are reported; ignored directories are not watched.
    pub ignored: Ignored,
}

/// How a path changed since the last event about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was not there before. A move's destination is created.
    Created,
    /// Its content or its attributes changed.
    Modified,
    /// It is gone. A move's source is deleted.
    Deleted,
}

/// One thing that a watcher is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A path changed; several changes of one path in a moment come as one.
    Changed {
        /// Where.
        path: WsPath,
        /// How.
        change: Change,
    },
    /// Events were lost: the watcher must list again to know what there is.
    Overflow,
}

/// The changes of a tree from the moment `watch` returned.
///
/// Dropping it ends the watch. The stream ends when the watched path is gone for
/// good or the workspace stops.
pub type Watch = Pin<Box<dyn Stream<Item = Event> + Send>>;
