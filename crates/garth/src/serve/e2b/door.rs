//! Which sandbox a request means, and who asks.

use std::{sync::Arc, time::Duration};

use axum::http::{HeaderMap, HeaderName, header, request::Parts};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use garth_contract::{Aliases, Code, Error, RawPath, WsPath};
use garth_gateway::{Caller, Role};
use sha2::{Digest, Sha256};

use super::{
    describe::traffic,
    life::{E2b, Lives, now_ms},
    refuse::{Kind, Result, Wrong},
    sandbox::{Phase, Sandbox},
    user::User,
};
use crate::serve::{
    app::App,
    http::{asked::Connected, caller::TRACE},
};

/// By these a sandbox is named where all share one address.
const SANDBOX: HeaderName = HeaderName::from_static("e2b-sandbox-id");
const PORT: HeaderName = HeaderName::from_static("e2b-sandbox-port");
/// What proves a right to a sandbox.
const ACCESS: HeaderName = HeaderName::from_static("x-access-token");
/// What proves a right to the ports of a sandbox.
const TRAFFIC: HeaderName = HeaderName::from_static("e2b-traffic-access-token");
/// What is about the sandbox, and not for what listens inside.
pub(super) const PROOFS: [HeaderName; 5] = [SANDBOX, PORT, ACCESS, TRAFFIC, KEY];
/// What proves who makes sandboxes.
const KEY: HeaderName = HeaderName::from_static("x-api-key");
/// The port of what answers calls in a sandbox.
const ENVD: &str = "49983";
/// The port of what runs code in a sandbox.
const INTERPRETER: &str = "49999";
/// What keys of E2B begin with; older SDKs want it.
const KEY_PREFIX: &str = "e2b_";
/// How long a sandbox lives at least that goes on because it was called.
const RESUMED: Duration = Duration::from_secs(300);
/// What our tokens begin with.
const TOKEN_PREFIX: &str = "garth_";

/// The sandbox that a request means, by its head or by the name of its host, with the
/// port that is meant.
pub(super) fn meant(headers: &HeaderMap) -> Option<(String, String)> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(id) = text(&SANDBOX) {
        return Some((id.to_owned(), text(&PORT).unwrap_or(ENVD).to_owned()));
    }
    let (name, _) = headers.get(header::HOST)?.to_str().ok()?.split_once('.')?;
    let (port, id) = name.split_once('-')?;
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| (id.to_owned(), port.to_owned()))
}

/// What a port of a sandbox is.
pub(super) enum Port {
    /// That of what answers calls.
    Calls,
    /// That of what runs code.
    Code,
    /// Another.
    Other(String),
}

