//! What an author's tool answers, and how it becomes fit to leave.

use garth_contract::{Code, Error, Result, WsPath};
use garth_ops::{Failure, Reply};
use garth_redact::{Clean, Raw, clean};
use garth_workspace::Workspace;
use serde::Serialize;
use serde_json::{Map, Value};

/// How deep the facts of an answer may be nested.
const DEEPEST: usize = 64;

/// What a tool answers.
///
/// A text of the author's can hold anything, also what was read from the
/// workspace; it is redacted as the workspace's files are before it leaves. A
/// [`Reply`] has been redacted already and passes as it is.
#[derive(Clone, Debug)]
pub struct Answer(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Clean(Box<Reply>),
    Failed(Failure),
    Raw { text: String, payload: Map<String, Value> },
}

impl Answer {
    /// An answer of a text, which is the fact `text` too.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Kind::Raw { text: text.into(), payload: Map::new() })
    }

    /// The same answer with facts beside it, which are an object.
    ///
    /// # Errors
    /// `INTERNAL` for what is no object or cannot be written as JSON.
    pub fn with(mut self, facts: &impl Serialize) -> Result<Self> {
        let Ok(Value::Object(facts)) = serde_json::to_value(facts) else {
            return Err(Error::new(Code::Internal, "the facts of the answer are no JSON object"));
        };
        match &mut self.0 {
            Kind::Clean(reply) => reply.payload.extend(facts),
            Kind::Failed(failure) => {
                failure.partial.iter_mut().for_each(|reply| reply.payload.extend(facts.clone()));
            }
            Kind::Raw { payload, .. } => payload.extend(facts),
        }
        Ok(self)
    }

    /// The answer as it may leave the workspace.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where texts with secrets are held back, `INTERNAL` for
    /// facts over the bound; that of an answer that is a failure.
    pub(crate) fn finish(self, workspace: &Workspace, most: usize) -> Result<Reply, Failure> {
        let (text, payload) = match self.0 {
            Kind::Clean(reply) => return Ok(*reply),
            Kind::Failed(failure) => return Err(failure),
            Kind::Raw { text, payload } => (text, payload),
        };
        let text = cut(workspace.clean(&WsPath::root(), Raw::from(text))?, most);
        let mut payload = clean_facts(workspace, payload, most)?;
        payload.entry("text").or_insert_with(|| text.as_ref().into());
        Ok(Reply { text, payload, attachment: None, record: None })
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self(Kind::Clean(Box::new(reply)))
    }
}

/// An answer that says what went wrong and shows how far the tool came.
impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Self(Kind::Failed(failure))
    }
}

fn cut(text: Clean, most: usize) -> Clean {
    if text.len() <= most {
        return text;
    }
    let kept = text.slice(0..text.floor_char_boundary(most)).unwrap_or_default();
    clean![&kept, "\n[cut: ", kept.len(), " of ", text.len(), " bytes]"]
}

/// Redacts facts: each string by itself, then all of it, since a key can be what
/// makes its value a secret.
fn clean_facts(
    workspace: &Workspace,
    facts: Map<String, Value>,
    most: usize,
) -> Result<Map<String, Value>> {
    if facts.is_empty() {
        return Ok(facts);
    }
    let mut facts = Value::Object(facts);
    clean_value(workspace, &mut facts, 0)?;
    let written = facts.to_string();
    if written.len() > most {
        let message = format!("the facts of the answer have {} bytes of {most}", written.len());
        return Err(Error::new(Code::Internal, message).hint("Ask for less at once."));
    }
    let cleaned = workspace.clean(&WsPath::root(), Raw::from(written))?;
    // Where a placeholder stands for what is no string, the text is no JSON any more.
    match (serde_json::from_str(&cleaned), facts) {
        (Ok(Value::Object(cleaned)), _) => Ok(cleaned),
        (_, Value::Object(facts)) => Ok(facts),
        (_, _) => Ok(Map::new()),
    }
}

fn clean_value(workspace: &Workspace, value: &mut Value, depth: usize) -> Result<()> {
    if depth > DEEPEST {
        return Err(Error::new(Code::Internal, "the facts of the answer are nested too deep"));
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => {
            let raw = Raw::from(std::mem::take(text));
            *text = workspace.clean(&WsPath::root(), raw)?.into_string();
            Ok(())
        }
        Value::Array(items) => {
            items.iter_mut().try_for_each(|item| clean_value(workspace, item, depth + 1))
        }
        Value::Object(fields) => {
            fields.values_mut().try_for_each(|field| clean_value(workspace, field, depth + 1))
        }
    }
}
