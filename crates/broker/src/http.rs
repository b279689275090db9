//! Asks the API of a git host: one request a connection, bounded, and never sent on to
//! another host.

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use garth_contract::{Code, Detail, Error, Result};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request, Response,
    body::Incoming,
    client::conn::http1,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpStream, sync::OnceCell, time::timeout};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};
use zeroize::Zeroizing;

use crate::{
    address::{Address, Scheme},
    own_files,
    secret::Secret,
};

/// The largest answer; those that are asked for are some kilobytes.
const MOST_ANSWER: usize = 1 << 20;

/// How long a request may take with everything.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where systems keep the certificates that they trust.
const TRUSTED: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The longest wait that a host can ask for.
const MOST_WAIT: Duration = Duration::from_secs(3_600);

/// Where an API is: what all of its addresses begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api(Address);

impl Api {
    /// Reads the beginning of an API's addresses, such as `https://api.github.com`.
    ///
    /// # Errors
    /// Those of [`Address::parse`].
    pub fn parse(text: &str, plain: &[String]) -> Result<Self> {
        Address::parse(&format!("{}/api", text.trim_end_matches('/')), plain).map(Self)
    }

    fn path(&self, path: &str) -> String {
        let before = self.0.path().strip_suffix("api").unwrap_or_default();
        format!("/{before}{path}")
    }
}

/// One request.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    pub(crate) api: &'a Api,
    /// Without the first slash.
    pub(crate) path: &'a str,
    /// What proves who asks, where that matters.
    pub(crate) bearer: Option<&'a Secret>,
    pub(crate) body: Option<Value>,
}

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// How long to wait, where that was said.
    pub(crate) wait: Option<Duration>,
    /// Null where it was no JSON. It may hold a token, so nobody prints it.
    pub(crate) body: Value,
}

/// Asks hosts, and trusts whom the system or the operator trusts.
pub(crate) struct Client {
    certificates: Option<std::path::PathBuf>,
    tls: OnceCell<TlsConnector>,
}

impl Client {
    /// A client; without a file the system's certificates are trusted.
    pub(crate) fn new(certificates: Option<&Path>) -> Self {
        Self { certificates: certificates.map(Path::to_owned), tls: OnceCell::new() }
    }

    /// Asks once.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where the host cannot be reached, is not trusted or
    /// takes too long.
    /// Cancel: the connection is closed; the request may have been received.
    pub(crate) async fn ask(&self, ask: Ask<'_>) -> Result<Answer> {
        match timeout(PATIENCE, self.exchange(ask)).await {
            Ok(answer) => answer,
            Err(_) => Err(unreachable("the git host's API takes too long to answer")),
        }
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<Answer> {
        let Api(address) = ask.api;
        let usual = match address.scheme() {
            Scheme::Https => 443,
            Scheme::Http => 80,
        };
        let (name, port) = host_and_port(address.host(), usual);
        let stream = TcpStream::connect((name, port))
            .await
            .map_err(|_| unreachable("the git host's API cannot be reached"))?;
        let request = request(&ask, address)?;
        match address.scheme() {
            Scheme::Http => send(TokioIo::new(stream), request).await,
            Scheme::Https => {
                let untrusted = || unreachable("the git host's API is not trusted");
                let server = ServerName::try_from(name.to_owned()).map_err(|_| untrusted())?;
                let tls = self.tls().await?.connect(server, stream).await;
                send(TokioIo::new(tls.map_err(|_| untrusted())?), request).await
            }
        }
    }

    async fn tls(&self) -> Result<&TlsConnector> {
        let make = || async {
            let named = self.certificates.clone();
            let loading = tokio::task::spawn_blocking(move || roots(named.as_deref()));
            let roots = loading.await.map_err(|_| Error::of(Code::Internal))??;
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(|_| Error::of(Code::Internal))?
                .with_root_certificates(roots)
                .with_no_client_auth();
            Ok(TlsConnector::from(Arc::new(config)))
        };
        self.tls.get_or_try_init(make).await
    }
}

/// The certificates that are trusted.
fn roots(named: Option<&Path>) -> Result<RootCertStore> {
    let found = || TRUSTED.iter().map(Path::new).find(|path| own_files::is_there(path));
    let path = named
        .or_else(found)
        .ok_or_else(|| unreachable("there are no trusted certificates on the gateway's machine"))?;
    let text = own_files::certificates(path)?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&text).flatten());
    Ok(roots)
}

