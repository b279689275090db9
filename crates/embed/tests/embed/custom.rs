//! A backend of the author's own: the tools work on it, and on its failures.

use std::{future::pending, sync::Arc, time::Duration};

use garth_embed::{
    Abilities, Backend, Bounds, Bytes, Code, Content, Depth, Entry, Error, Filesystem, Links,
    Listing, Made, Move, Page, Parents, Put, Query, Removed, Renamed, Result, Section, Setup, Sink,
    Span, Summary, Watch, WatchSpec, Written, WsPath, json,
};

/// A place that hangs on reads, panics on writes and can nothing else.
struct Broken;

fn cannot<T>() -> Result<T> {
    Err(Error::of(Code::Unsupported))
}

impl Filesystem for Broken {
    fn abilities(&self) -> Abilities {
        Abilities {
            write: true,
            rename: false,
            empty_dirs: false,
            symlinks: false,
            special_files: false,
            modes: false,
            any_names: false,
            watch: false,
            find: false,
            trees: false,
            durable: false,
        }
    }

    async fn stat(&self, _: &WsPath, _: Links) -> Result<Entry> {
        cannot()
    }

    async fn list(&self, _: &WsPath, _: Page) -> Result<Listing> {
        cannot()
    }

    async fn read(&self, path: &WsPath, _: Span) -> Result<Content> {
        if path.to_string() == "new" {
            return Err(Error::at(Code::FileNotFound, path));
        }
        pending().await
    }

    async fn write(&self, _: &WsPath, _: Bytes, _: Put) -> Result<Written> {
        panic!("the disk is on fire")
    }

    async fn make_dir(&self, _: &WsPath, _: Parents) -> Result<Made> {
        cannot()
    }

    async fn remove(&self, _: &WsPath, _: Depth) -> Result<Removed> {
        cannot()
    }

    async fn rename(&self, _: &WsPath, _: &WsPath, _: Move) -> Result<Renamed> {
        cannot()
    }

    async fn find(&self, _: &Query, _: Arc<dyn Sink>) -> Result<Summary> {
        cannot()
    }

    async fn watch(&self, _: &WatchSpec) -> Result<Watch> {
        cannot()
    }
}

#[tokio::test]
async fn a_backend_that_hangs_panics_or_cannot_is_three_failures() {
    let section = Section::workspace(Setup::standard(Backend::custom(Broken))).unwrap();
    let bounds = Bounds { deadline: Some(Duration::from_millis(5)), ..Bounds::standard() };
    let session = section.session(bounds).unwrap();
    let read = session.call("read", json!({ "path": "a" })).await;
    assert_eq!(read.code(), Some(Code::CommandTimeout));
    let write = session.call("write", json!({ "path": "new", "content": "x" })).await;
    assert_eq!(write.code(), Some(Code::Internal));
    assert_eq!(write.message(), Some("the tool write panicked"));
    let grep = session.call("grep", json!({ "pattern": "x" })).await;
    assert_eq!(grep.code(), Some(Code::Unsupported));
}

#[test]
fn what_a_backend_lacks_is_said_to_the_model() {
    let section = Section::workspace(Setup::standard(Backend::custom(Broken))).unwrap();
    for sentence in [
        "- It cannot be searched",
        "- Nothing can be moved",
        "- A directory that holds nothing is not kept.",
    ] {
        assert!(section.instructions.contains(sentence), "{sentence}");
    }
    assert!(!section.instructions.contains("A file can have at most"));
}
