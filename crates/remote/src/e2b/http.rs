//! Asks over HTTP/1.1: bounded, with a deadline, and never sent on to another host.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use garth_contract::{Code, Error, Result};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request, Response,
    body::Incoming,
    client::conn::http1,
    header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    net::TcpStream,
    time::{self, timeout},
};
use tokio_rustls::rustls::pki_types::ServerName;

use super::{
    Url,
    frames::{self, Frame},
    refuse::{unreachable, unruly},
    tls::Trust,
    url::Scheme,
};

/// The largest answer that is no stream; a page of sandboxes is some 100 KiB.
const MOST_ANSWER: usize = 8 << 20;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);

/// How often something is asked that whoever answers has no time for.
const TRIES: u32 = 5;

/// The longest wait between two of these, also where a longer one is asked for.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// The first wait where none is asked for; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// One request.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) body: Bytes,
    /// How long it may take with everything.
    pub(super) patience: Duration,
}

/// What was answered.
pub(super) struct Answer {
    pub(super) status: u16,
    /// How long to wait, where that was said.
    pub(super) wait: Option<Duration>,
    /// Where the next page begins.
    pub(super) next: Option<String>,
    pub(super) body: Bytes,
}

impl Answer {
    /// The refusal that the last message of a stream holds: there the status says
    /// nothing, and a word does.
    pub(super) fn of_end(message: &Value) -> Self {
        let error = message.get("error").cloned().unwrap_or_default();
        let status = match error.get("code").and_then(Value::as_str).unwrap_or_default() {
            "unauthenticated" => 401,
            "permission_denied" => 403,
            "not_found" => 404,
            "resource_exhausted" => 429,
            "unavailable" => 503,
            _ => 500,
        };
        let body = Bytes::from(error.to_string());
        Self { status, wait: None, next: None, body }
    }

    pub(super) fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Null where it is no JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// What was said of a refusal.
    pub(super) fn message(&self) -> String {
        let text = self.json();
        text.get("message").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Whether the same may be answered otherwise in a moment.
    fn is_busy(&self) -> bool {
        matches!(self.status, 429 | 502 | 503 | 504)
    }
}

/// Asks, and trusts whom the system or the operator trusts.
#[derive(Default)]
pub(super) struct Client {
    trust: Trust,
}

impl Client {
    pub(super) fn new(certificates: Option<std::path::PathBuf>) -> Self {
        Self { trust: Trust::new(certificates) }
    }

    /// Asks once.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where nobody answers in time.
    /// Cancel: the connection is closed; the request may have been received.
    pub(super) async fn ask(&self, url: &Url, ask: Ask) -> Result<Answer> {
        let patience = ask.patience;
        let work = async { self.open(url).await?.ask(url, ask).await };
        let late = || Err(unreachable("E2B takes too long to answer"));
        timeout(patience, work).await.unwrap_or_else(|_| late())
    }

    /// Asks what may be asked twice, a few times where there is no time for it.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where nobody answers in time.
    pub(super) async fn ask_again(&self, url: &Url, ask: Ask) -> Result<Answer> {
        let mut usual = FIRST_WAIT;
        for _ in 1..TRIES {
            let answer = self.ask(url, ask.clone()).await?;
            if !answer.is_busy() {
                return Ok(answer);
            }
            time::sleep(answer.wait.unwrap_or(usual).min(LONGEST_WAIT)).await;
            usual *= 2;
        }
        self.ask(url, ask).await
    }

