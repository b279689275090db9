//! The handshake: a challenge, the client's `connect`, and what it is told then.

use garth_contract::{Code, Error, Result};
use garth_gateway::{Access, Credential, Operation, Role, Run};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::outbox;
use crate::serve::{answer::Answer, app::App};

/// The protocol that is spoken.
const PROTOCOL: u64 = 4;
/// The oldest one that a client may speak; it differs in nothing that is used here.
const OLDEST: u64 = 3;
/// How often a client hears that the gateway lives.
pub(crate) const TICK_MS: u64 = 15_000;

/// What a client says of itself. Only the token in it counts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Connect {
    #[serde(default)]
    min_protocol: Option<u64>,
    #[serde(default)]
    max_protocol: Option<u64>,
    #[serde(default)]
    auth: Option<Auth>,
    #[serde(default)]
    client: Option<Client>,
}

#[derive(Debug, Deserialize)]
struct Auth {
    #[serde(default)]
    token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Client {
    #[serde(default, rename = "sessionId")]
    session: Option<String>,
    #[serde(default, rename = "instanceId")]
    instance: Option<String>,
}

impl Connect {
    /// Reads the parameters of `connect`.
    ///
    /// # Errors
    /// `INVALID_PARAMS`, also for a protocol that is not spoken here.
    pub(crate) fn read(params: Value) -> Result<Self> {
        let params = if params.is_null() { json!({}) } else { params };
        if !params.is_object() {
            return Err(Error::new(Code::InvalidParams, "params is an object"));
        }
        let connect: Self = serde_json::from_value(params)
            .map_err(|error| Error::new(Code::InvalidParams, error.to_string()))?;
        let least = connect.min_protocol.unwrap_or(OLDEST);
        let most = connect.max_protocol.unwrap_or(PROTOCOL);
        if least > PROTOCOL || most < OLDEST || least > most {
            let message = format!("protocols {OLDEST} to {PROTOCOL} are spoken here");
            return Err(Error::new(Code::InvalidParams, message));
        }
        Ok(connect)
    }

    /// The token it carries.
    pub(crate) fn token(&self) -> Option<&str> {
        self.auth.as_ref()?.token.as_deref()
    }

    /// What the client calls this session; it proves nothing.
    pub(crate) fn session(&self) -> Option<&str> {
        let client = self.client.as_ref()?;
        client.session.as_deref().or(client.instance.as_deref())
    }

    fn protocol(&self) -> u64 {
        self.max_protocol.unwrap_or(PROTOCOL).min(PROTOCOL)
    }
}

/// The challenge that every client hears first. Clients sign what is in it, which
/// proves nothing here; so its nonce is only its own.
pub(crate) fn challenge(connection: &str, now_ms: i64) -> Value {
    json!({ "nonce": format!("{connection}-{now_ms}"), "ts": now_ms })
}

/// What a client is told that was let in.
pub(crate) fn told(
    app: &App,
    connect: &Connect,
    credential: &Credential,
    connection: &str,
) -> Map<String, Value> {
    let role = match credential.role() {
        Role::Operator => "operator",
        Role::Agent(_) => "agent",
        Role::User => "user",
    };
    let rows = app.table.rows().filter(|row| may(credential.role(), row));
    let methods: Vec<_> = rows.map(|row| row.name).collect();
    let told = json!({
        "type": "hello-ok",
        "protocol": connect.protocol(),
        "server": { "version": env!("CARGO_PKG_VERSION"), "connId": connection },
        "features": { "methods": methods, "events": EVENTS, "capabilities": [] },
        "snapshot": snapshot(app, credential.role()),
        "auth": { "role": role, "scopes": scopes(credential.role()) },
        "policy": {
            "maxPayload": app.most_frame,
            "maxBufferedBytes": outbox::MOST_BYTES,
            "tickIntervalMs": TICK_MS,
        },
    });
    match told {
        Value::Object(told) => told,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

/// How the gateway is, in the words of its protocol; an agent finds its own id there.
fn snapshot(app: &App, role: &Role) -> Value {
    let uptime = u64::try_from(app.uptime().as_millis()).unwrap_or(u64::MAX);
    let mut snapshot = json!({
        "presence": [],
        "health": {},
        "stateVersion": { "presence": 0, "health": 0 },
        "uptimeMs": uptime,
        "authMode": "token",
    });
    if let (Role::Agent(agent), Value::Object(snapshot)) = (role, &mut snapshot) {
        let session = format!("agent:{agent}:main");
        let own = json!({
            "defaultAgentId": agent.as_str(), "mainKey": "main", "mainSessionKey": session,
        });
        snapshot.insert("sessionDefaults".to_owned(), own);
    }
    snapshot
}

/// Tells whether a role can ever call an operation.
fn may(role: &Role, row: &Operation<Answer>) -> bool {
    match (role, &row.run, row.access) {
        (Role::Operator, _, _) => true,
        (Role::Agent(_), Run::Workspace(_), Access::Read | Access::Write | Access::Run) => true,
        (Role::Agent(_), Run::Workspace(_), Access::Admin)
        | (Role::Agent(_), Run::Gateway(_), _)
        | (Role::User, _, _) => false,
    }
}

/// The events that a client can hear.
pub(crate) const EVENTS: &[&str] = &[
    "connect.challenge",
    "tick",
    "worktree.changed",
    "worktree.resync",
    "worktree.unwatched",
    "worktree.archive.chunk",
    "worktree.archive.end",
    "terminal.data",
    "terminal.exit",
    "approval.requested",
    "approval.settled",
    "approval.resync",
];

/// The same rights in the words of clients that think in scopes.
fn scopes(role: &Role) -> &'static [&'static str] {
    match role {
        Role::Operator => &["operator.read", "operator.write", "operator.admin"],
        Role::Agent(_) => &["operator.read", "operator.write"],
        Role::User => &[],
    }
}
