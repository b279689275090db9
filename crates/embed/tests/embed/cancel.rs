//! A call that is dropped ends its tool and gives its place away.

use std::{
    future::{pending, poll_fn},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::Poll,
};

use garth_embed::{Answer, Bounds, Registry, Result, ToolResult, json};

use crate::fixture::{does, says, session};

struct Counts(Arc<AtomicU32>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

async fn pends(call: &mut (impl Future<Output = ToolResult> + Unpin)) -> bool {
    poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *call).poll(context).is_pending())).await
}

#[tokio::test]
async fn a_dropped_call_drops_its_tool_at_once() {
    let dropped = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&dropped);
    let hang = does("hang", move || {
        let counts = Counts(Arc::clone(&counter));
        async move {
            let _counts = counts;
            pending::<Result<Answer>>().await
        }
    });
    let mut registry = Registry::new(Bounds { at_once: 1, ..Bounds::standard() });
    registry.add(hang).unwrap();
    registry.add(says("hello", "hello")).unwrap();
    let session = session(registry);

    let mut call = Box::pin(session.call("hang", json!({})));
    assert!(pends(&mut call).await);
    let mut waiting = Box::pin(session.call("hello", json!({})));
    assert!(pends(&mut waiting).await, "there is one place, and it is taken");
    assert_eq!(dropped.load(Ordering::SeqCst), 0);

    drop(call);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(waiting.await.text(), "hello");
}

#[tokio::test]
async fn a_call_that_is_dropped_while_it_waits_never_begins() {
    let begun = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&begun);
    let hang = does("hang", move || {
        counter.fetch_add(1, Ordering::SeqCst);
        pending::<Result<Answer>>()
    });
    let mut registry = Registry::new(Bounds { at_once: 1, ..Bounds::standard() });
    registry.add(hang).unwrap();
    let session = session(registry);
    let mut first = Box::pin(session.call("hang", json!({})));
    assert!(pends(&mut first).await);
    for _ in 0..1000 {
        let mut waiting = Box::pin(session.call("hang", json!({})));
        assert!(pends(&mut waiting).await);
    }
    assert_eq!(begun.load(Ordering::SeqCst), 1);
}
