//! `garth rpc`: one request to a running gateway, over its WebSocket.

mod address;
mod trust;

use std::{io::Read, path::Path, time::Duration};

use futures::{SinkExt, StreamExt};
use garth_contract::{Code, Error, Result};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, Message,
        client::IntoClientRequest,
        http::{HeaderValue, header::AUTHORIZATION},
        protocol::WebSocketConfig,
    },
};

use crate::{
    args,
    output::{Format, Outcome, Output},
};
use address::Address;

/// How long it may take until the gateway greets.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest answer that is taken: as much as a gateway can be set up to send.
const MOST_ANSWER: usize = 1 << 30;
/// The longest file with a token; a token is far shorter.
const MOST_TOKEN: u64 = 4 << 10;
/// The most bytes of parameters that are read from standard input.
const MOST_INPUT: u64 = 1 << 30;
/// The request's name; there is one.
const ID: &str = "1";

/// Asks, and writes what was answered.
pub(crate) fn run(args: &args::Rpc, output: &Output) -> Outcome {
    let format = if args.json { Format::Json } else { Format::Text };
    let asked = match Asked::read(args) {
        Ok(asked) => asked,
        Err(error) => {
            output.failure(&error, format);
            return Outcome::WrongUsage;
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|_| Error::new(Code::Internal, "the runtime could not be started"));
    let answered = runtime.and_then(|runtime| runtime.block_on(asked.ask()));
    match answered {
        Ok(answer) => write(&answer, output, format),
        Err(error) => {
            output.failure(&error, format);
            Outcome::Failed
        }
    }
}

/// What is asked, of whom, and by whom.
struct Asked {
    address: Address,
    token: String,
    method: String,
    params: Value,
    ca: Option<std::path::PathBuf>,
}

impl Asked {
    fn read(args: &args::Rpc) -> Result<Self> {
        let url = args.url.clone().or_else(|| std::env::var("GARTH_URL").ok());
        let url = url.unwrap_or_else(|| format!("http://{}", crate::serve::settings::LISTEN));
        let params = match args.params.as_str() {
            "-" => from_stdin()?,
            text => text.to_owned(),
        };
        let params: Value = serde_json::from_str(&params).map_err(|error| {
            let message = format!("the parameters are no JSON: {error}");
            Error::new(Code::InvalidRequest, message)
                .hint("Send one JSON object, in single quotes so that the shell leaves it alone.")
        })?;
        Ok(Self {
            address: Address::parse(&url)?,
            token: token(args.token_file.as_deref())?,
            method: args.method.clone(),
            params,
            ca: args.ca.clone(),
        })
    }

    /// Connects, asks and waits for the answer.
    async fn ask(self) -> Result<Value> {
        let late = |_| Error::new(Code::ProviderUnavailable, "the gateway does not answer");
        let connecting = async {
            let stream = TcpStream::connect((self.address.host.as_str(), self.address.port));
            let stream = stream.await.map_err(|error| {
                let message = format!("{} cannot be reached: {}", self.address, error.kind());
                Error::new(Code::ProviderUnavailable, message)
                    .hint("Is garth serve running there? --url says where it is.")
            })?;
            let _ = stream.set_nodelay(true);
            Ok::<_, Error>(stream)
        };
        let stream = tokio::time::timeout(PATIENCE, connecting).await.map_err(late)??;
        if self.address.tls {
            let greeting = trust::greet(stream, &self.address, self.ca.as_deref());
            let stream = tokio::time::timeout(PATIENCE, greeting).await.map_err(late)??;
            self.talk(stream).await
        } else {
            self.talk(stream).await
        }
    }

    async fn talk(self, stream: impl AsyncRead + AsyncWrite + Unpin) -> Result<Value> {
        let late = |_| Error::new(Code::ProviderUnavailable, "the gateway does not answer");
        let wrong = |_| Error::new(Code::InvalidParams, "the address or the token is none");
        let mut request = self.address.socket().into_client_request().map_err(wrong)?;
        let bearer = HeaderValue::from_str(&format!("Bearer {}", self.token));
        let mut bearer =
            bearer.map_err(|_| Error::new(Code::InvalidParams, "the token is no token"))?;
        bearer.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, bearer);
        let config = WebSocketConfig::default()
            .max_message_size(Some(MOST_ANSWER))
            .max_frame_size(Some(MOST_ANSWER));
        let shaking = client_async_with_config(request, stream, Some(config));
        let shaken = tokio::time::timeout(PATIENCE, shaking).await.map_err(late)?;
        let (mut socket, _) = shaken.map_err(|error| refused(&error))?;
        let frame = json!({
            "type": "req", "id": ID, "method": self.method, "params": self.params,
        });
        let sent = socket.send(Message::text(frame.to_string())).await;
        sent.map_err(|error| refused(&error))?;
        let answer = answer(&mut socket).await;
        let _ = socket.close(None).await;
        answer
    }
}

