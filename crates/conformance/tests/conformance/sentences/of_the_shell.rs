//! The doc comments of `Shell` and of the types it speaks in, cut into claims.

use super::{Claims, of_the_trait::READING};

/// The doc comments of `Shell`, in order: whose, then `(tag, claim)`.
pub(super) const TRAIT: &[(&str, Claims)] = &[
    (
        "Shell",
        &[
            (
                READING,
                "The processes of one workspace. Eight methods, and each one's comment is its specification, as with [`Filesystem`](crate::Filesystem).",
            ),
            (
                "shell.tree",
                "A command and everything it starts, however it detaches itself, is one *tree*; a tree ends as one.",
            ),
            ("shell.unknown", "Common to all: a process that is not known,"),
            ("shell.no_longer_kept", "or no longer kept, is `INVALID_PARAMS`;"),
            ("shell.gone", "a sandbox that is gone is `PROVIDER_UNAVAILABLE`, within a second;"),
            ("shell.never_waits", "no call waits for a process that does not read or write."),
        ],
    ),
    (
        "abilities",
        &[
            ("abilities.truth", "Says what this place can do."),
            ("abilities.constant", "The answer never changes."),
        ],
    ),
    (
        "run",
        &[
            ("run.to_its_end", "Runs a command to its end."),
            ("run.announce", "`announce` hears the number of the process once it runs,"),
            ("run.followed", "so that its output can be followed meanwhile."),
            ("run.errors.workdir_missing", "*Errors*: `FILE_NOT_FOUND`"),
            ("run.errors.workdir_file", "and `NOT_A_DIRECTORY` for the working directory,"),
            (
                "run.errors.workdir_outside",
                "`PATH_OUTSIDE_WORKSPACE` where it leaves through a link;",
            ),
            ("run.errors.too_many", "`QUOTA_EXCEEDED` when there are too many processes;"),
            ("run.errors.no_terminals", "`UNSUPPORTED` for a terminal where there are none."),
            (
                "run.errors.missing_program",
                "A program that is missing is no error: the report has code 127,",
            ),
            ("run.errors.forbidden_program", "one that may not be run 126, as a shell has it."),
            ("run.after.nothing_runs", "*After*: nothing of its tree runs;"),
            (
                "run.after.report",
                "the report holds what was printed, cut to what the command keeps,",
            ),
            ("run.after.whole", "and the whole can be asked for with `output`."),
            ("run.timeout.told", "A timeout is no error: the report says so"),
            ("run.timeout.held", "and holds what was printed."),
            ("run.cancel", "*Cancel*: its tree is killed at once."),
        ],
    ),
    (
        "start",
        &[
            ("start.background", "Starts a command in the background."),
            ("start.errors", "*Errors*: as for `run`."),
            ("start.after.ends", "*After*: it runs until it ends,"),
            ("start.after.time", "its time is up,"),
            ("start.after.ended", "it is ended,"),
            ("start.after.stops", "or the workspace stops;"),
            ("start.after.starter", "whoever started it may go away."),
            ("start.cancel", "*Cancel*: it runs and is listed, or it was never started."),
        ],
    ),
    (
        "output",
        &[
            ("output.from", "Reads what a process printed, from a position on."),
            (
                "output.one_count",
                "Both streams share one count of bytes, in the order in which they came,",
            ),
            (
                "output.again",
                "so a reader that asks again from `next` misses nothing and sees nothing twice.",
            ),
            (
                "output.errors.beyond",
                "*Errors*: `INVALID_PARAMS` for a position beyond what was printed.",
            ),
            ("output.after.most", "*After*: at most `ask.most` bytes;"),
            (
                "output.after.none",
                "none only if nothing was printed within `ask.wait` or the process has ended and all was read.",
            ),
            (
                "output.after.missing",
                "What was dropped from a full spool before them is counted in `missing`.",
            ),
            ("output.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "input",
        &[
            ("input.writes", "Writes to a process's standard input,"),
            ("input.closes", "or closes it."),
            ("input.errors.ended", "*Errors*: `INVALID_PARAMS` for a process that ended,"),
            ("input.errors.closed", "or whose input is closed;"),
            (
                "input.errors.rate",
                "`RATE_LIMIT_EXCEEDED` when it does not read and too much waits.",
            ),
            ("input.after.order", "*After*: the bytes are on their way in order;"),
            ("input.after.none_on_error", "none were taken on an error."),
            ("input.cancel", "*Cancel*: all of the bytes are on their way, or none."),
        ],
    ),
    (
        "signal",
        &[
            ("signal.sends", "Sends a signal to everything of a process's tree."),
            ("signal.errors.ended", "*Errors*: `INVALID_PARAMS` for a process that ended."),
            ("signal.cancel", "*Cancel*: it was sent or it was not."),
        ],
    ),
    (
        "resize",
        &[
            ("resize.changes", "Changes the size of a process's terminal."),
            ("resize.errors.none", "*Errors*: `INVALID_PARAMS` for a process that has none,"),
            ("resize.errors.ended", "or ended."),
            ("resize.cancel", "*Cancel*: it was changed or it was not."),
        ],
    ),
    (
        "list",
        &[
            ("list.running", "Lists the processes that run,"),
            ("list.kept", "and those whose output is still kept,"),
            ("list.oldest_first", "oldest first."),
            ("list.cancel", "*Cancel*: nothing is left."),
        ],
    ),
    (
        "end",
        &[
            ("end.term", "Ends a process: `SIGTERM` to everything of its tree,"),
            ("end.kill", "five seconds, `SIGKILL`."),
            ("end.after.nothing_runs", "*After*: nothing of its tree runs."),
            ("end.after.had_ended", "One that had ended says how it did."),
            ("end.cancel", "*Cancel*: it ends all the same."),
        ],
    ),
    ("struct", &[(READING, "What one place that runs commands can do.")]),
    ("terminals", &[("shell_abilities.terminals", "Gives a command a terminal.")]),
    ("enum", &[(READING, "What goes to a process's standard input.")]),
    ("Bytes", &[("input.bytes", "These bytes.")]),
    ("Close", &[("input.close", "Its end; on a terminal, the end-of-file character.")]),
];

/// What the comments of its types claim about what is run and what comes of it.
pub(super) const TYPES: Claims = &[
    ("command.workdir", "Where it runs, from the workspace's root."),
    ("command.variables", "Variables beside the place's own clean ones, which they override."),
    ("command.terminal", "The size of its terminal, if it gets one."),
    ("program.script", "A script that `bash -c` runs; no login shell, no profile."),
    ("stdin.empty", "Nothing: its end at once."),
    ("stdin.bytes", "These bytes and then the end."),
    ("stdin.open", "What `input` brings, until it closes it."),
    ("waiting_input.bound", "The most bytes that wait for a process to read them."),
    ("keep.each", "How much of each stream a report holds: of its beginning and of its end."),
    ("id.unique", "The number of a process in its workspace; never used twice."),
    ("exit.code", "By itself, with this code."),
    ("exit.signal", "By this signal."),
    ("exit.shell_code", "The code as a shell has it: 128 and the signal for a death by signal."),
    ("cause.itself", "By itself, or by a signal that somebody sent."),
    ("cause.timeout", "Its time was up."),
    ("cause.ended", "It was ended."),
    ("ended.exit", "How it ended."),
    ("ended.ran", "How long it ran."),
    ("report.id", "Its number, by which the whole output can be asked for."),
    ("report.stdout", "What it printed; with a terminal, all of it."),
    ("report.stderr", "What it printed as errors."),
    ("kept.head", "The beginning; all of it, if it fits."),
    ("kept.tail", "The end, where something between is missing."),
    ("kept.total", "How many bytes there were in all."),
    ("stream.stdout", "Standard output; with a terminal, everything."),
    ("stream.stderr", "Standard error."),
    ("ask.from", "The position to read from; 0 is the beginning."),
    ("ask.most", "The most bytes."),
    ("ask.wait", "How long to wait while there is nothing."),
    ("ask.bound", "The most bytes of one answer."),
    ("printed.start", "The position of its first byte; after `from` where something is missing."),
    ("printed.next", "The position to ask from next."),
    ("printed.missing", "How many bytes before `start` were asked for and are no longer kept."),
    ("printed.total", "How many bytes were printed so far."),
    ("printed.ended", "The end, if the process has ended: then `total` is final."),
    ("process.command", "The script, or the program and its arguments, shortened."),
    ("process.background", "Whether it was started to stay in the background."),
    ("process.terminal", "Whether it has a terminal."),
    ("process.age", "How long ago it was started."),
    ("process.printed", "How many bytes it printed."),
    ("process.ended", "Its end, if it has ended."),
    ("process.most_shown", "The most characters of a command in a list."),
];
