//! What a method answers with: a JSON object, written once.

use garth_contract::{Code, Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

/// The room for facts without a content.
const USUAL: usize = 512;

/// A JSON object as text, so that it goes into a message as it is: most are written to be
/// sent, and nobody looks into them before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(String);

impl Json {
    /// Writes facts.
    ///
    /// # Errors
    /// `INTERNAL` for facts that are no object.
    pub(in crate::worktree) fn of(facts: &impl Serialize) -> Result<Self> {
        let mut text = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut text, facts).map_err(|_| failed())?;
        Self::made(text)
    }

    /// Writes facts of which one is a long text: theirs is empty, and the text comes there.
    ///
    /// # Errors
    /// `INTERNAL` for facts that are no object, or in which it is missing or is not empty.
    pub(in crate::worktree) fn around(
        facts: &impl Serialize,
        name: &str,
        long: &str,
    ) -> Result<Self> {
        let facts = Self::of(facts)?;
        // Nothing else looks like it: within a text its quotes were escaped.
        let empty = format!(r#""{name}":"""#);
        let (before, after) = facts.0.split_once(&empty).ok_or_else(failed)?;
        let mut text = Vec::with_capacity(facts.0.len() + long.len() + long.len() / 16 + 2);
        text.extend_from_slice(before.as_bytes());
        text.extend_from_slice(format!(r#""{name}":"#).as_bytes());
        garth_text::quote(long, &mut text);
        text.extend_from_slice(after.as_bytes());
        Self::made(text)
    }

    /// What was [written](Self::text) before.
    pub(in crate::worktree) fn as_before(text: String) -> Self {
        Self(text)
    }

    fn made(text: Vec<u8>) -> Result<Self> {
        let text = String::from_utf8(text).map_err(|_| failed())?;
        if text.starts_with('{') { Ok(Self(text)) } else { Err(failed()) }
    }

    /// The same with one fact more, whose name is a plain word.
    #[must_use]
    pub fn with(mut self, name: &str, value: &Value) -> Self {
        self.0.truncate(self.0.len().saturating_sub(1));
        let comma = if self.0.len() > 1 { "," } else { "" };
        self.0.push_str(&format!(r#"{comma}"{name}":{value}}}"#));
        self
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The object, for whoever looks into it.
    #[must_use]
    pub fn into_facts(self) -> Map<String, Value> {
        // It was written here, so it can be read.
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

fn failed() -> Error {
    Error::new(Code::Internal, "the reply could not be written as JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_read_as_they_were_written_and_with_one_more() {
        for facts in [json!({}), json!({"a": "\"", "b": [1, {"c": null}]})] {
            let json = Json::of(&facts).unwrap();
            assert_eq!(Value::Object(json.clone().into_facts()), facts);
            let mut more = facts.clone();
            more["state"] = "x\n".into();
            assert_eq!(Value::Object(json.with("state", &"x\n".into()).into_facts()), more);
        }
        assert!(Json::of(&[1]).is_err());
    }

    #[test]
    fn a_long_text_stands_where_it_was_left_out() {
        let long = "a \"content\":\"\" of lines\n".repeat(3);
        let mut facts = json!({"a": "\"content\":\"\"", "content": "", "d": {"e": 1}});
        let json = Json::around(&facts, "content", &long).unwrap();
        facts["content"] = long.as_str().into();
        assert_eq!(json, Json::of(&facts).unwrap());
        assert!(Json::around(&facts, "content", &long).is_err(), "it was there already");
        assert!(Json::around(&json!({"a": 1}), "content", &long).is_err());
    }
}
