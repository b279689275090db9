//! The command line of `garth acp`.

use std::{ffi::OsString, path::PathBuf};

use garth_contract::{Code, Error, Result};

use super::{Disk, Provide, Rules};
use crate::providers::{NONE, USUAL};

const EXAMPLES: &str = r#"Examples:
  garth acp --root ~/project -- claude-agent-acp
  garth acp --root ~/project --read-only -- gemini --acp
  garth acp --root ~/project --provider local --network api.example.com:443 \
    --env MODEL_API_KEY --visible ~/.local/lib/my-agent -- my-agent --acp
  garth acp --provider podman --set containers.image=my-agent-image -- my-agent --acp

An editor starts it in place of its agent; in Zed's settings.json:
  {"agent_servers": {"my agent, fenced": {"command": "garth",
    "args": ["acp", "--root", "/home/me/project", "--", "my-agent", "--acp"]}}}

What the agent did is in garth audit list. docs/editors.md says what is kept from it and what is not."#;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Acp {
    /// The agent's program and its arguments
    #[arg(value_name = "AGENT", required = true, last = true)]
    pub(crate) agent: Vec<OsString>,

    /// The directory that sessions work in, and nothing outside it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,

    #[command(flatten)]
    pub(crate) rules: Rules,

    /// Gives an agent in a sandbox a variable, this program's own without a value; can be given
    /// several times
    #[arg(long, value_name = "NAME[=VALUE]", requires = "provider")]
    pub(crate) env: Vec<String>,

    /// Shows an agent in the local sandbox another directory of this machine, which it cannot
    /// change; can be given several times
    #[arg(long, value_name = "DIR", requires = "provider")]
    pub(crate) visible: Vec<PathBuf>,

    /// Where the agent runs, and its commands. Without --provider the agent runs as this
    /// program does, and commands that this program runs for it do so in the local sandbox
    #[command(flatten)]
    pub(crate) provide: Provide,

    /// Runs no commands for the agent
    #[arg(long, conflicts_with = "provider")]
    pub(crate) no_exec: bool,

    /// Adds no server to sessions
    #[arg(long)]
    pub(crate) no_server: bool,

    #[command(flatten)]
    pub(crate) disk: Disk,

    /// Where the record is kept; GARTH_DATA or ~/.local/share/garth without
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Keeps no record
    #[arg(long, conflicts_with = "data")]
    pub(crate) no_audit: bool,
}

impl Acp {
    /// Whether the agent itself runs in a sandbox: only when that is asked for here, not by
    /// a variable that is there for other commands.
    pub(crate) fn is_inside(&self) -> bool {
        self.provide.provider.as_deref().is_some_and(|name| name != NONE)
    }

    /// Whether that is a container.
    pub(crate) fn is_contained(&self) -> bool {
        self.is_inside() && self.provide.provider.as_deref() != Some(USUAL)
    }

    /// The variables of an agent in a sandbox.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that this program does not have, or that is no text.
    pub(crate) fn variables(&self) -> Result<Vec<(String, String)>> {
        let variable = |given: &String| {
            if let Some((name, value)) = given.split_once('=') {
                return Ok((name.to_owned(), value.to_owned()));
            }
            let value = std::env::var(given).map_err(|_| {
                let message = format!("there is no variable {given:?} to give to the agent");
                Error::new(Code::InvalidParams, message)
            })?;
            Ok((given.clone(), value))
        };
        self.env.iter().map(variable).collect()
    }

    /// The directory of this program, where an agent in a sandbox can be shown it, to start
    /// our server from. A container has another way to it.
    pub(crate) fn own_directory(&self) -> Option<PathBuf> {
        if self.provide.provider.as_deref() != Some(USUAL) || self.no_server {
            return None;
        }
        let directory = std::env::current_exe().ok()?.parent()?.to_path_buf();
        garth_sandbox::can_be_visible(&directory).then_some(directory)
    }

    /// The directories that a sandbox shows: those that were asked for, and this program's
    /// own, so that an agent in the local sandbox can start our server.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that is not there.
    pub(crate) fn visible(&self) -> Result<Vec<PathBuf>> {
        let missing = |path: &PathBuf| {
            let message = format!("there is no directory {:?} to show", path.display());
            Error::new(Code::InvalidParams, message)
        };
        let mut all = Vec::new();
        for path in &self.visible {
            let absolute = std::path::absolute(path).ok().filter(|path| path.is_dir());
            all.push(absolute.ok_or_else(|| missing(path))?);
        }
        all.extend(self.own_directory());
        Ok(all)
    }
}
