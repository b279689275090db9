//! Guests that vanish, and what is known of those that come after them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use futures_core::Stream;
use garth_contract::{
    Ask, Change, Code, Command, Event, Filesystem, Hidden, Ignored, Kind, ProcessId, Program,
    Reach, Shell, WatchSpec,
};
use garth_wire::{Answer, Request, Told};
use std::time::Duration;

use crate::fake::{Fake, Log, Reply, code, guest, path, say, serve, soon, stat, until, welcome};

const TOLD: Told = Told { kind: Kind::File, size: 1, modified: None, mode: None };
const ASK: Ask = Ask { from: 0, most: 1, wait: Duration::ZERO };

fn command() -> Command {
    Command::new(Program::script("x").unwrap())
}

/// What a plain guest replies: it dies when it is asked for processes.
fn plain(request: &Request, process: u64) -> Reply {
    match request {
        Request::Stat(..) => say(Answer::Told(TOLD)),
        Request::Start(_) => say(Answer::Started(ProcessId(process))),
        Request::Processes => Reply::Die,
        _ => say(Answer::Done),
    }
}

#[tokio::test]
async fn calls_under_way_fail_when_the_guest_is_gone_and_the_next_is_served() {
    let (fake, _) = guest(|request| plain(&request, 1));
    let remote = fake.link().await;
    // The second of them dies with the first.
    let (one, other) = tokio::join!(soon(Shell::list(&remote)), soon(Shell::list(&remote)));
    assert_eq!((code(one), code(other)), (Code::ProviderUnavailable, Code::ProviderUnavailable));
    stat(&remote).await.unwrap();
    assert_eq!(fake.made(), 2);
}

#[tokio::test]
async fn a_guest_that_vanishes_between_calls_is_met_again() {
    let (tell, told) = tokio::sync::watch::channel(());
    let fake = Fake::new(move |pipe, number, _| {
        let mut told = told.clone();
        async move {
            let served = serve(pipe, welcome(1, 1), Log::default(), |request| plain(&request, 1));
            if number == 0 {
                tokio::select! { () = served => {}, _ = told.changed() => {} }
            } else {
                served.await;
            }
        }
    });
    let remote = fake.link().await;
    stat(&remote).await.unwrap();
    tell.send(()).unwrap();
    // As soon as the end of the pipe is seen, which no call has to wait for.
    until(|| tell.receiver_count() <= 1).await;
    soon(async { while stat(&remote).await.is_err() {} }).await;
    assert_eq!(fake.made(), 2);
}

#[tokio::test]
async fn processes_of_the_same_life_are_known_after_a_new_pipe() {
    let (fake, log) = guest(|request| plain(&request, 5));
    let remote = fake.link().await;
    assert_eq!(remote.start(command()).await.unwrap(), ProcessId(5));
    assert_eq!(code(Shell::list(&remote).await), Code::ProviderUnavailable);
    remote.signal(ProcessId(5), garth_contract::Signal::TERM).await.unwrap();
    assert_eq!(fake.made(), 2);
    assert!(format!("{log:?}").contains("Signal"));
}

#[tokio::test]
async fn processes_of_another_life_are_lost_and_numbers_are_not_used_again() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let fake = Fake::new(move |pipe, number, first| {
        noted.lock().unwrap().push(first);
        let life = u8::try_from(number).unwrap();
        serve(pipe, welcome(life, first.0), Log::default(), move |request| {
            plain(&request, first.0 + 2)
        })
    });
    let remote = fake.link().await;
    let old = remote.start(command()).await.unwrap();
    assert_eq!(old, ProcessId(3));
    assert_eq!(code(Shell::list(&remote).await), Code::ProviderUnavailable);
    let lost = soon(remote.output(old, ASK)).await.unwrap_err();
    assert_eq!(lost.code(), Code::InvalidParams);
    assert!(lost.message().contains("p3 is lost"), "{lost}");
    let never = soon(remote.output(ProcessId(0), ASK)).await.unwrap_err();
    assert!(!never.message().contains("lost"), "{never}");
    assert_eq!(remote.start(command()).await.unwrap(), ProcessId(6));
    assert_eq!(*asked.lock().unwrap(), [ProcessId(1), ProcessId(4)]);
}

#[tokio::test]
async fn a_new_guest_that_counts_anew_is_not_taken() {
    let fake = Fake::new(|pipe, number, _| {
        let life = u8::try_from(number).unwrap();
        serve(pipe, welcome(life, 1), Log::default(), |request| plain(&request, 3))
    });
    let remote = fake.link().await;
    remote.start(command()).await.unwrap();
    assert_eq!(code(Shell::list(&remote).await), Code::ProviderUnavailable);
    let error = stat(&remote).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert!(error.message().contains("counts processes anew"), "{error}");
}

#[tokio::test]
async fn many_who_wait_for_a_guest_that_does_not_come_are_told_by_one_try() {
    let (tell, told) = tokio::sync::watch::channel(false);
    let fake = Fake::new(move |pipe, number, _| {
        let mut told = told.clone();
        async move {
            if number == 0 {
                serve(pipe, welcome(1, 1), Log::default(), |request| plain(&request, 1)).await;
            } else {
                // It says nothing until all have come to wait for it.
                told.wait_for(|gone| *gone).await.unwrap();
            }
        }
    });
    let remote = fake.link().await;
    assert_eq!(code(Shell::list(&remote).await), Code::ProviderUnavailable);
    let begun = Arc::new(AtomicU64::new(0));
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let (remote, begun) = (remote.clone(), Arc::clone(&begun));
            tokio::spawn(async move {
                begun.fetch_add(1, Ordering::SeqCst);
                stat(&remote).await
            })
        })
        .collect();
    // One thread: whoever has begun has run until it waits.
    until(|| begun.load(Ordering::SeqCst) == 10 && fake.made() == 2).await;
    tell.send(true).unwrap();
    for call in calls {
        assert_eq!(code(call.await.unwrap()), Code::ProviderUnavailable);
    }
    assert_eq!(fake.made(), 2);
}

#[tokio::test]
async fn a_watch_whose_guest_is_gone_overflows_and_ends() {
    let changed = Event::Changed { path: path("f"), change: Change::Created };
    let event = changed.clone();
    let (fake, _) = guest(move |request| match request {
        Request::Watch(_) => Reply::Say(vec![Answer::Done, Answer::Events(vec![event.clone()])]),
        other => plain(&other, 1),
    });
    let remote = fake.link().await;
    let (hidden, ignored) = (Hidden::Include, Ignored::Include);
    let spec = WatchSpec { path: path(""), reach: Reach::Tree, hidden, ignored };
    let mut watch = remote.watch(&spec).await.unwrap();
    let mut next = async || {
        soon(std::future::poll_fn(|context| Stream::poll_next(watch.as_mut(), context))).await
    };
    assert_eq!(next().await, Some(changed));
    assert_eq!(code(Shell::list(&remote).await), Code::ProviderUnavailable);
    assert_eq!(next().await, Some(Event::Overflow));
    assert_eq!(next().await, None);
}

#[tokio::test]
async fn a_link_that_is_dropped_closes_its_pipe() {
    let (gone, went) = tokio::sync::oneshot::channel();
    let gone = Mutex::new(Some(gone));
    let fake = Fake::new(move |pipe, _, _| {
        let gone = gone.lock().unwrap().take().unwrap();
        async move {
            serve(pipe, welcome(1, 1), Log::default(), |request| plain(&request, 1)).await;
            gone.send(()).unwrap();
        }
    });
    let remote = fake.link().await;
    stat(&remote).await.unwrap();
    drop(remote);
    soon(went).await.unwrap();
}
