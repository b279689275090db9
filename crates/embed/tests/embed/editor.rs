//! An agent in an editor: its backend is what the client negotiated, and its tools
//! work on what the person there sees.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use garth_embed::{
    Backend, EditorSession, Policy, Session, Setup,
    editor::{
        Bounds, Buffers, Trouble,
        schema::{
            ClientCapabilities, Error, FileSystemCapabilities, ReadTextFileRequest,
            ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
        },
    },
    json,
};
use tempfile::TempDir;

use crate::fixture::workspace_tools;

/// A connection of the author's own: buffers, none of them saved.
#[derive(Clone, Default)]
struct Open {
    buffers: Arc<Mutex<HashMap<PathBuf, String>>>,
    asked: Arc<Mutex<Vec<&'static str>>>,
}

impl Open {
    fn buffer(&self, path: &Path) -> Option<String> {
        self.buffers.lock().unwrap().get(path).cloned()
    }

    fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Buffers for Open {
    async fn read(&self, request: ReadTextFileRequest) -> Result<ReadTextFileResponse, Trouble> {
        self.asked.lock().unwrap().push("read");
        match self.buffer(&request.path) {
            Some(text) => Ok(ReadTextFileResponse::new(text)),
            None => Err(Trouble::Refused(Error::resource_not_found(None))),
        }
    }

    async fn write(&self, request: WriteTextFileRequest) -> Result<WriteTextFileResponse, Trouble> {
        self.asked.lock().unwrap().push("write");
        self.buffers.lock().unwrap().insert(request.path, request.content);
        Ok(WriteTextFileResponse::new())
    }
}

fn session(dir: &TempDir, client: &Open, (read, write): (bool, bool)) -> Session {
    let files = FileSystemCapabilities::new().read_text_file(read).write_text_file(write);
    let capabilities = ClientCapabilities::new().fs(files);
    let opened = EditorSession {
        id: "session-1".into(),
        capabilities: &capabilities,
        cwd: dir.path(),
        bounds: Bounds::USUAL,
    };
    let backend = Backend::editor(client.clone(), opened, Policy::open()).unwrap();
    Session::new(Arc::new(workspace_tools()), Setup::standard(backend)).unwrap()
}

/// A directory with a file that a person changed and did not save.
fn scene() -> (TempDir, Open, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    std::fs::write(&path, "one\nsaved\n").unwrap();
    let client = Open::default();
    client.buffers.lock().unwrap().insert(path.clone(), "one\ntyped\n".to_owned());
    (dir, client, path)
}

#[tokio::test]
async fn tools_read_find_and_edit_what_a_person_typed() {
    let (dir, client, path) = scene();
    let session = session(&dir, &client, (true, true));
    let read = session.call("read", json!({ "path": "a.txt" })).await;
    assert_eq!(read.text(), "1: one\n2: typed");
    let found = session.call("grep", json!({ "pattern": "typed", "output": "files" })).await;
    assert!(found.text().contains("a.txt"), "{}", found.text());
    let found = session.call("grep", json!({ "pattern": "saved", "output": "files" })).await;
    assert!(!found.text().contains("a.txt"), "{}", found.text());
    let edit = json!({ "path": "a.txt", "old_string": "typed", "new_string": "typed\nedited" });
    let edited = session.call("edit", edit).await;
    assert!(edited.is_success(), "{}", edited.text());
    assert_eq!(client.buffer(&path).unwrap(), "one\ntyped\nedited\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\nsaved\n");
}

#[tokio::test]
async fn the_backend_is_what_the_client_negotiated() {
    for (read, write) in [(true, true), (true, false), (false, true), (false, false)] {
        let (dir, client, path) = scene();
        let session = session(&dir, &client, (read, write));
        let seen = session.call("read", json!({ "path": "a.txt" })).await;
        assert_eq!(seen.text(), if read { "1: one\n2: typed" } else { "1: one\n2: saved" });
        let put = json!({ "path": "new.txt", "content": "new\n" });
        let written = session.call("write", put).await;
        assert!(written.is_success(), "{}", written.text());
        let new = dir.path().join("new.txt");
        assert_eq!(client.buffer(&new).is_some(), write);
        assert_eq!(new.exists(), !write);
        let again = session.call("read", json!({ "path": "new.txt" })).await;
        assert_eq!(again.text(), "1: new");
        let asked = client.asked();
        assert_eq!(asked.contains(&"read"), read, "{asked:?}");
        assert_eq!(asked.contains(&"write"), write, "{asked:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\nsaved\n");
    }
}

#[tokio::test]
async fn an_image_comes_with_its_bytes_though_the_client_has_only_texts() {
    let (dir, client, _) = scene();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    std::fs::write(dir.path().join("logo.png"), png).unwrap();
    let session = session(&dir, &client, (true, true));
    let read = session.call("read", json!({ "path": "logo.png" })).await;
    let attached = read.attachment().unwrap();
    assert_eq!((attached.media_type, &attached.bytes[..]), ("image/png", &png[..]));
    assert_eq!(client.asked(), [""; 0]);
}

#[tokio::test]
async fn a_directory_that_a_client_cannot_mean_is_refused() {
    let capabilities = ClientCapabilities::new();
    for cwd in ["relative", "/a/../b", "/a/./b"] {
        let opened = EditorSession {
            id: "session-1".into(),
            capabilities: &capabilities,
            cwd: Path::new(cwd),
            bounds: Bounds::USUAL,
        };
        let refused = Backend::editor(Open::default(), opened, Policy::open());
        assert_eq!(refused.map(drop).unwrap_err().code(), garth_embed::Code::InvalidPath);
    }
}
