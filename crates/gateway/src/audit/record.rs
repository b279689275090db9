//! One record: what is known about one operation, and nothing of what it read or wrote.

use rusqlite::Row;
use serde::{Deserialize, Serialize};

/// The outcome of an operation that was done; any other is the name of an error code.
pub const OK: &str = "OK";

/// What is recorded about one operation.
///
/// The summary has paths and the redacted command line; never contents or output.
/// Its texts are its own, or whatever whoever writes it down has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<T = String> {
    /// When it began, in milliseconds since 1970.
    pub time_ms: i64,
    /// Who asked: the id of the token.
    pub caller: T,
    /// As what: `operator`, `user`, or `agent:` and its id.
    pub role: T,
    /// The session that the caller named, or the connection.
    pub session: T,
    /// The workspace it was about; empty where it was about none.
    pub workspace: T,
    /// The operation's name, as it was asked for.
    pub operation: T,
    /// What it was to do.
    pub summary: T,
    /// [`OK`], or the name of the error code.
    pub outcome: T,
    /// How long it took, in microseconds.
    pub duration_us: i64,
    /// How large the request was.
    pub bytes_in: i64,
    /// How large the reply was.
    pub bytes_out: i64,
}

impl<T: AsRef<str>> Entry<T> {
    /// Its texts, in the order in which they are written down and hashed.
    pub(crate) fn texts(&self) -> [&str; 7] {
        let Self { caller, role, session, workspace, operation, summary, outcome, .. } = self;
        [caller, role, session, workspace, operation, summary, outcome].map(AsRef::as_ref)
    }

    /// Its numbers likewise, but for its place.
    pub(crate) fn numbers(&self) -> [i64; 4] {
        [self.time_ms, self.duration_us, self.bytes_in, self.bytes_out]
    }

    /// The same, with texts that are borrowed from it.
    pub(crate) fn borrowed(&self) -> Entry<&str> {
        self.with_texts(|text| text)
    }

    /// The same, with texts of its own.
    pub(super) fn owned(&self) -> Entry {
        self.with_texts(str::to_owned)
    }

    fn with_texts<'e, U>(&'e self, of: impl FnMut(&'e str) -> U) -> Entry<U> {
        let [caller, role, session, workspace, operation, summary, outcome] = self.texts().map(of);
        let [time_ms, duration_us, bytes_in, bytes_out] = self.numbers();
        Entry {
            time_ms,
            caller,
            role,
            session,
            workspace,
            operation,
            summary,
            outcome,
            duration_us,
            bytes_in,
            bytes_out,
        }
    }
}

/// An entry in its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Its number; the first is 1, and none is left out.
    pub sequence: i64,
    /// What it records.
    #[serde(flatten)]
    pub entry: Entry,
    /// The hash over the one before and this one, in hexadecimal digits.
    pub hash: String,
}

impl Record {
    /// Reads a row in the order of the columns that every query here has.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let hash: Vec<u8> = row.get(12)?;
        Ok(Self {
            sequence: row.get(0)?,
            entry: Entry {
                time_ms: row.get(1)?,
                caller: row.get(2)?,
                role: row.get(3)?,
                session: row.get(4)?,
                workspace: row.get(5)?,
                operation: row.get(6)?,
                summary: row.get(7)?,
                outcome: row.get(8)?,
                duration_us: row.get(9)?,
                bytes_in: row.get(10)?,
                bytes_out: row.get(11)?,
            },
            hash: hex(&hash),
        })
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
