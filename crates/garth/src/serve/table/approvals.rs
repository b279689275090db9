//! Approvals that are waited for, and their answers.

use garth_contract::Result;
use garth_gateway::{Caller, Gateway, Operation, approvals::Reply};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::row::{facts, on_gateway, read};
use crate::serve::{answer::Answer, ws::approvals::shown};

/// The rows.
pub(super) fn rows(gateway: &Gateway) -> Vec<Operation<Answer>> {
    let (to_list, to_answer) = (gateway.clone(), gateway.clone());
    vec![
        on_gateway("approvals.list", &[], move |_, params| list(to_list.clone(), params)),
        on_gateway("approvals.answer", &["id", "decision"], move |caller, params| {
            answer(to_answer.clone(), caller, params)
        }),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {}

async fn list(gateway: Gateway, params: Value) -> Result<Answer> {
    let List {} = read(params)?;
    let pending = gateway.approvals().pending();
    let mut facts = Map::new();
    facts.insert("approvals".to_owned(), pending.iter().map(shown).collect());
    Ok(Answer::Facts(facts))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decide {
    id: String,
    decision: Reply,
}

async fn answer(gateway: Gateway, caller: Caller, params: Value) -> Result<Answer> {
    let Decide { id, decision } = read(params)?;
    gateway.approvals().answer(&id, decision, &caller)?;
    facts(&serde_json::json!({ "id": id, "decision": decision })).map(Answer::Facts)
}
