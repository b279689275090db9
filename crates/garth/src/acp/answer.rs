//! `fs/*` and `terminal/*` of an agent: to the client where it can and may, else from the
//! workspace.

use std::{io, sync::Arc};

use bytes::Bytes;
use garth_contract::{Code, Error, Result, WsPath};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use super::{
    files::{self, Window},
    json::{Edit, Object, Unclear, quoted},
    log::{Entry, Recording, kept},
    message::{Id, Kind, MOST_ID, Message},
    places::{Place, Side},
    relay::{ForAgent, Relay, Whose, Writes, send},
    reply, terminals,
};

/// The requests that are checked, or answered here.
pub(super) const METHODS: [&str; 7] = [
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
];

/// What an agent asks for.
enum Asked {
    Read { place: Place, window: Window },
    Write { place: Place, content: String },
    Create(terminals::Wanted),
    Output(String),
    Wait(String),
    Kill(String),
    Release(String),
}

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Client,
    Workspace,
}

impl Relay {
    pub(super) async fn asked(
        self: &Arc<Self>,
        line: &Bytes,
        message: &Message<'_>,
    ) -> io::Result<()> {
        let Kind::Request { id, method } = &message.kind else { return Ok(()) };
        let bad = |unclear: Unclear| reply::unclear(method, &unclear);
        let params = match message.params() {
            Ok(params) => params,
            Err(unclear) => return self.refuse_agent(message, &unclear).await,
        };
        let session = match params.text("sessionId").map(Option::unwrap_or_default) {
            Ok(session) if session.len() <= MOST_ID => session,
            Ok(_) => return self.refuse_agent(message, &Unclear::Wrong).await,
            Err(unclear) => return self.refuse_agent(message, &unclear).await,
        };
        let by = self.by(method);
        let operation = match by {
            By::Client => format!("{method} (client)"),
            By::Workspace => method.clone().into_owned(),
        };
        let summary = self.summary(&params);
        let entry = Entry { session: &session, operation: &operation, summary, bytes: line.len() };
        let recording = match self.log.begin(entry).await {
            Ok(recording) => recording,
            Err(error) => return self.fail(message.raw_id(), error).await,
        };
        let asked = match self.read(method, &params, &session).await {
            Ok(asked) => asked,
            Err(Refused::Unclear(unclear)) => {
                recording.close(Err(Code::InvalidParams)).await;
                return self.fail(message.raw_id(), bad(unclear)).await;
            }
            Err(Refused::Error(error)) => {
                recording.close(Err(error.code())).await;
                return self.fail(message.raw_id(), error).await;
            }
        };
        match by {
            By::Client => self.to_client(line, message, (id, &asked, recording)).await,
            By::Workspace => {
                let at = (session, message.raw_id().to_owned(), recording);
                self.answer(asked, at).await
            }
        }
    }

    /// Who answers a method, as the client and the operator have it.
    fn by(&self, method: &str) -> By {
        let can = self.known().client;
        let client = match method {
            "fs/read_text_file" => can.read,
            "fs/write_text_file" => can.write && self.rules.writes == Writes::Client,
            _ => can.terminal && self.rules.terminals == Whose::Client,
        };
        if client { By::Client } else { By::Workspace }
    }

    /// What is recorded of a request: the path, or the command without its secrets.
    fn summary(&self, params: &Object<'_>) -> String {
        let mut facts = Vec::new();
        for name in ["path", "cwd", "terminalId"] {
            if let Ok(Some(text)) = params.text(name) {
                facts.push(format!("{name}: {}", kept(&text)));
            }
        }
        if let Ok(Some(command)) = params.text("command") {
            let words = params.array("args").unwrap_or_default();
            let words = words.iter().filter_map(|word| serde_json::from_str::<String>(word).ok());
            let line: Vec<_> = std::iter::once(command).chain(words).collect();
            facts.push(format!("command: {}", self.log.clean(&line.join(" "))));
        }
        facts.join("; ")
    }

    /// Reads what is asked for; its paths lie in the workspace then.
    async fn read(
        &self,
        method: &str,
        params: &Object<'_>,
        session: &str,
    ) -> std::result::Result<Asked, Refused> {
        let terminal = || params.text("terminalId")?.ok_or(Unclear::Wrong);
        Ok(match method {
            "fs/read_text_file" => {
                let window =
                    Window { line: number(params, "line")?, limit: number(params, "limit")? };
                Asked::Read { place: self.place(params).await?, window }
            }
            "fs/write_text_file" => {
                let content = params.text("content")?.ok_or(Unclear::Wrong)?;
                Asked::Write { place: self.place(params).await?, content }
            }
            "terminal/create" => Asked::Create(self.command(params, session).await?),
            "terminal/output" => Asked::Output(terminal()?),
            "terminal/wait_for_exit" => Asked::Wait(terminal()?),
            "terminal/kill" => Asked::Kill(terminal()?),
            _ => Asked::Release(terminal()?),
        })
    }

    async fn place(&self, params: &Object<'_>) -> std::result::Result<Place, Refused> {
        let path = params.text("path")?.ok_or(Unclear::Wrong)?;
        Ok(self.places.checked(Side::Agent, &path).await?)
    }

