//! The command line.

mod acp;
mod gateway;
mod rules;

use std::{ffi::OsString, path::PathBuf};

use clap::{Parser, Subcommand};

use crate::providers;

pub(crate) use acp::Acp;
pub(crate) use gateway::{
    Agent, AgentOne, AgentSet, AgentVerb, Audit, AuditExport, AuditList, AuditVerb, AuditVerify,
    Config, ConfigCheck, ConfigVerb, Place, Rpc, Serve, Token, TokenCreate, TokenRevoke, TokenRole,
    TokenVerb, Which,
};
pub(crate) use rules::{Disk, Rules};

/// Secure workspaces for AI agents.
#[derive(Debug, Parser)]
#[command(name = "garth", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// The arguments of this process.
    pub(crate) fn of_process() -> Self {
        let words: Vec<_> = std::env::args_os().collect();
        Self::of_one(&words).unwrap_or_else(|| Self::parse_from(words))
    }

    /// Reads the arguments of a command whose start others wait for, without putting together
    /// all that the other commands take. What is not understood so is to be read in full, which
    /// says what is wrong with it, or helps.
    fn of_one(words: &[OsString]) -> Option<Self> {
        fn read<T: clap::Args>(words: &[OsString]) -> Option<T> {
            let command = T::augment_args(clap::Command::new("garth"));
            T::from_arg_matches(&command.try_get_matches_from(words).ok()?).ok()
        }
        let (_, words) = words.split_first()?;
        let command = match words.first()?.to_str()? {
            "mcp" => Command::Mcp(read(words)?),
            "acp" => Command::Acp(read(words)?),
            "tool" => Command::Tool(read(words)?),
            _ => return None,
        };
        Some(Self { command })
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serves workspaces over HTTP and WebSocket, to agents and to people.
    Serve(Serve),
    /// Makes, changes and forgets the agents of a gateway.
    Agent(Agent),
    /// Gives out and takes back the tokens of a gateway.
    Token(Token),
    /// Shows what was done through a gateway, and whether that record is whole.
    Audit(Audit),
    /// Asks a running gateway for one thing.
    Rpc(Rpc),
    /// Looks at the configuration of a gateway.
    Config(Config),
    /// Serves a directory's files to a client of the Model Context Protocol.
    Mcp(Mcp),
    /// Stands between an editor and its agent, and keeps the agent in one directory.
    Acp(Acp),
    /// Runs one tool once, on one directory.
    Tool(Tool),
    /// Replaces the secrets of a text by placeholders.
    Redact(Redact),
    /// Tries on this machine what keeps commands in their place.
    Doctor(Doctor),
    /// Prints what a shell needs to complete these arguments.
    Completions(Completions),
    /// Prints a page of the manual.
    Man(Man),
    /// Serves files and commands over standard streams, for another garth.
    Guest(Guest),
    /// Makes the smallest virtual machine there is, for `garth doctor`.
    #[command(hide = true)]
    TryKvm,
}

const EXAMPLES: &str = r#"Examples:
  garth serve
  garth token create --role agent --agent default
  garth mcp ~/project
  garth acp --root ~/project -- my-agent --acp
  garth tool --list
  garth tool read '{"path":"README.md"}' --root ~/project
  env | garth redact"#;

const MCP_EXAMPLES: &str = r#"Examples:
  garth mcp ~/project
  garth mcp --read-only --deny '**/.env' ~/project
  garth mcp --no-exec --allow src --allow '*.md' ~/project
  garth mcp --dialect reference ~/project ~/notes
  garth mcp --memory --mount ~/project
  garth mcp --provider podman --set containers.image=debian ~/project
  garth mcp --provider gvisor --set containers.root=/var/lib/garth/debian ~/project

Commands of podman and gvisor are set up by the keys containers.*, podman.* and gvisor.* of the
configuration file, by variables such as GARTH_CONTAINERS_IMAGE, and by --set; the later wins.

A client starts it by itself; its configuration names the program and the arguments:
  {"mcpServers": {"garth": {"command": "garth", "args": ["mcp", "/home/me/project"]}}}"#;

#[derive(Debug, clap::Args)]
#[command(after_help = MCP_EXAMPLES)]
pub(crate) struct Mcp {
    /// The directories to serve, and nothing outside them; the current one without any
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<PathBuf>,

    /// Which tools are offered
    #[arg(long, value_name = "NAME", default_value = "workspace")]
    pub(crate) dialect: String,

    /// Keeps files in memory: nothing on disk is changed, and all is gone at the end
    #[arg(long, conflicts_with = "roots")]
    pub(crate) memory: bool,

    /// Shows a directory in the memory, at a path of it; can be given several times
    #[arg(long, value_name = "HOST[:PATH]", requires = "memory")]
    pub(crate) mount: Vec<String>,

    #[command(flatten)]
    pub(crate) rules: Rules,

    /// Offers these tools only
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,

    #[command(flatten)]
    pub(crate) provide: Provide,

    /// Runs no commands, and offers no tool that would: the same as --provider none
    #[arg(long)]
    pub(crate) no_exec: bool,

    #[command(flatten)]
    pub(crate) disk: Disk,
}

