//! One pattern, or a list of them.

use std::fmt;

use garth_contract::Glob;
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};

/// Patterns of which one must match. A text that is a list in JSON is that list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Patterns(pub(crate) Vec<String>);

impl Patterns {
    /// The patterns as filters of paths.
    pub(crate) fn filters(self) -> Vec<Glob> {
        self.0.into_iter().map(Glob::Filter).collect()
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(OneOrMany)
    }
}

struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Patterns;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern or a list of patterns")
    }

    fn visit_str<E>(self, pattern: &str) -> Result<Patterns, E> {
        Ok(Patterns(vec![pattern.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Patterns, A::Error> {
        let mut patterns = Vec::new();
        while let Some(pattern) = items.next_element()? {
            patterns.push(pattern);
        }
        Ok(Patterns(patterns))
    }
}
