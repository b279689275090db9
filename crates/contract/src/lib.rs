//! The words every Garth crate shares: paths, errors, entries, guards, queries
//! and the traits [`Filesystem`] and [`Shell`].
//!
//! Nothing here does IO, knows a runtime or speaks a wire format, so that a
//! backend, a guest inside a sandbox and a caller at the far end of a pipe all
//! mean the same thing by the same word.

mod abilities;
mod code;
mod content;
mod dynamic;
mod entry;
mod error;
mod escape;
mod filesystem;
mod folder;
mod incoming;
mod path;
mod pieces;
mod policy;
mod query;
mod seat;
mod shell;
mod sink;
mod stage;
mod temporary;
mod version;
mod watch;

pub use abilities::Abilities;
pub use code::{Code, Retry, Row, TABLE};
pub use content::{
    Clobber, Content, Depth, Gathered, Guard, Made, Move, Page, Parents, Put, Removed, Renamed,
    Span, Written,
};
pub use dynamic::{BoxFuture, DynFilesystem};
pub use entry::{Entry, Kind, Links, Listing};
pub use error::{Detail, Error, Result};
pub use escape::{escape, escape_onto};
pub use filesystem::Filesystem;
pub use folder::{Folder, Glance, Glimpse, Sight};
pub use incoming::Incoming;
pub use path::{Aliases, MAX_NAME, MAX_PATH, RawPath, WsPath};
pub use pieces::{PIECE, Pieces};
pub use policy::{Access, Durability, HardLinks, Policy};
pub use query::{
    Case, Facts, Glob, Grep, Hidden, Ignored, Kinds, Lines, Order, Output, Query, Reach, Syntax,
};
pub use seat::Seat;
pub use shell::{
    Announce, Ask, Cause, Command, DynShell, Ended, Exit, Input, Keep, Kept, MOST_COMMAND_SHOWN,
    MOST_WAITING_INPUT, Piece, Printed, Process, ProcessId, Program, Report, Shell, ShellAbilities,
    Signal, Size, Stdin, Stream, Timeout, Variables,
};
pub use sink::{Collect, Flow, Found, Line, LineKind, Owned, OwnedLine, Sink, Summary, Total};
pub use stage::{Landed, Part, Stage, Stamp, check_link, told_link};
pub use temporary::is_temporary;
pub use version::{Version, VersionHasher};
pub use watch::{Change, Event, Watch, WatchSpec};
