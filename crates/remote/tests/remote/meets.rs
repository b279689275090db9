//! The first words: who is let in, and how long is waited.

use std::time::Duration;

use garth_contract::{Code, Filesystem, ProcessId, Shell};
use garth_remote::{Link, Patience, Remote};
use garth_wire::{Answer, Request};
use tokio::io::AsyncWriteExt;

use crate::fake::{Fake, Noticed, PATIENT, Reply, guest, say, soon, stat, until, welcome};

/// What opening a link is refused with.
async fn refused(fake: &Fake, patience: Patience) -> String {
    let opened = soon(Link::open(fake.clone(), ProcessId(1), patience)).await;
    let error = opened.err().expect("it was let in");
    assert_eq!(error.code(), Code::ProviderUnavailable);
    error.to_string()
}

#[tokio::test]
async fn a_guest_of_another_generation_is_told_apart() {
    let fake = Fake::new(|mut pipe, _, _| async move {
        pipe.write_all(b"\x7fgarth\r\n\x07\0\0\0\0\0\0\0").await.unwrap();
    });
    assert!(refused(&fake, PATIENT).await.contains("generation 7"));
}

#[tokio::test]
async fn what_is_no_guest_is_not_taken_for_one() {
    for words in [
        &b"Welcome to Debian GNU/Linux 12\n"[..],
        &[0; 100],
        b"\x7fgarth\r\n\x03\0\0\0\xff\xff\xff\xff",
    ] {
        let fake = Fake::new(move |mut pipe, _, _| async move {
            pipe.write_all(words).await.unwrap();
            // It stays, so that its words are all that speaks against it.
            std::future::pending().await
        });
        assert!(refused(&fake, PATIENT).await.contains("no guest"), "{words:?}");
    }
}

#[tokio::test]
async fn a_guest_that_ends_at_once_is_not_waited_for() {
    let fake = Fake::new(|_, _, _| async {});
    assert!(refused(&fake, PATIENT).await.contains("before it said hello"));
}

#[tokio::test]
async fn a_guest_that_says_nothing_is_waited_for_so_long_only() {
    let fake = Fake::new(|pipe, _, _| async move {
        std::future::pending::<()>().await;
        drop(pipe);
    });
    let patience = Patience { hello: Duration::from_millis(50), ..PATIENT };
    assert!(refused(&fake, patience).await.contains("does not say hello"));
}

#[tokio::test]
async fn a_guest_that_falls_silent_is_given_up() {
    let (fake, _) = guest(|_| Reply::Silence);
    let patience = Patience { silence: Duration::from_millis(200), ..PATIENT };
    let link = Link::open(fake, ProcessId(1), patience).await.unwrap();
    let error = stat(&Remote::new(link)).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert!(error.message().contains("does not answer"), "{error}");
}

#[tokio::test]
async fn a_guest_that_answers_pings_may_take_its_time() {
    let (fake, log) = guest(|request| match request {
        Request::Ping => say(Answer::Done),
        _ => Reply::Silence,
    });
    let patience = Patience { silence: Duration::from_millis(400), ..PATIENT };
    let link = Link::open(fake, ProcessId(1), patience).await.unwrap();
    let remote = Remote::new(link);
    let waiting = tokio::spawn({
        let remote = remote.clone();
        async move { stat(&remote).await }
    });
    // Asked for a sign more often than any silence lasts, and still waited for.
    let pings = || {
        let log = log.lock().unwrap();
        log.iter().filter(|one| **one == Noticed::Asked("Ping".to_owned())).count()
    };
    until(|| pings() >= 12).await;
    assert!(!waiting.is_finished());
    waiting.abort();
}

#[tokio::test]
async fn what_a_guest_can_do_is_what_it_said() {
    let (fake, _) = guest(|_| Reply::Silence);
    let remote = fake.link().await;
    assert_eq!(Filesystem::abilities(&remote), welcome(1, 1).files);
    assert_eq!(Shell::abilities(&remote), welcome(1, 1).shell);
}
