//! Files seen through an editor: the choice of a session's backend by what its
//! client negotiated.

use std::{path::Path, sync::Arc};

use garth_contract::{Policy, Result};
use garth_editor::{
    Bounds, Buffers, Editor, Offers, Root, Session,
    schema::{ClientCapabilities, SessionId},
};

use crate::Backend;

/// A session that a client of the Agent Client Protocol opened with an agent.
#[derive(Clone, Debug)]
pub struct EditorSession<'a> {
    /// The id that the agent gave it in its answer to `session/new`.
    pub id: SessionId,
    /// What the client said of itself in `initialize`.
    pub capabilities: &'a ClientCapabilities,
    /// The session's directory, its `cwd`. A client chooses it, and the agent decides
    /// whether it is one that it may have.
    pub cwd: &'a Path,
    /// How long the client is waited for, and how much it may answer.
    pub bounds: Bounds,
}

impl Backend {
    /// The files of a session in an editor, whatever its client offers.
    ///
    /// Texts that it gives and takes are had from its buffers, unsaved ones included,
    /// and written there; everything else, and everything where it offers nothing,
    /// is in the directory on this machine. See [`Editor`] for what holds.
    ///
    /// # Errors
    /// `INVALID_PATH` for a directory that is not absolute, UTF-8 and in normal form;
    /// those of [`Host::open`](garth_host::Host::open).
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use garth_embed::{
    ///     Backend, Bounds, EditorSession, Policy, Registry, Session, Setup, dialect, editor, json,
    /// };
    /// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let cwd = directory.path();
    /// # #[allow(clippy::disallowed_methods)]
    /// # std::fs::write(cwd.join("notes.txt"), "saved\n")?;
    /// // The two ends of the pipe between an agent and its client.
    /// let (agent, client) = duplex(1 << 16);
    /// # tokio::spawn(async move {
    /// #     let (reader, mut writer) = split(client);
    /// #     let mut lines = BufReader::new(reader).lines();
    /// #     while let Ok(Some(line)) = lines.next_line().await {
    /// #         let request: garth_embed::Value = serde_json::from_str(&line).unwrap_or_default();
    /// #         let result = json!({ "content": "typed, not saved\n" });
    /// #         let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
    /// #         let _ = writer.write_all(format!("{answer}\n").as_bytes()).await;
    /// #     }
    /// # });
    /// let (reader, writer) = split(agent);
    /// let (pipe, _rest) = editor::Pipe::open(reader, writer, editor::Bounds::USUAL);
    ///
    /// // What came with `initialize` and `session/new`, which `_rest` tells.
    /// let files = editor::schema::FileSystemCapabilities::new().read_text_file(true);
    /// let capabilities = editor::schema::ClientCapabilities::new().fs(files);
    /// let session = EditorSession {
    ///     id: "session-1".into(),
    ///     capabilities: &capabilities,
    ///     cwd,
    ///     bounds: editor::Bounds::USUAL,
    /// };
    ///
    /// let backend = Backend::editor(pipe, session, Policy::open())?;
    /// let mut registry = Registry::new(Bounds::standard());
    /// registry.register(dialect("workspace").ok_or("no such dialect")?)?;
    /// let session = Session::new(Arc::new(registry), Setup::standard(backend))?;
    /// let read = session.call("read", json!({ "path": "notes.txt" })).await;
    /// assert_eq!(read.text(), "1: typed, not saved");
    /// # Ok(())
    /// # }
    /// ```
    pub fn editor(
        client: impl Buffers,
        session: EditorSession<'_>,
        policy: Policy,
    ) -> Result<Self> {
        let root = Root::new(session.cwd)?;
        let offers = Offers::of(session.capabilities);
        let files = Self::host(session.cwd, policy)?;
        Ok(files.seen_through(Session::new(client, session.id, offers, session.bounds), root))
    }

    /// The same files as an editor shows them; `root` is what its client calls the
    /// directory that they are.
    ///
    /// It is for files elsewhere than in a directory of this machine. A session whose
    /// client offers nothing leaves them as they are.
    #[must_use]
    pub fn seen_through(self, session: Session, root: Root) -> Self {
        if session.offers() == Offers::Nothing {
            return self;
        }
        let files = Arc::new(Editor::over(session, root, self.files()));
        self.with_files(files)
    }
}
