//! How text of an agent's files is redacted, in the words of the wire.

use garth_contract::{Code, Detail, Error, Result};
use garth_redact::{Behaviour, Config, Redactor};
use serde::{Deserialize, Serialize};

/// How text is redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Redaction {
    /// Off means that text passes as it is.
    pub enabled: bool,
    /// What happens to a text with a secret in it.
    pub default_behavior: Behavior,
    /// Rules beside the built-in ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom_patterns: Vec<CustomPattern>,
    /// Globs of paths whose text passes as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_paths: Vec<String>,
    /// Names of rules that are not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_patterns: Vec<String>,
}

/// What happens to a text with a secret in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Behavior {
    /// Each secret is replaced.
    Redact,
    /// The text passes as it is.
    Allow,
    /// The text is held back.
    Block,
}

/// A rule beside the built-in ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomPattern {
    /// What the placeholder says.
    pub name: String,
    /// What to find; the first group is the secret.
    pub regex: String,
    /// What to put in its place instead of the placeholder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

impl Default for Redaction {
    /// Every built-in rule, secrets replaced.
    fn default() -> Self {
        Self {
            enabled: true,
            default_behavior: Behavior::Redact,
            custom_patterns: Vec::new(),
            exclude_paths: Vec::new(),
            exclude_patterns: Vec::new(),
        }
    }
}

impl Redaction {
    /// The same for a redactor.
    #[must_use]
    pub fn config(&self) -> Config {
        let custom = |pattern: &CustomPattern| garth_redact::CustomPattern {
            name: pattern.name.clone(),
            regex: pattern.regex.clone(),
            replacement: pattern.replacement.clone(),
        };
        Config {
            enabled: self.enabled,
            behaviour: match self.default_behavior {
                Behavior::Redact => Behaviour::Redact,
                Behavior::Allow => Behaviour::Allow,
                Behavior::Block => Behaviour::Block,
            },
            custom: self.custom_patterns.iter().map(custom).collect(),
            exclude_paths: self.exclude_paths.clone(),
            exclude_patterns: self.exclude_patterns.clone(),
        }
    }
}

/// A redactor of a configuration.
///
/// # Errors
/// `INVALID_PATTERN` with the position, where it is known.
pub(super) fn compile(config: &Config) -> Result<Redactor> {
    Redactor::new(config).map_err(|bad| {
        let error = Error::new(Code::InvalidPattern, bad.to_string());
        match bad.position {
            Some(position) => error.with(Detail::Position(position as u64)),
            None => error,
        }
    })
}
