//! Looks through the whole chain for what was changed, removed, reordered or cut off.

use std::sync::Arc;

use blake3::Hash;
use garth_contract::Result;
use rusqlite::Connection;
use serde::Serialize;

use super::{
    Audit, GENESIS, Known, PublicKey, Record,
    anchor::Lines,
    blocks,
    chain::{link, read_hash},
    list::after,
};
use crate::store::{fault, sql};

/// The most findings of a report; the first ones say where to look.
const MOST_FINDINGS: usize = 100;

/// What is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Finding {
    /// A record is not what it was when it was written, stands where another stood, or is
    /// kept from being found by its workspace.
    Changed {
        /// Its number.
        sequence: i64,
    },
    /// Records are missing.
    Removed {
        /// The first that is missing.
        from: i64,
        /// The last that is missing.
        to: i64,
    },
    /// The last records are missing: the database or the anchor knows of more.
    Cut {
        /// The last record that there is.
        last: i64,
        /// The last that there was.
        known: i64,
    },
    /// The chain as a whole was written anew: it is sound, and not the one that was
    /// anchored.
    Rewritten {
        /// The first anchored record that is another one now.
        sequence: i64,
    },
    /// The first records were dropped, and not by retention.
    Dropped {
        /// The last record that was dropped.
        up_to: i64,
    },
    /// There is a record beyond the last one.
    Extra {
        /// Its number.
        sequence: i64,
    },
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// What is wrong; empty when nothing is.
    pub findings: Vec<Finding>,
    /// How many records were looked at.
    pub records: u64,
    /// The last record that retention dropped; 0 when it dropped none.
    pub dropped_up_to: i64,
    /// The last record.
    pub last: i64,
    /// The last record that an anchor protects. Those after it could be changed or cut
    /// off by whoever can write the database, and nothing here would show it.
    pub protected_up_to: i64,
    /// How many records follow the last anchor.
    pub unprotected: u64,
    /// Lines of the anchor that are not signed with the key.
    pub unusable_anchors: u64,
}

impl Report {
    /// Tells whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Audit {
    /// Looks through the whole audit and the anchor, with the public key of whoever
    /// signed it.
    ///
    /// Records that come while it looks are left for the next time.
    ///
    /// # Errors
    /// `INTERNAL` when the database or the anchor cannot be read.
    pub async fn verify(&self, key: &PublicKey) -> Result<Report> {
        self.settle().await;
        let (anchor, key) = (Arc::clone(&self.anchor), key.clone());
        let read = self.store.read(move |connection| {
            // Heads are read before the records, so that none is ahead of them; what was
            // dropped is read after, since it is announced before it is done.
            let mut lines = anchor.read(&key)?;
            connection.execute_batch("BEGIN").map_err(|error| fault(&error))?;
            let ends = Ends::read(connection);
            let again = ends.and_then(|ends| Ok((ends, anchor.read(&key)?)));
            let walked = again.and_then(|(ends, again)| {
                lines.bases = again.bases;
                Walk::new(ends, &lines).through(connection)
            });
            connection.execute_batch("ROLLBACK").map_err(|error| fault(&error))?;
            Ok(walked?.finish(&lines))
        });
        read.await
    }
}

/// Both ends of the chain as the database has them.
struct Ends {
    head: i64,
    head_hash: Hash,
    base: i64,
    base_hash: Hash,
}

impl Ends {
    fn read(connection: &Connection) -> Result<Self> {
        let mut statement =
            connection.prepare_cached(sql::AUDIT_CHAIN).map_err(|error| fault(&error))?;
        let ends =
            statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(3)?, row.get(4)?)));
        let (head, head_hash, base, base_hash) = ends.map_err(|error| fault(&error))?;
        let (head_hash, base_hash) = (read_hash(head_hash)?, read_hash(base_hash)?);
        Ok(Self { head, head_hash, base, base_hash })
    }
}

