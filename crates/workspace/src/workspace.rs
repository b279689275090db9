//! What a workspace is made of.

use std::sync::Arc;

use garth_contract::{Aliases, Code, Detail, DynFilesystem, Error, RawPath, Result, WsPath};
use garth_redact::{BadPattern, Behaviour, Config, Redactor};
use tokio::sync::MutexGuard;

use crate::{Limits, locks::Locks};

/// What a workspace is made of.
pub struct Parts {
    /// Where its files are.
    pub fs: Arc<dyn DynFilesystem>,
    /// The absolute paths under which its root is known.
    pub aliases: Aliases,
    /// How text of its files is redacted.
    pub redaction: Config,
    /// How much one call may take or give.
    pub limits: Limits,
}

/// One agent's world.
pub struct Workspace {
    pub(crate) fs: Arc<dyn DynFilesystem>,
    aliases: Aliases,
    pub(crate) redactor: Redactor,
    pub(crate) redaction: Redaction,
    pub(crate) limits: Limits,
    pub(crate) locks: Locks,
}

/// Whether secrets are replaced at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redaction {
    On,
    Off,
}

impl Redaction {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}

impl Workspace {
    /// Puts a workspace together.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern of the redaction that cannot be used.
    pub fn new(parts: Parts) -> Result<Self> {
        let Parts { fs, aliases, redaction, limits } = parts;
        let redactor = Redactor::new(&redaction).map_err(|bad| wrong(&bad))?;
        let redaction = match redaction.behaviour {
            Behaviour::Redact | Behaviour::Block if redaction.enabled => Redaction::On,
            Behaviour::Redact | Behaviour::Block | Behaviour::Allow => Redaction::Off,
        };
        Ok(Self { fs, aliases, redactor, redaction, limits, locks: Locks::new() })
    }

    /// Its files.
    #[must_use]
    pub fn fs(&self) -> &dyn DynFilesystem {
        &*self.fs
    }

    /// Its bounds.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The absolute paths under which its root is known.
    #[must_use]
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// Turns what a caller sent into a path of this workspace.
    ///
    /// # Errors
    /// `INVALID_PATH`, `PATH_OUTSIDE_WORKSPACE`.
    pub fn path(&self, raw: impl Into<String>) -> Result<WsPath> {
        RawPath::new(raw).resolve(&self.aliases)
    }

    /// Waits until nobody else changes any of these files through this workspace.
    ///
    /// Cancel: what was waited for is let go.
    pub async fn hold(&self, paths: &[&WsPath]) -> Vec<MutexGuard<'_, ()>> {
        self.locks.hold(paths).await
    }
}

fn wrong(bad: &BadPattern) -> Error {
    let error = Error::new(Code::InvalidPattern, bad.to_string());
    match bad.position {
        Some(position) => error.with(Detail::Position(position as u64)),
        None => error,
    }
}