/// Where commands run.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Provide {
    /// Where commands run: local, podman, gvisor, or none for no commands; GARTH_PROVIDER or
    /// local without; agents of `garth serve` can also have qemu, firecracker and e2b
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,

    /// Sets a key of garth.toml, such as containers.image=debian; can be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// The configuration file; GARTH_CONFIG or garth.toml in the data directory without. It is
    /// read for podman and gvisor only
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl Provide {
    /// The provider that is asked for.
    pub(crate) fn name(&self) -> String {
        let named = || std::env::var("GARTH_PROVIDER").ok().filter(|name| !name.is_empty());
        let name = self.provider.clone().or_else(named);
        name.unwrap_or_else(|| providers::USUAL.to_owned())
    }

    /// Whether nothing is said of how it is set up.
    pub(crate) fn says_nothing(&self) -> bool {
        self.set.is_empty() && self.config.is_none()
    }
}

const TOOL_EXAMPLES: &str = r##"Examples:
  garth tool --list
  garth tool read '{"path":"src/main.rs","offset":10,"limit":20}' --root ~/project
  garth tool edit '{"path":"a.txt","old_string":"one","new_string":"two","dry_run":true}'
  garth tool grep '{"pattern":"TODO","include":"*.rs"}' --root ~/project --json
  echo '{"path":"notes.md","content":"# Notes\n"}' | garth tool write -
  garth tool bash '{"command":"make"}' --provider podman --set containers.image=debian

Commands of podman and gvisor are set up by the keys containers.*, podman.* and gvisor.* of the
configuration file, by variables such as GARTH_CONTAINERS_IMAGE, and by --set; the later wins.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage."##;

#[derive(Debug, clap::Args)]
#[command(after_help = TOOL_EXAMPLES)]
pub(crate) struct Tool {
    /// The tool; --list shows them all
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub(crate) name: Option<String>,

    /// Its parameters, one JSON object; "-" reads it from standard input
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) params: String,

    /// Lists the tools and their parameters instead of running one
    #[arg(long, conflicts_with = "name")]
    pub(crate) list: bool,

    /// Whose tools: workspace, dispatch, vfs or reference
    #[arg(long, value_name = "NAME", default_value = "workspace")]
    pub(crate) dialect: String,

    /// The directory that the tool works on, and nothing outside it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,

    /// Prints one JSON object: {"ok":true,"payload":…} or {"ok":false,"error":…}
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) rules: Rules,

    #[command(flatten)]
    pub(crate) provide: Provide,

    /// Runs no commands, and lists no tool that would: the same as --provider none
    #[arg(long)]
    pub(crate) no_exec: bool,
}

const REDACT_EXAMPLES: &str = r#"Examples:
  env | garth redact
  garth redact settings.toml > to-share.toml
  garth redact --check src docs
  git diff --cached | garth redact --check --json

Exit codes: 0 done, 1 failed, or --check found a secret."#;

#[derive(Debug, clap::Args)]
#[command(after_help = REDACT_EXAMPLES)]
pub(crate) struct Redact {
    /// The files to read, one after the other; standard input without any
    #[arg(value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Tells where secrets stand instead of printing the text; takes folders too
    #[arg(long)]
    pub(crate) check: bool,
    /// Prints one JSON object instead: {"ok":true,"payload":…}; says what --check says
    #[arg(long)]
    pub(crate) json: bool,
}

const DOCTOR_EXAMPLES: &str = r#"Examples:
  garth doctor
  garth doctor --json

Exit codes: 0 every layer holds, 1 one does not."#;

#[derive(Debug, clap::Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct Doctor {
    /// Prints one JSON object: {"ok":true,"payload":…}
    #[arg(long)]
    pub(crate) json: bool,

    /// Sets a key of garth.toml, such as containers.image=debian; can be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// The configuration file; GARTH_CONFIG or garth.toml in the data directory without
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

const COMPLETIONS_EXAMPLES: &str = r#"Examples:
  garth completions bash > ~/.local/share/bash-completion/completions/garth
  garth completions zsh > ~/.zfunc/_garth
  garth completions fish > ~/.config/fish/completions/garth.fish"#;

#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

const MAN_EXAMPLES: &str = r#"Examples:
  garth man | man -l -
  garth man token create > garth-token-create.1"#;

#[derive(Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct Man {
    /// The command whose page is meant; garth's own without any
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const GUEST_EXAMPLES: &str = r#"Examples:
  garth guest --root /home/me/project
  ssh host garth guest --root /home/me/project

It speaks to a garth at the other end of its standard streams. garth guest --help lists what it takes."#;

#[derive(Debug, clap::Args)]
#[command(after_help = GUEST_EXAMPLES, disable_help_flag = true)]
pub(crate) struct Guest {
    /// What is served, and how
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_command_read_alone_is_what_it_is_among_all() {
        let lines = [
            "garth mcp",
            "garth mcp /a /b --dialect reference --read-only --fast --tools read,list",
            "garth mcp --memory --mount /a:/b --mount /c --no-exec",
            "garth mcp --provider podman --set containers.image=debian --config x.toml -- -odd",
            "garth acp --root /a -- agent --acp -v",
            "garth tool --list",
            "garth tool read {} --root /a --json --deny *.env",
            "garth tool read -",
        ];
        for line in lines {
            let alone = Args::of_one(&words(line)).map(|args| format!("{args:?}"));
            let among = Args::try_parse_from(words(line)).map(|args| format!("{args:?}"));
            assert_eq!(alone, Some(among.unwrap()), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_or_asks_for_help_is_left_to_the_whole() {
        let lines = [
            "garth",
            "garth --help",
            "garth serve",
            "garth mcp --help",
            "garth mcp -h",
            "garth mcp --version",
            "garth mcp --memory /a",
            "garth mcp --mount /a",
            "garth mcp --nothing",
            "garth tool",
            "garth tool read --list",
            "garth help mcp",
        ];
        for line in lines {
            assert!(Args::of_one(&words(line)).is_none(), "{line}");
        }
    }
}
