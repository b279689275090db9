//! A session's files are exchanged, forked, kept and put back.

use std::future::poll_fn;

use garth_embed::{Access, Answer, Backend, Bounds, Code, Function, Policy, Session, Setup, json};
use tokio::sync::oneshot;

use crate::fixture::{memory, nothing, session, workspace_session, workspace_tools};

async fn write(session: &Session, content: &str) {
    let result = session.call("write", json!({ "path": "a.txt", "content": content })).await;
    assert!(result.is_success(), "{result}");
}

async fn read(session: &Session) -> String {
    session.call("read", json!({ "path": "a.txt" })).await.text().to_owned()
}

#[tokio::test]
async fn tools_work_on_the_files_that_are_active() {
    let session = workspace_session();
    write(&session, "first").await;
    let former = session.swap(Setup::standard(memory())).unwrap();
    assert_eq!(
        session.call("read", json!({ "path": "a.txt" })).await.code(),
        Some(Code::FileNotFound)
    );
    write(&session, "second").await;
    session.swap(former).unwrap();
    assert_eq!(read(&session).await, "1: first");
}

#[tokio::test]
async fn a_call_stays_with_the_files_it_began_on() {
    let (go, wait) = oneshot::channel::<()>();
    let wait = std::sync::Mutex::new(Some(wait));
    let tool = Function::new("late", "Writes late.", nothing(), move |workspace, _| {
        let wait = wait.lock().unwrap().take();
        async move {
            wait.unwrap().await.unwrap();
            let path = workspace.path("a.txt")?;
            let put = garth_embed::Put {
                guard: garth_embed::Guard::Any,
                parents: garth_embed::Parents::Require,
                mode: None,
            };
            workspace.fs().write(&path, "late".into(), put).await?;
            Ok(Answer::text("done"))
        }
    });
    let mut registry = workspace_tools();
    registry.add(tool).unwrap();
    let session = session(registry);
    let mut call = Box::pin(session.call("late", json!({})));
    poll_fn(|context| std::task::Poll::Ready(call.as_mut().poll(context).is_pending())).await;
    let former = session.swap(Setup::standard(memory())).unwrap();
    go.send(()).unwrap();
    assert_eq!(call.await.text(), "done");
    assert_eq!(
        session.call("read", json!({ "path": "a.txt" })).await.code(),
        Some(Code::FileNotFound)
    );
    session.swap(former).unwrap();
    assert_eq!(read(&session).await, "1: late");
}

#[tokio::test]
async fn a_fork_goes_its_own_way() {
    let session = workspace_session();
    write(&session, "before").await;
    let fork = session.fork().unwrap();
    write(&fork, "forked").await;
    assert_eq!(read(&session).await, "1: before");
    write(&session, "after").await;
    assert_eq!(read(&fork).await, "1: forked");
}

#[tokio::test]
async fn what_was_kept_can_be_put_back() {
    let session = workspace_session();
    write(&session, "careful").await;
    let kept = session.snapshot().unwrap();
    write(&session, "bold").await;
    session.restore(&kept).unwrap();
    assert_eq!(read(&session).await, "1: careful");
}

#[tokio::test]
async fn a_directory_is_neither_forked_nor_kept() {
    let directory = tempfile::tempdir().unwrap();
    let backend = Backend::host(directory.path(), Policy::open()).unwrap();
    let session = Session::new(workspace_tools().into(), Setup::standard(backend)).unwrap();
    assert_eq!(session.fork().unwrap_err().code(), Code::Unsupported);
    assert_eq!(session.snapshot().unwrap_err().code(), Code::Unsupported);
}

#[tokio::test]
async fn a_directory_is_known_by_its_own_path_and_left_by_no_other() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.txt"), "on disk\n").unwrap();
    let backend = Backend::host(directory.path(), Policy::open()).unwrap();
    let session = Session::new(workspace_tools().into(), Setup::standard(backend)).unwrap();
    let own = directory.path().join("a.txt");
    for path in [own.to_str().unwrap(), "/workspace/a.txt", "a.txt"] {
        assert_eq!(session.call("read", json!({ "path": path })).await.text(), "1: on disk");
    }
    for path in ["/etc/passwd", "../a.txt"] {
        let result = session.call("read", json!({ "path": path })).await;
        assert_eq!(result.code(), Some(Code::PathOutsideWorkspace));
    }
}

#[tokio::test]
async fn a_policy_holds_for_every_tool() {
    let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
    let setup = Setup::standard(Backend::memory(policy).unwrap());
    let session = Session::new(workspace_tools().into(), setup).unwrap();
    let result = session.call("write", json!({ "path": "a", "content": "" })).await;
    assert_eq!(result.code(), Some(Code::ReadOnly));
    assert_eq!(Bounds::standard().at_once, 64);
}

#[test]
fn a_session_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Session>();
    fn sent<T: Send>(_: T) {}
    let session = workspace_session();
    sent(session.call("read", json!({})));
    sent(session.call_text("read", ""));
}
