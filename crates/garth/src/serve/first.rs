//! The first start: a token for the operator, an agent to try, an address to open.

use std::fmt::Write as _;

use garth_contract::Result;
use garth_gateway::{AgentId, Gateway, Grant, Role, Settings};

use super::{data::Data, opener};

/// The agent that a new gateway has.
const FIRST: &str = "default";

/// Makes what a new gateway needs, and says where to go.
///
/// # Errors
/// `INTERNAL` where the registry or the token's file cannot be written.
pub(crate) async fn prepare(
    gateway: &Gateway,
    data: &Data,
    begins: &Settings,
    at: &str,
) -> Result<String> {
    if !data.has_operator_token() {
        let grant =
            Grant { role: Role::Operator, label: "the first operator".to_owned(), ttl: None };
        let (secret, _) = gateway.callers().issue(grant).await?;
        data.keep_operator_token(&secret)?;
    }
    if gateway.registry().list("", 1).await?.is_empty() {
        let id = AgentId::parse(FIRST)?;
        opener::make_directory(data.path(), &id, begins)?;
        gateway.registry().create(&id, begins).await?;
    }
    let ticket = gateway.callers().ticket("the address that was printed").await?;
    let token = data.operator_token();
    let mut told = String::new();
    let _ = writeln!(told, "garth listens on {at}");
    let _ = writeln!(told, "  open     {at}/#ticket={}", ticket.reveal());
    let _ = writeln!(told, "           (good once, for ten minutes)");
    let _ = writeln!(told, "  token    {} (the operator's)", token.display());
    let _ = write!(
        told,
        "  try      curl -H \"Authorization: Bearer $(cat {})\" {at}/v1/workspaces",
        token.display()
    );
    Ok(told)
}
