//! The handshake: a challenge, the client's `connect`, and what it is told then.

use garth_contract::{Code, Error, Result};
use garth_gateway::{Credential, Role};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::outbox;
use crate::serve::app::App;

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
    #[serde(default, rename = "instanceId")]
    instance: Option<String>,
    #[serde(default)]
    id: Option<String>,
}

impl Connect {
    /// Reads the parameters of `connect`.
    ///
    /// # Errors
    /// `INVALID_PARAMS`, also for a protocol that is not spoken here.
    pub(crate) fn read(params: Value) -> Result<Self> {
        let params = if params.is_null() { json!({}) } else { params };
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
        client.instance.as_deref().or(client.id.as_deref())
    }

    fn protocol(&self) -> u64 {
        self.max_protocol.unwrap_or(PROTOCOL).min(PROTOCOL)
    }
}

/// The challenge that every client hears first.
pub(crate) fn challenge(nonce: &str, now_ms: i64) -> Value {
    json!({ "nonce": nonce, "ts": now_ms })
}

/// What a client is told that was let in.
pub(crate) fn told(
    app: &App,
    connect: &Connect,
    credential: &Credential,
    connection: &str,
) -> Map<String, Value> {
    let methods: Vec<_> = app.table.rows().map(|row| row.name).collect();
    let (role, agent) = match credential.role() {
        Role::Operator => ("operator", None),
        Role::Agent(agent) => ("agent", Some(agent.as_str())),
        Role::User => ("user", None),
    };
    let mut auth = json!({ "role": role, "scopes": scopes(credential.role()) });
    if let (Some(agent), Value::Object(auth)) = (agent, &mut auth) {
        auth.insert("agentId".to_owned(), agent.into());
    }
    let told = json!({
        "type": "hello-ok",
        "protocol": connect.protocol(),
        "server": { "version": env!("CARGO_PKG_VERSION"), "connId": connection },
        "features": { "methods": methods, "events": EVENTS, "capabilities": [] },
        "snapshot": {
            "presence": [],
            "health": {},
            "stateVersion": { "presence": 0, "health": 0 },
            "uptimeMs": 0,
        },
        "auth": auth,
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

/// The events that a client can hear.
pub(crate) const EVENTS: &[&str] = &["connect.challenge", "tick"];

/// The same rights in the words of clients that think in scopes.
fn scopes(role: &Role) -> &'static [&'static str] {
    match role {
        Role::Operator => &["operator.read", "operator.write", "operator.admin"],
        Role::Agent(_) => &["operator.read", "operator.write"],
        Role::User => &[],
    }
}
