//! What a caller can choose, as plain data, and what can be wrong with it.

use std::fmt;

/// How text is treated. There is no `Default`: whoever redacts says how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Off means that text passes as it is.
    pub enabled: bool,
    /// What happens to a text with a secret in it.
    pub behaviour: Behaviour,
    /// Rules beside the built-in ones.
    pub custom: Vec<CustomPattern>,
    /// Globs of paths, relative to the workspace, whose text passes as it is.
    pub exclude_paths: Vec<String>,
    /// Names of rules that are not applied.
    pub exclude_patterns: Vec<String>,
}

impl Config {
    /// Every built-in rule, secrets replaced.
    pub fn standard() -> Self {
        Self {
            enabled: true,
            behaviour: Behaviour::Redact,
            custom: Vec::new(),
            exclude_paths: Vec::new(),
            exclude_patterns: Vec::new(),
        }
    }
}

/// What happens to a text with a secret in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Each secret is replaced by its placeholder.
    Redact,
    /// The text passes as it is.
    Allow,
    /// The text is held back.
    Block,
}

/// A rule of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomPattern {
    /// What the placeholder says: letters, digits, `_`, `-` and `.`, at most 64.
    pub name: String,
    /// What to find, within one line. The first group is the secret; without one, all of it is.
    pub regex: String,
    /// What to put in place of the whole find, with `$1` or `${name}` for groups.
    ///
    /// `None` puts the usual placeholder in place of the secret.
    pub replacement: Option<String>,
}

/// A pattern of the configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPattern {
    /// The custom rule's name, or the field that holds the pattern.
    pub name: String,
    /// The byte of the pattern where it goes wrong, where that is known.
    pub position: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, position, message } = self;
        match position {
            Some(position) => write!(out, "bad pattern {name} at byte {position}: {message}"),
            None => write!(out, "bad pattern {name}: {message}"),
        }
    }
}

impl std::error::Error for BadPattern {}
