//! What the operator set up: a file, then the environment, then the command line; the
//! later wins.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use garth_contract::{Code, Error, Result};
use garth_gateway::{
    Redaction,
    audit::{self, Retention},
    limits,
};
pub(crate) use tracing_subscriber::filter::LevelFilter as Level;

use super::{e2b::Options, git::GitSettings, telemetry::Telemetry};
use crate::{
    args,
    config::{self, Fault},
    providers::{self, Owner, Providers},
};

/// Where the gateway listens unless it is told otherwise.
pub(crate) const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7717);
/// Connections at a time.
const CONNECTIONS: usize = 20_000;
/// The largest frame of a WebSocket, in bytes.
const FRAME_BYTES: usize = 26_214_400;
/// Bytes of what files held before, of all workspaces together: sixteen whose own bound
/// is reached.
const VERSIONS_BYTES: u64 = 1 << 30;

/// What the operator set up.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The gateway's own directory.
    pub(crate) data: PathBuf,
    /// Where it listens.
    pub(crate) listen: SocketAddr,
    /// Whether others may reach that without TLS.
    pub(crate) insecure_listen: bool,
    /// Names beside the address by which browsers may know it.
    pub(crate) hosts: Vec<String>,
    /// The file of the certificate,
    pub(crate) certificate: Option<PathBuf>,
    /// and of its key.
    pub(crate) key: Option<PathBuf>,
    /// Connections at a time.
    pub(crate) connections: usize,
    /// The largest frame of a WebSocket, in bytes.
    pub(crate) frame_bytes: usize,
    /// How much may be asked for.
    pub(crate) limits: limits::Config,
    /// Where the audit is anchored and how long it is kept.
    pub(crate) audit: Audit,
    /// What a new agent begins with.
    pub(crate) redaction: Redaction,
    /// Where a new agent's commands run.
    pub(crate) provider: String,
    /// What containers are.
    pub(crate) containers: providers::Config,
    /// What proves who pushes, and what may be pushed.
    pub(crate) git: GitSettings,
    /// What SDKs of E2B are answered.
    pub(crate) e2b: Options,
    /// How much is kept of what files held before, of all workspaces together.
    pub(crate) versions_bytes: u64,
    /// What is logged.
    pub(crate) log: Log,
    /// Who may read `/metrics`.
    pub(crate) metrics: MetricsFor,
    /// What other programs are told about operations.
    pub(crate) telemetry: Telemetry,
}

/// Where the audit is anchored and how long it is kept; without paths, in the data
/// directory.
#[derive(Clone, Debug)]
pub(crate) struct Audit {
    pub(crate) anchor: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
    pub(crate) every: std::time::Duration,
    pub(crate) records: u64,
    pub(crate) retention: Retention,
}

/// What is logged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    pub(crate) level: Level,
    pub(crate) format: LogFormat,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// Who may read `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricsFor {
    /// Whoever asks from this machine, and operators.
    Loopback,
    /// Operators.
    Operator,
    /// Nobody.
    Nobody,
}

impl Settings {
    /// Puts together what was set up for serving.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what cannot be used.
    pub(crate) fn load(args: &args::Serve) -> Result<Self> {
        let mut settings = Self::with(&args.place, &args.set)?;
        if let Some(listen) = args.listen {
            settings.listen = listen;
        }
        settings.insecure_listen |= args.insecure_listen;
        settings.e2b.enabled |= args.e2b;
        if let Some(certificate) = &args.certificate {
            settings.certificate = Some(certificate.clone());
        }
        if let Some(key) = &args.key {
            settings.key = Some(key.clone());
        }
        settings.check()?;
        Ok(settings)
    }

