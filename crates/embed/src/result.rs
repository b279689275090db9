//! What a call gives: success or failure, and never anything else.

use std::fmt;

use garth_contract::{Code, Error, Result};
use garth_ops::{Attachment, Failure, Reply};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

/// What a call of a tool gave.
///
/// It serialises as the JSON that every interface sends: `{"ok": true, "payload":
/// {…}}` or `{"ok": false, "error": {code, message, details}}`.
#[derive(Clone, PartialEq)]
pub struct ToolResult {
    text: String,
    attachment: Option<Attachment>,
    outcome: Result<Map<String, Value>, Failure>,
}

impl ToolResult {
    /// Tells whether the tool did what it was asked.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.outcome.is_ok()
    }

    /// What the model reads: the tool's text, or what went wrong and what to do.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The facts, for programs; a failure has none.
    #[must_use]
    pub fn payload(&self) -> Option<&Map<String, Value>> {
        self.outcome.as_ref().ok()
    }

    /// How far the tool came before it failed, where that can be told: what a command
    /// printed before its time was up.
    #[must_use]
    pub fn partial(&self) -> Option<&Reply> {
        self.outcome.as_ref().err()?.partial.as_deref()
    }

    /// Bytes beside the text, such as an image, where there are any.
    #[must_use]
    pub fn attachment(&self) -> Option<&Attachment> {
        self.attachment.as_ref()
    }

    /// What went wrong, with its details.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.outcome.as_ref().err().map(|failure| &failure.error)
    }

    /// The code of what went wrong.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.error().map(Error::code)
    }

    /// The sentence about what went wrong.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.error().map(Error::message)
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.error().map(Error::advice)
    }
}

impl From<Result<Reply, Failure>> for ToolResult {
    fn from(result: Result<Reply, Failure>) -> Self {
        match result {
            Ok(Reply { text, payload, attachment, .. }) => {
                Self { text: text.into_string(), attachment, outcome: Ok(payload) }
            }
            Err(failure) => {
                let Failure { error, partial } = &failure;
                let code = error.code().row().name;
                let mut text =
                    format!("error: {} ({code})\nhint: {}", error.message(), error.advice());
                if let Some(partial) = partial.as_ref().filter(|partial| !partial.text.is_empty()) {
                    text.push_str("\n\n");
                    text.push_str(&partial.text);
                }
                Self { text, attachment: None, outcome: Err(failure) }
            }
        }
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(Some(2))?;
        body.serialize_entry("ok", &self.is_success())?;
        match &self.outcome {
            Ok(payload) => body.serialize_entry("payload", payload)?,
            Err(failure) => body.serialize_entry("error", &failure.body())?,
        }
        body.end()
    }
}

/// What the model reads.
impl fmt::Display for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(_) => write!(f, "ToolResult({:?})", self.text),
            Err(Failure { error, .. }) => write!(f, "ToolResult({error:?})"),
        }
    }
}
