//! Tokens: given out, listed, taken back.

use std::time::Duration;

use garth_contract::{Code, Error, Result};
use garth_gateway::{AgentId, Callers, Gateway, Grant, Operation, Role, Token};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::row::{facts, on_gateway, read};
use crate::serve::answer::Answer;

/// The most tokens of a page.
const PAGE: u32 = 1_000;

/// The longest that a token is good for which does not last for ever: a hundred years.
pub(crate) const MOST_TTL_MS: u64 = 100 * 365 * 24 * 3_600_000;

/// The rows.
pub(super) fn rows(gateway: &Gateway) -> Vec<Operation<Answer>> {
    let callers = gateway.callers();
    let (to_create, to_list, to_revoke) = (callers.clone(), callers.clone(), callers.clone());
    vec![
        on_gateway("tokens.create", &["role", "agentId", "label"], move |_, params| {
            create(to_create.clone(), params)
        }),
        on_gateway("tokens.list", &[], move |_, params| list(to_list.clone(), params)),
        on_gateway("tokens.revoke", &["id"], move |_, params| revoke(to_revoke.clone(), params)),
    ]
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Create {
    role: Named,
    agent_id: Option<String>,
    #[serde(default)]
    label: String,
    /// For how long it is good; without it, until it is taken back.
    ttl_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Named {
    Operator,
    Agent,
    User,
}

async fn create(callers: Callers, params: Value) -> Result<Answer> {
    #[derive(Serialize)]
    struct Created {
        /// Shown here and never again.
        token: String,
        #[serde(flatten)]
        about: Token,
    }
    let Create { role, agent_id, label, ttl_ms } = read(params)?;
    let role = match (role, agent_id) {
        (Named::Operator, None) => Role::Operator,
        (Named::User, None) => Role::User,
        (Named::Agent, Some(agent)) => Role::Agent(AgentId::parse(&agent)?),
        (Named::Agent, None) => return Err(wrong("the token of an agent needs its agentId")),
        (Named::Operator | Named::User, Some(_)) => {
            return Err(wrong("only the token of an agent has an agentId"));
        }
    };
    if ttl_ms.is_some_and(|ttl_ms| ttl_ms > MOST_TTL_MS) {
        return Err(wrong("ttlMs is at most a hundred years; leave it out for ever"));
    }
    let grant = Grant { role, label, ttl: ttl_ms.map(Duration::from_millis) };
    let (secret, about) = callers.issue(grant).await?;
    facts(&Created { token: secret.reveal(), about }).map(Answer::Shown)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    #[serde(default)]
    cursor: String,
    limit: Option<u32>,
}

async fn list(callers: Callers, params: Value) -> Result<Answer> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Listed {
        tokens: Vec<Token>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    }
    let List { cursor, limit } = read(params)?;
    let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
    let tokens = callers.list(&cursor, limit).await?;
    let full = tokens.len() == limit as usize;
    let next_cursor = tokens.last().filter(|_| full).map(|token| token.id.clone());
    facts(&Listed { tokens, next_cursor }).map(Answer::Facts)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Revoke {
    id: String,
}

async fn revoke(callers: Callers, params: Value) -> Result<Answer> {
    #[derive(Serialize)]
    struct Revoked {
        id: String,
        revoked: bool,
    }
    let Revoke { id } = read(params)?;
    callers.revoke(&id).await?;
    facts(&Revoked { id, revoked: true }).map(Answer::Facts)
}

fn wrong(message: &'static str) -> Error {
    Error::new(Code::InvalidParams, message)
}
