//! What the operator set up for one agent, as it is stored and sent: JSON, checked.

mod git_remote;
mod redaction;

use std::path::{Path, PathBuf};

use garth_contract::{Access, Code, Error, MAX_PATH, Policy, Result, Seat};
use garth_redact::Redactor;
use serde::{Deserialize, Serialize};

use crate::{AgentId, approvals};

pub use git_remote::{GitRemote, Workflows};
pub use redaction::{Behavior, CustomPattern, Redaction};

/// The longest settings, in bytes of their JSON.
const MOST_BYTES: usize = 256 << 10;

/// What the operator set up for one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// The name of the provider that its processes run in, for example `local`.
    pub provider: String,
    /// A directory that is adopted as the workspace, absolute on the host; without one
    /// the agent has its own below the gateway's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The workspace is the home directory of its sandbox, whose whole tree can be
    /// worked in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub home: bool,
    /// What its sandbox is made of beside the workspace: a directory with a system in
    /// it, absolute on the host, or an image of containers; the provider's own without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Every change is `READ_ONLY`.
    #[serde(default)]
    pub read_only: bool,
    /// The most bytes that all files together may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_bytes: Option<u64>,
    /// The largest file that can be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_bytes: Option<u64>,
    /// Globs of what can be neither seen nor touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Globs of what can be read and not changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    /// Bounds that differ from the gateway's own.
    #[serde(default)]
    pub limits: OwnLimits,
    /// How text of its files is redacted.
    #[serde(default)]
    pub redaction: Redaction,
    /// What is allowed, asked about or denied.
    #[serde(default)]
    pub approvals: approvals::Config,
    /// Where `git` pushes to and pulls from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitRemote>,
}

/// Bounds of one workspace; what is missing is as for all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct OwnLimits {
    /// Requests a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Bytes a minute, in and out together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_minute: Option<u64>,
    /// Reads at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent_reads: Option<u32>,
    /// Watches that are open at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watches: Option<u32>,
    /// Processes at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
}

impl Settings {
    /// A workspace of its own, writable, with everything as usual.
    #[must_use]
    pub fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            directory: None,
            home: false,
            system: None,
            read_only: false,
            quota_bytes: None,
            max_file_bytes: None,
            deny: Vec::new(),
            protect: Vec::new(),
            limits: OwnLimits::default(),
            redaction: Redaction::default(),
            approvals: approvals::Config::default(),
            git: None,
        }
    }

    /// Checks everything that can be wrong, so that what is stored can be used.
    ///
    /// # Errors
    /// `INVALID_PARAMS` or `INVALID_PATTERN` that says what is wrong.
    pub fn check(&self) -> Result<()> {
        let named = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=32).contains(&self.provider.len()) || !self.provider.bytes().all(named) {
            return Err(wrong("a provider's name is 1 to 32 of a-z 0-9 -"));
        }
        self.directory.as_deref().map_or(Ok(()), check_directory)?;
        if self.max_file_bytes == Some(0) {
            return Err(wrong("maxFileBytes must not be 0; readOnly allows no writes"));
        }
        if self.system.as_ref().is_some_and(|system| system.is_empty() || system.len() > MAX_PATH) {
            return Err(wrong("a system is the path of a directory or the name of an image"));
        }
        self.limits.check()?;
        garth_search::Rules::compile(&self.policy())?;
        redaction::compile(&self.redaction.config())?;
        approvals::Rules::compile(&self.approvals)?;
        self.git.as_ref().map_or(Ok(()), GitRemote::check)
    }

    /// The settings as they are stored.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and `INVALID_PARAMS` for too much.
    pub fn to_json(&self) -> Result<String> {
        self.check()?;
        let text = serde_json::to_string(self)
            .map_err(|_| Error::new(Code::Internal, "settings could not be written as JSON"))?;
        if text.len() > MOST_BYTES {
            return Err(wrong("the settings of an agent are too large"));
        }
        Ok(text)
    }

    /// Settings that were stored.
    ///
    /// # Errors
    /// `INTERNAL`: what was stored had been checked.
    pub(crate) fn from_json(text: &str) -> Result<Self> {
        let unread = |_| Error::new(Code::Internal, "the stored settings of an agent are damaged");
        serde_json::from_str(text).map_err(unread)
    }

    /// Where the files are: the adopted directory, or the agent's own below `data`.
    #[must_use]
    pub fn directory(&self, data: &Path, id: &AgentId) -> PathBuf {
        match &self.directory {
            Some(adopted) => PathBuf::from(adopted),
            None => data.join("agents").join(id.as_str()).join("workspace"),
        }
    }

    /// Where the workspace sits in its sandbox.
    #[must_use]
    pub fn seat(&self) -> Seat {
        if self.home { Seat::Home } else { Seat::Workspace }
    }

    /// What a backend is to forbid.
    #[must_use]
    pub fn policy(&self) -> Policy {
        let open = Policy::open();
        Policy {
            access: if self.read_only { Access::ReadOnly } else { Access::ReadWrite },
            deny: self.deny.clone(),
            protect: self.protect.clone(),
            max_file: self.max_file_bytes.unwrap_or(open.max_file),
            quota: self.quota_bytes,
            ..open
        }
    }

    /// What keeps secrets out of the audit: as for the files, and never switched off.
    pub(crate) fn audit_redactor(&self) -> Result<Redactor> {
        let mut config = garth_redact::Config::standard();
        config.custom = self.redaction.config().custom;
        redaction::compile(&config)
    }
}

impl OwnLimits {
    fn check(self) -> Result<()> {
        let numbers =
            [self.requests_per_minute, self.concurrent_reads, self.watches, self.processes];
        if numbers.contains(&Some(0)) || self.bytes_per_minute == Some(0) {
            return Err(wrong("a limit must not be 0"));
        }
        Ok(())
    }
}

/// An absolute path in normal form, since it is opened by name.
fn check_directory(directory: &str) -> Result<()> {
    let normal = directory.strip_prefix('/').is_some_and(|rest| {
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        rest.split('/').all(|name| !matches!(name, "" | "." | ".."))
    });
    if !normal || directory.contains('\0') || directory.len() > MAX_PATH {
        return Err(wrong(
            "an adopted directory is an absolute path without '.' and '..', and not '/'",
        ));
    }
    Ok(())
}

fn wrong(what: &'static str) -> Error {
    Error::new(Code::InvalidParams, what)
}

#[cfg(test)]
mod tests;