fn host_and_port(host: &str, usual: u16) -> (&str, u16) {
    if let Some((number, port)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (
            number,
            port.strip_prefix(':').and_then(|port| port.parse().ok()).unwrap_or(usual),
        );
    }
    match host.split_once(':') {
        Some((name, port)) => (name, port.parse().unwrap_or(usual)),
        None => (host, usual),
    }
}

fn request(ask: &Ask<'_>, address: &Address) -> Result<Request<Full<Bytes>>> {
    let body = match &ask.body {
        Some(value) => Bytes::from(value.to_string()),
        None => Bytes::new(),
    };
    let mut request = Request::builder()
        .method(ask.method.clone())
        .uri(ask.api.path(ask.path))
        .header(HOST, address.host())
        .header(USER_AGENT, concat!("garth/", env!("CARGO_PKG_VERSION")))
        .header(ACCEPT, "application/vnd.github+json")
        .header("X-GitHub-Api-Version", "2022-11-28")
        .header(CONTENT_TYPE, "application/json");
    if let Some(bearer) = ask.bearer {
        let text = Zeroizing::new(format!("Bearer {}", bearer.reveal()));
        let mut value = HeaderValue::from_str(&text).map_err(|_| Error::of(Code::Internal))?;
        value.set_sensitive(true);
        request = request.header(AUTHORIZATION, value);
    }
    request.body(Full::new(body)).map_err(|_| Error::of(Code::Internal))
}

async fn send<T>(io: T, request: Request<Full<Bytes>>) -> Result<Answer>
where
    T: hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static,
{
    let lost = |_| unreachable("the git host's API broke off");
    let (mut sender, connection) = http1::handshake(io).await.map_err(lost)?;
    let running = Running(tokio::spawn(async move { drop(connection.await) }));
    let response = sender.send_request(request).await.map_err(lost)?;
    let answer = read(response).await;
    drop(running);
    answer
}

/// A connection that ends with who asked.
struct Running(tokio::task::JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn read(response: Response<Incoming>) -> Result<Answer> {
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, MOST_ANSWER).collect().await;
    let body = body.map_err(|_| unreachable("the git host's API answered too much"))?;
    Ok(Answer {
        status: parts.status.as_u16(),
        wait: wait(&parts.headers),
        body: serde_json::from_slice(&body.to_bytes()).unwrap_or(Value::Null),
    })
}

/// How long a host asks to wait: in seconds, or until a time once nothing is left.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    if let Some(seconds) = number("retry-after") {
        return Some(Duration::from_secs(seconds).min(MOST_WAIT));
    }
    if number("x-ratelimit-remaining") != Some(0) {
        return None;
    }
    let until = Duration::from_secs(number("x-ratelimit-reset")?);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(until.saturating_sub(now).min(MOST_WAIT))
}

/// That a host asks to wait.
pub(crate) fn asked_too_often(wait: Duration) -> Error {
    Error::new(Code::RateLimitExceeded, "the git host is asked too often")
        .with(Detail::RetryAfter(wait))
}

fn unreachable(message: &'static str) -> Error {
    Error::new(Code::ProviderUnavailable, message)
        .hint("Try again later, or ask the operator to look at the git host.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_may_lie_below_a_path() {
        let api = |text: &str| Api::parse(text, &[]).unwrap();
        assert_eq!(api("https://api.github.com").path("app"), "/app");
        assert_eq!(api("https://ghe.example/api/v3/").path("app"), "/api/v3/app");
        assert_eq!(host_and_port("[::1]:80", 1), ("::1", 80));
        assert_eq!(host_and_port("a.example", 443), ("a.example", 443));
        assert!(Api::parse("http://api.github.com", &[]).is_err());
    }

    #[test]
    fn a_host_says_how_long_to_wait() {
        let mut headers = HeaderMap::new();
        assert_eq!(wait(&headers), None);
        headers.insert("x-ratelimit-remaining", HeaderValue::from_static("0"));
        headers.insert("x-ratelimit-reset", HeaderValue::from_static("99999999999"));
        assert_eq!(wait(&headers), Some(MOST_WAIT));
        headers.insert("retry-after", HeaderValue::from_static("7"));
        assert_eq!(wait(&headers), Some(Duration::from_secs(7)));
    }
}
