//! Requests under way: who waits for which answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agent_client_protocol_schema::v1::Error;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::Trouble;

/// What the ids of our requests begin with, so that they are told from others'.
const PREFIX: &str = "garth-";

type Answer = Result<Value, Trouble>;

/// The requests under way.
#[derive(Default)]
pub(super) struct Pending(Mutex<Open>);

#[derive(Default)]
struct Open {
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    next: u64,
    closed: bool,
}

/// One request under way; dropping it forgets the request.
pub(super) struct Waiting {
    number: u64,
    answer: Option<oneshot::Receiver<Answer>>,
    pending: Arc<Pending>,
}

impl Pending {
    /// Opens a request.
    ///
    /// # Errors
    /// [`Trouble::Gone`].
    pub(super) fn wait(self: &Arc<Self>) -> Result<Waiting, Trouble> {
        let mut open = self.open();
        if open.closed {
            return Err(Trouble::Gone);
        }
        open.next += 1;
        let number = open.next;
        let (sender, answer) = oneshot::channel();
        open.waiting.insert(number, sender);
        drop(open);
        Ok(Waiting { number, answer: Some(answer), pending: Arc::clone(self) })
    }

    /// Takes an answer to one of our requests; gives back every other message.
    ///
    /// An answer that nobody waits for, the second one to a request included, is
    /// thrown away.
    pub(super) fn settle(&self, message: Value) -> Option<Value> {
        let Value::Object(mut fields) = message else { return Some(message) };
        let ours = fields.get("id").and_then(Value::as_str).and_then(number);
        let Some(number) = ours.filter(|_| !fields.contains_key("method")) else {
            return Some(Value::Object(fields));
        };
        let answer = match (fields.remove("result"), fields.remove("error")) {
            (Some(result), None) => Ok(result),
            (_, Some(error)) => Err(refusal(error)),
            (None, None) => Err(Trouble::Garbled),
        };
        self.give(number, answer);
        None
    }

    /// Fails the request whose answer could not be read, if its id can.
    pub(super) fn spoil(&self, head: &[u8], trouble: &Trouble) {
        let text = String::from_utf8_lossy(head);
        let mut found = text.match_indices(PREFIX).filter_map(|(at, prefix)| {
            let before = text.get(..at)?.trim_end_matches('"').trim_end();
            let digits = text.get(at + prefix.len()..)?;
            let (digits, _) = digits.split_once('"')?;
            let is_id = before.ends_with(':')
                && before.trim_end_matches(':').trim_end().ends_with("\"id\"");
            if is_id { digits.parse().ok() } else { None }
        });
        if let Some(number) = found.next() {
            self.give(number, Err(trouble.clone()));
        }
    }

    /// Fails everything: the client is gone.
    pub(super) fn close(&self) {
        let mut open = self.open();
        open.closed = true;
        for (_, sender) in open.waiting.drain() {
            // Who does not wait any more need not know.
            let _ = sender.send(Err(Trouble::Gone));
        }
    }

    fn give(&self, number: u64, answer: Answer) {
        let sender = self.open().waiting.remove(&number);
        if let Some(sender) = sender {
            // Who does not wait any more need not know.
            let _ = sender.send(answer);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn number(id: &str) -> Option<u64> {
    id.strip_prefix(PREFIX)?.parse().ok()
}

fn refusal(error: Value) -> Trouble {
    serde_json::from_value::<Error>(error).map_or(Trouble::Garbled, Trouble::Refused)
}

impl Waiting {
    pub(super) fn id(&self) -> String {
        format!("{PREFIX}{}", self.number)
    }

    pub(super) async fn answer(mut self) -> Answer {
        match self.answer.take() {
            Some(answer) => answer.await.unwrap_or(Err(Trouble::Gone)),
            None => Err(Trouble::Gone),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.pending.open().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pending() -> Arc<Pending> {
        Arc::default()
    }

    #[tokio::test]
    async fn an_answer_finds_who_waits_for_it_and_comes_once() {
        let pending = pending();
        let (one, two) = (pending.wait().unwrap(), pending.wait().unwrap());
        let answer = |waiting: &Waiting, result: &str| json!({ "jsonrpc": "2.0", "id": waiting.id(), "result": result });
        assert_eq!(pending.settle(answer(&two, "second")), None);
        assert_eq!(pending.settle(answer(&two, "again")), None);
        assert_eq!(pending.settle(answer(&one, "first")), None);
        assert_eq!(one.answer().await.unwrap(), "first");
        assert_eq!(two.answer().await.unwrap(), "second");
        assert!(pending.open().waiting.is_empty());
    }

    #[test]
    fn what_is_no_answer_of_ours_is_given_back() {
        let pending = pending();
        let waiting = pending.wait().unwrap();
        for message in [
            json!({ "id": 1, "result": {} }),
            json!({ "id": "1", "result": {} }),
            json!({ "id": "garth-x", "result": {} }),
            json!({ "id": waiting.id(), "method": "session/prompt" }),
            json!({ "method": "session/cancel" }),
            json!([1, 2]),
            json!("text"),
        ] {
            assert_eq!(pending.settle(message.clone()), Some(message));
        }
        assert_eq!(pending.settle(json!({ "id": "garth-999", "result": {} })), None);
        assert_eq!(pending.open().waiting.len(), 1);
    }

    #[test]
    fn a_request_that_is_dropped_is_forgotten() {
        let pending = pending();
        drop(pending.wait().unwrap());
        assert!(pending.open().waiting.is_empty());
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_fails_its_request_by_the_id() {
        let pending = pending();
        let (one, two) = (pending.wait().unwrap(), pending.wait().unwrap());
        let head = format!(r#"{{"jsonrpc":"2.0", "id" : "{}","result":{{"content":"xx"#, two.id());
        pending.spoil(head.as_bytes(), &Trouble::TooLarge);
        assert!(matches!(two.answer().await, Err(Trouble::TooLarge)));
        let text = format!(r#"{{"content":"{}"}}"#, one.id());
        pending.spoil(text.as_bytes(), &Trouble::Garbled);
        assert_eq!(pending.open().waiting.len(), 1);
        pending.close();
        assert!(matches!(one.answer().await, Err(Trouble::Gone)));
        assert!(matches!(pending.wait(), Err(Trouble::Gone)));
    }

    #[tokio::test]
    async fn an_answer_without_a_result_or_with_a_broken_error_is_garbled() {
        let pending = pending();
        for body in [json!({}), json!({ "error": "no" }), json!({ "error": { "code": "x" } })] {
            let waiting = pending.wait().unwrap();
            let mut message = body;
            message["id"] = waiting.id().into();
            pending.settle(message);
            assert!(matches!(waiting.answer().await, Err(Trouble::Garbled)));
        }
    }
}
