//! A git server over HTTP: `git http-backend` behind a door that demands a login.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, net::TcpListener, process::Command, task::JoinHandle};

/// The token that the server takes unless it is told otherwise.
pub(crate) const CANARY: &str = "ghs_CANARY0123456789abcdefghijklmnopqrstuvwxyz";

/// How the server treats who asks.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// As a git server does.
    Usual,
    /// Every request gets this status.
    Status(u16),
    /// Every request is sent elsewhere.
    Elsewhere(String),
    /// The pack that is wanted never ends.
    Endless,
    /// There is always something to say before the pack.
    Chatter,
    /// The answer to what is wanted is this.
    Says(Bytes),
    /// Tokens are good for looking, and not for what follows.
    ExpiresInTheMiddle,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) host: String,
    pub(crate) root: PathBuf,
    pub(crate) seen: Arc<Seen>,
    _directory: TempDir,
    serving: JoinHandle<()>,
}

pub(crate) struct Seen {
    root: PathBuf,
    pub(crate) manner: Mutex<Manner>,
    /// The tokens that are accepted.
    pub(crate) tokens: Mutex<HashSet<String>>,
    /// Every login that was shown, and the path that it was shown for.
    pub(crate) logins: Mutex<Vec<(String, String)>>,
    pub(crate) requests: Mutex<Vec<String>>,
}

