//! The doc comments of the trait, cut into claims.

/// A part of the comment that explains how to read it; nothing to check.
pub(super) const READING: &str = "-";

/// The doc comments of `Filesystem`, in order: whose, then `(tag, claim)`.
pub(super) const TRAIT: &[(&str, &[(&str, &str)])] = &[
    (
        "Filesystem",
        &[
            (
                READING,
                "The files of one workspace. Seventeen methods, and each one's comment is its specification: *Errors* lists the codes beyond the common ones, *After* what holds when it returned, *Cancel* what is left when its future is dropped. The conformance suite checks these sentences on every backend.",
            ),
            (
                "common.outside",
                "Common to all: a path that leaves the workspace through a link is `PATH_OUTSIDE_WORKSPACE`,",
            ),
            ("common.nothing_outside", "and nothing outside is read, changed or revealed;"),
            ("common.loop", "a loop of links is `INVALID_PATH`;"),
            ("common.deny", "a path that a `deny` rule covers,"),
            (
                "common.allow",
                "or that no `allow` rule covers where there are some, whether or not something is there,",
            ),
            ("common.system_refuses", "or that the system refuses, is `PERMISSION_DENIED`;"),
            (
                "common.missing_on_the_way",
                "a missing file or directory on the way is `FILE_NOT_FOUND`,",
            ),
            ("common.file_on_the_way", "a file on the way `NOT_A_DIRECTORY`;"),
            ("common.unsupported", "what the backend cannot do is `UNSUPPORTED`."),
            ("common.never_blocks", "No call blocks on a FIFO, a socket or a device."),
            (
                "changing.read_only",
                "Changing calls (`write`, `make_dir`, `remove`, `rename`, `stage`, `receive`) also answer `READ_ONLY` on a read-only workspace,",
            ),
            ("changing.protect", "`PERMISSION_DENIED` under a `protect` rule,"),
            ("changing.disk_full", "and `DISK_FULL`"),
            ("changing.no_room", "or `QUOTA_EXCEEDED` when there is no room."),
        ],
    ),
    (
        "abilities",
        &[
            ("abilities.truth", "Says what this backend can do."),
            ("abilities.constant", "The answer never changes."),
        ],
    ),
    (
        "stat",
        &[
            ("stat.entry", "Looks at one entry."),
            ("stat.links", "Links on the way are followed; the last component as `links` says."),
            ("stat.errors.not_found", "*Errors*: `FILE_NOT_FOUND`."),
            ("stat.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "stat_now",
        &[(
            "stat_now.same",
            "What `stat` gives where that takes no waiting at all; `None` says nothing of the entry.",
        )],
    ),
    (
        "list",
        &[
            ("list.directory", "Lists a directory,"),
            ("list.link", "or what a link to one points to."),
            ("list.temporary", "Our own temporary files are never listed;"),
            ("list.denied", "a denied entry is left out."),
            ("list.errors.not_a_directory", "*Errors*: `NOT_A_DIRECTORY`,"),
            ("list.errors.not_found", "`FILE_NOT_FOUND`."),
            ("list.after.sorted", "*After*: entries are sorted by the bytes of their names,"),
            ("list.after.total", "`total` counts all pages,"),
            ("list.after.links", "links are listed as links."),
            ("list.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "read",
        &[
            ("read.span", "Reads a span of a file,"),
            ("read.link", "or of what a link to one points to."),
            (
                "read.errors.not_a_file",
                "*Errors*: `NOT_A_FILE` for anything but a regular file, at once;",
            ),
            (
                "read.errors.too_large",
                "`FILE_TOO_LARGE` for `Span::Whole` of a file over its bound;",
            ),
            ("read.errors.not_found", "`FILE_NOT_FOUND`."),
            (
                "read.after.one_file",
                "*After*: the bytes are of one file, even if its path was replaced meanwhile;",
            ),
            ("read.after.only_the_span", "only as much was read as the span needs."),
            ("read.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "read_now",
        &[(
            "read_now.same",
            "What `read` gives where that takes no waiting at all; `None` says nothing of the file.",
        )],
    ),
    (
        "gather",
        &[
            ("gather.span", "Reads a span of a file as `read` does, onto the end of a buffer."),
            (
                READING,
                "It is for who gathers many files in one buffer, need not have each by itself, and \
                 tells nobody its version.",
            ),
            ("gather.errors", "*Errors*: those of `read`; the buffer has only what it had then."),
            (
                "gather.after",
                "*After*: the buffer has what it had, and behind it the bytes that `read` gives.",
            ),
            ("gather.cancel", "*Cancel*: the buffer has only what it had."),
        ],
    ),
    (
        "folder",
        &[
            (
                READING,
                "A directory, or what a link to one points to, where it is had without waiting; `None` says nothing of it.",
            ),
            ("folder.lists", "*After*: it lists what `list` does,"),
            ("folder.reads", "and its files have the bytes that `read` gives."),
        ],
    ),
    (
        "write",
        &[
            ("write.replaces_or_creates", "Replaces or creates a file whole, under a guard."),
            (
                "write.link",
                "Through a link inside the workspace the target changes and the link stays.",
            ),
            ("write.errors.exists", "*Errors*: `FILE_EXISTS` (guard `Absent`),"),
            ("write.errors.conflict", "`CONFLICT` (guards `Unchanged` and `Holding`),"),
            ("write.errors.parent_not_found", "`PARENT_NOT_FOUND` (`Parents::Require`),"),
            (
                "write.errors.not_a_file",
                "`NOT_A_FILE` for the root, a directory or a special file,",
            ),
            ("write.errors.too_large", "`FILE_TOO_LARGE` over the workspace's bound."),
            ("write.after.bytes", "*After*: the file has exactly these bytes;"),
            ("write.after.mode", "mode,"),
            (
                "write.after.attributes",
                "owner and extended attributes of a replaced file are kept;",
            ),
            ("write.after.no_temporary", "no temporary file is left."),
            ("write.after.guarded", "Two guarded writes never both succeed on one version."),
            (
                "write.cancel",
                "*Cancel*: the file has its old or its new content, whole; nothing else is visible.",
            ),
        ],
    ),
    (
        "make_dir",
        &[
            ("make_dir.makes", "Makes a directory."),
            (
                "make_dir.errors.exists",
                "*Errors*: `FILE_EXISTS` when something else than a directory stands there,",
            ),
            ("make_dir.errors.parent_not_found", "`PARENT_NOT_FOUND` (`Parents::Require`)."),
            ("make_dir.after", "*After*: the directory is there;"),
            (
                "make_dir.after.once",
                "of several that make it at once all succeed, and one of them made it.",
            ),
            ("make_dir.cancel", "*Cancel*: some of the parents may have been made."),
        ],
    ),
    (
        "remove",
        &[
            ("remove.entry", "Removes an entry:"),
            ("remove.link", "a link itself, never its target."),
            ("remove.errors.root", "*Errors*: `CANNOT_DELETE_ROOT`,"),
            ("remove.errors.not_empty", "`DIRECTORY_NOT_EMPTY` (`Depth::One`),"),
            ("remove.errors.not_found", "`FILE_NOT_FOUND`."),
            ("remove.after", "*After*: nothing is at the path;"),
            (
                "remove.after.nothing_else",
                "nothing outside it is changed, however entries were swapped meanwhile.",
            ),
            ("remove.cancel", "*Cancel*: with `Depth::All`, part of the tree may be gone."),
        ],
    ),
    (
        "rename",
        &[
            ("rename.moves", "Moves an entry:"),
            ("rename.link", "a link itself, never its target."),
            ("rename.errors.source_not_found", "*Errors*: `SOURCE_NOT_FOUND`,"),
            ("rename.errors.destination_exists", "`DESTINATION_EXISTS`,"),
            ("rename.errors.root", "`CANNOT_DELETE_ROOT` for the root,"),
            ("rename.errors.subdirectory", "`CANNOT_MOVE_TO_SUBDIRECTORY`,"),
            ("rename.errors.parent_not_found", "`PARENT_NOT_FOUND`;"),
            (
                "rename.errors.replace",
                "with `Clobber::Replace` also `NOT_A_FILE`, `NOT_A_DIRECTORY` or `DIRECTORY_NOT_EMPTY` where the destination cannot be replaced.",
            ),
            ("rename.after", "*After*: the entry is at `to` and not at `from`,"),
            ("rename.after.attributes", "with its content, mode and times."),
            ("rename.after.itself", "Moving a path onto itself changes nothing."),
            (
                "rename.cancel",
                "*Cancel*: the entry is whole at `from`, at `to`, or (between devices) at both.",
            ),
        ],
    ),
    (
        "find",
        &[
            ("find.walks", "Walks a tree and pushes what matches into the sink."),
            ("find.links", "Links are reported, never followed."),
            ("find.denied", "Denied entries and temporary files are left out."),
            ("find.unreadable", "An entry that cannot be read is counted, not an error."),
            ("find.errors.pattern", "*Errors*: `INVALID_PATTERN` with its position,"),
            ("find.errors.not_found", "`FILE_NOT_FOUND`,"),
            (
                "find.errors.not_a_file",
                "`NOT_A_FILE` for a base that is neither directory nor regular file.",
            ),
            ("find.after.order", "*After*: results came in the query's order,"),
            ("find.after.take", "no more than `take`;"),
            ("find.after.total", "`total` is exact unless the search ended early."),
            ("find.cancel", "*Cancel*: the walk ends soon after; the sink is not called again."),
        ],
    ),
    (
        "watch",
        &[
            ("watch.reports", "Reports changes below a path."),
            ("watch.errors.not_found", "*Errors*: `FILE_NOT_FOUND`;"),
            ("watch.errors.quota", "`QUOTA_EXCEEDED` when the system has no watches left."),
            ("watch.after.every", "*After*: every later change is reported, or an `Overflow` is."),
            ("watch.after.temporary", "Temporary files and,"),
            ("watch.after.hidden", "unless asked for, hidden and ignored ones are not."),
            ("watch.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "read_link",
        &[
            ("read_link.tells", "Tells what a link says."),
            (
                "read_link.relative",
                "An absolute text that leads into the workspace is told as a relative one.",
            ),
            ("read_link.errors.not_a_link", "*Errors*: `INVALID_PARAMS` for anything but a link,"),
            ("read_link.errors.not_found", "`FILE_NOT_FOUND`."),
            ("read_link.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "stage",
        &[
            (
                "stage.opens",
                "Opens a tree that is prepared out of sight and then lands in a directory,",
            ),
            ("stage.link", "or in what a link to one points to."),
            ("stage.errors.not_a_directory", "*Errors*: `NOT_A_DIRECTORY`,"),
            ("stage.errors.not_found", "`FILE_NOT_FOUND`."),
            ("stage.after", "*After*: nothing can be seen of it, until it lands."),
            ("stage.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "receive",
        &[
            (
                "receive.opens",
                "Opens a file that arrives in pieces, out of sight, and then takes its place.",
            ),
            (
                "receive.errors",
                "*Errors*: those of a `write` there, as far as they can be told before it lands;",
            ),
            ("receive.unsupported", "`UNSUPPORTED` where files are only written whole."),
            ("receive.after", "*After*: nothing can be seen of it, until it lands."),
            ("receive.cancel", "*Cancel*: nothing is left."),
        ],
    ),
];
