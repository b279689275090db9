//! Tells an operator who is asked for approval, and how it ended.

use garth_gateway::approvals::{Answered, Asked, Event, Reply};
use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::outbox::Outbox;

/// Tells everything that happens until the client is gone. One who was too slow is told
/// to ask for the list again.
pub(super) async fn tell(mut events: Receiver<Event>, outbox: Outbox) {
    loop {
        let (event, payload) = match events.recv().await {
            Ok(Event::Asked(asked)) => ("approval.requested", shown(&asked)),
            Ok(Event::Settled { id, answered }) => ("approval.settled", settled(&id, &answered)),
            Err(RecvError::Lagged(_)) => ("approval.resync", json!({})),
            Err(RecvError::Closed) => return,
        };
        if outbox.event(event, &payload).await.is_err() {
            return;
        }
    }
}

/// A question as it goes over the wire.
pub(crate) fn shown(asked: &Asked) -> Value {
    let Asked { id, agent, caller, session, operation, summary, change, asked_ms, deadline_ms } =
        asked;
    let mut shown = json!({
        "id": id,
        "agentId": agent.as_str(),
        "caller": caller,
        "session": session,
        "operation": operation,
        "summary": summary,
        "askedMs": asked_ms,
        "deadlineMs": deadline_ms,
    });
    if let (Some(change), Some(fields)) = (change, shown.as_object_mut()) {
        fields.insert("change".to_owned(), change.as_str().into());
    }
    shown
}

fn settled(id: &str, answered: &Answered) -> Value {
    match answered {
        Answered::By { caller, reply } => {
            let decision = match reply {
                Reply::Allow => "allow",
                Reply::Deny => "deny",
            };
            json!({ "id": id, "how": "answered", "decision": decision, "by": caller })
        }
        Answered::Unanswered => json!({ "id": id, "how": "unanswered" }),
        Answered::Withdrawn => json!({ "id": id, "how": "withdrawn" }),
    }
}
