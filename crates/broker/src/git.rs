//! Runs git outside of every sandbox: in a fixed environment, on a repository of ours,
//! bounded in time, memory and bytes.
//!
//! Nothing that an agent wrote is read as configuration: the repository's config is the
//! text below, those of the system and of a home directory are not looked at, and there
//! is no hook, no alias, no external program. A credential is no part of it; see
//! `handover.rs`.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use garth_contract::{
    Announce, Cause, Code, Command, Error, Keep, Program, Report, Result, Shell, Stdin, Timeout,
    Variables, WsPath,
};
use garth_host::{Bounds, Processes, Settings, Strays, Trees};

use crate::{address::Scheme, limits::Limits};

/// The variables of every run; nothing is inherited.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    // Messages are told apart by their words.
    ("LC_ALL", "C"),
    ("HOME", "/nonexistent"),
    ("XDG_CONFIG_HOME", "/nonexistent"),
    ("GIT_DIR", "repo.git"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS", "/bin/false"),
    ("GIT_SSH_COMMAND", "/bin/false"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "/bin/false"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ADVICE", "0"),
];

/// The config of every repository. A URL may be http only where its address was checked
/// to be one that may be; redirects are not followed, so that no credential is carried
/// elsewhere.
pub(crate) const CONFIG: &str = "\
[core]
\trepositoryFormatVersion = 0
\tbare = true
\thooksPath = /dev/null
\tfsmonitor = false
\tabbrev = 40
\tlogAllRefUpdates = false
\tbigFileThreshold = 16m
[transfer]
\tfsckObjects = true
\tunpackLimit = 1
\tcredentialsInUrl = die
\tbundleURI = false
[fetch]
\tfsckObjects = true
\tunpackLimit = 1
\trecurseSubmodules = false
\twriteCommitGraph = false
[push]
\tdefault = nothing
\tfollowTags = false
\tgpgSign = false
\trecurseSubmodules = no
[protocol]
\tallow = never
[protocol \"https\"]
\tallow = always
[protocol \"http\"]
\tallow = always
[http]
\tfollowRedirects = false
\tsslVerify = true
\temptyAuth = false
\tlowSpeedLimit = 100
\tlowSpeedTime = 60
[credential]
\thelper =
\tinteractive = never
[gc]
\tauto = 0
[maintenance]
\tauto = false
[submodule]
\trecurse = false
[pack]
\tthreads = 2
\twindowMemory = 256m
[advice]
\tpushUpdateRejected = false
";

/// How a pack is checked. What old programs wrote into many a history harms nobody.
pub(crate) const STRICT: &str =
    "--strict=zeroPaddedFilemode=ignore,missingSpaceBeforeDate=ignore,badTimezone=ignore";

/// How much of what git prints is read.
const KEEP: Keep = Keep { head: 8 << 20, tail: 64 << 10 };

/// Bounds one run: bytes of a file in blocks of 512, memory in KiB, as POSIX has them.
/// A file that outgrows them cannot be written to, rather than whoever writes be killed.
/// What is read as standard input stands in a file where one is named.
const SCRIPT: &str = "trap '' XFSZ; ulimit -c 0; ulimit -f \"$1\" && ulimit -v \"$2\" || exit 125; in=$3; shift 3; \
                      exec \"$@\" <\"$in\"";

/// Runs git in the directories below one.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    root: PathBuf,
    processes: Processes,
    limits: Limits,
}

/// One operation: everything that it runs shares one time.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    git: &'a Git,
    place: WsPath,
    until: Instant,
    /// The one protocol that may be spoken.
    protocol: &'static str,
}

/// What a run reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reads<'a> {
    Nothing,
    Text(&'a str),
    /// A file, as seen from the workspace's directory.
    File(&'a str),
}

impl Git {
    /// Prepares to run git below a directory of the gateway.
    pub(crate) fn open(root: &Path, limits: Limits) -> Result<Self> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings = Settings {
            environment: ENVIRONMENT.iter().map(own).collect(),
            spool: root.join("spool"),
            bounds: Bounds {
                processes: 256,
                // Reports are read at once.
                kept: 1,
                keep_for: Duration::from_secs(1),
                spool_each: 16 << 20,
                spool_all: 512 << 20,
                files: None,
            },
            trees: Trees::Detect,
            strays: Strays::Leave,
            first: 1,
        };
        let processes = Processes::open(root, settings)?;
        Ok(Self { root: root.to_owned(), processes, limits })
    }

    /// Begins an operation in the directory of a workspace.
    pub(crate) fn work(&self, place: &str, scheme: Scheme) -> Result<Work<'_>> {
        let place = WsPath::from_bytes(place.as_bytes())?;
        let until = Instant::now() + self.limits.time;
        Ok(Work { git: self, place, until, protocol: scheme.name() })
    }

    /// Kills everything that runs.
    pub(crate) async fn stop(&self) {
        self.processes.stop().await;
    }

    /// Where the directories are.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The bounds.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl Work<'_> {
    /// How much time is left.
    pub(crate) fn left(&self) -> Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(too_late()) } else { Ok(left) }
    }

    /// Runs git to its end, however that is.
    ///
    /// Errors: `COMMAND_TIMEOUT` where the time of the operation is up;
    /// `PROVIDER_UNAVAILABLE` where there is no git.
    /// Cancel: it is killed with all that it started.
    pub(crate) async fn run(&self, arguments: &[&str], reads: Reads<'_>) -> Result<Report> {
        let limits = &self.git.limits;
        let blocks = (limits.bytes / 512).max(1).to_string();
        let memory = (limits.memory / 1024).max(1).to_string();
        let input = match reads {
            Reads::Nothing => "/dev/null",
            Reads::Text(_) => "/dev/stdin",
            Reads::File(name) => name,
        };
        let mut words = vec!["/bin/sh", "-c", SCRIPT, "sh", &blocks, &memory, input, "git"];
        words.extend(arguments);
        let words = words.into_iter().map(|word| word.as_bytes().to_vec()).collect();
        let millis =
            u64::try_from(self.left()?.as_millis()).unwrap_or(u64::MAX).clamp(1, 3_600_000);
        let command = Command {
            program: Program::arguments(words)?,
            workdir: self.place.clone(),
            variables: Variables::new([(
                "GIT_ALLOW_PROTOCOL".to_owned(),
                self.protocol.to_owned(),
            )])?,
            stdin: match reads {
                Reads::Text(text) => Stdin::Bytes(bytes::Bytes::copy_from_slice(text.as_bytes())),
                Reads::Nothing | Reads::File(_) => Stdin::Empty,
            },
            timeout: Timeout::millis(millis)?,
            terminal: None,
            keep: KEEP,
        };
        let report = self.git.processes.run(command, Announce::nobody()).await?;
        match (report.ended.cause, report.ended.exit.code()) {
            (Cause::Timeout, _) => Err(too_late()),
            (Cause::Ended, _) => Err(Error::of(Code::Cancelled)),
            (_, 125..=127) => Err(Error::new(
                Code::ProviderUnavailable,
                "git cannot be run on the gateway's machine",
            )
            .hint("Ask the operator to install git.")),
            (Cause::Itself | Cause::Quota, _) => Ok(report),
        }
    }

    /// Runs git where it must succeed, and gives what it printed.
    ///
    /// Errors: those of [`run`](Self::run); `GIT_FAILED` with the sentence.
    pub(crate) async fn must(
        &self,
        arguments: &[&str],
        reads: Reads<'_>,
        what: &'static str,
    ) -> Result<String> {
        let report = self.run(arguments, reads).await?;
        if report.ended.exit.code() != 0 {
            return Err(crate::failure::local(&report, what));
        }
        printed(&report)
    }
}

/// What was printed, whole and as text.
pub(crate) fn printed(report: &Report) -> Result<String> {
    if report.stdout.missing() > 0 {
        return Err(Error::new(Code::QuotaExceeded, "git printed more than is read of it"));
    }
    let mut all = String::from_utf8_lossy(&report.stdout.head).into_owned();
    all.push_str(&String::from_utf8_lossy(&report.stdout.tail));
    Ok(all)
}

fn too_late() -> Error {
    Error::new(Code::CommandTimeout, "git took longer than it may")
        .hint("Try again later, or ask the operator to allow more time.")
}
