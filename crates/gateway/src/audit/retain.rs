//! Drops the oldest records, so that the rest can still be verified.
//!
//! The number and hash of the last dropped record stay, in the database and signed in
//! the anchor; a chain that begins there without such a line was cut by somebody else.

use std::time::Duration;

use blake3::Hash;
use garth_contract::Result;
use rusqlite::{Connection, OptionalExtension};

use super::{Audit, Link, chain::read_hash, packs};
use crate::{
    clock::millis,
    store::{fault, sql},
};

/// Records that go in one transaction: others write in between.
const BATCH: i64 = 5_000;

/// What is dropped, and when. A bound that is missing is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most bytes that records take, about.
    pub most_bytes: Option<u64>,
    /// The oldest that a record gets.
    pub most_age: Option<Duration>,
}

/// What was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// How many records.
    pub records: u64,
    /// The last of them; 0 when none ever was.
    pub up_to: i64,
}

/// The chain's ends, and how large it is.
struct Extent {
    head: i64,
    head_total: i64,
    base: i64,
}

/// A record that everything may be dropped up to.
#[derive(Clone, Copy)]
struct Place {
    sequence: i64,
    time_ms: i64,
    total: i64,
    hash: Hash,
}

impl Audit {
    /// Drops what is too old or too much. It waits for the disk; the last record stays.
    ///
    /// # Errors
    /// `INTERNAL` when the database or the anchor cannot be written.
    pub fn retain(&self) -> Result<Dropped> {
        let retention = self.retention;
        let oldest =
            retention.most_age.map(|age| self.store.clock().now_ms().saturating_sub(millis(age)));
        let (extent, place) = self.store.read_waiting(|connection| {
            let extent = extent(connection)?;
            let place = boundary(connection, &extent, retention.most_bytes, oldest)?;
            Ok((extent, place))
        })?;
        let Some(place) = place else { return Ok(Dropped { records: 0, up_to: extent.base }) };
        let mut from = extent.base;
        while from < place.sequence {
            let to = (from + BATCH).min(place.sequence);
            self.drop_up_to(to)?;
            from = to;
        }
        let records = u64::try_from(place.sequence - extent.base).unwrap_or(0);
        Ok(Dropped { records, up_to: place.sequence })
    }

    /// Announces it in the anchor, then does it: what was announced and not done is
    /// still a whole chain.
    fn drop_up_to(&self, sequence: i64) -> Result<()> {
        let place = self.store.read_waiting(|connection| place(connection, sequence))?;
        let Some(Place { sequence, total, hash, .. }) = place else { return Ok(()) };
        self.anchor.base(sequence, &hash, self.store.clock().now_ms())?;
        self.store.write_waiting(move |connection| {
            let run = |text, values: &[&dyn rusqlite::ToSql]| {
                connection.execute(text, values).map_err(|error| fault(&error))
            };
            run(sql::AUDIT_MOVE_BASE, &[&sequence, &hash.as_bytes(), &total])?;
            run(sql::BLOCK_DROP, &[&sequence])?;
            run(sql::AUDIT_DROP, &[&sequence])?;
            packs::drop_up_to(connection, &Link { sequence, hash, total })
        })
    }
}

fn extent(connection: &Connection) -> Result<Extent> {
    let extent = connection.query_row(sql::AUDIT_CHAIN, [], |row| {
        Ok(Extent { head: row.get(0)?, head_total: row.get(2)?, base: row.get(3)? })
    });
    extent.map_err(|error| fault(&error))
}

/// The last record that is to go. Sizes add up and times go forward, so it is found
/// by halving.
fn boundary(
    connection: &Connection,
    extent: &Extent,
    most_bytes: Option<u64>,
    oldest: Option<i64>,
) -> Result<Option<Place>> {
    let most = most_bytes.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
    let goes = |place: &Place| {
        oldest.is_some_and(|oldest| place.time_ms < oldest)
            || most.is_some_and(|most| extent.head_total.saturating_sub(place.total) >= most)
    };
    let (mut low, mut high) = (extent.base, extent.head - 1);
    let mut found = None;
    while low < high {
        let middle = low + (high - low + 1) / 2;
        match place(connection, middle)? {
            Some(place) if goes(&place) => {
                low = middle;
                found = Some(place);
            }
            Some(_) | None => high = middle - 1,
        }
    }
    Ok(found)
}

fn place(connection: &Connection, sequence: i64) -> Result<Option<Place>> {
    let mut statement =
        connection.prepare_cached(sql::AUDIT_PLACE).map_err(|error| fault(&error))?;
    let row = statement
        .query_row([sequence], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()
        .map_err(|error| fault(&error))?;
    let Some((time_ms, total, hash)) = row else {
        let packed = packs::place(connection, sequence)?;
        let place =
            |(time_ms, Link { sequence, hash, total })| Place { sequence, time_ms, total, hash };
        return Ok(packed.map(place));
    };
    Ok(Some(Place { sequence, time_ms, total, hash: read_hash(hash)? }))
}
