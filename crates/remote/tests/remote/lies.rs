//! Answers that break the contract: each is refused, and the next call is served.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use bytes::Bytes;
use garth_contract::{
    Announce, Ask, Cause, Code, Collect, Command, Content, Ended, Exit, Facts, Filesystem, Flow,
    Found, Guard, Hidden, Ignored, Keep, Kept, Kind, Kinds, Order, Owned, Page, Parents, Piece,
    Printed, Process, ProcessId, Program, Put, Query, Reach, Report, Result, Shell, Sink, Span,
    Stream, Summary, Total, Version, Written,
};
use garth_remote::Remote;
use garth_wire::{Answer, Named, Results, Told};

use crate::fake::{Reply, code, guest, path, say, soon, stat};

const TOLD: Told = Told { kind: Kind::File, size: 1, modified: None, mode: None };

/// A guest that answers a plain call as it should and everything else so.
async fn liar(reply: impl Fn() -> Reply + Send + Sync + Clone + 'static) -> Remote {
    let (fake, _) = guest(move |request| match request {
        garth_wire::Request::Stat(..) => say(Answer::Told(TOLD)),
        garth_wire::Request::Ping => say(Answer::Done),
        _ => reply(),
    });
    fake.link().await
}

/// Claims that a call is refused as a lie, and that the guest is served on.
async fn caught<T>(remote: &Remote, call: impl Future<Output = Result<T>>) {
    let error = soon(call).await.err().expect("a lie was believed");
    assert_eq!(error.code(), Code::Internal, "{error}");
    stat(remote).await.unwrap();
}

fn content(bytes: &'static [u8], offset: u64, size: u64) -> Content {
    let bytes = Bytes::from_static(bytes);
    Content { bytes, offset, size, known: None, lines: None, modified: None, mode: None }
}

#[tokio::test]
async fn an_answer_to_another_question_is_none() {
    let remote = liar(|| say(Answer::Done)).await;
    let page = Page { skip: 0, take: 10 };
    caught(&remote, remote.read(&path("f"), Span::Whole { at_most: 9 })).await;
    caught(&remote, Filesystem::list(&remote, &path(""), page)).await;
    caught(&remote, remote.make_dir(&path("d"), Parents::Create)).await;
    caught(&remote, remote.read_link(&path("l"))).await;
    caught(&remote, Shell::list(&remote)).await;
    caught(&remote, remote.end(ProcessId(1))).await;
    caught(&remote, remote.run(command(Keep::USUAL), Announce::nobody())).await;
}

#[tokio::test]
async fn bytes_that_are_no_answer_are_none() {
    for raw in [
        // A choice that there is not, a head and a body without bound.
        [&1_u32.to_le_bytes()[..], &0_u64.to_le_bytes(), &[99]].concat(),
        [&u32::MAX.to_le_bytes()[..], &0_u64.to_le_bytes()].concat(),
        [&1_u32.to_le_bytes()[..], &(1_u64 << 50).to_le_bytes(), &[5]].concat(),
    ] {
        let remote = liar(move || Reply::Raw(raw.clone())).await;
        caught(&remote, remote.read(&path("f"), Span::Whole { at_most: 9 })).await;
    }
}

#[tokio::test]
async fn a_read_is_of_the_span_that_was_asked_for() {
    let whole = Span::Whole { at_most: 4 };
    let bytes = Span::Bytes { offset: 2, length: 3 };
    let last = Span::LastLines { take: 1, at_most: 4 };
    for (span, lie) in [
        (whole, content(b"12345", 0, 5)),
        (whole, content(b"12", 1, 3)),
        (whole, content(b"12", 0, 3)),
        (bytes, content(b"1234", 2, 9)),
        (bytes, content(b"123", 3, 9)),
        (bytes, content(b"123", 2, 4)),
        (bytes, content(b"1", u64::MAX, 9)),
        (last, content(b"12", 0, 9)),
    ] {
        let remote = liar(move || say(Answer::Content(lie.clone()))).await;
        caught(&remote, remote.read(&path("f"), span)).await;
    }
}

#[tokio::test]
async fn a_whole_content_has_the_version_of_its_bytes() {
    let known = Some(Version::of(b"other"));
    let remote =
        liar(move || say(Answer::Content(Content { known, ..content(b"12", 0, 2) }))).await;
    let content = remote.read(&path("f"), Span::Whole { at_most: 4 }).await.unwrap();
    assert_eq!(content.version(), Some(Version::of(b"12")));
}

#[tokio::test]
async fn a_link_says_a_path() {
    for lie in [Bytes::new(), Bytes::from_static(b"a\0b"), vec![b'x'; 5_000].into()] {
        let remote = liar(move || say(Answer::Bytes(lie.clone()))).await;
        caught(&remote, remote.read_link(&path("l"))).await;
    }
    let remote = liar(|| say(Answer::Bytes(Bytes::from_static(b"../f")))).await;
    assert_eq!(remote.read_link(&path("l")).await.unwrap(), "../f");
}

