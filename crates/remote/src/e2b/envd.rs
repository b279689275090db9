//! What answers inside a sandbox: its processes and its files.

use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use garth_contract::{Code, Error, Result};
use hyper::{
    Method,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::{Value, json};

use super::{
    Secret, Url,
    account::{PORT, encoded},
    frames::{Frame, STREAM, framed},
    http::{Answer, Ask, Client, Stream, Wire},
    refuse::{refused, unreachable, unruly},
};

/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a file may take to be taken.
const UPLOAD: Duration = Duration::from_secs(300);

/// How often a stream says that it is there, in seconds, where it has nothing else.
const SIGN: &str = "20";

const SANDBOX: HeaderName = HeaderName::from_static("e2b-sandbox-id");
const SANDBOX_PORT: HeaderName = HeaderName::from_static("e2b-sandbox-port");
const TOKEN: HeaderName = HeaderName::from_static("x-access-token");
const VERSION: HeaderName = HeaderName::from_static("connect-protocol-version");
const KEEPALIVE: HeaderName = HeaderName::from_static("keepalive-ping-interval");

/// The inside of one sandbox; clones are the same.
#[derive(Clone)]
pub(crate) struct Envd(Arc<Inside>);

struct Inside {
    client: Arc<Client>,
    url: Url,
    id: String,
    token: Option<Secret>,
}

impl fmt::Debug for Envd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envd").field("id", &self.0.id).finish_non_exhaustive()
    }
}

/// A process that runs in a sandbox.
pub(super) struct Found {
    pub(super) pid: u64,
    pub(super) tag: String,
}

impl Envd {
    pub(super) fn new(client: Arc<Client>, url: Url, id: String, token: Option<Secret>) -> Self {
        Self(Arc::new(Inside { client, url, id, token }))
    }

    /// The processes that were started with a tag.
    pub(super) async fn tagged(&self) -> Result<Vec<Found>> {
        let answer = self.call("process.Process/List", &json!({})).await?;
        if !answer.is_good() {
            return Err(refused("list the processes of a sandbox", &answer));
        }
        let told = answer.json();
        let all = told.get("processes").and_then(Value::as_array).cloned().unwrap_or_default();
        let found = |one: &Value| {
            let tag = one.get("tag")?.as_str()?.to_owned();
            Some(Found { pid: number(one.get("pid")?)?, tag })
        };
        Ok(all.iter().filter_map(found).collect())
    }

    /// Kills a process; one that is gone is as good.
    pub(super) async fn kill(&self, pid: u64) -> Result<()> {
        let asked = json!({ "process": { "pid": pid }, "signal": "SIGNAL_SIGKILL" });
        let answer = self.call("process.Process/SendSignal", &asked).await?;
        if answer.is_good() || answer.status == 404 {
            return Ok(());
        }
        Err(refused("end a process of a sandbox", &answer))
    }

    /// Starts a process, of which the stream tells.
    pub(super) async fn start(&self, process: &Value) -> Result<(u64, Stream)> {
        let ask = self.asked("process.Process/Start", (STREAM, framed(process)))?;
        let wire = self.0.client.open(&self.0.url).await?;
        let mut stream = match wire.stream(&self.0.url, ask).await? {
            Ok(stream) => stream,
            Err(answer) => return Err(refused("start a process in a sandbox", &answer)),
        };
        let first = tokio::time::timeout(PATIENCE, stream.next()).await;
        let first = first.map_err(|_| unruly("a process does not start in time"))??;
        match first {
            Some(Frame::One(message)) => {
                let start = message.get("event").and_then(|event| event.get("start"));
                let pid = start.and_then(|start| start.get("pid")).and_then(number);
                Ok((pid.ok_or_else(|| unruly("a process has no number"))?, stream))
            }
            Some(Frame::End(message)) => {
                Err(refused("start a process in a sandbox", &Answer::of_end(&message)))
            }
            None => Err(unruly("the stream of a process ends before it begins")),
        }
    }

    /// A connection for calls that follow each other closely.
    pub(super) async fn wire(&self) -> Result<Wire> {
        self.0.client.open(&self.0.url).await
    }

    /// Makes a call on such a connection.
    pub(super) async fn call_on(
        &self,
        wire: &mut Wire,
        name: &str,
        message: &Value,
    ) -> Result<Answer> {
        let ask = self.asked(name, json_body(message))?;
        let late = || Err(unreachable("E2B takes too long to answer"));
        let asking = wire.ask(&self.0.url, ask);
        tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| late())
    }

    /// Whether a file of this size is there.
    pub(super) async fn has(&self, path: &str, size: u64) -> Result<bool> {
        let answer = self.call("filesystem.Filesystem/Stat", &json!({ "path": path })).await?;
        if answer.status == 404 {
            return Ok(false);
        }
        if !answer.is_good() {
            return Err(refused("look at a file of a sandbox", &answer));
        }
        let told = answer.json();
        Ok(told.get("entry").and_then(|entry| entry.get("size")).and_then(number) == Some(size))
    }

    /// Puts a file there, with the directories above it.
    pub(super) async fn put(&self, path: &str, content: &[u8]) -> Result<()> {
        // A form, which every version of the wire takes.
        let boundary = format!("garth-{}", blake3::hash(content).to_hex());
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; \
             filename=\"guest\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        );
        let tail = format!("\r\n--{boundary}--\r\n");
        let body = [head.as_bytes(), content, tail.as_bytes()].concat();
        let kind = format!("multipart/form-data; boundary={boundary}");
        let place = format!("files?path={}", encoded(path));
        let mut ask = self.asked(&place, (&kind, Bytes::from(body)))?;
        ask.patience = UPLOAD;
        let answer = self.0.client.ask_again(&self.0.url, ask).await?;
        if answer.is_good() {
            return Ok(());
        }
        Err(refused("take the guest's program into a sandbox", &answer))
    }

    async fn call(&self, name: &str, message: &Value) -> Result<Answer> {
        let ask = self.asked(name, json_body(message))?;
        self.0.client.ask_again(&self.0.url, ask).await
    }

    fn asked(&self, name: &str, (kind, body): (&str, Bytes)) -> Result<Ask> {
        let text = |text: &str| HeaderValue::from_str(text).map_err(|_| Error::of(Code::Internal));
        let mut headers = vec![
            (CONTENT_TYPE, text(kind)?),
            (SANDBOX, text(&self.0.id)?),
            (SANDBOX_PORT, HeaderValue::from(PORT)),
            (VERSION, HeaderValue::from_static("1")),
            (KEEPALIVE, HeaderValue::from_static(SIGN)),
        ];
        if let Some(token) = &self.0.token {
            let mut value = text(token.reveal())?;
            value.set_sensitive(true);
            headers.push((TOKEN, value));
        }
        let (method, path) = (Method::POST, format!("/{name}"));
        Ok(Ask { method, path, headers, body, patience: PATIENCE })
    }
}

fn json_body(message: &Value) -> (&'static str, Bytes) {
    ("application/json", Bytes::from(message.to_string()))
}

/// A number, which JSON of protocol buffers may write as a text.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