    /// Puts together what was set up for commands on a data directory.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(crate) fn of_place(place: &args::Place) -> Result<Self> {
        Self::with(place, &[])
    }

    /// The same with what the command line says of single keys.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(crate) fn with(place: &args::Place, set: &[String]) -> Result<Self> {
        let (mut settings, mut faults) = Self::gathered(place)?;
        faults.extend(config::set_by_flags(&mut settings, set));
        config::sound(&faults)?;
        Ok(settings)
    }

    /// Everything but the flags of one command, and what is wrong with it.
    ///
    /// # Errors
    /// `INVALID_PARAMS` where no directory for data is known.
    pub(crate) fn gathered(place: &args::Place) -> Result<(Self, Vec<Fault>)> {
        let mut settings = Self::usual();
        let mut faults = Vec::new();
        if let Some(file) = place.file() {
            faults.extend(config::set_by_file(&mut settings, &file));
        }
        faults.extend(config::set_by_environment(&mut settings));
        if let Some(data) = &place.data {
            settings.data.clone_from(data);
        } else if settings.data.as_os_str().is_empty() {
            settings.data = usual_data()?;
        }
        Ok((settings, faults))
    }

    /// What holds where nothing is set up.
    pub(crate) fn usual() -> Self {
        let audit = audit::Config::in_directory(Path::new(""));
        Self {
            data: PathBuf::new(),
            listen: LISTEN,
            insecure_listen: false,
            hosts: Vec::new(),
            certificate: None,
            key: None,
            connections: CONNECTIONS,
            frame_bytes: FRAME_BYTES,
            limits: limits::Config::standard(),
            audit: Audit {
                anchor: None,
                key: None,
                every: audit.every,
                records: audit.records,
                retention: audit.retention,
            },
            redaction: Redaction::default(),
            provider: providers::USUAL.to_owned(),
            containers: providers::Config::usual(),
            git: GitSettings::usual(),
            e2b: Options::usual(),
            versions_bytes: VERSIONS_BYTES,
            log: Log { level: Level::INFO, format: LogFormat::Text },
            metrics: MetricsFor::Loopback,
            telemetry: Telemetry::usual(),
        }
    }

    /// Checks what can only be judged together.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(Code::InvalidParams, message));
        match (&self.certificate, &self.key) {
            (Some(_), None) => return wrong("tls.certificate needs tls.key".to_owned()),
            (None, Some(_)) => return wrong("tls.key needs tls.certificate".to_owned()),
            (Some(_), Some(_)) | (None, None) => {}
        }
        if !self.listen.ip().is_loopback() && self.certificate.is_none() && !self.insecure_listen {
            let message = format!("{} can be reached by others, and there is no TLS", self.listen);
            let hint = "Listen on 127.0.0.1, name tls.certificate and tls.key, or say \
                        --insecure-listen if the network is yours.";
            return Err(Error::new(Code::InvalidParams, message).hint(hint));
        }
        providers::check_name(&self.provider)?;
        self.new_agent().check()
    }

    /// What an agent begins with.
    pub(crate) fn new_agent(&self) -> garth_gateway::Settings {
        let (redaction, provider) = (self.redaction.clone(), self.provider.clone());
        garth_gateway::Settings { redaction, ..garth_gateway::Settings::new(provider) }
    }

    /// The providers of the gateway whose data this is.
    pub(crate) fn providers(&self) -> Providers {
        let name = format!("gateway {}", self.data.display());
        let owner = Owner { name, run: self.data.join("run") };
        Providers::new(&self.containers, owner)
    }

    /// Where the audit is anchored and how long it is kept, for this data directory.
    pub(crate) fn audit_config(&self) -> audit::Config {
        let usual = audit::Config::in_directory(&self.data);
        let Audit { anchor, key, every, records, retention } = self.audit.clone();
        audit::Config {
            anchor: anchor.unwrap_or(usual.anchor),
            key: key.unwrap_or(usual.key),
            every,
            records,
            retention,
        }
    }
}

impl args::Place {
    /// The configuration file: the one that is named, or that of the data directory if
    /// there is one.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        let named = self.config.clone().or_else(|| of("GARTH_CONFIG").map(PathBuf::from));
        named.or_else(|| {
            let data = self.data.clone().or_else(|| usual_data().ok())?;
            Some(data.join(config::NAME)).filter(|file| file.is_file())
        })
    }
}

/// The directory for data of the person who starts the program.
fn usual_data() -> Result<PathBuf> {
    if let Some(data) = of("GARTH_DATA") {
        return Ok(data.into());
    }
    let base = of("XDG_DATA_HOME").map(PathBuf::from);
    let base = base.or_else(|| of("HOME").map(|home| PathBuf::from(home).join(".local/share")));
    let missing = || {
        Error::new(Code::InvalidParams, "there is no home directory to keep data in")
            .hint("Say where with --data DIR.")
    };
    Ok(base.ok_or_else(missing)?.join("garth"))
}

fn of(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
