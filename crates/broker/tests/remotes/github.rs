//! A stand-in for GitHub's API: it checks the statement of the app, its times and what is
//! asked for, and makes tokens that the git server takes.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use garth_broker::{Api, App, AppKey, Credential, Kind};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::server::Seen;

const PEM: &str = include_str!("app.pem");

/// The client id of the app.
pub(crate) const CLIENT: &str = "Iv23canaryclient";

/// How GitHub treats who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Usual,
    /// The app is not installed.
    NotInstalled,
    /// The app may only read.
    ReadOnly,
    /// Too many requests, with a time to wait.
    Busy,
    /// Too many requests, as GitHub says it with 403.
    Spent,
    Down,
    /// Tokens that end in a minute.
    ShortLived,
}

pub(crate) struct Github {
    pub(crate) api: String,
    pub(crate) shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

pub(crate) struct Shared {
    /// Where tokens are accepted.
    git: Arc<Seen>,
    public: Vec<u8>,
    pub(crate) mood: Mutex<Mood>,
    pub(crate) minted: Mutex<Vec<String>>,
    pub(crate) revoked: Mutex<Vec<String>>,
    /// What was asked for with tokens.
    pub(crate) asked: Mutex<Vec<Value>>,
    pub(crate) calls: AtomicU64,
    /// The statements that were refused, and why.
    pub(crate) wrong: Mutex<Vec<String>>,
}

impl Github {
    pub(crate) async fn start(git: Arc<Seen>) -> Self {
        git.tokens.lock().unwrap().clear();
        let der = PEM.lines().filter(|line| !line.starts_with('-')).collect::<String>();
        let der = base64::engine::general_purpose::STANDARD.decode(der).unwrap();
        let public = RsaKeyPair::from_der(&der).unwrap().public().as_ref().to_vec();
        let shared = Arc::new(Shared {
            git,
            public,
            mood: Mutex::new(Mood::Usual),
            minted: Mutex::default(),
            revoked: Mutex::default(),
            asked: Mutex::default(),
            calls: AtomicU64::new(0),
            wrong: Mutex::default(),
        });
        let app = Router::new()
            .route("/api/v3/repos/{owner}/{name}/installation", get(installation))
            .route("/api/v3/app/installations/{id}/access_tokens", post(token))
            .route("/api/v3/installation/token", delete(revoke))
            .route("/api/v3/app", get(itself))
            .route("/api/v3/users/{name}", get(user))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let api = format!("http://{}/api/v3", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { api, shared, serving }
    }

    /// The app, for a host.
    pub(crate) fn credential(&self, host: &str) -> Credential {
        let api = Api::parse(&self.api, &[]).unwrap();
        let key = AppKey::from_pem(PEM).unwrap();
        let app = App { client_id: CLIENT.to_owned(), key, api };
        Credential::new("app", host, Kind::App(app)).unwrap()
    }

    pub(crate) fn be(&self, mood: Mood) {
        *self.shared.mood.lock().unwrap() = mood;
    }

    pub(crate) fn minted(&self) -> Vec<String> {
        self.shared.minted.lock().unwrap().clone()
    }

    pub(crate) fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::SeqCst)
    }
}

impl Drop for Github {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ").map(ToOwned::to_owned)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl Shared {
    /// Looks at a statement as GitHub does.
    fn check(&self, headers: &HeaderMap) -> Result<(), Box<Response>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        match *self.mood.lock().unwrap() {
            Mood::Down => return Err(Box::new(StatusCode::BAD_GATEWAY.into_response())),
            Mood::Busy => {
                let wait = [("retry-after", "7")];
                return Err(Box::new((StatusCode::TOO_MANY_REQUESTS, wait).into_response()));
            }
            Mood::Spent => {
                let until = (now() + 30).to_string();
                let wait = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &until)];
                return Err(Box::new((StatusCode::FORBIDDEN, wait).into_response()));
            }
            Mood::Usual | Mood::NotInstalled | Mood::ReadOnly | Mood::ShortLived => {}
        }
        if let Err(why) = self.verify(headers) {
            self.wrong.lock().unwrap().push(why);
            return Err(Box::new(StatusCode::UNAUTHORIZED.into_response()));
        }
        Ok(())
    }

    fn verify(&self, headers: &HeaderMap) -> Result<(), String> {
        let text = bearer(headers).ok_or("no statement")?;
        let (signed, signature) = text.rsplit_once('.').ok_or("no signature")?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| "odd signature")?;
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.public)
            .verify(signed.as_bytes(), &signature)
            .map_err(|_| "wrong signature")?;
        let (head, claims) = signed.split_once('.').ok_or("no claims")?;
        let read = |part: &str| -> Value {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
        };
        let (head, claims) = (read(head), read(claims));
        let number = |name: &str| claims[name].as_u64().unwrap_or(0);
        let now = now();
        if head["alg"] != "RS256" || claims["iss"] != CLIENT {
            return Err(format!("{head} {claims}"));
        }
        if number("iat") > now - 50 || number("iat") < now - 130 {
            return Err(format!("iat {} at {now}", number("iat")));
        }
        if number("exp") <= now || number("exp") > now + 600 {
            return Err(format!("exp {} at {now}", number("exp")));
        }
        if headers.get("user-agent").is_none() {
            return Err("GitHub wants to know what asks".to_owned());
        }
        Ok(())
    }
}

async fn installation(
    State(shared): State<Arc<Shared>>,
    Path((owner, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = shared.check(&headers) {
        return *refused;
    }
    let installed = *shared.mood.lock().unwrap() != Mood::NotInstalled;
    if (owner.as_str(), name.as_str()) != ("owner", "repo") || !installed {
        return StatusCode::NOT_FOUND.into_response();
    }
    Json(json!({ "id": 4711, "app_slug": "emergent-app" })).into_response()
}

async fn token(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<u64>,
    headers: HeaderMap,
    Json(wanted): Json<Value>,
) -> Response {
    if let Err(refused) = shared.check(&headers) {
        return *refused;
    }
    assert_eq!(id, 4711);
    shared.asked.lock().unwrap().push(wanted.clone());
    let mood = *shared.mood.lock().unwrap();
    if mood == Mood::ReadOnly {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    let number = shared.minted.lock().unwrap().len();
    let token = format!("ghs_4711_CANARY{number}.{}", "x".repeat(480));
    shared.minted.lock().unwrap().push(token.clone());
    shared.git.tokens.lock().unwrap().insert(token.clone());
    let life = if mood == Mood::ShortLived { 60 } else { 3_600 };
    let expires = iso(SystemTime::now() + Duration::from_secs(life));
    let granted = wanted["permissions"].clone();
    let answer = json!({ "token": token, "expires_at": expires, "permissions": granted });
    (StatusCode::CREATED, Json(answer)).into_response()
}

async fn revoke(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> StatusCode {
    let token = bearer(&headers).unwrap();
    if !shared.git.tokens.lock().unwrap().remove(&token) {
        return StatusCode::UNAUTHORIZED;
    }
    shared.revoked.lock().unwrap().push(token);
    StatusCode::NO_CONTENT
}

async fn itself(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    match shared.check(&headers) {
        Ok(()) => Json(json!({ "slug": "emergent-app", "id": 1 })).into_response(),
        Err(refused) => *refused,
    }
}

async fn user(Path(name): Path<String>) -> Response {
    assert_eq!(name, "emergent-app[bot]");
    Json(json!({ "login": name, "id": 424_242 })).into_response()
}

/// A time as GitHub writes it, by the system's own `date`.
fn iso(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%dT%H:%M:%SZ"])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