#[tokio::test]
async fn a_tree_that_is_prepared_is_answered_for() {
    use garth_contract::{Clobber, Part, Stamp};
    let (fake, _) = guest(|request| match request {
        garth_wire::Request::ReadBack(..) => say(Answer::Bytes(Bytes::from_static(b"12345"))),
        garth_wire::Request::Land(_) => say(Answer::Done),
        garth_wire::Request::Stat(..) => say(Answer::Told(TOLD)),
        garth_wire::Request::Parts(_) => say(Answer::Listed(1)),
        _ => say(Answer::Done),
    });
    let remote = fake.link().await;
    let mut stage = soon(Filesystem::stage(&remote, &path(""))).await.unwrap();
    let stamp = Stamp { mode: None, modified: None };
    caught(&remote, stage.add(vec![Part::Dir { path: path("d"), stamp }])).await;
    caught(&remote, stage.read_back(&path("f"), 0, 4)).await;
    assert_eq!(soon(stage.read_back(&path("f"), 0, 5)).await.unwrap(), "12345");
    caught(&remote, stage.land(Clobber::Refuse)).await;
}

#[tokio::test]
async fn a_listing_is_sorted_and_within_its_page() {
    let named =
        |name: &'static str| Named { name: Bytes::from_static(name.as_bytes()), told: TOLD };
    for lie in [
        vec!["b", "a"],
        vec!["a", "a"],
        vec!["a", "b", "c", "d"],
        vec!["a/b"],
        vec![".."],
        vec![""],
        vec!["a\0"],
    ] {
        let names: Vec<_> = lie.iter().copied().map(named).collect();
        let remote =
            liar(move || Reply::Say(vec![Answer::Names(names.clone()), Answer::Listed(9)])).await;
        let (dir, page) = (path("d"), Page { skip: 0, take: 3 });
        caught(&remote, Filesystem::list(&remote, &dir, page)).await;
    }
    let one = named("a");
    let endless = liar(move || Reply::Repeat(Answer::Names(vec![one.clone()]))).await;
    let (dir, page) = (path("d"), Page { skip: 0, take: u64::MAX });
    caught(&endless, Filesystem::list(&endless, &dir, page)).await;
}

#[tokio::test]
async fn a_write_is_of_the_bytes_that_were_sent() {
    let written = Written { version: Version::of(b"123"), created: true, modified: None };
    let remote = liar(move || say(Answer::Written(written.clone()))).await;
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    caught(&remote, remote.write(&path("f"), "12".into(), put)).await;
}

fn query(take: u64) -> Query {
    Query {
        base: path(""),
        reach: Reach::Tree,
        include: vec![],
        exclude: vec![],
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take,
        after: None,
    }
}

fn summary(given: u64) -> Answer {
    let total = Total::Exact(given);
    Answer::Summary(Summary { given, total, searched: 0, binary: 0, unreadable: 0 })
}

fn names(count: usize) -> Answer {
    Answer::Found(Results(vec![Owned::Name(path("n"), Kind::File); count]))
}

#[tokio::test]
async fn a_search_gives_no_more_and_nothing_else_than_was_asked_for() {
    let file = Answer::Found(Results(vec![Owned::File(path("n"))]));
    for lie in [
        vec![names(4), summary(4)],
        vec![names(2), names(2), summary(4)],
        vec![names(2), summary(1)],
        vec![summary(1)],
        vec![file, summary(1)],
    ] {
        let remote = liar(move || Reply::Say(lie.clone())).await;
        let sink = Arc::new(Collect::default());
        caught(&remote, remote.find(&query(3), Arc::clone(&sink) as _)).await;
        assert!(sink.take().len() <= 3);
    }
}

/// Takes so many results.
struct Few(u64, AtomicU64);

impl Sink for Few {
    fn accept(&self, _: Found<'_>) -> Flow {
        let taken = self.1.fetch_add(1, Ordering::SeqCst) + 1;
        if taken < self.0 { Flow::Continue } else { Flow::Stop }
    }
}

