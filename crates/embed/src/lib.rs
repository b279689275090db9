//! The tools inside a program of one's own.
//!
//! An agent's author makes a [`Backend`] (a directory, files in RAM, something
//! of their own), a [`Registry`] of tools, and a [`Session`] that runs the tools
//! on the backend. A call gives a [`ToolResult`], whatever the tool does. A
//! [`Section`] says to a model what it works with, and [`TextFiles`] is the view
//! for agents that read and write texts and nothing else.
//!
//! Everything that those need is exported here, so that one crate is enough.

mod answer;
mod backend;
mod bounds;
mod contain;
mod describe;
mod editor_session;
mod find_by_listing;
mod fs_backend;
mod function;
mod instructions;
mod mount;
mod nearest;
mod registry;
mod result;
mod section;
mod session;
mod setup;
mod text_files;
mod tool;

/// The way to a client's buffers, for agents that live in an editor; see
/// [`Backend::editor`].
pub use garth_editor as editor;

pub use answer::Answer;
pub use backend::Backend;
pub use bounds::Bounds;
pub use bytes::Bytes;
pub use describe::{Described, Shape};
pub use editor_session::EditorSession;
pub use find_by_listing::find_by_listing;
pub use fs_backend::{Fingerprint, FsBackend, FsError};
pub use function::{Function, params};
pub use garth_contract::{
    Abilities, Access, Aliases, Announce, Ask, BoxFuture, Case, Cause, Clobber, Code, Command,
    Content, Depth, Detail, Durability, DynFilesystem, DynShell, Ended, Entry, Error, Event, Exit,
    Facts, Filesystem, Flow, Found, Glob, Grep, Guard, HardLinks, Hidden, Ignored, Input, Keep,
    Kept, Kind, Kinds, Lines, Links, Listing, Made, Move, Order, Output, Page, Parents, Piece,
    Policy, Printed, Process, ProcessId, Program, Put, Query, RawPath, Reach, Removed, Renamed,
    Report, Result, Shell, ShellAbilities, Signal, Sink, Size, Span, Stdin, Stream, Summary,
    Syntax, Timeout, Total, Variables, Version, Watch, WatchSpec, Written, WsPath,
};
pub use garth_host::Host;
pub use garth_memory::{Memory, Mount, Mounted, Skipped, Snapshot, cut};
pub use garth_ops::{Attachment, DIALECTS, Dialect, Failure, Needs, Reply, dialect};
pub use garth_redact::{Clean, Config, Raw};
pub use garth_workspace::{Commands, Limits, Workspace};
pub use instructions::{Place, instructions};
pub use mount::HostMount;
pub use registry::Registry;
pub use result::ToolResult;
pub use section::Section;
pub use serde_json::{Value, json};
pub use session::Session;
pub use setup::Setup;
pub use text_files::TextFiles;
pub use tool::Tool;
