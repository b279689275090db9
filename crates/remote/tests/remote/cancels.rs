//! Calls that are dropped: the guest hears of it, and nothing comes after.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use garth_contract::{
    Announce, Command, Facts, Filesystem, Flow, Found, Guard, Hidden, Ignored, Kind, Kinds, Order,
    Owned, Parents, Program, Put, Query, Reach, Shell, Sink, Span, Summary, Total, Version,
    Written,
};
use garth_remote::Patience;
use garth_wire::{Answer, Request, Results, Told};

use crate::fake::{Log, Noticed, PATIENT, Reply, guest, path, say, soon, stat, until};

/// Longer than any test.
const NEVER: Duration = Duration::from_secs(100_000);

const TOLD: Told = Told { kind: Kind::File, size: 1, modified: None, mode: None };

fn noticed(log: &Log) -> Vec<Noticed> {
    log.lock().unwrap().clone()
}

fn asked(word: &str) -> Noticed {
    Noticed::Asked(word.to_owned())
}

/// Polls a call once.
async fn begun<F: Future>(mut call: std::pin::Pin<&mut F>) {
    std::future::poll_fn(|context| {
        assert!(call.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn a_dropped_call_is_given_up_by_the_guest() {
    let (fake, log) = guest(|request| match request {
        Request::Stat(..) => say(Answer::Told(TOLD)),
        _ => Reply::Silence,
    });
    let remote = fake.link().await;
    let command = Command::new(Program::script("sleep 1000").unwrap());
    {
        let mut run = std::pin::pin!(Shell::run(&remote, command, Announce::nobody()));
        begun(run.as_mut()).await;
        until(|| noticed(&log).contains(&asked("Run"))).await;
    }
    until(|| noticed(&log).contains(&Noticed::GivenUp)).await;
    stat(&remote).await.unwrap();
}

#[tokio::test]
async fn a_change_waits_until_a_dropped_one_is_over() {
    let (fake, log) = guest(|request| match request {
        Request::Write(_, content, _) if content == "first" => Reply::Silence,
        Request::Write(_, content, _) => {
            let version = Version::of(&content);
            say(Answer::Written(Written { version, created: true, modified: None }))
        }
        _ => say(Answer::Told(TOLD)),
    });
    let remote = fake.link().await;
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    for _ in 0..50 {
        log.lock().unwrap().clear();
        {
            let (path, put) = (path("f"), put.clone());
            let mut first = std::pin::pin!(remote.write(&path, "first".into(), put));
            begun(first.as_mut()).await;
        }
        soon(remote.write(&path("f"), "later".into(), put.clone())).await.unwrap();
        let noticed = noticed(&log);
        // The first may never have left; if it did, it was over before the later came.
        let wanted = [asked("Write"), Noticed::GivenUp, asked("Write")];
        assert!(noticed == wanted || noticed == wanted[2..], "{noticed:?}");
    }
}

#[tokio::test]
async fn a_change_is_not_held_up_by_a_look_between_it_and_a_dropped_one() {
    let may_end = Arc::new(AtomicBool::new(false));
    let lingers = Arc::clone(&may_end);
    let (fake, log) = guest(move |request| match request {
        Request::Write(_, content, _) if content == "first" => Reply::Linger(Arc::clone(&lingers)),
        Request::Write(_, content, _) => {
            let version = Version::of(&content);
            say(Answer::Written(Written { version, created: true, modified: None }))
        }
        _ => say(Answer::Told(TOLD)),
    });
    // So that nothing but its end lets the later one through.
    let remote = fake.link_with(Patience { silence: NEVER, ..PATIENT }).await;
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    for turn in 1..=20 {
        may_end.store(false, Ordering::SeqCst);
        let (path, first) = (path("f"), put.clone());
        let mut first = Box::pin(remote.write(&path, "first".into(), first));
        tokio::select! {
            _ = &mut first => panic!("it ended"),
            () = until(|| noticed(&log).ends_with(&[asked("Write")])) => {}
        }
        drop(first);
        stat(&remote).await.unwrap();
        may_end.store(true, Ordering::SeqCst);
        soon(remote.write(&path, "later".into(), put.clone())).await.unwrap();
        let over = noticed(&log).iter().filter(|one| **one == Noticed::GivenUp).count();
        assert_eq!(over, turn);
        stat(&remote).await.unwrap();
    }
}

#[tokio::test]
async fn a_dropped_read_of_much_takes_no_more() {
    // The guest never stops sending, until it hears that nobody wants it.
    let (fake, log) = guest(|request| match request {
        Request::Find(_) => {
            Reply::Repeat(Answer::Found(Results(vec![Owned::Name(path("n"), Kind::File); 100])))
        }
        _ => say(Answer::Told(TOLD)),
    });
    let remote = fake.link().await;
    let blocked = Arc::new(Blocked::default());
    let query = query();
    {
        let mut find = std::pin::pin!(remote.find(&query, Arc::clone(&blocked) as _));
        begun(find.as_mut()).await;
        let entered = async { until(|| *blocked.entered.lock().unwrap()).await };
        tokio::select! { _ = find.as_mut() => panic!("it ended"), () = entered => {} }
        // A sink that blocks holds its own search back and no other call.
        stat(&remote).await.unwrap();
    }
    blocked.let_go();
    until(|| noticed(&log).contains(&Noticed::GivenUp)).await;
    // Nobody has the sink any more, and it was called for the one result it was in.
    until(|| Arc::strong_count(&blocked) == 1).await;
    assert_eq!(*blocked.calls.lock().unwrap(), 1);
    stat(&remote).await.unwrap();
}

/// A sink that stays in its first call until it is let go.
#[derive(Default)]
struct Blocked {
    entered: Mutex<bool>,
    calls: Mutex<u64>,
    open: Mutex<bool>,
    opened: Condvar,
}

impl Blocked {
    fn let_go(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

impl Sink for Blocked {
    fn accept(&self, _: Found<'_>) -> Flow {
        *self.calls.lock().unwrap() += 1;
        *self.entered.lock().unwrap() = true;
        let open = self.open.lock().unwrap();
        drop(self.opened.wait_while(open, |open| !*open).unwrap());
        Flow::Continue
    }
}

fn query() -> Query {
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
        take: u64::MAX,
        after: None,
    }
}

#[tokio::test]
async fn a_tree_goes_on_where_a_part_of_it_was_dropped() {
    use garth_contract::{Clobber, Code, Error, Landed, Part, Stamp};
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let (fake, _) = guest(move |request| {
        if let Request::Parts(parts) = &request {
            let bytes: usize = parts
                .iter()
                .map(|part| if let Part::Bytes(bytes) = part { bytes.len() } else { 0 })
                .sum();
            told.lock().unwrap().push(bytes);
            let refused = Answer::Refused(Error::of(Code::FileExists));
            return say(if bytes == 1 { refused } else { Answer::Done });
        }
        match request {
            Request::Land(_) => say(Answer::Landed(Landed { replaced: 3 })),
            _ => say(Answer::Done),
        }
    });
    let remote = fake.link().await;
    let mut stage = soon(Filesystem::stage(&remote, &path(""))).await.unwrap();
    let stamp = Stamp { mode: None, modified: None };
    let parts = |size| {
        let bytes = Part::Bytes(vec![b'x'; size].into());
        vec![Part::File { path: path("f"), stamp }, bytes]
    };
    // Longer than the pipe takes at once, so that it is dropped in the middle of a
    // message; then one that is refused, which nobody hears.
    begun(std::pin::pin!(stage.add(parts(200_000)))).await;
    begun(std::pin::pin!(stage.add(parts(1)))).await;
    soon(stage.add(parts(1_300_000))).await.unwrap();
    let error = soon(stage.add(parts(1))).await.unwrap_err();
    assert_eq!(error.code(), Code::FileExists);
    assert_eq!(soon(stage.land(Clobber::Refuse)).await.unwrap().replaced, 3);
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen.first(), Some(&200_000), "what was begun is sent to its end");
    let rest: usize = seen.iter().skip(1).filter(|size| **size > 1).sum();
    assert_eq!(rest, 1_300_000);
    assert!(seen.iter().all(|size| *size <= 512 << 10), "{seen:?}");
}

#[tokio::test]
async fn results_come_in_order_however_many_there_are() {
    let results = |from: u64| {
        let name = |number| Owned::Name(path(&format!("{number:05}")), Kind::File);
        Answer::Found(Results((from..from + 100).map(name).collect()))
    };
    let (fake, _) = guest(move |_| {
        let mut answers: Vec<_> = (0..50).map(|batch| results(batch * 100)).collect();
        let total = Total::Exact(5_000);
        answers.push(Answer::Summary(Summary {
            given: 5_000,
            total,
            searched: 0,
            binary: 0,
            unreadable: 0,
        }));
        Reply::Say(answers)
    });
    let remote = fake.link().await;
    let sink = Arc::new(garth_contract::Collect::default());
    let summary = soon(remote.find(&query(), Arc::clone(&sink) as _)).await.unwrap();
    assert_eq!(summary.given, 5_000);
    let found = sink.take();
    assert_eq!(found.len(), 5_000);
    assert!(found.iter().enumerate().all(|(number, found)| {
        matches!(found, Owned::Name(name, _) if *name == path(&format!("{number:05}")))
    }));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_all_have_their_answers() {
    let (fake, _) = guest(|request| match request {
        Request::Read(path, _) => {
            let bytes = bytes::Bytes::copy_from_slice(path.as_bytes());
            say(Answer::Content(garth_contract::Content {
                size: bytes.len() as u64,
                bytes,
                offset: 0,
                known: None,
                lines: None,
                modified: None,
                mode: None,
            }))
        }
        _ => Reply::Silence,
    });
    let remote = fake.link().await;
    let calls: Vec<_> = (0..1_000)
        .map(|number| {
            let (remote, name) = (remote.clone(), path(&number.to_string()));
            tokio::spawn(async move {
                let content = remote.read(&name, Span::Whole { at_most: 100 }).await.unwrap();
                assert_eq!(&content.bytes[..], name.as_bytes());
            })
        })
        .collect();
    for call in calls {
        soon(call).await.unwrap();
    }
}
