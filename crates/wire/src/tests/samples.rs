//! One of each message, with nothing left out.

use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use garth_contract::{
    Ask, Case, Cause, Change, Clobber, Code, Command, Content, Depth, Detail, Ended, Entry, Error,
    Event, Exit, Facts, Glob, Grep, Guard, Hidden, Ignored, Input, Keep, Kept, Kind, Kinds, Landed,
    LineKind, Lines, Links, Made, Move, Order, Output, Owned, OwnedLine, Page, Parents, Part,
    Piece, Printed, Process, ProcessId, Program, Put, Query, Reach, Removed, Renamed, Report,
    Signal, Size, Span, Stamp, Stdin, Stream, Summary, Syntax, Timeout, Total, Variables, Version,
    WatchSpec, Written, WsPath,
};

use crate::{Answer, Named, Request, Results, Told};

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

fn version() -> Version {
    Version::of(b"hello")
}

fn command() -> Command {
    Command {
        program: Program::script("echo $A").unwrap(),
        workdir: path("d"),
        variables: Variables::new([("A".to_owned(), "1".to_owned())]).unwrap(),
        stdin: Stdin::Bytes(Bytes::from_static(b"in")),
        timeout: Timeout::millis(5_000).unwrap(),
        terminal: Some(Size { rows: 24, columns: 80 }),
        keep: Keep { head: 300, tail: 200 },
    }
}

fn plain_command() -> Command {
    let words = vec![b"ls".to_vec(), vec![0xff]];
    Command { stdin: Stdin::Open, ..Command::new(Program::arguments(words).unwrap()) }
}

fn query() -> Query {
    Query {
        base: path("src"),
        reach: Reach::Tree,
        include: vec![Glob::Path("**/*.rs".to_owned()), Glob::Filter("x".to_owned())],
        exclude: vec![],
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::IncludeNoGit,
        grep: Some(Grep {
            pattern: "fn".to_owned(),
            syntax: Syntax::Word,
            case: Case::Smart,
            lines: Lines::Multi,
            output: Output::Count,
            before: 1,
            after: 2,
        }),
        facts: Facts::All,
        order: Order::Newest,
        skip: 3,
        take: 1 << 40,
        after: Some(path("src/a")),
    }
}

/// One of each request.
pub(super) fn requests() -> Vec<(&'static str, Request)> {
    let id = ProcessId(7);
    let put = Put { guard: Guard::Unchanged(version()), parents: Parents::Require, mode: None };
    let any = Put { guard: Guard::Any, parents: Parents::Create, mode: Some(0o755) };
    let absent = Put { guard: Guard::Absent, parents: Parents::Create, mode: None };
    let holding = Put { guard: Guard::Holding(Bytes::from_static(b"hello")), ..put.clone() };
    let content = Bytes::from_static(b"bytes");
    let how = Move { clobber: Clobber::Replace, parents: Parents::Create };
    let (hidden, ignored) = (Hidden::Skip, Ignored::Skip);
    let spec = WatchSpec { path: path("w"), reach: Reach::Entries, hidden, ignored };
    let ask = Ask { from: 9, most: 1 << 20, wait: Duration::from_millis(1_500) };
    vec![
        ("ping", Request::Ping),
        ("stat", Request::Stat(path("a/b"), Links::Follow)),
        ("list", Request::List(path(""), Page { skip: 1, take: u64::MAX })),
        ("read whole", Request::Read(path("f"), Span::Whole { at_most: 4_096 })),
        ("read bytes", Request::Read(path("f"), Span::Bytes { offset: 1, length: 2 })),
        ("read lines", Request::Read(path("f"), Span::Lines { skip: 1, take: 2, at_most: 3 })),
        ("read last", Request::Read(path("f"), Span::LastLines { take: 1, at_most: 2 })),
        ("write unchanged", Request::Write(path("f"), content.clone(), put)),
        ("write any", Request::Write(path("f"), content.clone(), any)),
        ("write absent", Request::Write(path("f"), content.clone(), absent)),
        ("write holding", Request::Write(path("f"), content, holding)),
        ("make_dir", Request::MakeDir(path("d"), Parents::Create)),
        ("remove", Request::Remove(path("d"), Depth::All)),
        ("rename", Request::Rename(path("a"), path("b"), how)),
        ("find", Request::Find(Box::new(query()))),
        ("enough", Request::Enough),
        ("watch", Request::Watch(spec)),
        ("run", Request::Run(Box::new(command()))),
        ("start", Request::Start(Box::new(plain_command()))),
        ("output", Request::Output(id, ask)),
        ("input", Request::Input(id, Input::Bytes(Bytes::from_static(b"y\n")))),
        ("input end", Request::Input(id, Input::Close)),
        ("signal", Request::Signal(id, Signal::INT)),
        ("resize", Request::Resize(id, Size { rows: 50, columns: 132 })),
        ("processes", Request::Processes),
        ("end", Request::End(id)),
        ("read_link", Request::ReadLink(path("l"))),
        ("stage", Request::Stage(path("d"))),
        ("parts", Request::Parts(parts())),
        ("read back", Request::ReadBack(path("d/f"), 5, 300)),
        ("land", Request::Land(Clobber::Replace)),
        ("discard", Request::Discard),
    ]
}

