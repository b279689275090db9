//! Records that were written together, in one row.
//!
//! Where many looks are made, a row for each is most of what their audit costs. So what waited
//! together is written as it stands in the journal, with the places before its first and of its
//! last record: the chain is the same as if each had a row, and the places between follow from
//! the records themselves. Few records, and all those of changes, have rows of their own.

use std::{collections::BTreeSet, ops::Range};

use blake3::Hash;
use garth_contract::Result;
use rusqlite::{Connection, Row};

use super::{Entry, GENESIS, Link, Record, blocks, chain::read_hash, record::hex};
use crate::store::{entries, fault, sql};

/// The most records of a pack: one of them is found by reading all of it. It is never made
/// less, since packs that exist are looked for by it.
pub(crate) const MOST: usize = 256;

/// Fewer records get rows of their own.
pub(crate) const LEAST: usize = 64;

/// Packs that are read at once while all are looked through.
const BATCH: usize = 4;

/// Some records, one behind the other.
struct Pack {
    first: i64,
    last: i64,
    /// What the first of them is behind.
    behind: Link,
    /// The hash of the last one.
    hash: Hash,
    entries: Vec<u8>,
}

/// Writes a pack: the entries from behind one place up to another.
pub(super) fn add(
    connection: &Connection,
    behind: &Link,
    last: &Link,
    entries: &[u8],
) -> Result<()> {
    let mut statement =
        connection.prepare_cached(sql::PACK_APPEND).map_err(|error| fault(&error))?;
    let added = statement.execute((
        last.sequence,
        behind.sequence.saturating_add(1),
        behind.hash.as_bytes(),
        behind.total,
        last.hash.as_bytes(),
        entries,
    ));
    added.map(drop).map_err(|error| fault(&error))
}

/// The records of the next packs behind a number, and up to where they are all that packs have.
pub(super) fn after(connection: &Connection, sequence: i64) -> Result<(Vec<Record>, i64)> {
    let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
    let packs = read(connection, sql::PACK_AFTER, (sequence, limit))?;
    let end = packs.last().filter(|_| packs.len() == BATCH).map_or(i64::MAX, |pack| pack.last);
    let records = packs.iter().flat_map(|pack| pack.records(sequence.saturating_add(1)..i64::MAX));
    Ok((records.collect(), end))
}

/// The newest records whose number is among these, and that are wanted, from the newest on.
pub(super) fn newest(
    connection: &Connection,
    numbers: &Range<i64>,
    limit: usize,
    wanted: impl Fn(&Entry<&str>) -> bool,
) -> Result<Vec<Record>> {
    let beyond = numbers.end.saturating_add(i64::try_from(MOST).unwrap_or(i64::MAX));
    let mut statement =
        connection.prepare_cached(sql::PACK_NEWEST).map_err(|error| fault(&error))?;
    let mut rows =
        statement.query((numbers.start, beyond, numbers.end)).map_err(|error| fault(&error))?;
    let mut records = Vec::new();
    while records.len() < limit
        && let Some(row) = rows.next().map_err(|error| fault(&error))?
    {
        let pack = Pack::read(row).map_err(|error| fault(&error))?;
        // Hashes are made only where something is found.
        if pack.entries().any(|(sequence, entry)| numbers.contains(&sequence) && wanted(&entry)) {
            let mut found: Vec<Record> = pack
                .links()
                .filter(|(link, entry)| numbers.contains(&link.sequence) && wanted(entry))
                .map(|(link, entry)| record(&link, &entry))
                .collect();
            found.reverse();
            records.append(&mut found);
        }
    }
    records.truncate(limit);
    Ok(records)
}

/// When a record of a pack began, and its place.
pub(super) fn place(connection: &Connection, sequence: i64) -> Result<Option<(i64, Link)>> {
    let packs = read(connection, sql::PACK_AFTER, (sequence.saturating_sub(1), 1))?;
    let found = packs.iter().find_map(|pack| {
        let mut links = pack.links();
        links.find(|(link, _)| link.sequence == sequence).map(|(link, entry)| (entry.time_ms, link))
    });
    Ok(found)
}