impl Server {
    /// Serves one repository, `owner/repo`, with one commit.
    pub(crate) async fn start() -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().to_owned();
        let bare = root.join("owner/repo.git");
        std::fs::create_dir_all(&bare).unwrap();
        git(&bare, &["init", "-q", "--bare", "-b", "main", "."]);
        git(&bare, &["config", "http.receivepack", "true"]);
        let seed = root.join("seed");
        std::fs::create_dir_all(&seed).unwrap();
        git(&seed, &["init", "-q", "-b", "main", "."]);
        std::fs::write(seed.join("README"), "first\n").unwrap();
        git(&seed, &["add", "."]);
        git(&seed, &["commit", "-q", "-m", "first"]);
        git(&seed, &["push", "-q", bare.to_str().unwrap(), "main"]);
        std::fs::remove_dir_all(&seed).unwrap();
        let seen = Arc::new(Seen {
            root: root.clone(),
            manner: Mutex::new(Manner::Usual),
            tokens: Mutex::new(HashSet::from([CANARY.to_owned()])),
            logins: Mutex::default(),
            requests: Mutex::default(),
        });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&seen));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        let url = format!("http://{host}/owner/repo.git");
        Self { url, host, root, seen, _directory: directory, serving }
    }

    /// Where its repository lies.
    pub(crate) fn bare(&self) -> PathBuf {
        self.root.join("owner/repo.git")
    }

    /// What a ref of it points to.
    pub(crate) fn tip(&self, name: &str) -> Option<String> {
        let output = run(&self.bare(), &["rev-parse", "--verify", "-q", name]);
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
    }

    pub(crate) fn treat(&self, manner: Manner) {
        *self.seen.manner.lock().unwrap() = manner;
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.requests.lock().unwrap().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Runs git as somebody else would, and it must succeed.
pub(crate) fn git(at: &Path, arguments: &[&str]) -> String {
    let output = run(at, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn run(at: &Path, arguments: &[&str]) -> std::process::Output {
    let identity = [
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.com",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "gc.auto=0",
    ];
    std::process::Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The user and the password of a request.
fn login(headers: &HeaderMap) -> Option<(String, String)> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(STANDARD.decode(text).ok()?).ok()?;
    let (user, password) = text.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}

async fn answer(State(seen): State<Arc<Seen>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    seen.requests.lock().unwrap().push(format!("{} {path}?{query}", request.method()));
    let manner = seen.manner.lock().unwrap().clone();
    let shown = login(request.headers());
    if let Some((user, password)) = &shown {
        let shown = format!("{user}:{password}");
        seen.logins.lock().unwrap().push((shown, path.clone()));
    }
    let looks = path.ends_with("/info/refs");
    match &manner {
        Manner::Status(code) => return StatusCode::from_u16(*code).unwrap().into_response(),
        Manner::Elsewhere(to) => {
            let to = format!("{to}{path}?{query}");
            return (StatusCode::FOUND, [(header::LOCATION, to)]).into_response();
        }
        Manner::Usual
        | Manner::Endless
        | Manner::Chatter
        | Manner::Says(_)
        | Manner::ExpiresInTheMiddle => {}
    }
    let known = shown.is_some_and(|(_, token)| seen.tokens.lock().unwrap().contains(&token));
    if !known {
        let ask = [(header::WWW_AUTHENTICATE, "Basic realm=\"git\"")];
        return (StatusCode::UNAUTHORIZED, ask).into_response();
    }
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 30).await.unwrap();
    let lists = looks || body.windows(15).any(|words| words == b"command=ls-refs");
    let kind = format!("application/x-{}-result", path.rsplit('/').next().unwrap_or_default());
    let kind = [(header::CONTENT_TYPE, kind)];
    match manner {
        Manner::Endless if !lists => {
            return (kind, Body::from_stream(Endless::pack())).into_response();
        }
        Manner::Chatter if !lists => {
            return (kind, Body::from_stream(Endless::chatter())).into_response();
        }
        Manner::Says(bytes) if !lists => return (kind, bytes).into_response(),
        Manner::ExpiresInTheMiddle if looks => {
            seen.tokens.lock().unwrap().clear();
            *seen.manner.lock().unwrap() = Manner::Usual;
        }
        Manner::Usual
        | Manner::Status(_)
        | Manner::Elsewhere(_)
        | Manner::Endless
        | Manner::Chatter
        | Manner::Says(_)
        | Manner::ExpiresInTheMiddle => {}
    }
    backend(&seen.root, parts, body).await
}

/// A stream that goes on as long as somebody reads.
struct Endless {
    head: Option<Vec<u8>>,
    rest: Bytes,
}

impl Endless {
    /// A pack that says it has one object, a blob that is never whole: it is deflated
    /// without compression, block after block.
    fn pack() -> Self {
        let mut begin = b"PACK\0\0\0\x02\0\0\0\x01".to_vec();
        begin.extend([0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x78, 0x01]);
        let mut head = b"000dpackfile\n".to_vec();
        head.extend(packet(&begin));
        let mut block = vec![0x00, 0xf0, 0x7f, 0x0f, 0x80];
        block.resize(5 + 0x7ff0, b'x');
        Self { head: Some(head), rest: packet(&block).into() }
    }

    /// Words for people, on the second band.
    fn chatter() -> Self {
        let head = b"000dpackfile\n".to_vec();
        Self { head: Some(head), rest: Bytes::from_static(b"000a\x02wait\n") }
    }
}

impl futures_core::Stream for Endless {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let next = self.head.take().map_or_else(|| self.rest.clone(), Bytes::from);
        std::task::Poll::Ready(Some(Ok(next)))
    }
}

/// Bytes as a packet of the first band.
pub(crate) fn packet(bytes: &[u8]) -> Vec<u8> {
    let mut packet = format!("{:04x}\x01", bytes.len() + 5).into_bytes();
    packet.extend(bytes);
    packet
}

/// Asks git's own server.
async fn backend(root: &Path, parts: Parts, body: Bytes) -> Response {
    let header = |name: header::HeaderName| {
        parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let mut child = Command::new("git")
        .arg("http-backend")
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REMOTE_USER", "somebody")
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("PATH_INFO", parts.uri.path())
        .env("QUERY_STRING", parts.uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", parts.method.as_str())
        .env("CONTENT_TYPE", header(header::CONTENT_TYPE))
        .env("HTTP_CONTENT_ENCODING", header(header::CONTENT_ENCODING))
        .env("GIT_PROTOCOL", header(header::HeaderName::from_static("git-protocol")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeding = tokio::spawn(async move { drop(stdin.write_all(&body).await) });
    let output = child.wait_with_output().await.unwrap().stdout;
    feeding.await.unwrap();
    let end = output.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(output[..end].to_vec()).unwrap();
    let mut response = Response::builder();
    for line in head.lines() {
        let (name, value) = line.split_once(": ").unwrap();
        match name {
            "Status" => response = response.status(value[..3].parse::<u16>().unwrap()),
            _ => response = response.header(name, value),
        }
    }
    response.body(Body::from(output[end + 4..].to_vec())).unwrap()
}