    async fn command(
        &self,
        params: &Object<'_>,
        session: &str,
    ) -> std::result::Result<terminals::Wanted, Refused> {
        let workdir = match params.text("cwd")? {
            Some(cwd) => self.places.checked(Side::Agent, &cwd).await?.path,
            None => self.session_place(session),
        };
        let words = params.array("args")?.into_iter().map(serde_json::from_str);
        let arguments = words.collect::<std::result::Result<_, _>>().map_err(|_| Unclear::Wrong)?;
        let mut variables = Vec::new();
        for variable in params.array("env")? {
            let variable = Object::of(variable)?;
            let name = variable.text("name")?.ok_or(Unclear::Wrong)?;
            variables.push((name, variable.text("value")?.ok_or(Unclear::Wrong)?));
        }
        Ok(terminals::Wanted {
            command: params.text("command")?.ok_or(Unclear::Wrong)?,
            arguments,
            variables,
            workdir,
            most: number(params, "outputByteLimit")?,
        })
    }

    fn session_place(&self, session: &str) -> WsPath {
        self.known().place(session)
    }

    /// Lets the client answer; it is told paths as it knows them.
    async fn to_client(
        &self,
        line: &Bytes,
        message: &Message<'_>,
        (id, asked, recording): (&Id, &Asked, Recording),
    ) -> io::Result<()> {
        let edits = match asked {
            Asked::Read { place, .. } | Asked::Write { place, .. } => self.told(message, place),
            Asked::Create(_)
            | Asked::Output(_)
            | Asked::Wait(_)
            | Asked::Kill(_)
            | Asked::Release(_) => Vec::new(),
        };
        self.agent_asks(line, message, (id, ForAgent::Record(recording), edits)).await
    }

    fn told(&self, message: &Message<'_>, place: &Place) -> Vec<Edit> {
        if self.places.is_shared() {
            return Vec::new();
        }
        let told = quoted(&self.places.for_side(Side::Client, place));
        let path = message.params().and_then(|params| params.get("path"));
        path.ok()
            .flatten()
            .map(|path| Edit::replace(message.whole, path, &told))
            .into_iter()
            .collect()
    }

    /// Answers from the workspace, beside the pumps.
    async fn answer(
        self: &Arc<Self>,
        asked: Asked,
        (session, raw_id, recording): (String, String, Recording),
    ) -> io::Result<()> {
        let place = match &asked {
            // One that waits is no burden, but an endless number would be.
            Asked::Wait(_) => Arc::clone(&self.waits).try_acquire_owned().ok(),
            Asked::Read { .. }
            | Asked::Write { .. }
            | Asked::Create(_)
            | Asked::Output(_)
            | Asked::Kill(_)
            | Asked::Release(_) => Arc::clone(&self.answers).acquire_owned().await.ok(),
        };
        let Some(place) = place else {
            recording.close(Err(Code::RateLimitExceeded)).await;
            let error = Error::new(Code::RateLimitExceeded, "too many wait for commands to end");
            return self.fail(&raw_id, error).await;
        };
        tokio::spawn(Arc::clone(self).answered(asked, (session, raw_id, recording), place));
        Ok(())
    }

    async fn answered(
        self: Arc<Self>,
        asked: Asked,
        (session, raw_id, recording): (String, String, Recording),
        _place: OwnedSemaphorePermit,
    ) {
        let done = self.done(asked, &session).await;
        let answer = match &done {
            Ok(result) => reply::done(&raw_id, result),
            Err(error) => reply::failed(&raw_id, error),
        };
        let outcome = done.as_ref().map(|_| answer.len() as u64).map_err(Error::code);
        recording.close(outcome).await;
        // An agent that is gone needs no answer.
        let _ = send(&self.agent, answer.as_bytes()).await;
    }

    async fn done(&self, asked: Asked, session: &str) -> Result<Value> {
        let workspace = &self.workspace;
        match asked {
            Asked::Read { place, window } => {
                files::read(workspace, &self.recall, &place.path, window).await
            }
            Asked::Write { place, content } => {
                files::write(workspace, &self.recall, &place.path, content).await
            }
            Asked::Create(wanted) => self.terminals.create(workspace, session, wanted).await,
            Asked::Output(name) => self.terminals.output(workspace, (session, &name)).await,
            Asked::Wait(name) => self.terminals.wait(workspace, (session, &name)).await,
            Asked::Kill(name) => self.terminals.kill(workspace, (session, &name)).await,
            Asked::Release(name) => self.terminals.release(workspace, (session, &name)).await,
        }
    }

    async fn fail(&self, raw_id: &str, error: Error) -> io::Result<()> {
        send(&self.agent, reply::failed(raw_id, &error).as_bytes()).await
    }
}

/// Why a request is not done.
enum Refused {
    Unclear(Unclear),
    Error(Error),
}

impl From<Unclear> for Refused {
    fn from(unclear: Unclear) -> Self {
        Self::Unclear(unclear)
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

fn number(params: &Object<'_>, name: &str) -> std::result::Result<Option<u64>, Unclear> {
    match params.get(name)? {
        None | Some("null") => Ok(None),
        Some(text) => serde_json::from_str(text).map(Some).map_err(|_| Unclear::Wrong),
    }
}
