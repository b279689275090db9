//! What an operation of the gateway answers with, and what comes along with a call.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures::Stream;
use garth_archive::{Format, Packing};
use garth_contract::{Announce, Code, Error};
use garth_ops::{Failure, Reply, worktree::Json};
use serde_json::{Map, Value};

use super::{
    e2b::Job,
    left::Left,
    live::Live,
    transfer::{Sent, Transfer},
    ws::Link,
};
use crate::mcp::updates::Followed;

/// The answer of an operation.
pub(crate) enum Answer {
    /// Facts alone.
    Facts(Map<String, Value>),
    /// Facts as they are sent.
    Written(Json),
    /// Facts that are shown once and kept nowhere: a new token.
    Shown(Map<String, Value>),
    /// The reply of a tool.
    Tool(Box<Reply>),
    /// A tool that failed, and what there is to show all the same.
    Failed(Box<Failure>),
    /// A file that was taken, and how many of its bytes were not paid for before.
    Stored {
        /// What is told.
        facts: Map<String, Value>,
        /// Bytes that are owed.
        unpaid: u64,
    },
    /// A file, as bytes.
    File(Box<Sent>),
    /// A tree, as bytes that come while it is read.
    Archive(Box<Archive>),
}

/// A tree on its way.
pub(crate) struct Archive {
    pub(crate) format: Format,
    /// What it is called where it is saved.
    pub(crate) name: String,
    pub(crate) packing: Packing,
}

/// Bytes on their way here.
pub(crate) type Coming = Pin<Box<dyn Stream<Item = garth_contract::Result<Bytes>> + Send>>;

/// What comes along with a call.
pub(crate) struct Along {
    /// Hears the number of a command that is run.
    pub(crate) announce: Announce,
    /// The connection that it came by, where it is one that things can stay open on.
    pub(crate) link: Option<Arc<Link>>,
    /// What is left open behind the answer.
    pub(crate) left: Left,
    /// Whom a command tells what it prints.
    pub(crate) live: Option<Live>,
    /// A file that is to be sent or taken as bytes.
    pub(crate) transfer: Option<Transfer>,
    /// Bytes that come while they are worked on.
    pub(crate) coming: Option<Coming>,
    /// Hears which workspace a tool works in, once it does.
    pub(crate) place: Option<crate::mcp::progress::Where>,
    /// Gets the resources that a client of MCP follows.
    pub(crate) follows: Option<Follows>,
    /// What a call of the E2B interface does.
    pub(crate) job: Option<Job>,
}

/// Resources that are followed, on their way to whoever tells of them.
#[derive(Clone, Default)]
pub(crate) struct Follows(Arc<Mutex<Vec<Followed>>>);

impl Follows {
    pub(crate) fn put(&self, followed: Vec<Followed>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = followed;
    }

    pub(crate) fn take(&self) -> Vec<Followed> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Along {
    /// Nothing but the parameters.
    pub(crate) fn nothing() -> Self {
        Self::announcing(Announce::nobody())
    }

    /// Nothing but somebody who hears the number of a command.
    pub(crate) fn announcing(announce: Announce) -> Self {
        Self {
            announce,
            link: None,
            left: Left::default(),
            live: None,
            transfer: None,
            coming: None,
            place: None,
            follows: None,
            job: None,
        }
    }

    /// Nothing but somebody who is told what a command prints.
    pub(crate) fn telling(live: Live) -> Self {
        Self { live: Some(live), ..Self::nothing() }
    }

    /// Nothing but a file.
    pub(crate) fn carrying(transfer: Transfer) -> Self {
        Self { transfer: Some(transfer), ..Self::nothing() }
    }
}

impl Answer {
    /// The facts, or the error as its JSON object.
    pub(crate) fn into_facts(self) -> Result<Map<String, Value>, Map<String, Value>> {
        match self {
            Self::Facts(facts) | Self::Shown(facts) | Self::Stored { facts, .. } => Ok(facts),
            Self::Written(json) => Ok(json.into_facts()),
            Self::Tool(reply) => Ok(reply.payload),
            Self::Failed(failure) => Err(failure.body()),
            Self::File(_) | Self::Archive(_) => {
                let error = Error::new(Code::Unsupported, "a file is asked for over HTTP");
                Err(garth_ops::failure(&error))
            }
        }
    }
}

impl garth_gateway::Answer for Answer {
    type Along = Along;

    fn failed(&self) -> Option<Code> {
        match self {
            Self::Facts(_)
            | Self::Written(_)
            | Self::Shown(_)
            | Self::Tool(_)
            | Self::Stored { .. }
            | Self::File(_)
            | Self::Archive(_) => None,
            Self::Failed(failure) => Some(failure.code()),
        }
    }

    fn recorded(&self) -> Option<&str> {
        match self {
            Self::Tool(reply) => reply.record.as_deref(),
            Self::Facts(_)
            | Self::Written(_)
            | Self::Shown(_)
            | Self::Failed(_)
            | Self::Stored { .. }
            | Self::File(_)
            | Self::Archive(_) => None,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Facts(facts) | Self::Shown(facts) => size(facts),
            Self::Written(json) => json.text().len() as u64,
            Self::Tool(reply) => size(&reply.payload),
            Self::Failed(failure) => {
                failure.partial.as_ref().map_or(0, |partial| size(&partial.payload))
            }
            Self::Stored { facts, unpaid } => size(facts).saturating_add(*unpaid),
            Self::File(sent) => sent.count,
            // How large it will be nobody knows.
            Self::Archive(_) => 0,
        }
    }

    fn keep(&self) -> Option<String> {
        match self {
            Self::Facts(facts) | Self::Stored { facts, .. } => serde_json::to_string(facts).ok(),
            Self::Written(json) => Some(json.text().to_owned()),
            Self::Tool(reply) => serde_json::to_string(&reply.payload).ok(),
            Self::Shown(_) | Self::Failed(_) | Self::File(_) | Self::Archive(_) => None,
        }
    }

    fn recall(kept: &str) -> Option<Self> {
        serde_json::from_str(kept).ok().map(Self::Facts)
    }
}

/// About how many bytes facts are when they are written; counted, not written.
fn size(facts: &Map<String, Value>) -> u64 {
    facts.iter().map(|(name, value)| name.len() as u64 + 4 + weight(value)).sum()
}

fn weight(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 6,
        Value::String(text) => text.len() as u64 + 2,
        Value::Array(values) => values.iter().map(|value| weight(value) + 1).sum(),
        Value::Object(facts) => size(facts),
    }
}