/// How far the walk has come.
struct Walk {
    ends: Ends,
    last: i64,
    hash: Hash,
    records: u64,
    /// The anchored heads that are still ahead, the lowest last.
    ahead: Vec<(i64, Hash)>,
    rewritten: bool,
    /// The workspaces whose records are found by them, or were named as not found.
    known: Known,
    findings: Vec<Finding>,
}

impl Walk {
    fn new(ends: Ends, lines: &Lines) -> Self {
        let mut ahead = lines.heads.clone();
        ahead.retain(|(sequence, _)| *sequence > ends.base);
        ahead.sort_by_key(|(sequence, _)| std::cmp::Reverse(*sequence));
        let (base, base_hash) = (ends.base, ends.base_hash);
        let findings = Vec::new();
        let mut walk = Self {
            ends,
            last: base,
            hash: base_hash,
            records: 0,
            ahead,
            rewritten: false,
            known: Known::default(),
            findings,
        };
        let whole = base == 0 && base_hash == GENESIS;
        if !whole && !lines.bases.contains(&(base, base_hash)) {
            walk.find(Finding::Dropped { up_to: base });
        }
        walk
    }

    /// Looks at every record that there is, in the order of their numbers.
    fn through(mut self, connection: &Connection) -> Result<Self> {
        let listed = blocks::listed(connection)?;
        loop {
            let batch = after(connection, self.last)?;
            if batch.is_empty() {
                return Ok(self);
            }
            for record in batch {
                let stored = Hash::from_hex(&record.hash).unwrap_or(GENESIS);
                let computed = link(&self.hash, record.sequence, &record.entry);
                self.step(record.sequence, stored, computed);
                if record.sequence <= listed {
                    self.seek(connection, &record)?;
                }
            }
        }
    }

    /// Looks whether a list of its workspace would have the record.
    fn seek(&mut self, connection: &Connection, record: &Record) -> Result<()> {
        let (sequence, workspace) = (record.sequence, &record.entry.workspace);
        if self.known.is_first(sequence, workspace)
            && !blocks::has(connection, sequence, workspace)?
        {
            self.find(Finding::Changed { sequence });
        }
        Ok(())
    }

    fn step(&mut self, sequence: i64, stored: Hash, computed: Hash) {
        if sequence > self.ends.head {
            self.find(Finding::Extra { sequence });
        } else {
            self.records += 1;
        }
        if sequence != self.last + 1 {
            self.find(Finding::Removed { from: self.last + 1, to: sequence - 1 });
        } else if computed != stored {
            self.find(Finding::Changed { sequence });
        }
        self.last = sequence;
        // From here on the chain is followed as it is, so that one wrong is one finding.
        self.hash = stored;
        self.compare_anchors(sequence, stored);
        if sequence == self.ends.head && stored != self.ends.head_hash {
            self.find(Finding::Changed { sequence });
        }
    }

    fn compare_anchors(&mut self, sequence: i64, stored: Hash) {
        while let Some((anchored, hash)) = self.ahead.pop_if(|(anchored, _)| *anchored <= sequence)
        {
            if anchored == sequence && hash != stored && !self.rewritten {
                self.rewritten = true;
                self.find(Finding::Rewritten { sequence });
            }
        }
    }

    fn finish(mut self, lines: &Lines) -> Report {
        let anchored = lines.heads.iter().map(|(sequence, _)| *sequence).max().unwrap_or(0);
        let (last, known) = (self.last, anchored.max(self.ends.head));
        if last < known {
            self.find(Finding::Cut { last, known });
        }
        let protected_up_to = anchored.min(last).max(self.ends.base);
        Report {
            findings: self.findings,
            records: self.records,
            dropped_up_to: self.ends.base,
            last,
            protected_up_to,
            unprotected: u64::try_from(last - protected_up_to).unwrap_or(0),
            unusable_anchors: lines.unusable,
        }
    }

    fn find(&mut self, finding: Finding) {
        if self.findings.len() < MOST_FINDINGS && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }
}