    /// Makes a connection.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where nobody is there, or nobody to trust.
    pub(super) async fn open(&self, url: &Url) -> Result<Wire> {
        let open = async {
            let (name, port) = url.name_and_port();
            let stream = TcpStream::connect((name, port)).await;
            let stream = stream.map_err(|_| unreachable("E2B cannot be reached"))?;
            // Messages are small, and each is waited for.
            let _ = stream.set_nodelay(true);
            match url.scheme {
                Scheme::Http => Wire::new(TokioIo::new(stream)).await,
                Scheme::Https => {
                    let untrusted = || unreachable("who answers for E2B is not trusted");
                    let server = ServerName::try_from(name.to_owned()).map_err(|_| untrusted())?;
                    let tls = self.trust.connector().await?.connect(server, stream).await;
                    Wire::new(TokioIo::new(tls.map_err(|_| untrusted())?)).await
                }
            }
        };
        let late = || Err(unreachable("E2B cannot be reached in time"));
        timeout(CONNECT, open).await.unwrap_or_else(|_| late())
    }
}

/// One connection, for one request after the other.
pub(super) struct Wire {
    sender: http1::SendRequest<Full<Bytes>>,
    running: Running,
}

impl Wire {
    async fn new<T>(io: T) -> Result<Self>
    where
        T: hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static,
    {
        let (sender, connection) = http1::handshake(io).await.map_err(broke_off)?;
        let running = Running(tokio::spawn(async move { drop(connection.await) }));
        Ok(Self { sender, running })
    }

    /// Whether another request can be sent.
    pub(super) fn lives(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Asks, and takes the whole answer.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where it breaks off.
    pub(super) async fn ask(&mut self, url: &Url, ask: Ask) -> Result<Answer> {
        self.sender.ready().await.map_err(broke_off)?;
        let response = self.sender.send_request(request(url, ask)?).await.map_err(broke_off)?;
        read(response).await
    }

    /// Asks for a stream, for which a connection is given up.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where it breaks off; a refusal is an answer.
    pub(super) async fn stream(
        mut self,
        url: &Url,
        ask: Ask,
    ) -> Result<std::result::Result<Stream, Answer>> {
        let patience = ask.patience;
        let work = async {
            let response = self.sender.send_request(request(url, ask)?).await.map_err(broke_off)?;
            let kind = response.headers().get(CONTENT_TYPE);
            let streams = kind.is_some_and(|kind| kind.as_bytes() == frames::STREAM.as_bytes());
            if response.status().as_u16() != 200 || !streams {
                return Ok(Err(read(response).await?));
            }
            let body = response.into_body();
            Ok(Ok(Stream { body, waiting: BytesMut::new(), _running: self.running }))
        };
        let late = || Err(unreachable("E2B takes too long to answer"));
        timeout(patience, work).await.unwrap_or_else(|_| late())
    }
}

/// A stream of messages; its connection ends with it.
pub(super) struct Stream {
    body: Incoming,
    waiting: BytesMut,
    _running: Running,
}

impl Stream {
    /// The next message; nothing where the connection ended without a last one.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where it breaks off, or for what is no message.
    /// Cancel: nothing is lost.
    pub(super) async fn next(&mut self) -> Result<Option<Frame>> {
        loop {
            if let Some(frame) = frames::take(&mut self.waiting)? {
                return Ok(Some(frame));
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(Err(_)) => return Err(unreachable("E2B broke off")),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.waiting.extend_from_slice(&data);
                    }
                }
            }
        }
    }
}

/// A connection that ends with who asked.
struct Running(tokio::task::JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn request(url: &Url, ask: Ask) -> Result<Request<Full<Bytes>>> {
    let mut request = Request::builder()
        .method(ask.method)
        .uri(url.path(&ask.path))
        .header(HOST, &url.host)
        .header(USER_AGENT, concat!("garth/", env!("CARGO_PKG_VERSION")));
    for (name, value) in ask.headers {
        request = request.header(name, value);
    }
    request.body(Full::new(ask.body)).map_err(|_| Error::of(Code::Internal))
}

async fn read(response: Response<Incoming>) -> Result<Answer> {
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, MOST_ANSWER).collect().await;
    let body = body.map_err(|_| unruly("an answer breaks off or is too large"))?;
    Ok(Answer {
        status: parts.status.as_u16(),
        wait: wait(&parts.headers),
        next: text(&parts.headers, "x-next-token"),
        body: body.to_bytes(),
    })
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}

/// How long is to be waited; only seconds are understood, and no date.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    text(headers, RETRY_AFTER.as_str())?.parse().ok().map(Duration::from_secs)
}

#[allow(clippy::needless_pass_by_value, reason = "it is what errors are mapped by")]
fn broke_off(_: hyper::Error) -> Error {
    unreachable("E2B broke off")
}