#[tokio::test]
async fn a_search_that_goes_on_when_it_is_enough_is_ended() {
    let remote = liar(|| Reply::Repeat(names(1))).await;
    let sink = Arc::new(Few(2, AtomicU64::new(0)));
    caught(&remote, remote.find(&query(u64::MAX), Arc::clone(&sink) as _)).await;
    assert_eq!(sink.1.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_search_that_was_enough_tells_what_it_gave() {
    let remote = liar(|| Reply::Say(vec![names(5), summary(5)])).await;
    let sink = Arc::new(Few(2, AtomicU64::new(0)));
    let found = soon(remote.find(&query(9), Arc::clone(&sink) as _)).await.unwrap();
    assert_eq!((found.given, found.total), (2, Total::AtLeast(2)));
    assert_eq!(sink.1.load(Ordering::SeqCst), 2);
}

fn command(keep: Keep) -> Command {
    Command { keep, ..Command::new(Program::script("x").unwrap()) }
}

const ENDED: Ended =
    Ended { exit: Exit::Code(0), cause: Cause::Itself, ran: Duration::from_secs(1) };

fn report(id: u64, stdout: Kept) -> Report {
    Report { id: ProcessId(id), ended: ENDED, stdout, stderr: Kept::default() }
}

#[tokio::test]
async fn a_report_holds_no_more_than_is_kept() {
    let long = Kept { head: Bytes::from(vec![b'x'; 5_000]), tail: Bytes::new(), total: 3 };
    let remote = liar(move || say(Answer::Report(report(1, long.clone())))).await;
    let keep = Keep { head: 10, tail: 20 };
    let report = soon(remote.run(command(keep), Announce::nobody())).await.unwrap();
    assert_eq!((report.stdout.head.len(), report.stdout.total), (30, 30));
    // More than could ever be kept is not even received.
    let long = Kept { head: Bytes::from(vec![b'x'; 1 << 20]), tail: Bytes::new(), total: 3 };
    let remote = liar(move || say(Answer::Report(self::report(1, long.clone())))).await;
    caught(&remote, remote.run(command(keep), Announce::nobody())).await;
}

#[tokio::test]
async fn a_command_has_one_number() {
    let kept = Kept::default;
    for lie in [
        vec![Answer::Announced(ProcessId(2)), Answer::Report(report(3, kept()))],
        vec![Answer::Announced(ProcessId(2)), Answer::Announced(ProcessId(2))],
        vec![Answer::Announced(ProcessId(0))],
        vec![Answer::Announced(ProcessId(u64::MAX))],
        vec![Answer::Report(report(0, kept()))],
    ] {
        let remote = liar(move || Reply::Say(lie.clone())).await;
        caught(&remote, remote.run(command(Keep::USUAL), Announce::nobody())).await;
    }
    let remote = liar(|| say(Answer::Started(ProcessId(0)))).await;
    caught(&remote, remote.start(command(Keep::USUAL))).await;
}

#[tokio::test]
async fn the_counts_of_output_add_up() {
    let piece = |bytes: &'static [u8]| Piece { stream: Stream::Stdout, bytes: bytes.into() };
    let good = Printed {
        start: 7,
        pieces: vec![piece(b"ab"), piece(b"c")],
        next: 10,
        missing: 2,
        total: 12,
        ended: None,
    };
    let ask = Ask { from: 5, most: 3, wait: Duration::ZERO };
    let honest = good.clone();
    let remote = liar(move || say(Answer::Printed(honest.clone()))).await;
    assert_eq!(remote.output(ProcessId(1), ask).await.unwrap(), good);
    for lie in [
        Printed { next: 9, ..good.clone() },
        Printed { missing: 0, ..good.clone() },
        Printed { start: 4, ..good.clone() },
        Printed { total: 9, ..good.clone() },
        Printed { pieces: vec![piece(b"abcd")], next: 11, ..good.clone() },
    ] {
        let remote = liar(move || say(Answer::Printed(lie.clone()))).await;
        caught(&remote, remote.output(ProcessId(1), ask)).await;
    }
}

#[tokio::test]
async fn a_listed_process_is_shown_within_bounds() {
    let process = Process {
        id: ProcessId(3),
        command: "é".repeat(500),
        background: false,
        terminal: false,
        age: Duration::MAX,
        printed: u64::MAX,
        ended: None,
    };
    let remote = liar(move || say(Answer::Processes(vec![process.clone()]))).await;
    let listed = Shell::list(&remote).await.unwrap();
    assert_eq!(listed[0].command.chars().count(), 200);
}

#[tokio::test]
async fn a_refusal_is_taken_over_within_bounds() {
    let error = garth_contract::Error::at(Code::NotAFile, &path("d"));
    let told = error.clone();
    let remote = liar(move || say(Answer::Refused(told.clone()))).await;
    let refused = remote.read(&path("d"), Span::Whole { at_most: 1 }).await;
    assert_eq!(refused, Err(error));
    stat(&remote).await.unwrap();
}

#[tokio::test]
async fn a_guest_that_opens_streams_is_let_go() {
    use garth_wire::hello;
    let fake = crate::fake::Fake::new(|mut pipe, _, _| async move {
        use tokio::io::AsyncWriteExt as _;
        hello::answer(&mut pipe, &crate::fake::welcome(1, 1)).await.unwrap();
        pipe.write_all(&[0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0]).await.unwrap();
        std::future::pending().await
    });
    let remote = fake.link().await;
    assert_eq!(code(stat(&remote).await), Code::ProviderUnavailable);
}

#[tokio::test]
async fn what_is_told_of_an_entry_is_told_of_the_path_that_was_asked_for() {
    let modified = UNIX_EPOCH.checked_sub(Duration::from_secs(5));
    let told = Told { kind: Kind::Dir, size: 0, modified, mode: Some(0o100_755) };
    let (fake, _) = guest(move |_| say(Answer::Told(told)));
    let remote = fake.link().await;
    let entry = remote.stat(&path("a/b"), garth_contract::Links::Keep).await.unwrap();
    assert_eq!((entry.path, entry.mode, entry.modified), (path("a/b"), Some(0o755), modified));
}
