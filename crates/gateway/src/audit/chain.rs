//! The chain: each record's hash is over the one before it and a canonical form.
//!
//! The form has every field in a fixed order, numbers in eight bytes, texts behind
//! their length, so that no two entries have the same one. It is never changed; a
//! new form gets a new context.

use std::sync::LazyLock;

use blake3::{
    Hash, Hasher,
    hazmat::{ContextKey, HasherExt, hash_derive_key_context},
};
use garth_contract::{Code, Error, Result};
use rusqlite::{CachedStatement, Connection};

use super::{Entry, Known, blocks, packs};
use crate::store::{entries, fault, sql};

/// What stands before the first record.
pub(crate) const GENESIS: Hash = Hash::from_bytes([0; 32]);

/// Keeps these hashes apart from all others.
const CONTEXT: &str = "garth 2026 audit record, form 1";

/// Bytes of the form beside its texts.
const FORM: usize = 32 + 8 + 4 * 8 + 7 * 8;

/// Bytes of a row beside its texts, for the size that retention goes by.
const ROW: usize = 160;

/// A place in the chain: the number and the hash of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) sequence: i64,
    pub(crate) hash: Hash,
    /// The bytes of all records up to it.
    pub(crate) total: i64,
}

impl Link {
    /// The last record, to be followed by another in this transaction.
    pub(crate) fn head(connection: &Connection, known: &mut Known) -> Result<Self> {
        let mut statement =
            connection.prepare_cached(sql::AUDIT_HEAD).map_err(|error| fault(&error))?;
        let head = statement.query_row([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        });
        let (sequence, hash, total, base, listed) = head.map_err(|error| fault(&error))?;
        blocks::catch_up(connection, known, (base, listed, sequence))?;
        Ok(Self { sequence, hash: read_hash(hash)?, total })
    }

    /// The place of an entry behind this one; its form takes the memory that is there.
    pub(super) fn next<T: AsRef<str>>(&self, form: &mut Vec<u8>, entry: &Entry<T>) -> Self {
        let sequence = self.sequence.saturating_add(1);
        let hash = link_in(form, &self.hash, sequence, entry);
        Self { sequence, hash, total: self.total.saturating_add(size(entry)) }
    }
}

/// Writes records of one transaction, one behind the other.
pub(crate) struct Appender<'c> {
    connection: &'c Connection,
    statement: CachedStatement<'c>,
    known: &'c mut Known,
    /// The form of the last one, whose memory the next one takes.
    form: Vec<u8>,
}

impl<'c> Appender<'c> {
    pub(crate) fn new(connection: &'c Connection, known: &'c mut Known) -> Result<Self> {
        let statement = connection.prepare_cached(sql::AUDIT_APPEND);
        let statement = statement.map_err(|error| fault(&error))?;
        Ok(Self { connection, statement, known, form: Vec::new() })
    }

    /// Appends a record behind another, and gives its place.
    pub(crate) fn append<T: AsRef<str>>(
        &mut self,
        behind: &Link,
        entry: &Entry<T>,
    ) -> Result<Link> {
        let Link { sequence, hash, total } = behind.next(&mut self.form, entry);
        let [caller, role, session, workspace, operation, summary, outcome] = entry.texts();
        let inserted = self.statement.execute((
            sequence,
            entry.time_ms,
            caller,
            role,
            session,
            workspace,
            operation,
            summary,
            outcome,
            entry.duration_us,
            entry.bytes_in,
            entry.bytes_out,
            total,
            hash.as_bytes(),
        ));
        inserted.map_err(|error| fault(&error))?;
        if self.known.is_first(sequence, workspace) {
            blocks::add(self.connection, sequence, workspace)?;
        }
        Ok(Link { sequence, hash, total })
    }

    /// Appends records behind another, as they stand in a journal, and gives the last one's
    /// place.
    pub(crate) fn append_pack(&mut self, behind: &Link, entries: &[u8]) -> Result<Link> {
        let mut last = *behind;
        for (_, entry) in entries::of_ours(entries) {
            last = last.next(&mut self.form, &entry);
            if self.known.is_first(last.sequence, entry.workspace) {
                blocks::add(self.connection, last.sequence, entry.workspace)?;
            }
        }
        packs::add(self.connection, behind, &last, entries)?;
        Ok(last)
    }
}

