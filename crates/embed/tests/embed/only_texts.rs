//! A place of the author's own that has texts and no bytes: what the tools say of an
//! image there.

use std::sync::Arc;

use garth_embed::{
    Abilities, Backend, Bounds, Bytes, Code, Content, Depth, Entry, Error, Filesystem, Links,
    Listing, Made, Memory, Move, Page, Parents, Policy, Put, Query, Registry, Removed, Renamed,
    Result, Session, Setup, Sink, Span, Summary, Watch, WatchSpec, Written, WsPath, cut, dialect,
    json,
};

/// Files in RAM behind a service that speaks in texts.
struct OnlyTexts(Memory);

impl Filesystem for OnlyTexts {
    fn abilities(&self) -> Abilities {
        Filesystem::abilities(&self.0)
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        let whole = Span::Whole { at_most: 1 << 20 };
        let content = Filesystem::read(&self.0, path, whole).await?;
        if str::from_utf8(&content.bytes).is_err() {
            return Err(Error::at(Code::Unsupported, path));
        }
        cut(&content.bytes, path, span)
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        Filesystem::stat(&self.0, path, links).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        Filesystem::list(&self.0, path, page).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        Filesystem::write(&self.0, path, content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        Filesystem::make_dir(&self.0, path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        Filesystem::remove(&self.0, path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        Filesystem::rename(&self.0, from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        Filesystem::find(&self.0, query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        Filesystem::watch(&self.0, spec).await
    }
}

#[tokio::test]
async fn an_image_is_refused_in_words_that_help() {
    let memory = Memory::new(Policy::open()).unwrap();
    let put = Put { guard: garth_embed::Guard::Any, parents: Parents::Create, mode: None };
    for (path, bytes) in [("logo.png", &b"\x89PNG\r\n\x1a\n\0"[..]), ("a.txt", b"text\n")] {
        let path = WsPath::from_bytes(path.as_bytes()).unwrap();
        Filesystem::write(&memory, &path, Bytes::from(bytes), put.clone()).await.unwrap();
    }
    let backend = Backend::custom(OnlyTexts(memory));
    for (tools, name, param) in [
        ("workspace", "read", "path"),
        ("vfs", "read_file", "path"),
        ("dispatch", "read_file", "path"),
        ("reference", "read_media_file", "path"),
    ] {
        let mut registry = Registry::new(Bounds::standard());
        registry.register(dialect(tools).unwrap()).unwrap();
        let session = Session::new(Arc::new(registry), Setup::standard(backend.clone())).unwrap();
        let refused = session.call(name, json!({ (param): "logo.png" })).await;
        assert!(!refused.is_success(), "{tools}: {}", refused.text());
        // The last of them has sentences of its own, and the hint of everybody.
        let sentence = if tools == "reference" {
            "its bytes cannot be had here"
        } else {
            "only texts can be read here, no images or other bytes: logo.png"
        };
        assert!(refused.text().contains(sentence), "{tools}: {}", refused.text());
        let text = session.call(name, json!({ (param): "a.txt" })).await;
        assert!(text.is_success(), "{tools}: {}", text.text());
    }
}
