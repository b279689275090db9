//! What kind of engine it is that answers.

use std::path::Path;

use bollard::{
    ClientVersion,
    models::{SystemInfo, SystemVersion},
};
use garth_contract::Result;

use super::{Options, refuse};

/// What is known of an engine.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The version of the interface that both sides speak.
    pub(super) version: ClientVersion,
    /// Which engine it is.
    pub(super) kind: Kind,
    /// Whose it is.
    pub(super) rights: Rights,
    /// The runtime that it takes by itself, a name or a path.
    pub(super) runtime: String,
}

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Podman,
    Docker,
}

/// Whether an engine is the machine's or one user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    Root,
    Rootless,
}

/// The newest version of the interface that this crate knows.
pub(super) const NEWEST: ClientVersion = ClientVersion { major_version: 1, minor_version: 47 };

impl Facts {
    pub(super) fn of(version: &SystemVersion, info: &SystemInfo) -> Self {
        let components = version.components.iter().flatten();
        let podman = components.into_iter().any(|part| part.name.contains("Podman"));
        let options = info.security_options.iter().flatten();
        let rootless = options.into_iter().any(|option| option.contains("name=rootless"));
        Self {
            version: spoken(version.api_version.as_deref()),
            kind: if podman { Kind::Podman } else { Kind::Docker },
            rights: if rootless { Rights::Rootless } else { Rights::Root },
            runtime: info.default_runtime.clone().unwrap_or_default(),
        }
    }

    /// Checks that a container would run in the runtime that it must have.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub(super) fn check_runtime(&self, options: &Options) -> Result<()> {
        match &options.runtime {
            Some(runtime) if !self.would_run_in(runtime) => Err(refuse::unavailable(
                format!("this podman does not run containers with {runtime}"),
                "Start its service with `podman --runtime` and that runtime, or use Docker, \
                 which takes the runtime of each container.",
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether a container runs in this runtime if the engine is asked for it.
    ///
    /// Podman ignores the wish and takes its own, which would put a workspace that was
    /// meant for a stronger sandbox into a weaker one without a word.
    fn would_run_in(&self, runtime: &str) -> bool {
        match self.kind {
            Kind::Docker => true,
            Kind::Podman => base(&self.runtime) == base(runtime),
        }
    }
}

fn base(runtime: &str) -> Option<&std::ffi::OsStr> {
    Path::new(runtime).file_name()
}

/// The lower of what the engine speaks and what is known here.
fn spoken(engine: Option<&str>) -> ClientVersion {
    let parts = engine.and_then(|text| text.split_once('.'));
    let number = |text: &str| text.parse().ok();
    let theirs = parts.and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
    match theirs {
        Some((major_version, minor_version))
            if (major_version, minor_version) < (NEWEST.major_version, NEWEST.minor_version) =>
        {
            ClientVersion { major_version, minor_version }
        }
        Some(_) | None => NEWEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_speak_the_older_version() {
        let minor = |text| spoken(text).minor_version;
        assert_eq!(minor(Some("1.41")), 41);
        assert_eq!(minor(Some("1.99")), NEWEST.minor_version);
        assert_eq!(minor(Some("odd")), NEWEST.minor_version);
        assert_eq!(minor(None), NEWEST.minor_version);
    }

    #[test]
    fn a_podman_with_another_runtime_is_not_taken_for_the_wanted_one() {
        let facts = |kind, runtime: &str| Facts {
            version: NEWEST,
            kind,
            rights: Rights::Root,
            runtime: runtime.into(),
        };
        assert!(!facts(Kind::Podman, "runc").would_run_in("runsc"));
        assert!(facts(Kind::Podman, "/usr/bin/runsc").would_run_in("runsc"));
        assert!(facts(Kind::Docker, "runc").would_run_in("runsc"));
    }
}
