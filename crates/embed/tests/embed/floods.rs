//! Thousands of calls at once: all are answered, few run, nothing piles up.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use garth_embed::{Answer, Bounds, Code, Registry, json};

use crate::fixture::{does, session, workspace_session, workspace_tools};

const CALLS: usize = 5_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thousands_of_calls_at_once_are_all_answered_and_few_run() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, peak) = (Arc::clone(&running), Arc::clone(&most));
    let tool = does("heavy", move || {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            let count = now.fetch_add(1, Ordering::SeqCst) + 1;
            peak.fetch_max(count, Ordering::SeqCst);
            let held = vec![1_u8; 1 << 20];
            tokio::task::yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(Answer::text(held.len().to_string()))
        }
    });
    let mut registry = Registry::new(Bounds { at_once: 8, ..Bounds::standard() });
    registry.add(tool).unwrap();
    let session = Arc::new(session(registry));
    let calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let session = Arc::clone(&session);
            tokio::spawn(async move { session.call("heavy", json!({})).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().text(), "1048576");
    }
    assert_eq!(running.load(Ordering::SeqCst), 0);
    assert!(most.load(Ordering::SeqCst) <= 8, "{most:?} ran at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thousands_of_changes_at_once_lose_nothing() {
    let session = Arc::new(workspace_session());
    session.call("write", json!({ "path": "n.txt", "content": "" })).await;
    let calls: Vec<_> = (0..1_000)
        .map(|index| {
            let session = Arc::clone(&session);
            let path = format!("d/{index}.txt");
            tokio::spawn(async move {
                session.call("write", json!({ "path": path, "content": "x\n" })).await
            })
        })
        .collect();
    for call in calls {
        let result = call.await.unwrap();
        assert!(result.is_success(), "{result}");
    }
    let found = session.call("glob", json!({ "pattern": "d/*.txt" })).await;
    assert_eq!(found.text().lines().filter(|line| line.starts_with("d/")).count(), 1_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn good_bad_and_panicking_calls_do_not_disturb_each_other() {
    let mut registry = workspace_tools();
    registry.add(does("bad", || async { panic!("bad") })).unwrap();
    let session = Arc::new(session(registry));
    session.call("write", json!({ "path": "a.txt", "content": "x\n" })).await;
    let calls: Vec<_> = (0..300)
        .map(|index| {
            let session = Arc::clone(&session);
            tokio::spawn(async move {
                match index % 3 {
                    0 => session.call("bad", json!({})).await,
                    1 => session.call("none", json!({})).await,
                    _ => session.call("read", json!({ "path": "a.txt" })).await,
                }
            })
        })
        .collect();
    for (index, call) in calls.into_iter().enumerate() {
        let expected = [Some(Code::Internal), Some(Code::UnknownMethod), None];
        assert_eq!(call.await.unwrap().code(), expected[index % 3]);
    }
}
