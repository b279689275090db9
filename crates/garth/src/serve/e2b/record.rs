//! What is known of a sandbox beside its workspace, and kept over a restart: a file each
//! in the gateway's own directory, which only its owner can read.

#![allow(
    clippy::disallowed_methods,
    reason = "these files are the operator's own and lie in no workspace"
)]

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use garth_contract::{Code, Error, Result};
use garth_gateway::AgentId;
use serde::{Deserialize, Serialize};

/// The largest record that is read: its texts are bounded when it is made.
const MOST_RECORD: u64 = 1 << 20;

/// What is known of a sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) template: String,
    /// Whether it has a user `root`.
    #[serde(default)]
    pub(super) root: bool,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) variables: BTreeMap<String, String>,
    /// In milliseconds since 1970.
    pub(super) started_ms: i64,
    pub(super) end_ms: i64,
    pub(super) state: State,
    pub(super) on_timeout: OnTimeout,
    pub(super) auto_resume: bool,
    pub(super) internet: Option<bool>,
    /// What proves a right to what is inside. It is a token of the sandbox's own agent.
    pub(super) token: String,
    /// What the caller named its creation, so that it happens once.
    pub(super) once: Option<String>,
}

/// Whether a sandbox runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Running,
    Paused,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
        }
    }
}

/// What happens when the time of a sandbox is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnTimeout {
    Kill,
    Pause,
}

impl OnTimeout {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Pause => "pause",
        }
    }
}

/// Tells apart the files of records that are being written.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Where records lie.
#[derive(Clone, Debug)]
pub(super) struct Shelf(PathBuf);

impl Shelf {
    /// # Errors
    /// `INTERNAL` where the directory cannot be made.
    pub(super) fn open(data: &Path) -> Result<Self> {
        let directory = data.join("e2b");
        crate::serve::data::make(&directory)?;
        Ok(Self(directory))
    }

    /// Every record that can be read.
    ///
    /// # Errors
    /// `INTERNAL` where the directory cannot be read.
    pub(super) fn all(&self) -> Result<Vec<(AgentId, Record)>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.0).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let id = path.file_stem().and_then(|stem| stem.to_str()).map(AgentId::parse);
            let is_record = path.extension().is_some_and(|extension| extension == "json");
            let (Some(Ok(id)), true) = (id, is_record) else { continue };
            match read(&path) {
                Ok(record) => all.push((id, record)),
                Err(_) => tracing::warn!(sandbox = %id, "The record of a sandbox is damaged."),
            }
        }
        Ok(all)
    }

    /// Keeps a record, whole or not at all.
    ///
    /// # Errors
    /// `INTERNAL`, `DISK_FULL`.
    pub(super) fn keep(&self, id: &AgentId, record: &Record) -> Result<()> {
        let text = serde_json::to_vec(record).map_err(|_| Error::of(Code::Internal))?;
        // One that is given up goes on, and must not meet the next one in its file.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (part, whole) = (self.0.join(format!("{id}.{number}.part")), self.path(id));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let kept = options.open(&part).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_data()
        });
        kept.and_then(|()| fs::rename(&part, whole)).map_err(failed)
    }

    /// Forgets a record.
    pub(super) fn forget(&self, id: &AgentId) {
        // One that is not there is forgotten.
        let _ = fs::remove_file(self.path(id));
    }

    fn path(&self, id: &AgentId) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }
}

fn read(path: &Path) -> io::Result<Record> {
    if fs::metadata(path)?.len() > MOST_RECORD {
        return Err(io::ErrorKind::InvalidData.into());
    }
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::other)
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` takes")]
fn failed(error: io::Error) -> Error {
    let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded].contains(&error.kind());
    let code = if full { Code::DiskFull } else { Code::Internal };
    Error::new(code, format!("the record of a sandbox cannot be used: {}", error.kind()))
}
