//! The command line of what is done to a gateway: on its data directory, or over its
//! socket.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Subcommand;
use garth_gateway::AgentId;

use crate::config;

/// Whose gateway is meant.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Place {
    /// The gateway's own directory; GARTH_DATA or ~/.local/share/garth without
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The configuration file; GARTH_CONFIG or garth.toml in the data directory without
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

const SERVE_EXAMPLES: &str = r#"Examples:
  garth serve
  garth serve --data ./data --listen 127.0.0.1:8080
  garth serve --config /etc/garth.toml
  garth serve --listen 0.0.0.0:7717 --certificate cert.pem --key key.pem

The first start makes a token for the operator and an agent called default, and prints where to go.
The configuration file comes first, then variables such as GARTH_LISTEN, then these flags; the later wins."#;

#[derive(Debug, clap::Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) place: Place,

    /// Where to listen; 127.0.0.1:7717 without
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: Option<SocketAddr>,

    /// Lets the address be one that others can reach, without TLS
    #[arg(long)]
    pub(crate) insecure_listen: bool,

    /// Answers SDKs of E2B on the same address: E2B_API_URL and E2B_SANDBOX_URL name it
    #[arg(long)]
    pub(crate) e2b: bool,

    /// Speaks TLS with this certificate and those above it, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// The certificate's key, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Sets a key of garth.toml, such as containers.image=debian; can be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

const AGENT_EXAMPLES: &str = r#"Examples:
  garth agent create coder
  garth agent create docs --dir ~/site --read-only --deny '**/.env'
  garth agent create builder --provider podman
  garth agent list
  garth agent update coder --quota 5GiB --settings '{"limits":{"processes":4}}'
  garth agent delete coder

A gateway that runs on the same directory notices within a second."#;

#[derive(Debug, clap::Args)]
#[command(after_help = AGENT_EXAMPLES)]
pub(crate) struct Agent {
    #[command(subcommand)]
    pub(crate) verb: AgentVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentVerb {
    /// Makes an agent and its workspace.
    #[command(after_help = "Example:\n  garth agent create coder --quota 5GiB")]
    Create(AgentSet),
    /// Lists the agents.
    #[command(after_help = "Example:\n  garth agent list --json")]
    List(AgentList),
    /// Shows one agent with everything that is set up for it.
    #[command(after_help = "Example:\n  garth agent show coder")]
    Show(AgentOne),
    /// Changes what is set up; what is not named stays as it is.
    #[command(after_help = "Example:\n  garth agent update coder --read-only false")]
    Update(AgentSet),
    /// Forgets an agent and takes back its tokens; its files are left.
    #[command(after_help = "Example:\n  garth agent delete coder")]
    Delete(AgentOne),
}

#[derive(Debug, clap::Args)]
pub(crate) struct AgentList {
    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AgentOne {
    /// The agent
    #[arg(value_name = "ID", value_parser = agent_id)]
    pub(crate) id: AgentId,

    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AgentSet {
    /// The agent: a letter or digit and up to 63 more of A-Z a-z 0-9 . _ -
    #[arg(value_name = "ID", value_parser = agent_id)]
    pub(crate) id: AgentId,

    #[command(flatten)]
    pub(crate) place: Place,

    /// Where its commands run: local, podman, gvisor, qemu, firecracker, e2b, or none for no commands
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,

    /// A directory that is adopted as the workspace; one of its own without
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,

    /// Refuses every change
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) read_only: Option<bool>,

    /// The most bytes that all files together may have, such as 5GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) quota: Option<u64>,

    /// The largest file that can be written
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_file: Option<u64>,

    /// Hides what matches from every tool; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny: Vec<String>,

    /// Lets what matches be read and not changed; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) protect: Vec<String>,

    /// Shows secrets as they are; they are replaced by placeholders otherwise
    #[arg(long)]
    pub(crate) no_redact: bool,

    /// Anything else that can be set up, as the JSON object that agents.create takes
    #[arg(long, value_name = "JSON")]
    pub(crate) settings: Option<String>,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const TOKEN_EXAMPLES: &str = r#"Examples:
  garth token create --role operator --label laptop
  garth token create --role agent --agent coder --ttl 30d > coder.token
  garth token list
  garth token revoke 0123456789abcdef

A token is shown once, alone on standard output. Taking one back ends its connections within a second."#;

#[derive(Debug, clap::Args)]
#[command(after_help = TOKEN_EXAMPLES)]
pub(crate) struct Token {
    #[command(subcommand)]
    pub(crate) verb: TokenVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenVerb {
    /// Makes a token and prints it.
    #[command(after_help = "Example:\n  garth token create --role agent --agent coder --ttl 30d")]
    Create(TokenCreate),
    /// Lists tokens, without their secrets.
    #[command(after_help = "Example:\n  garth token list --json")]
    List(TokenList),
    /// Takes a token back.
    #[command(after_help = "Example:\n  garth token revoke 0123456789abcdef")]
    Revoke(TokenRevoke),
}

/// What a token gives a right to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TokenRole {
    /// Everything.
    Operator,
    /// The workspace of one agent.
    Agent,
    /// Nothing directly.
    User,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TokenCreate {
    /// What it gives a right to
    #[arg(long, value_name = "ROLE", value_enum)]
    pub(crate) role: TokenRole,

    /// Whose workspace, for the role agent
    #[arg(long, value_name = "ID", value_parser = agent_id, required_if_eq("role", "agent"))]
    pub(crate) agent: Option<AgentId>,

    /// How long it is good, such as 12h or 30d; until it is taken back without
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) ttl: Option<Duration>,

    /// What to call it in lists
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) label: String,

    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object with the token and what is known about it
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TokenList {
    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TokenRevoke {
    /// The id that garth token list shows; never the token itself
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const AUDIT_EXAMPLES: &str = r#"Examples:
  garth audit list --agent coder --since 1h
  garth audit verify
  garth audit export --since 30d > audit.jsonl

Exit codes: 0 done and sound, 1 refused, failed or something was found, 2 wrong usage."#;

#[derive(Debug, clap::Args)]
#[command(after_help = AUDIT_EXAMPLES)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) verb: AuditVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditVerb {
    /// Shows the newest records.
    #[command(
        after_help = "Example:\n  garth audit list --operation bash --outcome PERMISSION_DENIED"
    )]
    List(AuditList),
    /// Looks for records that were changed, removed, reordered or cut off.
    #[command(after_help = "Example:\n  garth audit verify --key 7Z…")]
    Verify(AuditVerify),
    /// Writes every record as a line of JSON, oldest first.
    #[command(after_help = "Example:\n  garth audit export --agent coder > coder.jsonl")]
    Export(AuditExport),
}

/// Which records are meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// Of this agent's workspace
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,

