//! Whatever a tool does, its caller gets a result, and so does the next one.

use std::{
    panic::{panic_any, resume_unwind},
    sync::{Arc, Mutex},
};

use garth_embed::{
    Answer, Bounds, BoxFuture, Code, Function, Registry, Result, Session, Tool, Value, Workspace,
    json,
};

use crate::fixture::{does, nothing, says, session};

fn beside(tool: impl Tool + 'static) -> Session {
    let mut registry = Registry::new(Bounds { at_once: 1, ..Bounds::standard() });
    registry.add(tool).unwrap();
    registry.add(says("hello", "hello")).unwrap();
    session(registry)
}

/// Calls the tool `bad`, which must fail as a panic, and then another.
async fn fails_alone(session: &Session) {
    for _ in 0..3 {
        let result = session.call("bad", json!({})).await;
        assert_eq!(result.code(), Some(Code::Internal));
        assert_eq!(result.message(), Some("the tool bad panicked"));
        assert_eq!(session.call("hello", json!({})).await.text(), "hello");
    }
}

#[tokio::test]
async fn a_panic_in_the_middle_of_a_tool_is_a_failure() {
    let session = beside(does("bad", || async {
        tokio::task::yield_now().await;
        panic!("secret content of a file");
    }));
    fails_alone(&session).await;
    let result = session.call("bad", json!({})).await;
    let body = serde_json::to_string(&result).unwrap();
    assert!(!body.contains("secret content"), "{body}");
}

#[tokio::test]
async fn a_panic_before_the_first_wait_is_a_failure() {
    let start: fn() -> std::future::Ready<Result<Answer>> = || panic!("at once");
    fails_alone(&beside(does("bad", start))).await;
}

#[tokio::test]
async fn a_panic_with_something_else_than_text_is_a_failure() {
    fails_alone(&beside(does("bad", || async { panic_any(42_u64) }))).await;
}

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("on drop");
        }
    }
}

#[tokio::test]
async fn a_panic_that_panics_again_when_it_is_dropped_is_a_failure() {
    fails_alone(&beside(does("bad", || async { resume_unwind(Box::new(PanicsOnDrop)) }))).await;
}

#[tokio::test]
async fn a_value_that_panics_when_the_tool_drops_it_is_a_failure() {
    let session = beside(does("bad", || async {
        let _late = PanicsOnDrop;
        Ok(Answer::text("done"))
    }));
    fails_alone(&session).await;
}

/// A tool whose future panics when it is dropped at the end.
struct Late;

struct LateRun(PanicsOnDrop);

impl Future for LateRun {
    type Output = Result<Answer>;

    fn poll(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        let _ = &self.0;
        std::task::Poll::Ready(Ok(Answer::text("done")))
    }
}

impl Tool for Late {
    fn name(&self) -> &str {
        "late"
    }

    fn summary(&self) -> &str {
        "Panics when all is done."
    }

    fn params(&self) -> Value {
        nothing()
    }

    fn run<'a>(&'a self, _: &'a Arc<Workspace>, _: Value) -> BoxFuture<'a, Result<Answer>> {
        Box::pin(LateRun(PanicsOnDrop))
    }
}

#[tokio::test]
async fn a_future_that_panics_when_it_is_dropped_takes_nothing_back() {
    let session = beside(Late);
    assert_eq!(session.call("late", json!({})).await.text(), "done");
    assert_eq!(session.call("hello", json!({})).await.text(), "hello");
}

#[tokio::test]
async fn a_call_that_is_dropped_contains_the_panics_of_its_end() {
    let session = beside(does("bad", || async {
        let _late = PanicsOnDrop;
        std::future::pending().await
    }));
    let mut call = Box::pin(session.call("bad", json!({})));
    let polled = std::future::poll_fn(|context| {
        std::task::Poll::Ready(call.as_mut().poll(context).is_pending())
    });
    assert!(polled.await);
    drop(call);
    assert_eq!(session.call("hello", json!({})).await.text(), "hello");
}

#[tokio::test]
async fn a_tool_that_left_its_own_lock_poisoned_fails_and_harms_no_other() {
    let lock = Arc::new(Mutex::new(0));
    let session = beside(does("bad", move || {
        let lock = Arc::clone(&lock);
        async move {
            let mut held = lock.lock().unwrap();
            *held += 1;
            panic!("with the lock held");
        }
    }));
    fails_alone(&session).await;
}

struct Shy;

impl Tool for Shy {
    fn name(&self) -> &str {
        "shy"
    }

    fn summary(&self) -> &str {
        "Panics when it is asked about itself."
    }

    fn params(&self) -> Value {
        panic!("no schema")
    }

    fn run<'a>(&'a self, _: &'a Arc<Workspace>, _: Value) -> BoxFuture<'a, Result<Answer>> {
        Box::pin(async { Ok(Answer::text("")) })
    }
}

#[test]
fn a_tool_that_panics_on_being_registered_is_refused() {
    let mut registry = Registry::new(Bounds::standard());
    assert_eq!(registry.add(Shy).unwrap_err().code(), Code::Internal);
    assert_eq!(registry.names().count(), 0);
}

#[tokio::test]
async fn a_tool_that_panics_while_it_changes_a_file_lets_the_next_change_it() {
    let tool = Function::new("bad", "Panics.", nothing(), |workspace, _| async move {
        let path = workspace.path("a.txt")?;
        let _held = workspace.hold(&[&path]).await;
        panic!("with the file's lock held");
    });
    let mut registry = crate::fixture::workspace_tools();
    registry.add(tool).unwrap();
    let session = session(registry);
    assert_eq!(session.call("bad", json!({})).await.code(), Some(Code::Internal));
    let written = session.call("write", json!({ "path": "a.txt", "content": "x" })).await;
    assert!(written.is_success(), "{written}");
}
