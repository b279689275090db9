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
        Self::with_room(facts, 0)
    }

    /// The same, with room for so many bytes beside the usual.
    pub(in crate::worktree) fn with_room(facts: &impl Serialize, room: usize) -> Result<Self> {
        let failed = || Error::new(Code::Internal, "the reply could not be written as JSON");
        let mut text = Vec::with_capacity(room.saturating_add(USUAL));
        serde_json::to_writer(&mut text, facts).map_err(|_| failed())?;
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
}
