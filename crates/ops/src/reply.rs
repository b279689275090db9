//! What a tool answers: the text once, the facts beside it.

use bytes::Bytes;
use garth_contract::{Code, Error, Result};
use garth_redact::Clean;
use serde::Serialize;
use serde_json::{Map, Value};

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What a model or a person reads.
    pub text: Clean,
    /// Everything about it, for programs.
    pub payload: Map<String, Value>,
    /// Bytes that are no text, where the tool was asked for such.
    pub attachment: Option<Attachment>,
    /// What a record of the call says of it beside what was asked: names and ids, never
    /// content.
    pub record: Option<Clean>,
}

/// Bytes beside a reply's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Their media type, for example `image/png`.
    pub media_type: &'static str,
    /// The bytes.
    pub bytes: Bytes,
    /// The address of the file they are from, where the caller may be told it.
    pub uri: Option<String>,
}

impl Reply {
    /// A reply of a text and its facts.
    pub(crate) fn new(text: Clean, facts: &impl Serialize) -> Result<Self> {
        Ok(Self { text, payload: object(facts)?, attachment: None, record: None })
    }

    /// The same reply, with what its record says of it.
    pub(crate) fn recorded(mut self, record: Clean) -> Self {
        self.record = Some(record).filter(|record| !record.is_empty());
        self
    }

    /// The same reply with bytes beside it.
    pub(crate) fn attach(mut self, attachment: Option<Attachment>) -> Self {
        self.attachment = attachment;
        self
    }
}

/// Facts as the JSON object that a reply carries.
///
/// # Errors
/// `INTERNAL` for facts that are no object.
pub(crate) fn object(facts: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(facts) {
        Ok(Value::Object(payload)) => Ok(payload),
        Ok(_) | Err(_) => Err(Error::new(Code::Internal, "the reply could not be written as JSON")),
    }
}
