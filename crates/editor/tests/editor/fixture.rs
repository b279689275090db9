//! A directory, an editor on it, and the backend between them.

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use garth_contract::{
    Aliases, Case, Code, Collect, DynFilesystem, Facts, Grep, Guard, Hidden, Ignored, Kinds, Lines,
    Order, Output, Owned, Parents, Policy, Put, Query, Reach, Result, Span, Summary, Syntax,
    Version, Written, WsPath,
};
use garth_editor::{Bounds, Editor, Offers, Pipe, Root, Session};
use garth_host::Host;
use tempfile::TempDir;

use crate::client::{Client, Holds, Saves};

/// Long enough for a loaded machine: only what hangs reaches it.
pub(crate) const PATIENT: Bounds =
    Bounds { deadline: Duration::from_secs(60), most_text: 10 << 20, in_flight: 16 };

/// Replaces or creates, with parents.
pub(crate) const ANY: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };

pub(crate) fn at(path: &str) -> WsPath {
    WsPath::from_bytes(path.as_bytes()).unwrap()
}

pub(crate) fn guarded(guard: Guard) -> Put {
    Put { guard, ..ANY }
}

/// The files of a directory as the backend has them beneath.
pub(crate) fn beneath(root: &Path, policy: Policy) -> Arc<dyn DynFilesystem> {
    Arc::new(Host::open(root, policy, Aliases::none().with(b"/workspace")).unwrap())
}

/// The backend over a connection that is there.
pub(crate) fn over(pipe: Pipe, root: &Path, offers: Offers, bounds: Bounds) -> Editor {
    let session = Session::new(pipe, "session-1", offers, bounds);
    Editor::over(session, Root::new(root).unwrap(), beneath(root, Policy::open()))
}

/// A directory with an editor on it, and the backend.
pub(crate) struct Scene {
    pub(crate) dir: TempDir,
    pub(crate) client: Arc<Client>,
    pub(crate) files: Editor,
}

impl Scene {
    pub(crate) fn new(saves: Saves, holds: Holds) -> Self {
        Self::offering(saves, holds, Offers::Both)
    }

    pub(crate) fn offering(saves: Saves, holds: Holds, offers: Offers) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let client = Client::new(dir.path(), saves, holds);
        let (pipe, _) = client.connect(PATIENT);
        let files = over(pipe, dir.path(), offers, PATIENT);
        Self { dir, client, files }
    }

    /// Puts a file where no editor sees who did it.
    pub(crate) fn plant(&self, path: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.dir.path().join(path), content).unwrap();
    }

    /// What is on the disk.
    pub(crate) fn disk(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    pub(crate) async fn read(&self, path: &str) -> Result<String> {
        let files: &dyn DynFilesystem = &self.files;
        let content = files.read(&at(path), Span::Whole { at_most: 1 << 30 }).await?;
        assert_eq!(content.version(), Some(Version::of(&content.bytes)));
        Ok(String::from_utf8(content.bytes.to_vec()).unwrap())
    }

    pub(crate) async fn write(&self, path: &str, text: &str, put: Put) -> Result<Written> {
        let files: &dyn DynFilesystem = &self.files;
        files.write(&at(path), Bytes::from(text.to_owned()), put).await
    }

    pub(crate) async fn stat_size(&self, path: &str) -> Result<u64> {
        let files: &dyn DynFilesystem = &self.files;
        Ok(files.stat(&at(path), garth_contract::Links::Follow).await?.size)
    }

    /// The lines that hold a word: `PATH:NUMBER:TEXT`.
    pub(crate) async fn grep(&self, word: &str) -> Result<Vec<String>> {
        Ok(self.search(&lines_with(word)).await?.0)
    }

    pub(crate) async fn search(&self, query: &Query) -> Result<(Vec<String>, Summary)> {
        let files: &dyn DynFilesystem = &self.files;
        let found = Arc::new(Collect::default());
        let summary = files.find(query, Arc::clone(&found) as _).await?;
        let shown = found.take().into_iter().map(|found| match found {
            Owned::Line(line) => {
                format!("{}:{}:{}", line.path, line.number, String::from_utf8_lossy(&line.text))
            }
            Owned::Entry(entry) => format!("{} {}", entry.path, entry.size),
            Owned::Name(path, _) | Owned::File(path) => path.to_string(),
            Owned::Count(path, count) => format!("{path} {count}"),
        });
        Ok((shown.collect(), summary))
    }
}

/// A search for lines with a word.
pub(crate) fn lines_with(word: &str) -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        grep: Some(Grep {
            pattern: word.to_owned(),
            syntax: Syntax::Fixed,
            case: Case::Sensitive,
            lines: Lines::Single,
            output: Output::Content,
            before: 0,
            after: 0,
        }),
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take: 1_000,
        after: None,
    }
}

/// The code that a call was refused with.
pub(crate) fn code<T: std::fmt::Debug>(answer: Result<T>) -> Code {
    answer.unwrap_err().code()
}
