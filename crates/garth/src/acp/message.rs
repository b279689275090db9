//! What a line is: a request, a notification or a reply, and nothing that could be two.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::json::{Object, Unclear};

/// The longest id of a request or a session, in bytes: ids are counters and names, and
/// each is kept.
pub(super) const MOST_ID: usize = 1_024;

/// A message, as slices of its line.
#[derive(Debug)]
pub(super) struct Message<'a> {
    /// The line without its end.
    pub(super) whole: &'a str,
    pub(super) kind: Kind<'a>,
    fields: Object<'a>,
}

/// What a message is.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// Somebody waits for an answer.
    Request { id: Id, method: Cow<'a, str> },
    /// Nobody does.
    Notice { method: Cow<'a, str> },
    /// An answer.
    Reply { id: Id, outcome: Outcome<'a> },
}

/// How a request ended.
#[derive(Debug)]
pub(super) enum Outcome<'a> {
    Done(&'a str),
    Failed,
}

/// Whose request it is: what the id means, whatever way it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Id {
    /// None, which some answer with who could not read the question.
    Null,
    Number(String),
    Text(String),
}

impl<'a> Message<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// Where it is no message, or one that readers could take for different ones.
    pub(super) fn read(line: &'a [u8]) -> Result<Self, Unclear> {
        let text = str::from_utf8(line).map_err(|_| Unclear::Wrong)?;
        let whole = text.trim_end_matches(['\n', '\r']);
        let fields = Object::of(whole)?;
        let method = fields.text("method")?.map(Cow::Owned);
        let id = fields.get("id")?.map(Id::read).transpose()?;
        let (result, error) = (fields.get("result")?, fields.get("error")?);
        // Some write the error of a success as null, and the other way round.
        let error = error.filter(|error| *error != "null");
        let kind = match (method, id) {
            (Some(_), _) if result.is_some() || error.is_some() => return Err(Unclear::Wrong),
            (Some(method), Some(id)) => Kind::Request { id, method },
            (Some(method), None) => Kind::Notice { method },
            (None, Some(id)) => match (result, error) {
                (_, Some(_)) => Kind::Reply { id, outcome: Outcome::Failed },
                (Some(result), None) => Kind::Reply { id, outcome: Outcome::Done(result) },
                (None, None) => return Err(Unclear::Wrong),
            },
            (None, None) => return Err(Unclear::Wrong),
        };
        Ok(Self { whole, kind, fields })
    }

    /// Its parameters.
    ///
    /// # Errors
    /// Where they are no object, or stand twice.
    pub(super) fn params(&self) -> Result<Object<'a>, Unclear> {
        self.fields.object("params")?.ok_or(Unclear::Wrong)
    }

    /// The id as it stands, for an answer.
    pub(super) fn raw_id(&self) -> &'a str {
        self.fields.get("id").ok().flatten().unwrap_or("null")
    }
}

impl Id {
    fn read(text: &str) -> Result<Self, Unclear> {
        if text.len() > MOST_ID {
            return Err(Unclear::Wrong);
        }
        match serde_json::from_str(text).map_err(|_| Unclear::Wrong)? {
            Value::Null => Ok(Self::Null),
            Value::Number(number) => Ok(Self::Number(canonical(&number))),
            Value::String(text) => Ok(Self::Text(text)),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(Unclear::Wrong),
        }
    }
}

/// One spelling for a number, so that `1`, `1.0` and `1e0` are one.
fn canonical(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => format!("{float}"),
        Some(_) | None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> String {
        match Message::read(line.as_bytes()) {
            Ok(Message { kind: Kind::Request { id, method }, .. }) => format!("{method} {id:?}"),
            Ok(Message { kind: Kind::Notice { method }, .. }) => format!("notice {method}"),
            Ok(Message { kind: Kind::Reply { id, outcome: Outcome::Done(result) }, .. }) => {
                format!("{result} for {id:?}")
            }
            Ok(Message { kind: Kind::Reply { id, outcome: Outcome::Failed }, .. }) => {
                format!("failed for {id:?}")
            }
            Err(unclear) => format!("{unclear:?}"),
        }
    }

    #[test]
    fn a_line_is_one_of_three() {
        assert_eq!(kind(r#"{"method":"a/b","id":"\u0078"}"#), r#"a/b Text("x")"#);
        assert_eq!(kind("{\"method\":\"a\",\"x\":[1]}\r\n"), "notice a");
        assert_eq!(kind(r#"{"id":1.0,"result": null }"#), r#"null for Number("1")"#);
        assert_eq!(kind(r#"{"id":1e0,"result":{},"error":null}"#), r#"{} for Number("1")"#);
        assert_eq!(kind(r#"{"error":{},"id":null}"#), "failed for Null");
    }

    #[test]
    fn what_could_be_two_is_none() {
        for line in [
            r#"{"id":1,"method":"a","result":1}"#,
            r#"{"id":1}"#,
            r#"{"id":[1],"method":"a"}"#,
            r#"[{"id":1,"method":"a"}]"#,
            r#"{"method":1}"#,
            "",
            "12",
        ] {
            assert_eq!(kind(line), "Wrong", "{line}");
        }
        assert_eq!(kind(r#"{"method":"a","method":"b"}"#), r#"Twice("method")"#);
        assert_eq!(kind(r#"{"method":"a","Method":"b"}"#), r#"Twice("method")"#);
    }
}
