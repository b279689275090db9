//! An editor for tests: buffers over a directory, behind a socket that carries bytes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use garth_contract::{
    Aliases, Code, Durability, Filesystem, Guard, Parents, Policy, Put, Span, WsPath,
};
use garth_editor::{Bounds, Pipe, Rest};
use garth_host::Host;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
};

/// When an editor saves what it is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saves {
    /// At once, as most do.
    AtOnce,
    /// Never, but for a file that is new: it must be there afterwards.
    Never,
}

/// How an editor holds texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// To the byte.
    Exactly,
    /// With LF and without a byte order mark; both come back when it saves.
    Plain,
    /// With LF, and saves it so.
    Mended,
    /// Without spaces at the ends of lines.
    Formatted,
}

/// An editor whose project is a directory, beyond which it opens nothing.
pub(crate) struct Client {
    root: PathBuf,
    project: Host,
    saves: Saves,
    holds: Holds,
    buffers: Mutex<HashMap<WsPath, Buffer>>,
    asked: Mutex<Vec<String>>,
}

#[derive(Clone)]
struct Buffer {
    /// What was in the file when the buffer was last like it.
    saved: String,
    text: String,
}

impl Client {
    pub(crate) fn new(root: &Path, saves: Saves, holds: Holds) -> Arc<Self> {
        let policy = Policy { durability: Durability::Fast, ..Policy::open() };
        let project = Host::open(root, policy, Aliases::none()).unwrap();
        let (buffers, asked) = (Mutex::default(), Mutex::default());
        Arc::new(Self { root: root.to_owned(), project, saves, holds, buffers, asked })
    }

    /// Connects an agent to the editor.
    pub(crate) fn connect(self: &Arc<Self>, bounds: Bounds) -> (Pipe, Rest) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        tokio::spawn(Arc::clone(self).serve(theirs));
        let (reader, writer) = ours.into_split();
        Pipe::open(reader, writer, bounds)
    }

    /// Types into a buffer, as a person does, and saves nothing.
    pub(crate) fn type_into(&self, path: &str, text: &str) {
        let path = WsPath::from_bytes(path.as_bytes()).unwrap();
        let saved = std::fs::read_to_string(self.root.join(path.to_string())).unwrap_or_default();
        self.buffers.lock().unwrap().insert(path, Buffer { saved, text: text.to_owned() });
    }

    /// What a buffer holds.
    pub(crate) fn buffer(&self, path: &str) -> Option<String> {
        let path = WsPath::from_bytes(path.as_bytes()).unwrap();
        self.buffers.lock().unwrap().get(&path).map(|buffer| buffer.text.clone())
    }

    /// What was asked for so far: `read PATH` or `write PATH`, from the root.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    async fn serve(self: Arc<Self>, stream: UnixStream) {
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let answer = match self.answer(&request["method"], &request["params"]).await {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }),
                Err((code, message)) => json!({
                    "jsonrpc": "2.0", "id": request["id"],
                    "error": { "code": code, "message": message },
                }),
            };
            if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }

    async fn answer(&self, method: &Value, params: &Value) -> Result<Value, (i32, &'static str)> {
        let path = Path::new(params["path"].as_str().unwrap());
        let below = path.strip_prefix(&self.root).map_err(|_| (-32602, "not in the project"))?;
        let below = WsPath::from_bytes(below.as_os_str().as_encoded_bytes()).unwrap();
        let text = params["content"].as_str();
        let verb = if text.is_some() { "write" } else { "read" };
        self.asked.lock().unwrap().push(format!("{verb} {below}"));
        match (method.as_str().unwrap(), text) {
            ("fs/read_text_file", None) => {
                self.read(&below).await.map(|text| json!({ "content": text }))
            }
            ("fs/write_text_file", Some(text)) => {
                self.write(&below, text).await.map(|()| Value::Null)
            }
            _ => Err((-32601, "no such method")),
        }
    }

    async fn read(&self, path: &WsPath) -> Result<String, (i32, &'static str)> {
        let open = self.buffers.lock().unwrap().get(path).cloned();
        if let Some(buffer) = open.filter(|buffer| buffer.text != self.held(&buffer.saved)) {
            return Ok(buffer.text);
        }
        let saved = self.file(path).await?.ok_or((-32002, "no such file"))?;
        let text = self.held(&saved);
        self.buffers.lock().unwrap().insert(path.clone(), Buffer { saved, text: text.clone() });
        Ok(text)
    }

    async fn write(&self, path: &WsPath, text: &str) -> Result<(), (i32, &'static str)> {
        let file = self.file(path).await?;
        let text = match self.holds {
            Holds::Formatted => text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n"),
            Holds::Exactly | Holds::Plain | Holds::Mended => self.held(text),
        };
        let saved = match (&file, self.saves) {
            (Some(file), Saves::Never) => file.clone(),
            (file, _) => {
                let saved = self.saved(file.as_deref().unwrap_or_default(), &text);
                let content = Bytes::from(saved.clone());
                let put = Put { guard: Guard::Any, parents: Parents::Require, mode: None };
                let written = Filesystem::write(&self.project, path, content, put).await;
                written.map_err(|_| (-32603, "cannot be saved"))?;
                saved
            }
        };
        self.buffers.lock().unwrap().insert(path.clone(), Buffer { saved, text });
        Ok(())
    }

    /// What is in the file of a path.
    async fn file(&self, path: &WsPath) -> Result<Option<String>, (i32, &'static str)> {
        match Filesystem::read(&self.project, path, Span::Whole { at_most: 64 << 20 }).await {
            Ok(content) => {
                let text = String::from_utf8(content.bytes.to_vec());
                text.map(Some).map_err(|_| (-32603, "no text"))
            }
            Err(error) if error.code() == Code::FileNotFound => Ok(None),
            Err(_) => Err((-32603, "cannot be read")),
        }
    }

    /// A text as a buffer of this editor holds it.
    fn held(&self, text: &str) -> String {
        match self.holds {
            Holds::Exactly | Holds::Formatted => text.to_owned(),
            Holds::Plain | Holds::Mended => {
                text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
            }
        }
    }

    /// A buffer's text as this editor saves it over a file.
    fn saved(&self, file: &str, text: &str) -> String {
        if self.holds != Holds::Plain {
            return text.to_owned();
        }
        let mark = if file.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let text = if file.contains("\r\n") { text.replace('\n', "\r\n") } else { text.to_owned() };
        format!("{mark}{text}")
    }
}
