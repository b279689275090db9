//! The trait that every place a workspace can live in implements.

use std::{future::Future, sync::Arc};

use bytes::Bytes;

use crate::{
    Abilities, Code, Content, Depth, Entry, Error, Folder, Gathered, Incoming, Links, Listing,
    Made, Move, Page, Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Summary,
    Watch, WatchSpec, Written, WsPath,
};

/// The files of one workspace.
///
/// Seventeen methods, and each one's comment is its specification: *Errors* lists the
/// codes beyond the common ones, *After* what holds when it returned, *Cancel*
/// what is left when its future is dropped. The conformance suite checks these
/// sentences on every backend.
///
/// Common to all: a path that leaves the workspace through a link is
/// `PATH_OUTSIDE_WORKSPACE`, and nothing outside is read, changed or revealed; a
/// loop of links is `INVALID_PATH`; a path that a `deny` rule covers, or that no
/// `allow` rule covers where there are some, whether or not something is there,
/// or that the system refuses, is `PERMISSION_DENIED`; a missing file or directory
/// on the way is `FILE_NOT_FOUND`, a file on the way `NOT_A_DIRECTORY`; what the
/// backend cannot do is `UNSUPPORTED`. No call blocks on a FIFO, a socket or a
/// device.
///
/// Changing calls (`write`, `make_dir`, `remove`, `rename`, `stage`, `receive`) also
/// answer `READ_ONLY` on a read-only workspace, `PERMISSION_DENIED` under a `protect`
/// rule, and `DISK_FULL` or `QUOTA_EXCEEDED` when there is no room.
pub trait Filesystem: Send + Sync + 'static {
    /// Says what this backend can do. The answer never changes.
    fn abilities(&self) -> Abilities;

    /// Looks at one entry.
    ///
    /// Links on the way are followed; the last component as `links` says.
    ///
    /// *Errors*: `FILE_NOT_FOUND`.
    /// *Cancel*: nothing is left.
    fn stat(&self, path: &WsPath, links: Links) -> impl Future<Output = Result<Entry>> + Send;

    /// What `stat` gives where that takes no waiting at all; `None` says nothing of the entry.
    fn stat_now(&self, _path: &WsPath, _links: Links) -> Option<Entry> {
        None
    }

    /// Lists a directory, or what a link to one points to.
    ///
    /// Our own temporary files are never listed; a denied entry is left out.
    ///
    /// *Errors*: `NOT_A_DIRECTORY`, `FILE_NOT_FOUND`.
    /// *After*: entries are sorted by the bytes of their names, `total` counts all
    /// pages, links are listed as links.
    /// *Cancel*: nothing is left.
    fn list(&self, path: &WsPath, page: Page) -> impl Future<Output = Result<Listing>> + Send;

    /// Reads a span of a file, or of what a link to one points to.
    ///
    /// *Errors*: `NOT_A_FILE` for anything but a regular file, at once;
    /// `FILE_TOO_LARGE` for `Span::Whole` of a file over its bound;
    /// `FILE_NOT_FOUND`.
    /// *After*: the bytes are of one file, even if its path was replaced meanwhile;
    /// only as much was read as the span needs.
    /// *Cancel*: nothing is left.
    fn read(&self, path: &WsPath, span: Span) -> impl Future<Output = Result<Content>> + Send;

    /// What `read` gives where that takes no waiting at all; `None` says nothing of the file.
    fn read_now(&self, _path: &WsPath, _span: Span) -> Option<Content> {
        None
    }

    /// Reads a span of a file as `read` does, onto the end of a buffer.
    ///
    /// It is for who gathers many files in one buffer, need not have each by itself, and
    /// tells nobody its version.
    ///
    /// *Errors*: those of `read`; the buffer has only what it had then.
    /// *After*: the buffer has what it had, and behind it the bytes that `read` gives.
    /// *Cancel*: the buffer has only what it had.
    fn gather(
        &self,
        path: &WsPath,
        span: Span,
        into: &mut Vec<u8>,
    ) -> impl Future<Output = Result<Gathered>> + Send {
        async move {
            let content = self.read(path, span).await?;
            into.extend_from_slice(&content.bytes);
            let length = content.bytes.len() as u64;
            let Content { size, modified, mode, .. } = content;
            Ok(Gathered { length, size, modified, mode })
        }
    }

    /// A directory, or what a link to one points to, where it is had without waiting;
    /// `None` says nothing of it.
    ///
    /// *After*: it lists what `list` does, and its files have the bytes that `read` gives.
    fn folder(&self, _path: &WsPath) -> Option<Box<dyn Folder>> {
        None
    }

    /// Replaces or creates a file whole, under a guard.
    ///
    /// Through a link inside the workspace the target changes and the link stays.
    ///
    /// *Errors*: `FILE_EXISTS` (guard `Absent`), `CONFLICT` (guards `Unchanged` and
    /// `Holding`),
    /// `PARENT_NOT_FOUND` (`Parents::Require`), `NOT_A_FILE` for the root, a
    /// directory or a special file, `FILE_TOO_LARGE` over the workspace's bound.
    /// *After*: the file has exactly these bytes; mode, owner and extended
    /// attributes of a replaced file are kept; no temporary file is left. Two
    /// guarded writes never both succeed on one version.
    /// *Cancel*: the file has its old or its new content, whole; nothing else is
    /// visible.
    fn write(
        &self,
        path: &WsPath,
        content: Bytes,
        put: Put,
    ) -> impl Future<Output = Result<Written>> + Send;

    /// Makes a directory.
    ///
    /// *Errors*: `FILE_EXISTS` when something else than a directory stands there,
    /// `PARENT_NOT_FOUND` (`Parents::Require`).
    /// *After*: the directory is there; of several that make it at once all succeed,
    /// and one of them made it.
    /// *Cancel*: some of the parents may have been made.
    fn make_dir(
        &self,
        path: &WsPath,
        parents: Parents,
    ) -> impl Future<Output = Result<Made>> + Send;

    /// Removes an entry: a link itself, never its target.
    ///
    /// *Errors*: `CANNOT_DELETE_ROOT`, `DIRECTORY_NOT_EMPTY` (`Depth::One`),
    /// `FILE_NOT_FOUND`.
    /// *After*: nothing is at the path; nothing outside it is changed, however
    /// entries were swapped meanwhile.
    /// *Cancel*: with `Depth::All`, part of the tree may be gone.
    fn remove(&self, path: &WsPath, depth: Depth) -> impl Future<Output = Result<Removed>> + Send;

    /// Moves an entry: a link itself, never its target.
    ///
    /// *Errors*: `SOURCE_NOT_FOUND`, `DESTINATION_EXISTS`, `CANNOT_DELETE_ROOT` for
    /// the root, `CANNOT_MOVE_TO_SUBDIRECTORY`, `PARENT_NOT_FOUND`; with
    /// `Clobber::Replace` also `NOT_A_FILE`, `NOT_A_DIRECTORY` or
    /// `DIRECTORY_NOT_EMPTY` where the destination cannot be replaced.
    /// *After*: the entry is at `to` and not at `from`, with its content, mode and
    /// times. Moving a path onto itself changes nothing.
    /// *Cancel*: the entry is whole at `from`, at `to`, or (between devices) at both.
    fn rename(
        &self,
        from: &WsPath,
        to: &WsPath,
        how: Move,
    ) -> impl Future<Output = Result<Renamed>> + Send;

    /// Walks a tree and pushes what matches into the sink.
    ///
    /// Links are reported, never followed. Denied entries and temporary files are
    /// left out. An entry that cannot be read is counted, not an error.
    ///
    /// *Errors*: `INVALID_PATTERN` with its position, `FILE_NOT_FOUND`,
    /// `NOT_A_FILE` for a base that is neither directory nor regular file.
    /// *After*: results came in the query's order, no more than `take`; `total` is
    /// exact unless the search ended early.
    /// *Cancel*: the walk ends soon after; the sink is not called again.
    fn find(
        &self,
        query: &Query,
        sink: Arc<dyn Sink>,
    ) -> impl Future<Output = Result<Summary>> + Send;

    /// Reports changes below a path.
    ///
    /// *Errors*: `FILE_NOT_FOUND`; `QUOTA_EXCEEDED` when the system has no watches
    /// left.
    /// *After*: every later change is reported, or an `Overflow` is. Temporary files
    /// and, unless asked for, hidden and ignored ones are not.
    /// *Cancel*: nothing is left.
    fn watch(&self, spec: &WatchSpec) -> impl Future<Output = Result<Watch>> + Send;

    /// Tells what a link says.
    ///
    /// An absolute text that leads into the workspace is told as a relative one.
    ///
    /// *Errors*: `INVALID_PARAMS` for anything but a link, `FILE_NOT_FOUND`.
    /// *Cancel*: nothing is left.
    fn read_link(&self, path: &WsPath) -> impl Future<Output = Result<Bytes>> + Send {
        let refused = Error::at(Code::Unsupported, path);
        async { Err(refused) }
    }

    /// Opens a tree that is prepared out of sight and then lands in a directory, or
    /// in what a link to one points to.
    ///
    /// *Errors*: `NOT_A_DIRECTORY`, `FILE_NOT_FOUND`.
    /// *After*: nothing can be seen of it, until it lands.
    /// *Cancel*: nothing is left.
    fn stage(&self, base: &WsPath) -> impl Future<Output = Result<Box<dyn Stage>>> + Send {
        let refused = Error::at(Code::Unsupported, base);
        async { Err(refused) }
    }

    /// Opens a file that arrives in pieces, out of sight, and then takes its place.
    ///
    /// *Errors*: those of a `write` there, as far as they can be told before it lands;
    /// `UNSUPPORTED` where files are only written whole.
    /// *After*: nothing can be seen of it, until it lands.
    /// *Cancel*: nothing is left.
    fn receive(&self, path: &WsPath) -> impl Future<Output = Result<Box<dyn Incoming>>> + Send {
        let refused = Error::at(Code::Unsupported, path);
        async { Err(refused) }
    }
}
