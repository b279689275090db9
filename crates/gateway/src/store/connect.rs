//! Opens the database file, makes it where it is missing, and brings it to the
//! present form; what is damaged, foreign or newer is refused and left as it is.

use std::{path::Path, time::Duration};

use garth_contract::{Code, Error, Result};
use rusqlite::{Connection, OpenFlags, OptionalExtension, functions::FunctionFlags};

use super::{fault, sql};
use crate::{
    audit::GENESIS,
    clock::Clock,
    own_files::{self, Found},
};

/// How long to wait for another process, such as a command beside the server.
const BUSY: Duration = Duration::from_secs(10);

/// Up to this size a database is looked through at the start; larger ones would
/// make the start wait for seconds, and show damage when the page is read.
const MOST_CHECKED: u64 = 64 << 20;

/// Statements that stay prepared: more than there are.
const PREPARED: usize = 128;

const WHAT: &str = "the registry's database";

/// Opens the connection that writes.
pub(super) fn open(path: &Path, clock: &Clock) -> Result<Connection> {
    let bytes = match own_files::look(path, WHAT)? {
        Found::File { bytes } => bytes,
        Found::Nothing => {
            create(path, clock)?;
            0
        }
    };
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, clock)?;
    check(&connection, bytes)?;
    tune(&connection)?;
    migrate(&connection)?;
    Ok(connection)
}

/// Opens a connection that reads.
pub(super) fn open_reader(path: &Path, clock: &Clock) -> Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, clock)?;
    connection.pragma_update(None, "query_only", true).map_err(|error| fault(&error))?;
    Ok(connection)
}

fn connect(path: &Path, access: OpenFlags, clock: &Clock) -> Result<Connection> {
    // Each connection belongs to one thread at a time, so it needs no lock of its own.
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| fault(&error))?;
    connection.busy_timeout(BUSY).map_err(|error| fault(&error))?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    let clock = clock.clone();
    let made =
        connection.create_scalar_function("now_ms", 0, FunctionFlags::SQLITE_UTF8, move |_| {
            Ok(clock.now_ms())
        });
    made.map_err(|error| fault(&error))?;
    Ok(connection)
}

/// Makes a database under another name and gives it its own when it is whole, so
/// that an empty file of that name is never one of ours.
fn create(path: &Path, clock: &Clock) -> Result<()> {
    let made = own_files::make_beside(path, WHAT)?;
    let filled = fill(&made, clock);
    if let Err(error) = filled {
        own_files::discard(&made);
        return Err(error);
    }
    own_files::put_in_place(&made, path, WHAT)
}

fn fill(path: &Path, clock: &Clock) -> Result<()> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, clock)?;
    let batch = |text: &str| connection.execute_batch(text).map_err(|error| fault(&error));
    batch("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")?;
    let first = sql::MIGRATIONS.first().copied().unwrap_or_default();
    batch(&in_place(first))?;
    let chain = "INSERT INTO audit_chain (id, head, head_hash, head_total, base, base_hash, base_total) \
                 VALUES (1, 0, $1, 0, 0, $1, 0)";
    connection.execute(chain, [GENESIS.as_bytes()]).map_err(|error| fault(&error))?;
    set_version(&connection, 1)?;
    batch("COMMIT")?;
    connection.close().map_err(|(_, error)| fault(&error))
}

/// What SQLite calls so is the place of the row itself; any other name makes a second
/// tree of it, which every record would be written to as well.
fn in_place(step: &str) -> String {
    step.replace("BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY")
}

/// Refuses a file that is no database of ours, or a damaged one.
fn check(connection: &Connection, bytes: u64) -> Result<()> {
    let refuse = |why: &str| {
        Error::new(Code::Internal, format!("the registry's database {why}; it was left as it is"))
            .hint("Restore it from a copy, or move it away to begin with an empty one.")
    };
    let count = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN \
                 ('meta', 'revision', 'node', 'ws', 'token', 'op', 'audit', 'audit_chain')";
    let tables: i64 = connection
        .query_row(count, [], |row| row.get(0))
        .map_err(|_| refuse("is damaged or not a database"))?;
    if tables != 8 {
        return Err(refuse("is not a registry of this program, or was emptied"));
    }
    if bytes <= MOST_CHECKED {
        let sound: String = connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|_| refuse("is damaged"))?;
        if sound != "ok" {
            return Err(refuse("is damaged"));
        }
    }
    let newest = sql::MIGRATIONS.len();
    match version(connection)? {
        Some(version) if version > newest => Err(refuse(&format!(
            "has the form {version}, and this program knows those up to {newest}"
        ))),
        Some(_) => Ok(()),
        None => Err(refuse("does not say what form it has")),
    }
}

/// Readers beside a writer, and a commit that is on the disk when it returns.
fn tune(connection: &Connection) -> Result<()> {
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| fault(&error))?;
    if mode != "wal" {
        let message = "the registry's directory does not allow a write-ahead log";
        return Err(Error::new(Code::Internal, message));
    }
    connection.execute_batch("PRAGMA synchronous = FULL").map_err(|error| fault(&error))
}

/// Makes the steps that are missing, each whole or not at all.
fn migrate(connection: &Connection) -> Result<()> {
    let batch = |text: &str| connection.execute_batch(text).map_err(|error| fault(&error));
    for (done, step) in sql::MIGRATIONS.iter().enumerate() {
        // Looked at under the lock, since another process may be doing the same.
        batch("BEGIN IMMEDIATE")?;
        let due = version(connection)?.is_some_and(|version| version == done);
        let made = if due {
            batch(&in_place(step)).and_then(|()| set_version(connection, done + 1))
        } else {
            Ok(())
        };
        match made {
            Ok(()) => batch("COMMIT")?,
            Err(error) => {
                batch("ROLLBACK")?;
                return Err(error);
            }
        }
    }
    Ok(())
}

fn version(connection: &Connection) -> Result<Option<usize>> {
    let text: Option<String> = connection
        .query_row(sql::META_GET, ["schema"], |row| row.get(0))
        .optional()
        .map_err(|error| fault(&error))?;
    Ok(text.and_then(|text| text.parse().ok()))
}

fn set_version(connection: &Connection, version: usize) -> Result<()> {
    let version = version.to_string();
    connection.execute(sql::META_SET, ["schema", &version]).map_err(|error| fault(&error))?;
    Ok(())
}
