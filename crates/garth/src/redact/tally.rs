//! How many secrets of each rule there were.

use std::collections::BTreeMap;

/// Counts by rule.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: BTreeMap<String, usize>,
}

impl Tally {
    pub(super) fn add(&mut self, rule: &str, count: usize) {
        *self.counts.entry(rule.to_owned()).or_default() += count;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(super) fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// The counts, by the rule's name.
    pub(super) fn counts(&self) -> &BTreeMap<String, usize> {
        &self.counts
    }

    /// `3 secrets: API_KEY 2, JWT_TOKEN 1`.
    pub(super) fn sentence(&self) -> String {
        let rules: Vec<String> =
            self.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let noun = if self.total() == 1 { "secret" } else { "secrets" };
        format!("{} {noun}: {}", self.total(), rules.join(", "))
    }
}
