//! A token as the registry has it.

use blake3::Hash;
use garth_contract::{Code, Error, Result};
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

use crate::{
    AgentId,
    caller::Role,
    store::{fault, sql},
};

/// What a token is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// By a program.
    Token,
    /// By a person in the web UI.
    Session,
    /// Once, for a session.
    Ticket,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) hash: Hash,
    pub(super) used: Use,
    pub(super) role: Role,
    pub(super) label: String,
    pub(super) created_ms: i64,
    pub(super) expires_ms: Option<i64>,
    pub(super) revoked_ms: Option<i64>,
}

/// What may be told about a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Its id, which is no secret.
    pub id: String,
    /// `operator`, `agent` or `user`.
    pub role: &'static str,
    /// Whose workspace it is for.
    pub agent: Option<AgentId>,
    /// `token`, or `session` of the web UI.
    pub kind: &'static str,
    /// What the operator called it.
    pub label: String,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it expires.
    pub expires_ms: Option<i64>,
    /// When it was taken back.
    pub revoked_ms: Option<i64>,
}

impl Use {
    fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Session => "session",
            Self::Ticket => "ticket",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Token, Self::Session, Self::Ticket].into_iter().find(|used| used.name() == name)
    }
}

impl From<&Row> for Token {
    fn from(row: &Row) -> Self {
        let (role, agent) = role_of(row);
        Self {
            id: row.id.clone(),
            role,
            agent: agent.cloned(),
            kind: row.used.name(),
            label: row.label.clone(),
            created_ms: row.created_ms,
            expires_ms: row.expires_ms,
            revoked_ms: row.revoked_ms,
        }
    }
}

fn role_of(row: &Row) -> (&'static str, Option<&AgentId>) {
    match &row.role {
        Role::Operator => ("operator", None),
        Role::Agent(id) => ("agent", Some(id)),
        Role::User => ("user", None),
    }
}

impl Row {
    pub(super) fn is_good(&self, now_ms: i64) -> bool {
        self.revoked_ms.is_none() && self.expires_ms.is_none_or(|expires| now_ms < expires)
    }

    /// Puts it into the table, where its agent exists.
    pub(super) fn insert(&self, connection: &Connection) -> Result<()> {
        let (role, agent) = role_of(self);
        if let Some(agent) = agent {
            let there = connection.query_row(sql::WS_GET, [agent.as_str()], |_| Ok(())).optional();
            if there.map_err(|error| fault(&error))?.is_none() {
                return Err(Error::of(Code::AgentNotFound));
            }
        }
        let values = (
            &self.id,
            self.hash.as_bytes(),
            self.used.name(),
            role,
            agent.map(AgentId::as_str),
            &self.label,
            self.expires_ms,
        );
        let inserted = connection.execute(sql::TOKEN_CREATE, values);
        inserted.map(drop).map_err(|error| fault(&error))
    }

    pub(super) fn read(row: &rusqlite::Row<'_>) -> Result<Self> {
        let damaged = || Error::new(Code::Internal, "the registry holds a damaged token");
        let text = |index| row.get::<_, String>(index).map_err(|_| damaged());
        let number = |index| row.get::<_, Option<i64>>(index).map_err(|_| damaged());
        let hash: [u8; 32] = row.get(1).map_err(|_| damaged())?;
        let agent: Option<String> = row.get(4).map_err(|_| damaged())?;
        let role = match (text(3)?.as_str(), agent) {
            ("operator", None) => Role::Operator,
            ("agent", Some(agent)) => Role::Agent(AgentId::parse(&agent).map_err(|_| damaged())?),
            ("user", None) => Role::User,
            _ => return Err(damaged()),
        };
        Ok(Self {
            id: text(0)?,
            hash: Hash::from_bytes(hash),
            used: Use::of(&text(2)?).ok_or_else(damaged)?,
            role,
            label: text(5)?,
            created_ms: number(6)?.ok_or_else(damaged)?,
            expires_ms: number(7)?,
            revoked_ms: number(8)?,
        })
    }
}