impl Port {
    pub(super) fn of(text: &str) -> Self {
        match text {
            ENVD => Self::Calls,
            INTERPRETER => Self::Code,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// That nothing listens on a port, in the words that SDKs know.
pub(super) fn closed(port: &str) -> Wrong {
    let message = format!(
        "The sandbox is running but port is not open: nothing listens on port {port} of its \
         loopback"
    );
    Wrong::new(Kind::NoSandbox, message)
}

/// The caller who makes sandboxes.
///
/// # Errors
/// `unauthenticated`.
pub(super) async fn operator(app: &App, parts: &Parts) -> Result<Caller> {
    let bearer = || {
        let value = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        value.strip_prefix("Bearer ").map(ToOwned::to_owned)
    };
    let key = parts.headers.get(KEY).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let Some(key) = key.or_else(bearer) else {
        return Err(Wrong::new(Kind::Unauthenticated, "the header X-API-Key is missing"));
    };
    // One key has two spellings, since older SDKs refuse those that are not E2B's.
    let key = match key.strip_prefix(KEY_PREFIX) {
        Some(digits) => format!("{TOKEN_PREFIX}{digits}"),
        None => key,
    };
    match app.gateway.callers().authenticate(&key).await {
        Ok(credential) => Ok(Caller::new(credential, &session(parts)).traced(trace(parts))),
        Err(error) => {
            let _ = app.wrong_tokens.wait().await;
            Err(Wrong::from(error))
        }
    }
}

fn trace(parts: &Parts) -> Option<&str> {
    parts.headers.get(TRACE)?.to_str().ok()
}

fn session(parts: &Parts) -> String {
    parts.extensions.get::<Connected>().copied().unwrap_or_default().name()
}

/// A request that may work in a sandbox.
pub(super) struct Entered {
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) caller: Caller,
}

/// What is asked with a signature in the address.
pub(super) struct Signed<'a> {
    pub(super) path: &'a str,
    pub(super) operation: &'a str,
    pub(super) user: &'a str,
    pub(super) signature: &'a str,
    pub(super) expires: Option<&'a str>,
}

/// Lets a request into the sandbox that it means.
///
/// # Errors
/// That there is none that runs; `unauthenticated`.
pub(super) async fn enter(
    app: &App,
    e2b: &E2b,
    (parts, id): (&Parts, Option<&str>),
) -> Result<Entered> {
    let token = parts.headers.get(ACCESS).and_then(|value| value.to_str().ok());
    let sandbox = match (id, token) {
        (Some(id), _) => running(e2b, id).await?,
        // Older SDKs name no sandbox with a file: it is the one whose secret this is.
        (None, Some(token)) => {
            let own = |sandbox: &Arc<Sandbox>| {
                is_same(sandbox.record().token.as_bytes(), token.as_bytes())
            };
            let found = e2b.all().into_iter().find(own).ok_or_else(Wrong::no_sandbox)?;
            running(e2b, found.id.as_str()).await?
        }
        (None, None) => return Err(Wrong::no_sandbox()),
    };
    let token = token
        .ok_or_else(|| Wrong::new(Kind::Unauthenticated, "the header X-Access-Token is missing"))?;
    known(app, sandbox, (token, parts)).await
}

/// The same for a port of the sandbox: what opens its ports is enough.
///
/// # Errors
/// As for [`enter`].
pub(super) async fn enter_port(
    app: &App,
    e2b: &E2b,
    (parts, id): (&Parts, Option<&str>),
) -> Result<Entered> {
    let proof = parts.headers.get(TRAFFIC).and_then(|value| value.to_str().ok());
    let (Some(proof), false) = (proof, parts.headers.contains_key(ACCESS)) else {
        return enter(app, e2b, (parts, id)).await;
    };
    let sandbox = running(e2b, id.unwrap_or_default()).await?;
    let token = sandbox.record().token;
    if !is_same(traffic(&token).as_bytes(), proof.as_bytes()) {
        let _ = app.wrong_tokens.wait().await;
        let message = "the header E2B-Traffic-Access-Token is not that of the sandbox";
        return Err(Wrong::new(Kind::Unauthenticated, message));
    }
    known(app, sandbox, (&token, parts)).await
}

/// The same for one that is proven by a signature.
///
/// # Errors
/// As for [`enter`].
pub(super) async fn enter_signed(
    app: &App,
    e2b: &E2b,
    (parts, id): (&Parts, Option<&str>),
    signed: &Signed<'_>,
) -> Result<Entered> {
    let refused = || Wrong::new(Kind::Unauthenticated, "the signature is not good");
    if let Some(expires) = signed.expires {
        let until: i64 = expires.parse().map_err(|_| refused())?;
        if until <= now_ms() / 1_000 {
            return Err(Wrong::new(Kind::Unauthenticated, "the signature has expired"));
        }
    }
    let found = match id {
        Some(id) => Some(running(e2b, id).await?).filter(|sandbox| fits(sandbox, signed)),
        // An address without a sandbox in it: it is the one whose secret fits.
        None => e2b.all().into_iter().find(|sandbox| fits(sandbox, signed)),
    };
    let Some(sandbox) = found else {
        let _ = app.wrong_tokens.wait().await;
        return Err(refused());
    };
    let sandbox = running(e2b, sandbox.id.as_str()).await?;
    let token = sandbox.record().token;
    known(app, sandbox, (&token, parts)).await
}

fn fits(sandbox: &Sandbox, signed: &Signed<'_>) -> bool {
    let expected = signature(&sandbox.record().token, signed);
    is_same(expected.as_bytes(), signed.signature.as_bytes())
}

/// The signature of an address.
fn signature(token: &str, signed: &Signed<'_>) -> String {
    let Signed { path, operation, user, expires, .. } = signed;
    let mut text = format!("{path}:{operation}:{user}:{token}");
    if let Some(expires) = expires {
        text.push(':');
        text.push_str(expires);
    }
    format!("v1_{}", STANDARD_NO_PAD.encode(Sha256::digest(text.as_bytes())))
}

/// Compares without telling by its time how much is the same.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && std::hint::black_box(differ) == 0
}

