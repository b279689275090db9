//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Secure workspaces for AI agents.
#[derive(Debug, Parser)]
#[command(name = "garth", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs one tool once, on one directory.
    Tool(Tool),
    /// Replaces the secrets of a text by placeholders.
    Redact(Redact),
}

const EXAMPLES: &str = r#"Examples:
  garth tool --list
  garth tool read '{"path":"README.md"}' --root ~/project
  env | garth redact"#;

const TOOL_EXAMPLES: &str = r##"Examples:
  garth tool --list
  garth tool read '{"path":"src/main.rs","offset":10,"limit":20}' --root ~/project
  garth tool edit '{"path":"a.txt","old_string":"one","new_string":"two","dry_run":true}'
  garth tool grep '{"pattern":"TODO","include":"*.rs"}' --root ~/project --json
  echo '{"path":"notes.md","content":"# Notes\n"}' | garth tool write -

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

    /// The directory that the tool works on, and nothing outside it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,

    /// Prints one JSON object: {"ok":true,"payload":…} or {"ok":false,"error":…}
    #[arg(long)]
    pub(crate) json: bool,

    /// Shows secrets as they are; they are replaced by placeholders otherwise
    #[arg(long)]
    pub(crate) no_redact: bool,

    /// Refuses every change
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Hides what matches from every tool; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny: Vec<String>,

    /// Lets what matches be read and not changed; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) protect: Vec<String>,
}

const REDACT_EXAMPLES: &str = r#"Examples:
  env | garth redact
  garth redact settings.toml > to-share.toml"#;

#[derive(Debug, clap::Args)]
#[command(after_help = REDACT_EXAMPLES)]
pub(crate) struct Redact {
    /// The files to read, one after the other; standard input without any
    #[arg(value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
}
