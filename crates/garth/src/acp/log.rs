//! What is recorded: who asked for what and how it ended, never what was read or written.
//!
//! Records go to the audit of the data directory, which `garth audit` lists and verifies.
//! An agent can tell of as many tools as it likes, so what it only tells is recorded up to
//! a rate, and beyond that counted.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use garth_contract::{Code, Error, Result, escape};
use garth_gateway::{
    Clock, Store,
    audit::{Audit, Begin, Open, Outlives},
};
use garth_redact::{Config, Raw, Redactor};

use crate::{
    args,
    serve::{data, settings::Settings},
};

/// The most records a second of what an agent only tells, or is refused.
const MOST_TOLD: u32 = 100;

/// How much of a text is looked through for secrets, and how much of it is kept.
const MOST_LOOKED_AT: usize = 64 << 10;
const MOST_KEPT: usize = 2 << 10;

/// How much is kept of a name of which many are.
const MOST_SHORT: usize = 128;

/// The record of one connection.
pub(super) struct Log {
    kept: Option<(Audit, Store)>,
    redactor: Redactor,
    workspace: String,
    meter: Mutex<Meter>,
}

struct Meter {
    since: Instant,
    told: u32,
    left_out: u64,
}

/// What is recorded of one thing.
pub(super) struct Entry<'a> {
    pub(super) session: &'a str,
    pub(super) operation: &'a str,
    pub(super) summary: String,
    pub(super) bytes: usize,
}

/// A record that is closed when the answer is there; none where nothing is recorded.
pub(super) struct Recording(Option<Open>);

impl Log {
    /// The record in the data directory.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a configuration that is wrong; `INTERNAL` for a database that
    /// cannot be used.
    pub(super) fn open(place: &args::Place, root: &Path) -> Result<Self> {
        let settings = Settings::of_place(place)?;
        data::make(&settings.data)?;
        let store = Store::open(&settings.data.join(data::DATABASE), Clock::system())?;
        let audit = Audit::new(store.clone(), settings.audit_config())?;
        Self::with(Some((audit, store)), root)
    }

    /// No record.
    ///
    /// # Errors
    /// `INTERNAL`, where the rules for secrets cannot be used.
    pub(super) fn none(root: &Path) -> Result<Self> {
        Self::with(None, root)
    }

    fn with(kept: Option<(Audit, Store)>, root: &Path) -> Result<Self> {
        let name = root.file_name().map(|name| escape(name.as_encoded_bytes()));
        let redactor = Redactor::new(&Config::standard())
            .map_err(|_| Error::new(Code::Internal, "the rules for secrets cannot be used"))?;
        let meter = Meter { since: Instant::now(), told: 0, left_out: 0 };
        let workspace = name.unwrap_or_else(|| "/".to_owned());
        Ok(Self { kept, redactor, workspace, meter: Mutex::new(meter) })
    }

    /// Opens the record of a request.
    ///
    /// # Errors
    /// `INTERNAL` where it cannot be kept; then nothing may be done.
    pub(super) async fn begin(&self, entry: Entry<'_>) -> Result<Recording> {
        let Some((audit, _)) = &self.kept else { return Ok(Recording(None)) };
        audit.open(self.entry(entry)).await.map(|open| Recording(Some(open)))
    }

    /// Records what one side only tells, or is refused.
    pub(super) async fn told(&self, entry: Entry<'_>, outcome: Result<u64, Code>) {
        let Some(left_out) = self.admitted() else { return };
        let mut entry = entry;
        if left_out > 0 {
            entry.summary = format!("{}; {left_out} more before were not recorded", entry.summary);
        }
        if let Ok(Recording(Some(open))) = self.begin(entry).await {
            // Where nothing can be recorded any more, the next request says so.
            let _ = open.close(outcome).await;
        }
    }

    /// Whether one more is recorded now, and how many were not since the last.
    fn admitted(&self) -> Option<u64> {
        let mut meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        if meter.since.elapsed() >= Duration::from_secs(1) {
            meter.since = Instant::now();
            meter.told = 0;
        }
        if meter.told >= MOST_TOLD {
            meter.left_out += 1;
            return None;
        }
        meter.told += 1;
        Some(std::mem::take(&mut meter.left_out))
    }

    fn entry(&self, entry: Entry<'_>) -> Begin {
        let Entry { session, operation, summary, bytes } = entry;
        Begin {
            caller: "acp".into(),
            role: "agent:acp".into(),
            session: kept(session).into(),
            workspace: self.workspace.clone().into(),
            operation: format!("acp:{}", kept(operation)).into(),
            summary: summary.into(),
            bytes_in: bytes as u64,
            outlives: Outlives::Gateway,
            trace: None,
        }
    }

    /// A text without its secrets, in one line, of bounded length.
    pub(super) fn clean(&self, text: &str) -> String {
        let beginning = text.get(..text.floor_char_boundary(MOST_LOOKED_AT)).unwrap_or_default();
        match self.redactor.clean(Raw::from(beginning)) {
            Ok(redaction) => kept(&redaction.clean),
            Err(_) => "held back".to_owned(),
        }
    }

    /// Waits until all that was recorded is on the disk.
    pub(super) async fn close(&self) {
        if let Some((audit, store)) = &self.kept {
            // The next program anchors what this one could not.
            let _ = audit.anchor_now();
            store.close().await;
        }
    }
}

impl Recording {
    /// Says more about it.
    pub(super) fn note(&mut self, more: &str) {
        self.0.iter_mut().for_each(|open| open.note(more));
    }

    /// Closes it with how large the answer is, or why there is none.
    pub(super) async fn close(self, outcome: Result<u64, Code>) {
        if let Some(open) = self.0 {
            // It was opened, so there is a place for it.
            let _ = open.close(outcome).await;
        }
    }
}

/// A text in one line, of bounded length.
pub(super) fn kept(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(MOST_KEPT)).unwrap_or_default();
    escape(text.as_bytes())
}

/// The beginning of a name of which many are kept.
pub(super) fn short(name: &str) -> String {
    name.get(..name.floor_char_boundary(MOST_SHORT)).unwrap_or_default().to_owned()
}