/// A sandbox that runs; one that is paused goes on where it was made so.
pub(super) async fn running(e2b: &E2b, id: &str) -> Result<Arc<Sandbox>> {
    let sandbox = e2b.find(id).ok_or_else(Wrong::no_sandbox)?;
    match sandbox.phase() {
        Phase::Running => Ok(sandbox),
        Phase::Paused if sandbox.record().auto_resume => {
            let lives = Lives::AtLeast(RESUMED.min(e2b.options().longest));
            e2b.resume(&sandbox, lives).await?;
            Ok(sandbox)
        }
        Phase::Paused | Phase::Ended => Err(Wrong::no_sandbox()),
    }
}

async fn known(
    app: &App,
    sandbox: Arc<Sandbox>,
    (token, parts): (&str, &Parts),
) -> Result<Entered> {
    let own = |credential: &garth_gateway::Credential| match credential.role() {
        Role::Agent(id) => *id == sandbox.id,
        Role::Operator | Role::User => false,
    };
    let found = app.gateway.callers().authenticate(token).await;
    let found = found.and_then(|credential| {
        if own(&credential) { Ok(credential) } else { Err(Error::of(Code::Unauthenticated)) }
    });
    match found {
        Ok(credential) => {
            let caller = Caller::new(credential, &session(parts)).traced(trace(parts));
            Ok(Entered { sandbox, caller })
        }
        Err(error) => {
            let _ = app.wrong_tokens.wait().await;
            Err(Wrong::from(error))
        }
    }
}

/// A path as SDKs mean it: from the sandbox's root, or from the home directory of a user.
///
/// # Errors
/// `invalid_argument`.
pub(super) fn path(text: &str, user: User) -> Result<WsPath> {
    let home = user.home().trim_start_matches('/');
    let below_home = |rest: &str| format!("{home}/{rest}");
    let full = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => below_home(rest),
        Some(_) | None => match text.strip_prefix('/') {
            Some(absolute) => absolute.to_owned(),
            None => below_home(text),
        },
    };
    // `..` at the root leads to the root, as it does inside.
    let mut names: Vec<&str> = Vec::new();
    for name in full.split('/').filter(|name| !name.is_empty() && *name != ".") {
        if name == ".." {
            names.pop();
        } else {
            names.push(name);
        }
    }
    RawPath::new(names.join("/")).resolve(&Aliases::none()).map_err(Wrong::from)
}

/// A path as SDKs are told it.
pub(super) fn shown(path: &WsPath) -> String {
    if path.is_root() { "/".to_owned() } else { format!("/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_from_the_root_or_from_home() {
        for (sent, meant) in [
            ("", "/home/user"),
            ("~", "/home/user"),
            ("~/a", "/home/user/a"),
            ("a/./b", "/home/user/a/b"),
            ("~a", "/home/user/~a"),
            ("/", "/"),
            ("/tmp/x", "/tmp/x"),
            ("../../tmp", "/tmp"),
            ("/../../etc", "/etc"),
        ] {
            assert_eq!(shown(&path(sent, User::Usual).unwrap()), meant, "{sent}");
        }
        assert!(path("a\0b", User::Usual).is_err());
        assert_eq!(shown(&path("a", User::Root).unwrap()), "/root/a");
    }

    #[test]
    fn a_signature_is_that_of_path_operation_user_and_secret() {
        // As the published SDK computes it.
        let mut signed = Signed {
            path: "/home/user/a.txt",
            operation: "read",
            user: "user",
            signature: "",
            expires: None,
        };
        let plain = signature("secret", &signed);
        assert_eq!(plain, "v1_oO3VOyxXH3pkX/nhqGaqe3v8d+8vNhbGG2sLjuGWsuo");
        signed.expires = Some("1700000000");
        assert_eq!(signature("secret", &signed), "v1_mzn+1R74JH2wtsTk6gTeInu24ZlQ7BBVUOs7jGA8Xwc");
        assert!(is_same(plain.as_bytes(), plain.as_bytes()));
        assert!(!is_same(plain.as_bytes(), b"v1_"));
    }

    #[test]
    fn a_sandbox_is_named_by_the_head_or_by_the_host() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "49983-iabc.example.com:80".parse().unwrap());
        assert_eq!(meant(&headers), Some(("iabc".to_owned(), "49983".to_owned())));
        headers.insert(SANDBOX, "iother".parse().unwrap());
        assert_eq!(meant(&headers), Some(("iother".to_owned(), "49983".to_owned())));
        headers.clear();
        headers.insert(header::HOST, "127.0.0.1:7717".parse().unwrap());
        assert_eq!(meant(&headers), None);
    }
}