/// Drops what packs have up to a place, whose block may go on behind it.
pub(super) fn drop_up_to(connection: &Connection, place: &Link) -> Result<()> {
    let (mut gone, mut kept) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = i64::MIN;
    // Those before are gone already, so they are the first.
    'packs: loop {
        let packs = read(connection, sql::PACK_AFTER, (seen, i64::try_from(BATCH).unwrap_or(1)))?;
        let Some(last) = packs.last() else { break };
        seen = last.last;
        for pack in packs {
            if blocks::of(pack.first) > blocks::of(place.sequence) {
                break 'packs;
            }
            for (sequence, entry) in pack.entries() {
                let block = blocks::of(sequence);
                if sequence <= place.sequence {
                    gone.insert((block, entry.workspace.to_owned()));
                } else if block == blocks::of(place.sequence) {
                    kept.insert(entry.workspace.to_owned());
                }
            }
            if pack.first <= place.sequence && pack.last > place.sequence {
                pack.trim(connection, place)?;
            }
        }
    }
    connection.execute(sql::PACK_DROP, [place.sequence]).map_err(|error| fault(&error))?;
    for (block, workspace) in gone {
        blocks::remove(connection, block, &workspace)?;
    }
    for workspace in kept {
        blocks::add(connection, place.sequence, &workspace)?;
    }
    connection.execute(sql::BLOCK_KEEP, [place.sequence]).map(drop).map_err(|error| fault(&error))
}

fn read(connection: &Connection, text: &str, parameters: (i64, i64)) -> Result<Vec<Pack>> {
    let mut statement = connection.prepare_cached(text).map_err(|error| fault(&error))?;
    let rows = statement.query_map(parameters, Pack::read);
    let packs = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>);
    packs.map_err(|error| fault(&error))
}

fn record(link: &Link, entry: &Entry<&str>) -> Record {
    Record { sequence: link.sequence, entry: entry.owned(), hash: hex(link.hash.as_bytes()) }
}

impl Pack {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (last, first): (i64, i64) = (row.get(0)?, row.get(1)?);
        // Whoever wrote something else there is found out like who wrote the wrong bytes.
        let bytes = |at: usize| row.get::<_, Vec<u8>>(at).unwrap_or_default();
        let hash = |at| read_hash(bytes(at)).unwrap_or(GENESIS);
        let (sequence, total) = (first.saturating_sub(1), row.get(3).unwrap_or_default());
        let behind = Link { sequence, hash: hash(2), total };
        let mut pack = Self { first, last, behind, hash: hash(4), entries: bytes(5) };
        let beyond = entries::split(&pack.entries, pack.entries().count()).1;
        if !beyond.is_empty() {
            pack.hash = GENESIS;
        }
        Ok(pack)
    }

    /// Its entries with their numbers.
    fn entries(&self) -> impl Iterator<Item = (i64, Entry<&str>)> {
        (self.first..=self.last).zip(entries::of_ours(&self.entries).map(|(_, entry)| entry))
    }

    /// Its entries with their places in the chain; the last one's is what was written down, so
    /// that whoever changed one of them is found out by it.
    fn links(&self) -> impl Iterator<Item = (Link, Entry<&str>)> {
        let (mut link, mut form) = (self.behind, Vec::new());
        self.entries().map(move |(sequence, entry)| {
            link = link.next(&mut form, &entry);
            let hash = if sequence == self.last { self.hash } else { link.hash };
            (Link { hash, ..link }, entry)
        })
    }

    /// The records whose number is among these.
    fn records(&self, numbers: Range<i64>) -> impl Iterator<Item = Record> {
        let among = self.links().filter(move |(link, _)| numbers.contains(&link.sequence));
        among.map(|(link, entry)| record(&link, &entry))
    }

    /// Takes away what it has up to a place.
    fn trim(&self, connection: &Connection, place: &Link) -> Result<()> {
        let gone = place.sequence.saturating_sub(self.first).saturating_add(1);
        let gone = usize::try_from(gone).unwrap_or(0);
        let (_, rest) = entries::split(&self.entries, gone);
        let first = place.sequence.saturating_add(1);
        let trimmed = connection
            .execute(sql::PACK_TRIM, (first, place.hash.as_bytes(), place.total, rest, self.last));
        trimmed.map(drop).map_err(|error| fault(&error))
    }
}
