//! A tool that never ends is ended.

use std::{future::pending, time::Duration};

use garth_embed::{Answer, Bounds, Code, Function, Registry, Result, json};

use crate::fixture::{does, nothing, says, session, session_of};

const SOON: Duration = Duration::from_millis(5);

#[tokio::test]
async fn a_tool_that_never_ends_is_ended_at_its_own_deadline() {
    let tool = does("bad", pending::<Result<Answer>>).deadline(SOON);
    let bounds = Bounds { deadline: None, at_once: 1, ..Bounds::standard() };
    let mut registry = Registry::new(bounds);
    registry.add(tool).unwrap();
    registry.add(says("hello", "hello")).unwrap();
    let session = session(registry);
    let result = session.call("bad", json!({})).await;
    assert_eq!(result.code(), Some(Code::CommandTimeout));
    assert_eq!(result.message(), Some("the tool bad ran out of time after 5ms"));
    assert_eq!(session.call("hello", json!({})).await.text(), "hello");
}

#[tokio::test]
async fn a_tool_without_a_deadline_has_the_registrys() {
    let bounds = Bounds { deadline: Some(SOON), ..Bounds::standard() };
    let session = session_of(bounds, does("bad", pending::<Result<Answer>>));
    assert_eq!(session.call("bad", json!({})).await.code(), Some(Code::CommandTimeout));
}

#[tokio::test]
async fn a_tools_own_deadline_goes_before_the_registrys() {
    let bounds = Bounds { deadline: Some(Duration::ZERO), ..Bounds::standard() };
    let tool = does("slow", || async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        Ok(Answer::text("done"))
    });
    let session = session_of(bounds, tool.deadline(Duration::MAX));
    assert_eq!(session.call("slow", json!({})).await.text(), "done");
}

#[tokio::test]
async fn a_tool_that_is_busy_for_ever_is_ended_where_it_waits() {
    let tool = does("busy", || async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    let session = session_of(Bounds::standard(), tool.deadline(SOON));
    assert_eq!(session.call("busy", json!({})).await.code(), Some(Code::CommandTimeout));
}

fn bare_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[test]
fn without_a_timer_a_deadline_is_a_failure_that_says_so() {
    let session = session_of(Bounds::standard(), says("hello", "hello"));
    let result = bare_runtime().block_on(session.call("hello", json!({})));
    assert_eq!(result.code(), Some(Code::Internal));
    assert_eq!(result.message(), Some("a deadline needs the timer of a tokio runtime"));
}

#[test]
fn without_a_deadline_no_timer_is_needed() {
    let bounds = Bounds { deadline: None, ..Bounds::standard() };
    let session = session_of(bounds, says("hello", "hello"));
    assert_eq!(bare_runtime().block_on(session.call("hello", json!({}))).text(), "hello");
}

#[tokio::test]
async fn what_a_tool_did_before_its_deadline_stays_whole() {
    let tool = Function::new("half", "Writes and hangs.", nothing(), |workspace, _| async move {
        let path = workspace.path("a.txt")?;
        let put = garth_embed::Put {
            guard: garth_embed::Guard::Any,
            parents: garth_embed::Parents::Require,
            mode: None,
        };
        workspace.fs().write(&path, "whole".into(), put).await?;
        pending().await
    });
    let session = session_of(Bounds::standard(), tool.deadline(SOON));
    assert_eq!(session.call("half", json!({})).await.code(), Some(Code::CommandTimeout));
    let path = session.workspace().path("a.txt").unwrap();
    let content = session.workspace().current(&path).await.unwrap().unwrap();
    assert_eq!(content.bytes, "whole");
}
