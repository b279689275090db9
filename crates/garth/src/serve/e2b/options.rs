//! How the E2B interface is set up.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::providers::{self, System, USUAL};

/// How the E2B interface is set up.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Whether it answers at all.
    pub(crate) enabled: bool,
    /// Where the commands of a new sandbox run.
    pub(crate) provider: String,
    /// What the names of templates stand for.
    pub(crate) templates: Vec<Template>,
    /// What the system is to local ones.
    pub(crate) system: System,
    /// How many sandboxes there may be, paused ones too.
    pub(crate) most: usize,
    /// How long a sandbox may live after its last renewal.
    pub(crate) longest: Duration,
    /// The Python that runs code, as a sandbox knows it.
    pub(crate) interpreter: String,
}

/// A name, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) name: String,
    /// Where its sandboxes run, where that is not as for all others.
    pub(crate) provider: Option<String>,
    /// The directory with its root filesystem, or its image.
    pub(crate) system: String,
}

/// What sandboxes of a template are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) provider: String,
    /// The provider's own without.
    pub(super) system: Option<String>,
}

/// The template of whoever names none, and what SDKs name then.
pub(super) const BASE: &str = "base";
/// What SDKs of the code interpreter name; without a system of its own it is the same.
const CODE: &str = "code-interpreter-v1";

/// Where a system has its own programs.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib64"];

impl Template {
    /// Reads `NAME=SYSTEM` and `NAME=PROVIDER:SYSTEM`.
    ///
    /// The name of an image may hold a colon too; what stands before it is a provider only
    /// where there is one of that name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once('=')?;
        let named = rest.split_once(':').filter(|(name, _)| providers::NAMES.contains(name));
        let (provider, system) = named.map_or((None, rest), |(name, rest)| (Some(name), rest));
        let named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte);
        let good = (1..=128).contains(&name.len()) && name.bytes().all(named);
        (good && !system.is_empty()).then(|| Self {
            name: name.to_owned(),
            provider: provider.map(ToOwned::to_owned),
            system: system.to_owned(),
        })
    }
}

impl Options {
    /// Off; with local sandboxes of this machine's own system.
    pub(crate) fn usual() -> Self {
        Self {
            enabled: false,
            provider: USUAL.to_owned(),
            templates: Vec::new(),
            system: System::Own,
            most: 256,
            longest: Duration::from_secs(24 * 3_600),
            interpreter: "python3".to_owned(),
        }
    }

    /// The directory of this machine that sandboxes see because the interpreter is in it:
    /// the one above its `bin`. What is the system's own is seen, or the template's.
    pub(crate) fn seen(&self) -> Option<PathBuf> {
        let python = Path::new(&self.interpreter);
        let place = python.parent().filter(|bin| bin.ends_with("bin"))?.parent()?;
        let beside = !SYSTEM.iter().any(|own| place.starts_with(own));
        (beside && garth_sandbox::can_be_visible(place)).then(|| place.to_owned())
    }

    /// What a template stands for: the provider's own system for `base`, unless that is
    /// set up.
    pub(super) fn made(&self, name: &str) -> Option<Made> {
        let found = self.templates.iter().find(|template| template.name == name);
        let usual = || self.provider.clone();
        match found {
            Some(Template { provider, system, .. }) => Some(Made {
                provider: provider.clone().unwrap_or_else(usual),
                system: Some(system.clone()),
            }),
            None if name == CODE => self.made(BASE),
            None if name == BASE => Some(Made { provider: usual(), system: None }),
            None => None,
        }
    }

    /// Whether sandboxes of a provider have a user `root`.
    pub(super) fn has_root(&self, provider: &str) -> bool {
        provider == USUAL && self.system == System::Own
    }

    /// The names of all templates.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.templates.iter().map(|known| known.name.as_str()).collect();
        names.extend([BASE, CODE]);
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_is_there_unless_it_is_set_up_otherwise_and_others_must_be() {
        let mut options = Options::usual();
        let made = |provider: &str, system: Option<&str>| {
            Some(Made { provider: provider.to_owned(), system: system.map(ToOwned::to_owned) })
        };
        assert_eq!(options.made(BASE), made("local", None));
        assert_eq!(options.made(CODE), made("local", None));
        assert_eq!(options.made("debian"), None);
        options.templates.extend(Template::parse("debian=/srv/debian"));
        assert_eq!(options.made("debian"), made("local", Some("/srv/debian")));
        options.templates.extend(Template::parse("base=/srv/base"));
        assert_eq!(options.made(CODE), made("local", Some("/srv/base")));
        options.templates.extend(Template::parse("py=podman:python:3.12"));
        assert_eq!(options.made("py"), made("podman", Some("python:3.12")));
        options.provider = "podman".to_owned();
        options.templates.extend(Template::parse("image=debian:12"));
        assert_eq!(options.made("image"), made("podman", Some("debian:12")));
        assert_eq!(options.names(), ["base", CODE, "debian", "image", "py"]);
        for wrong in ["", "debian", "=/x", "a b=/x", "x=", "x=podman:"] {
            assert_eq!(Template::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn of_the_system_itself_no_directory_is_shown() {
        let mut options = Options::usual();
        for own in ["python3", "/usr/bin/env", "/usr/local/none/bin/python", "/none/bin/python"] {
            own.clone_into(&mut options.interpreter);
            assert_eq!(options.seen(), None, "{own}");
        }
    }
}
