//! A ticket: good once, for ten minutes, for a session of the web UI.

use std::time::Duration;

use garth_contract::{Code, Error, Result};
use rusqlite::OptionalExtension;

use super::{Callers, Grant, Row, Token, Use};
use crate::{
    caller::Role,
    clock::millis,
    store::{fault, sql},
    token::Secret,
};

/// How long a ticket waits to be used: to copy an address into a browser.
const TICKET: Duration = Duration::from_secs(600);

/// How long a session lasts: a working day and the night after it.
const SESSION: Duration = Duration::from_secs(24 * 3_600);

/// How long sessions and tickets that are over stay in the list.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);

impl Callers {
    /// Gives out a ticket for an operator's session.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be stored.
    pub async fn ticket(&self, label: &str) -> Result<Secret> {
        let grant = Grant { role: Role::Operator, label: label.to_owned(), ttl: Some(TICKET) };
        let (secret, _) = self.make(grant, Use::Ticket).await?;
        Ok(secret)
    }

    /// Takes a ticket, which is void from then on, and gives the token of a session.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` for what is no ticket, was used, or is older than ten minutes.
    pub async fn exchange(&self, ticket: &str) -> Result<(Secret, Token)> {
        let refused = || Error::of(Code::Unauthenticated);
        let ticket = Secret::parse(ticket).ok_or_else(refused)?.stored();
        let secret = Secret::new()?;
        let stored = secret.stored();
        let now_ms = self.shared.store.clock().now_ms();
        let mut row = Row {
            id: stored.id,
            hash: stored.hash,
            used: Use::Session,
            role: Role::Operator,
            label: String::new(),
            created_ms: now_ms,
            expires_ms: Some(now_ms.saturating_add(millis(SESSION))),
            revoked_ms: None,
        };
        let token = self.shared.store.write(move |connection| {
            let values = (&ticket.id, ticket.hash.as_bytes());
            let taken = connection.query_row(sql::TICKET_TAKE, values, |row| row.get(0)).optional();
            row.label = taken.map_err(|error| fault(&error))?.ok_or_else(refused)?;
            row.insert(connection)?;
            Ok(Token::from(&row))
        });
        Ok((secret, token.await?))
    }

    /// Forgets sessions and tickets that are long over. It waits for the disk.
    pub(crate) fn sweep(&self) -> Result<()> {
        self.shared.store.write_waiting(|connection| {
            let swept = connection.execute(sql::TOKEN_SWEEP, [millis(KEPT)]);
            swept.map(drop).map_err(|error| fault(&error))
        })
    }
}
