//! The agent's id among parameters, which is required and not looked at here.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};

/// An agent's id: whoever found the workspace has read it.
#[derive(JsonSchema)]
#[schemars(with = "String", inline, extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))]
pub(in crate::worktree) struct Agent;

impl<'de> Deserialize<'de> for Agent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Agent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, _text: &str) -> Result<Agent, E> {
        Ok(Agent)
    }
}
