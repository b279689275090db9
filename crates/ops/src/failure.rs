//! An error as the JSON object that every interface sends, and what may come with it.

use garth_contract::{Code, Detail, Error};
use serde_json::{Map, Value, json};

use crate::Reply;

/// Why a tool did not do what it was asked, and what there is to show all the same.
///
/// An error holds no content; what a command printed before its time was up is
/// content, and stands beside it, redacted like every reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Why.
    pub error: Error,
    /// How far it came, where that can be told.
    pub partial: Option<Box<Reply>>,
}

impl Failure {
    /// An error after which there is something to show.
    #[must_use]
    pub fn after(error: Error, partial: Reply) -> Self {
        Self { error, partial: Some(Box::new(partial)) }
    }

    /// The code of the error.
    #[must_use]
    pub fn code(&self) -> Code {
        self.error.code()
    }

    /// Writes it as [`failure`] does, with the facts of what came before in `details`.
    #[must_use]
    pub fn body(&self) -> Map<String, Value> {
        let mut body = failure(&self.error);
        if let (Some(partial), Some(Value::Object(details))) =
            (&self.partial, body.get_mut("details"))
        {
            details.extend(partial.payload.clone());
        }
        body
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, partial: None }
    }
}

/// Writes an error as `{code, message, details, retryAfterMs?}`.
///
/// `details.hint` says what the caller can do; the other details are facts that a
/// program can act on. `retryAfterMs` stands in `details` too.
#[must_use]
pub fn failure(error: &Error) -> Map<String, Value> {
    written(error, Spelling::Snake)
}

/// Writes an error of a method: the same, with the names of details as methods have
/// theirs.
#[must_use]
pub fn method_failure(error: &Error) -> Map<String, Value> {
    written(error, Spelling::Camel)
}

/// How names of several words are written.
#[derive(Clone, Copy)]
enum Spelling {
    /// `two_words`, as parameters of tools are.
    Snake,
    /// `twoWords`, as those of methods are.
    Camel,
}

fn written(error: &Error, spelling: Spelling) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("hint".into(), error.advice().into());
    if let Some(path) = error.path() {
        details.insert("path".into(), path.to_string().into());
    }
    for detail in error.details() {
        details.extend(facts(detail, spelling));
    }
    let retry = details.get("retryAfterMs").cloned();
    let mut body = Map::new();
    body.insert("code".into(), error.code().row().name.into());
    body.insert("message".into(), error.message().into());
    body.insert("details".into(), details.into());
    body.extend(retry.map(|millis| ("retryAfterMs".into(), millis)));
    body
}

fn facts(detail: &Detail, spelling: Spelling) -> Vec<(String, Value)> {
    let one = |name: &str, value: Value| vec![(name.to_owned(), value)];
    match detail {
        Detail::Lines(lines) => one("lines", json!(lines)),
        Detail::Places(places) => one("places", json!(places)),
        Detail::Nearest(line) => one("nearest", json!(line)),
        Detail::Position(position) => one("position", json!(position)),
        Detail::Edit(edit) => one("edit", json!(edit)),
        Detail::Current(version) => {
            let name = match spelling {
                Spelling::Snake => "current_version",
                Spelling::Camel => "currentVersion",
            };
            one(name, json!(version.to_string()))
        }
        Detail::Limit { limit, actual } => {
            vec![("limit".to_owned(), json!(limit)), ("actual".to_owned(), json!(actual))]
        }
        Detail::RetryAfter(wait) => one(
            "retryAfterMs",
            json!(u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)),
        ),
        // The contract may learn new details before this table does; a detail
        // that has no name on the wire yet is left out.
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use garth_contract::{Version, WsPath};
    use garth_redact::Clean;

    use super::*;

    #[test]
    fn an_error_carries_its_hint_and_every_detail() {
        let path = WsPath::from_bytes(b"src/a.rs").unwrap();
        let error = Error::at(Code::AmbiguousMatch, &path)
            .with(Detail::Lines(vec![3, 9]))
            .with(Detail::Places(2))
            .with(Detail::Nearest(4))
            .with(Detail::Position(7))
            .with(Detail::Edit(1))
            .with(Detail::Limit { limit: 10, actual: 11 })
            .with(Detail::Current(Version::of(b"")));
        assert_eq!(
            Value::Object(failure(&error)),
            json!({
                "code": "AMBIGUOUS_MATCH",
                "message": "Found multiple matches for oldString: src/a.rs",
                "details": {
                    "hint": "Give more surrounding lines, or set replace_all.",
                    "path": "src/a.rs",
                    "lines": [3, 9],
                    "places": 2,
                    "nearest": 4,
                    "position": 7,
                    "edit": 1,
                    "limit": 10,
                    "actual": 11,
                    "current_version": Version::of(b"").to_string(),
                },
            })
        );
    }

    #[test]
    fn a_method_spells_every_detail_as_methods_do() {
        let error = Error::of(Code::Conflict)
            .with(Detail::Lines(vec![3, 9]))
            .with(Detail::Places(2))
            .with(Detail::Nearest(4))
            .with(Detail::Position(7))
            .with(Detail::Edit(1))
            .with(Detail::Limit { limit: 10, actual: 11 })
            .with(Detail::RetryAfter(Duration::from_millis(1)))
            .with(Detail::Current(Version::of(b"")));
        let body = method_failure(&error);
        let details = body["details"].as_object().unwrap();
        assert_eq!(details["currentVersion"], Version::of(b"").to_string());
        assert_eq!(details.keys().find(|name| name.contains('_')), None);
        assert_eq!(details.len(), failure(&error)["details"].as_object().unwrap().len());
    }

    #[test]
    fn the_wait_before_another_try_stands_in_both_places() {
        let wait = Detail::RetryAfter(Duration::from_millis(1500));
        let body = failure(&Error::of(Code::RateLimitExceeded).with(wait));
        assert_eq!(body["retryAfterMs"], 1500);
        assert_eq!(body["details"]["retryAfterMs"], 1500);
    }

    #[test]
    fn what_came_before_a_failure_stands_in_its_details() {
        let facts = json!({"stdout": "half", "exit_code": 143});
        let partial = Reply::new(Clean::fixed("half"), &facts).unwrap();
        let body = Failure::after(Error::of(Code::CommandTimeout), partial).body();
        assert_eq!(body["code"], "COMMAND_TIMEOUT");
        assert_eq!(body["details"]["stdout"], "half");
        assert!(body["details"]["hint"].is_string());
        let bare = Failure::from(Error::of(Code::Internal));
        assert_eq!(bare.body(), failure(&bare.error));
    }
}