fn parts() -> Vec<Part> {
    let modified = told().modified;
    let stamp = Stamp { mode: Some(0o755), modified };
    let plain = Stamp { mode: None, modified: None };
    vec![
        Part::Dir { path: path("d"), stamp },
        Part::File { path: path("d/f"), stamp: plain },
        Part::Bytes(Bytes::from_static(b"bytes")),
        Part::Link { path: path("l"), target: Bytes::from_static(b"d/f"), modified },
    ]
}

fn told() -> Told {
    let modified = UNIX_EPOCH.checked_add(Duration::new(1_700_000_000, 5));
    Told { kind: Kind::File, size: 300, modified, mode: Some(0o644) }
}

fn ended() -> Ended {
    Ended { exit: Exit::Signal(9), cause: Cause::Timeout, ran: Duration::new(3, 4) }
}

fn error() -> Error {
    Error::at(Code::Conflict, &path("a"))
        .hint("Look again.")
        .with(Detail::Lines(vec![1, 200]))
        .with(Detail::Places(1))
        .with(Detail::Nearest(2))
        .with(Detail::Position(3))
        .with(Detail::Edit(4))
        .with(Detail::Limit { limit: 5, actual: 6 })
        .with(Detail::Current(version()))
        .with(Detail::RetryAfter(Duration::from_secs(7)))
}

fn line(number: u64, kind: LineKind, spans: Vec<std::ops::Range<usize>>) -> Owned {
    Owned::Line(OwnedLine { path: path("l"), number, kind, text: b"text".to_vec(), spans })
}

fn results() -> Results {
    Results(vec![
        Owned::Entry(Entry { path: path("e"), ..told().at(path("e")) }),
        Owned::Name(path("n"), Kind::Symlink),
        Owned::File(path("f")),
        Owned::Count(path("c"), 1_000),
        line(1, LineKind::Context, vec![]),
        line(2, LineKind::Match, vec![0..1, 2..4]),
    ])
}

/// One of each answer.
pub(super) fn answers() -> Vec<(&'static str, Answer)> {
    let id = ProcessId(300);
    let before = UNIX_EPOCH.checked_sub(Duration::new(1, 2));
    let kept =
        Kept { head: Bytes::from_static(b"head"), tail: Bytes::from_static(b"tail"), total: 1_000 };
    let pieces = vec![
        Piece { stream: Stream::Stdout, bytes: Bytes::from_static(b"out") },
        Piece { stream: Stream::Stderr, bytes: Bytes::from_static(b"err") },
    ];
    let changed = Event::Changed { path: path("p"), change: Change::Deleted };
    let total = Total::AtLeast(9);
    vec![
        ("refused", Answer::Refused(error())),
        ("refused plainly", Answer::Refused(Error::of(Code::ReadOnly))),
        ("done", Answer::Done),
        ("told", Answer::Told(told())),
        ("names", Answer::Names(vec![Named { name: Bytes::from_static(b"n"), told: told() }])),
        ("listed", Answer::Listed(12)),
        (
            "content",
            Answer::Content(Content {
                bytes: Bytes::from_static(b"bytes"),
                offset: 1,
                size: 6,
                known: Some(version()),
                lines: Some(1),
                modified: before,
                mode: None,
            }),
        ),
        ("written", Answer::Written(Written { version: version(), created: true, modified: None })),
        ("made", Answer::Made(Made::Existed)),
        ("removed", Answer::Removed(Removed { kind: Kind::Dir, count: 4 })),
        ("renamed", Answer::Renamed(Renamed { kind: Kind::Fifo, replaced: true })),
        ("found", Answer::Found(results())),
        (
            "summary",
            Answer::Summary(Summary { given: 1, total, searched: 2, binary: 3, unreadable: 4 }),
        ),
        ("events", Answer::Events(vec![changed, Event::Overflow])),
        ("announced", Answer::Announced(id)),
        (
            "report",
            Answer::Report(Report { id, ended: ended(), stdout: kept, stderr: Kept::default() }),
        ),
        ("started", Answer::Started(id)),
        (
            "printed",
            Answer::Printed(Printed {
                start: 10,
                pieces,
                next: 16,
                missing: 4,
                total: 20,
                ended: Some(ended()),
            }),
        ),
        (
            "processes",
            Answer::Processes(vec![Process {
                id,
                command: "sleep 1".to_owned(),
                background: true,
                terminal: false,
                age: Duration::from_secs(60),
                printed: 5,
                ended: None,
            }]),
        ),
        ("ended", Answer::Ended(Ended { exit: Exit::Code(3), cause: Cause::Itself, ..ended() })),
        ("bytes", Answer::Bytes(Bytes::from_static(b"../f"))),
        ("landed", Answer::Landed(Landed { replaced: 9 })),
    ]
}
