//! What was done, by whom, and how it ended: append-only and hash-chained.
//!
//! [`Audit::open`] begins a record; closing it waits until it is on the disk, and
//! dropping it writes `CANCELLED`. A record of a mere look outlives the gateway only, see
//! [`Outlives`]. Many operations at once share one wait. Signed
//! heads go to a file outside the database ([`anchor`]), so that [`Audit::verify`]
//! finds what was changed, removed, reordered or cut off.

mod anchor;
mod blocks;
mod chain;
mod list;
mod open;
pub(crate) mod packs;
mod record;
mod retain;
mod verify;
mod word;

use std::{path::PathBuf, sync::Arc, time::Duration};

use garth_contract::Result;

pub(crate) use anchor::Anchor;
pub use anchor::PublicKey;
pub(crate) use blocks::Known;
pub(crate) use chain::{Appender, GENESIS, Link};
pub use list::{Filter, Page};
pub(crate) use open::Closing;
pub use open::{Begin, Open, Outlives};
pub(crate) use record::hex;
pub use record::{Entry, OK, Record};
pub use retain::{Dropped, Retention};
pub use verify::{Finding, Report};
pub use word::Word;

use crate::{
    Trace,
    store::{Store, fault},
};

/// Where heads are anchored and how long records are kept.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file that signed heads are appended to; best where the database's writer
    /// cannot change what is there.
    pub anchor: PathBuf,
    /// The file of the signing key, which only its owner may read; made if missing.
    pub key: PathBuf,
    /// A head is anchored when so much time has passed since the last one,
    pub every: Duration,
    /// or when so many records have come.
    pub records: u64,
    /// What is dropped, and when.
    pub retention: Retention,
}

impl Config {
    /// Both files in one directory; a head every ten seconds or 1,000 records; kept
    /// for a year, up to 4 GiB.
    #[must_use]
    pub fn in_directory(directory: &std::path::Path) -> Self {
        Self {
            anchor: directory.join("audit.anchor"),
            key: directory.join("audit.key"),
            every: Duration::from_secs(10),
            records: 1_000,
            retention: Retention {
                most_bytes: Some(4 << 30),
                most_age: Some(Duration::from_secs(365 * 24 * 3_600)),
            },
        }
    }
}

/// The audit of one database; clones are the same one.
#[derive(Clone)]
pub struct Audit {
    store: Store,
    anchor: Arc<Anchor>,
    retention: Retention,
}

/// Sees every record of this process as it is closed, on its way to the disk, and the
/// trace that its caller named.
pub(crate) type Watcher = Box<dyn Fn(&Entry<&str>, Option<&Trace>) + Send + Sync>;

impl Audit {
    /// Takes the audit of a database into use, and makes its key if there is none.
    ///
    /// # Errors
    /// `INTERNAL` for a key that cannot be read or made, or that others can read.
    pub fn new(store: Store, config: Config) -> Result<Self> {
        let Config { anchor, key, every, records, retention } = config;
        let anchor = Anchor::new(anchor, &key, every, records)?;
        Ok(Self { store, anchor: Arc::new(anchor), retention })
    }

    /// The same, counted apart as [`Store::apart`] is.
    pub(crate) fn apart(&self) -> Self {
        Self { store: self.store.apart(), ..self.clone() }
    }

    /// Lets somebody see every record as it is closed, to count and to log; the first
    /// who asks does. It must be quick: whoever waits for a reply waits for it.
    pub fn watch(&self, watcher: impl Fn(&Entry<&str>, Option<&Trace>) + Send + Sync + 'static) {
        self.store.watch(Box::new(watcher));
    }

    /// What a signed head is checked with by whoever does not have the key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.anchor.public_key()
    }

    /// Waits until every record that was closed can be read. Where none can be written
    /// any more, those that could be are read all the same.
    pub(crate) async fn settle(&self) {
        let _ = self.store.settle().await;
    }

    /// Anchors the head if one is due. It waits for the disk.
    ///
    /// # Errors
    /// `INTERNAL` when the database cannot be read or the anchor not be written.
    pub(crate) fn anchor_if_due(&self) -> Result<()> {
        let (sequence, hash) = self.head()?;
        self.anchor.head_if_due(sequence, &hash, self.store.clock().now_ms())
    }

    /// Anchors the head now. It waits for the disk.
    ///
    /// # Errors
    /// `INTERNAL` when the database cannot be read or the anchor not be written.
    pub fn anchor_now(&self) -> Result<()> {
        let (sequence, hash) = self.head()?;
        self.anchor.head(sequence, &hash, self.store.clock().now_ms())
    }

    /// The last record on the disk.
    fn head(&self) -> Result<(i64, blake3::Hash)> {
        self.store.read_waiting(|connection| {
            let mut statement = connection
                .prepare_cached(crate::store::sql::AUDIT_CHAIN)
                .map_err(|error| fault(&error))?;
            let head = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
            let (sequence, hash) = head.map_err(|error| fault(&error))?;
            Ok((sequence, chain::read_hash(hash)?))
        })
    }
}
