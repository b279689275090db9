//! What is wrong with a parameter, as a sentence.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use super::names::nearest;

/// The most characters of a caller's text that a sentence repeats.
const SHOWN: usize = 40;

/// A wrong parameter: where it is and what is wrong.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The steps to it, the outermost last, as they were found on the way out.
    steps: Vec<String>,
    /// What joins the place and the sentence.
    joint: &'static str,
    what: String,
}

impl Wrong {
    /// A sentence whose subject is the place.
    fn must_be(what: &str, not: &str) -> Self {
        Self { steps: Vec::new(), joint: " ", what: format!("must be {what}, not {not}") }
    }

    /// A sentence that stands by itself.
    fn new(what: impl Into<String>) -> Self {
        Self { steps: Vec::new(), joint: ": ", what: what.into() }
    }

    /// The same, one level further out.
    pub(super) fn within(mut self, step: String) -> Self {
        self.steps.push(step);
        self
    }

    /// A name that stands for no parameter, and the one that it comes closest to.
    pub(super) fn unknown(name: &str, fields: &'static [&'static str]) -> Self {
        let near = nearest(name, fields).map_or(String::new(), |near| format!(", but {near}"));
        let name = shown(name);
        if fields.is_empty() {
            return Self::new(format!("there is no parameter {name}; it takes none"));
        }
        let fields = fields.join(", ");
        Self::new(format!("there is no parameter {name}{near}; it takes {fields}"))
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().rev().enumerate() {
            let dot = if index > 0 && !step.starts_with('[') { "." } else { "" };
            write!(f, "{dot}{step}")?;
        }
        let joint = if self.steps.is_empty() { "" } else { self.joint };
        write!(f, "{joint}{}", self.what)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::must_be(&wanted(expected), &given(&found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::must_be(&format!("one of {}", expected.join(", ")), &shown(variant))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the parameter {field} is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the parameter {field} is given twice"))
    }
}

/// What serde expected, in the words of someone who sends JSON.
fn wanted(expected: &dyn Expected) -> String {
    let words = expected.to_string();
    match words.as_str() {
        "u64" | "u32" | "usize" => "a whole number, 0 or more".into(),
        "i64" => "a whole number".into(),
        "a boolean" => "true or false".into(),
        "a string" => "text".into(),
        "a sequence" => "a list".into(),
        other if other.starts_with("struct ") => "an object".into(),
        _ => words,
    }
}

#[allow(clippy::wildcard_enum_match_arm, reason = "the rest of serde's list never comes of JSON")]
fn given(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Str(text) => shown(text),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "an object".into(),
        other => other.to_string(),
    }
}

/// The caller's own text on one line, cut where it is long.
fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(SHOWN).collect();
    let dots = if characters.next().is_some() { "…" } else { "" };
    format!("{head:?}{dots}")
}
