//! How the E2B interface is set up.

use std::time::Duration;

use crate::providers;

/// How the E2B interface is set up.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Whether it answers at all.
    pub(crate) enabled: bool,
    /// Where the commands of a new sandbox run.
    pub(crate) provider: String,
    /// What the names of templates stand for.
    pub(crate) templates: Vec<Template>,
    /// How many sandboxes there may be, paused ones too.
    pub(crate) most: usize,
    /// How long a sandbox may live after its last renewal.
    pub(crate) longest: Duration,
}

/// A name, and the root filesystem that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) system: String,
}

/// The template of whoever names none, and what SDKs name then.
pub(super) const BASE: &str = "base";

impl Template {
    /// Reads `NAME=SYSTEM`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, system) = text.split_once('=')?;
        let named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte);
        let good = (1..=128).contains(&name.len()) && name.bytes().all(named);
        (good && !system.is_empty())
            .then(|| Self { name: name.to_owned(), system: system.to_owned() })
    }
}

impl Options {
    /// Off; with local sandboxes of this machine's own system.
    pub(crate) fn usual() -> Self {
        Self {
            enabled: false,
            provider: providers::USUAL.to_owned(),
            templates: Vec::new(),
            most: 256,
            longest: Duration::from_secs(24 * 3_600),
        }
    }

    /// The system of a template: the provider's own for `base`, unless that is set up.
    pub(super) fn system(&self, name: &str) -> Option<Option<String>> {
        let found = self.templates.iter().find(|template| template.name == name);
        match found {
            Some(template) => Some(Some(template.system.clone())),
            None if name == BASE => Some(None),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_is_there_unless_it_is_set_up_otherwise_and_others_must_be() {
        let mut options = Options::usual();
        assert_eq!(options.system(BASE), Some(None));
        assert_eq!(options.system("debian"), None);
        options.templates.extend(Template::parse("debian=/srv/debian"));
        assert_eq!(options.system("debian"), Some(Some("/srv/debian".to_owned())));
        for wrong in ["", "debian", "=/x", "a b=/x", "x="] {
            assert_eq!(Template::parse(wrong), None, "{wrong}");
        }
    }
}
