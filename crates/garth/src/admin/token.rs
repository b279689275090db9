//! `garth token`: the tokens of a gateway.

use garth_contract::{Code, Error, Result};
use garth_gateway::{Grant, Role, Token};
use serde_json::json;

use super::{Missing, Office, columns, facts, format, run as on_data, when};
use crate::{
    args::{self, TokenRole, TokenVerb},
    output::{Format, Outcome, Output},
};

/// Runs the command.
pub(crate) fn run(args: &args::Token, output: &Output) -> Outcome {
    match &args.verb {
        TokenVerb::Create(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Made, to, |office| create(office, args, to))
        }
        TokenVerb::List(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| list(office, to))
        }
        TokenVerb::Revoke(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| revoke(office, args, to))
        }
    }
}

type To<'a> = (&'a Output, Format);

async fn create(
    office: Office,
    args: &args::TokenCreate,
    (output, format): To<'_>,
) -> Result<Outcome> {
    let role = match (args.role, &args.agent) {
        (TokenRole::Operator, None) => Role::Operator,
        (TokenRole::User, None) => Role::User,
        (TokenRole::Agent, Some(agent)) => Role::Agent(agent.clone()),
        (TokenRole::Operator | TokenRole::User, Some(_)) | (TokenRole::Agent, None) => {
            return Err(Error::new(Code::InvalidParams, "--agent goes with the role agent"));
        }
    };
    let summary = format!("role: {role}");
    let grant = Grant { role, label: args.label.clone(), ttl: args.ttl };
    let work = office.registry.callers().issue(grant);
    let (secret, token) = office.change("tokens.create", summary, work).await?;
    match format {
        Format::Json => {
            let mut facts = facts(&token)?;
            facts.insert("token".to_owned(), secret.reveal().into());
            output.payload(&facts);
        }
        // Alone, so that it can go into a file or a variable.
        Format::Text => output.answer(&secret.reveal()),
    }
    Ok(Outcome::Done)
}

async fn list(office: Office, (output, format): To<'_>) -> Result<Outcome> {
    let mut tokens: Vec<Token> = Vec::new();
    loop {
        let after = tokens.last().map(|token| token.id.clone()).unwrap_or_default();
        let page = office.registry.callers().list(&after, u32::MAX).await?;
        if page.is_empty() {
            break;
        }
        tokens.extend(page);
    }
    tokens.sort_by_key(|token| token.created_ms);
    match format {
        Format::Json => output.payload(&facts(&json!({ "tokens": tokens }))?),
        Format::Text => {
            let now_ms = office.registry.store().clock().now_ms();
            let rows: Vec<_> = tokens.iter().map(|token| row(token, now_ms)).collect();
            let head = ["TOKEN", "ROLE", "STATE", "MADE", "EXPIRES", "LABEL"];
            output.answer(&columns::page(head, &rows));
        }
    }
    Ok(Outcome::Done)
}

fn row(token: &Token, now_ms: i64) -> [String; 6] {
    let state = if token.revoked_ms.is_some() {
        "taken back"
    } else if token.expires_ms.is_some_and(|expires| expires <= now_ms) {
        "expired"
    } else {
        "good"
    };
    let role = match &token.agent {
        Some(agent) => format!("{}:{agent}", token.role),
        None => token.role.to_owned(),
    };
    [
        token.id.clone(),
        role,
        state.to_owned(),
        when::shown(token.created_ms),
        when::perhaps(token.expires_ms),
        token.label.clone(),
    ]
}

async fn revoke(
    office: Office,
    args: &args::TokenRevoke,
    (output, format): To<'_>,
) -> Result<Outcome> {
    if args.id.starts_with("garth_") {
        let error = Error::new(Code::InvalidParams, "this is a token, and its id is wanted");
        return Err(error.hint("garth token list shows the ids."));
    }
    let work = office.registry.callers().revoke(&args.id);
    let shown: String = args.id.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
    office.change("tokens.revoke", format!("token: {shown}"), work).await?;
    match format {
        Format::Json => output.payload(&facts(&json!({ "revoked": true }))?),
        Format::Text => output.answer(&format!("{} is taken back", args.id)),
    }
    Ok(Outcome::Done)
}