/// The answer among what comes; events are for others.
async fn answer<S>(socket: &mut WebSocketStream<S>) -> Result<Value>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(message) = socket.next().await {
        let text = match message.map_err(|error| refused(&error))? {
            Message::Text(text) => text,
            Message::Close(Some(frame)) => {
                let message = format!("the gateway ended the connection: {}", frame.reason);
                return Err(Error::new(Code::ProviderUnavailable, message));
            }
            Message::Close(None) => break,
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {
                continue;
            }
        };
        let frame: Value = serde_json::from_str(&text).map_err(|_| {
            Error::new(Code::Internal, "the gateway sent something that is no JSON")
        })?;
        let is = |key: &str, value: &str| frame.get(key).and_then(Value::as_str) == Some(value);
        // One without an id is about the request too, if it could not be read.
        let ours = is("id", ID) || frame.get("id").is_some_and(Value::is_null);
        if is("type", "res") && ours {
            return Ok(frame);
        }
    }
    Err(Error::new(Code::ProviderUnavailable, "the gateway ended the connection"))
}

/// Why there is no connection; who was refused by an answer of HTTP hears what it says.
fn refused(error: &tungstenite::Error) -> Error {
    if let tungstenite::Error::Http(response) = error {
        let body = response.body().as_deref().and_then(|body| serde_json::from_slice(body).ok());
        let body: Value = body.unwrap_or_default();
        let text = |key: &str| body.get("error")?.get(key)?.as_str();
        if let Some(code) = text("code").and_then(Code::from_name) {
            return Error::new(code, text("message").unwrap_or_default().to_owned());
        }
        let message = format!("what is there answers {} and is no gateway", response.status());
        return Error::new(Code::ProviderUnavailable, message);
    }
    Error::new(Code::ProviderUnavailable, "the connection to the gateway broke off")
}

fn write(frame: &Value, output: &Output, format: Format) -> Outcome {
    let done = frame.get("ok").and_then(Value::as_bool).unwrap_or(false);
    let part = |key: &str| frame.get(key).cloned().unwrap_or_default();
    let body = if done { part("payload") } else { part("error") };
    match (format, done) {
        (Format::Json, true) => output.body(&json!({ "ok": true, "payload": body })),
        (Format::Json, false) => output.body(&json!({ "ok": false, "error": body })),
        (Format::Text, true) => {
            output.answer(&serde_json::to_string_pretty(&body).unwrap_or_default());
        }
        (Format::Text, false) => {
            let text = |value: Option<&Value>| {
                value.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let hint = body.get("details").and_then(|details| details.get("hint"));
            output.refusal(&text(body.get("code")), &text(body.get("message")), &text(hint));
        }
    }
    if done { Outcome::Done } else { Outcome::Failed }
}

/// The token: never an argument, which everybody on the machine can read.
fn token(file: Option<&Path>) -> Result<String> {
    let Some(file) = file else {
        let token = std::env::var("GARTH_TOKEN").ok().filter(|token| !token.is_empty());
        return token.map(|token| token.trim().to_owned()).ok_or_else(|| {
            Error::new(Code::InvalidParams, "there is no token to ask with")
                .hint("Name its file with --token-file, or put it into GARTH_TOKEN.")
        });
    };
    #[allow(clippy::disallowed_methods, reason = "a person's own file, outside any workspace")]
    let opened = std::fs::File::open(file);
    let mut text = String::new();
    let read = opened.and_then(|file| file.take(MOST_TOKEN).read_to_string(&mut text));
    read.map_err(|error| {
        let message = format!("{} cannot be read: {}", file.display(), error.kind());
        Error::new(Code::InvalidParams, message)
    })?;
    Ok(text.trim().to_owned())
}

fn from_stdin() -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MOST_INPUT).read_to_string(&mut text);
    read.map_err(|_| {
        Error::new(Code::InvalidRequest, "standard input could not be read as UTF-8 text")
    })?;
    Ok(text)
}