    /// By this token
    #[arg(long, value_name = "ID")]
    pub(crate) caller: Option<String>,

    /// In this session
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,

    /// Of this operation
    #[arg(long, value_name = "NAME")]
    pub(crate) operation: Option<String>,

    /// With this outcome: OK or an error code
    #[arg(long, value_name = "CODE")]
    pub(crate) outcome: Option<String>,

    /// Not older than this, such as 1h or 30d
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Duration>,

    /// Older than this
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<Duration>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AuditList {
    #[command(flatten)]
    pub(crate) which: Which,

    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) limit: u32,

    /// Only records before this number, to go on where the last list ended
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<i64>,

    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AuditVerify {
    /// The public key that heads were signed with; that of the data directory without
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,

    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AuditExport {
    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) place: Place,
}

const RPC_EXAMPLES: &str = r#"Examples:
  garth rpc worktree.list '{"agentId":"default","path":"/"}' --token-file operator.token
  GARTH_TOKEN=garth_… garth rpc agents.list --url https://box.example:7717
  echo '{"agentId":"default","command":"make"}' | garth rpc bash - --token-file operator.token --json

Exit codes: 0 done, 1 refused or failed, 2 wrong usage."#;

#[derive(Debug, clap::Args)]
#[command(after_help = RPC_EXAMPLES)]
pub(crate) struct Rpc {
    /// The method
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,

    /// Its parameters, one JSON object; "-" reads it from standard input
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) params: String,

    /// Where the gateway is; GARTH_URL or http://127.0.0.1:7717 without
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The file with the token; GARTH_TOKEN without
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Who to trust that the gateway is who it says, in PEM; those of this machine without
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,

    /// Prints one JSON object: {"ok":true,"payload":…} or {"ok":false,"error":…}
    #[arg(long)]
    pub(crate) json: bool,
}

const CONFIG_EXAMPLES: &str = r#"Examples:
  garth config check
  garth config check --config /etc/garth.toml

Exit codes: 0 sound, 1 something is wrong, 2 wrong usage."#;

#[derive(Debug, clap::Args)]
#[command(after_help = CONFIG_EXAMPLES)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) verb: ConfigVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Explains everything that is wrong with the configuration.
    #[command(after_help = "Example:\n  garth config check --config garth.toml")]
    Check(ConfigCheck),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigCheck {
    #[command(flatten)]
    pub(crate) place: Place,

    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn agent_id(text: &str) -> Result<AgentId, String> {
    AgentId::parse(text).map_err(|error| error.message().to_owned())
}

fn size(text: &str) -> Result<u64, String> {
    config::size(text).ok_or_else(|| "a size is a number such as 500MB or 5GiB".to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    config::duration(text).ok_or_else(|| "a time is a number such as 30s, 12h or 30d".to_owned())
}