/// The hash of an entry behind a record.
pub(super) fn link<T: AsRef<str>>(previous: &Hash, sequence: i64, entry: &Entry<T>) -> Hash {
    link_in(&mut Vec::new(), previous, sequence, entry)
}

/// The same, with the form in memory that is there.
fn link_in<T: AsRef<str>>(
    form: &mut Vec<u8>,
    previous: &Hash,
    sequence: i64,
    entry: &Entry<T>,
) -> Hash {
    // The same for all, and as dear as the rest of a small record.
    static KEY: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(CONTEXT));
    let (numbers, texts) = (entry.numbers(), entry.texts());
    form.clear();
    form.reserve(FORM + texts.iter().map(|text| text.len()).sum::<usize>());
    form.extend_from_slice(previous.as_bytes());
    form.extend_from_slice(&sequence.to_le_bytes());
    for number in numbers {
        form.extend_from_slice(&number.to_le_bytes());
    }
    for text in texts {
        form.extend_from_slice(&(text.len() as u64).to_le_bytes());
        form.extend_from_slice(text.as_bytes());
    }
    Hasher::new_from_context_key(&KEY).update(form).finalize()
}

/// Reads a hash from a column.
pub(super) fn read_hash(bytes: Vec<u8>) -> Result<Hash> {
    let bytes: [u8; 32] = bytes
        .try_into()
        .map_err(|_| Error::new(Code::Internal, "the audit holds a hash of a wrong length"))?;
    Ok(Hash::from_bytes(bytes))
}

fn size<T: AsRef<str>>(entry: &Entry<T>) -> i64 {
    let texts: usize = entry.texts().iter().map(|text| text.len()).sum();
    i64::try_from(ROW + texts).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let text = |text: &str| text.to_owned();
        Entry {
            time_ms: 1,
            caller: text("c"),
            role: text("operator"),
            session: text("s"),
            workspace: text("w"),
            operation: text("read"),
            summary: text("a b"),
            outcome: text("OK"),
            duration_us: 2,
            bytes_in: 3,
            bytes_out: 4,
        }
    }

    #[test]
    fn every_field_is_in_the_hash() {
        let hash = link(&GENESIS, 1, &entry());
        assert_ne!(hash, link(&GENESIS, 2, &entry()));
        assert_ne!(hash, link(&Hash::from_bytes([1; 32]), 1, &entry()));
        let changes: [fn(&mut Entry); 11] = [
            |entry| entry.time_ms += 1,
            |entry| entry.caller.push('x'),
            |entry| entry.role.push('x'),
            |entry| entry.session.push('x'),
            |entry| entry.workspace.push('x'),
            |entry| entry.operation.push('x'),
            |entry| entry.summary.push('x'),
            |entry| entry.outcome.push('x'),
            |entry| entry.duration_us += 1,
            |entry| entry.bytes_in += 1,
            |entry| entry.bytes_out += 1,
        ];
        for change in changes {
            let mut changed = entry();
            change(&mut changed);
            assert_ne!(hash, link(&GENESIS, 1, &changed), "{changed:?}");
        }
    }

    #[test]
    fn a_text_that_moves_from_one_field_to_the_next_changes_the_hash() {
        let moved = Entry { operation: "reada".to_owned(), summary: " b".to_owned(), ..entry() };
        assert_ne!(link(&GENESIS, 1, &entry()), link(&GENESIS, 1, &moved));
    }

    #[test]
    fn the_form_is_what_it_was() {
        // Audits that exist were hashed with it.
        let hash = link(&GENESIS, 1, &entry());
        let known = "3c57cfdc69af188b6dab5eea6c32b147c1b444d382d520ebb45ddfa895f3345a";
        assert_eq!(hash.to_hex().as_str(), known);
    }
}
