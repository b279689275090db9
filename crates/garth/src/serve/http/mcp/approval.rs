//! An approval as MCP asks for it: the call is answered with a question for the person
//! before the client, and made again with what that person said.
//!
//! What a client sends along with its second try is the question's id alone; the question
//! is kept here, is about one call of one caller, and is answered once.

use garth_gateway::approvals::{Again, Asked, Hears, Reply, Told};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ElicitResult, ElicitationAction, InputRequest,
    InputRequests, InputRequiredResult,
};
use serde_json::json;

/// What the question is called in a result, and its answer in the next request.
const NAME: &str = "approval";
/// The one field of the form.
const FIELD: &str = "allow";

/// How a caller hears of an approval: itself, where its client says that it can ask somebody.
pub(super) fn hears(client: Option<&ClientCapabilities>, request: &CallToolRequestParams) -> Hears {
    if client.is_none_or(|client| client.elicitation.is_none()) {
        return Hears::Waits;
    }
    let again = request.request_state.clone().map(|id| Again { id, said: said(request) });
    Hears::Told(Told { again, ..Told::default() })
}

/// What the person before the client said; whoever closes the form without a word has said
/// no to this call.
fn said(request: &CallToolRequestParams) -> Option<Reply> {
    let response = request.input_responses.as_ref()?.get(NAME)?;
    let result: ElicitResult = serde_json::from_value(response.clone()).ok()?;
    let allowed = result.content.as_ref().and_then(|content| content.get(FIELD)?.as_bool());
    let accepted = result.action == ElicitationAction::Accept;
    Some(if accepted && allowed == Some(true) { Reply::Allow } else { Reply::Deny })
}

/// The question, as the result of a call. `None` where it cannot be put into words.
pub(super) fn asks(asked: &Asked) -> Option<InputRequiredResult> {
    let Asked { id, agent, operation, summary, change, .. } = asked;
    let what = if summary.is_empty() { String::new() } else { format!(": {summary}") };
    let change = change.as_ref().map(|change| format!("\n{change}")).unwrap_or_default();
    let form = json!({
        "type": "object",
        "properties": {FIELD: {
            "type": "boolean",
            "title": "Allow it",
            "description": "Whether it may be done, this once.",
        }},
        "required": [FIELD],
    });
    let question: InputRequest = serde_json::from_value(json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": format!("The workspace {agent} wants your approval for {operation}{what}{change}"),
            "requestedSchema": form,
        },
    }))
    .ok()?;
    let requests = InputRequests::from([(NAME.to_owned(), question)]);
    Some(InputRequiredResult::new(Some(requests), Some(id.clone())))
}
