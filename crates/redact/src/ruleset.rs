//! The rules that one configuration applies: those of the table that are on, and its own.

use std::{collections::HashMap, sync::OnceLock};

use crate::config::{BadPattern, Behaviour, Config};
use crate::custom::Custom;
use crate::rules;

/// The rules of one configuration. Ids below the table's length are rows of it, the rest custom.
#[derive(Debug)]
pub(crate) struct Ruleset {
    active: Vec<bool>,
    customs: Vec<Custom>,
    idle: bool,
    /// By id: the lowest id with the same name. Most never find anything, and need it never.
    firsts: OnceLock<Vec<usize>>,
}

impl Ruleset {
    pub(crate) fn new(config: &Config) -> Result<Self, BadPattern> {
        // Custom patterns are checked even where nothing is redacted, so that switching it on
        // cannot fail.
        let customs = config.custom.iter().map(Custom::new).collect::<Result<Vec<_>, _>>()?;
        let applied = |name: &str| !config.exclude_patterns.iter().any(|excluded| excluded == name);
        let idle = !config.enabled || config.behaviour == Behaviour::Allow;
        Ok(Self {
            active: rules::all().map(|(_, rule)| !idle && applied(rule.name)).collect(),
            customs: customs.into_iter().filter(|custom| !idle && applied(&custom.name)).collect(),
            idle,
            firsts: OnceLock::new(),
        })
    }

    /// Whether no rule is applied at all.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle
    }

    pub(crate) fn is_active(&self, index: usize) -> bool {
        self.active.get(index).copied().unwrap_or(false)
    }

    /// The custom rules with their ids.
    pub(crate) fn customs(&self) -> impl Iterator<Item = (usize, &Custom)> {
        self.customs.iter().enumerate().map(|(index, custom)| (rules::COUNT + index, custom))
    }

    pub(crate) fn has_customs(&self) -> bool {
        !self.customs.is_empty()
    }

    /// The name of the rule with an id.
    pub(crate) fn name(&self, id: usize) -> &str {
        match id.checked_sub(rules::COUNT) {
            Some(custom) => self.customs.get(custom).map_or("", |custom| &custom.name),
            None => rules::get(id).map_or("", |rule| rule.name),
        }
    }

    /// The lowest id with the same name, so that rows which share a name count together.
    pub(crate) fn first_of_name(&self, id: usize) -> usize {
        let firsts = self.firsts.get_or_init(|| {
            let mut named = HashMap::new();
            let ids = 0..rules::COUNT + self.customs.len();
            ids.map(|id| *named.entry(self.name(id)).or_insert(id)).collect()
        });
        firsts.get(id).copied().unwrap_or(id)
    }
}
