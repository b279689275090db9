//! Where a workspace's records are, in blocks of the chain.
//!
//! A row for each workspace and each block that has records of it is written far more
//! rarely than a record, and its records are found as well: by looking through a block.

use std::collections::HashSet;

use garth_contract::Result;
use rusqlite::{Connection, OptionalExtension};

use crate::store::{fault, sql};

/// Numbers of a block: so few that one is looked through at once, and so many that most
/// records are not their workspace's first in it. The statements have it too.
const BLOCK: i64 = 1_024;

/// The block of a record.
pub(super) fn of(sequence: i64) -> i64 {
    sequence / BLOCK
}

/// The first number of a block.
pub(super) fn begin(block: i64) -> i64 {
    block.saturating_mul(BLOCK)
}

/// The workspaces that are known to have records in one block; never more than it has.
#[derive(Default)]
pub(crate) struct Known {
    block: i64,
    workspaces: HashSet<Box<str>>,
    /// What was dropped when they were found.
    base: i64,
}

impl Known {
    /// Forgets all of it, where the database may not have what was written.
    pub(crate) fn forget(&mut self) {
        self.workspaces.clear();
    }

    /// Forgets it if more was dropped since, which takes rows along.
    fn hold_to(&mut self, base: i64) {
        if self.base != base {
            self.base = base;
            self.forget();
        }
    }

    /// Tells whether nothing is known of a record's workspace in its block; it is from then on.
    pub(super) fn is_first(&mut self, sequence: i64, workspace: &str) -> bool {
        if of(sequence) != self.block {
            self.block = of(sequence);
            self.forget();
        }
        !self.workspaces.contains(workspace) && self.workspaces.insert(workspace.into())
    }
}

/// Makes good what is missing before the next record is written behind the last one.
pub(super) fn catch_up(
    connection: &Connection,
    known: &mut Known,
    (base, listed, head): (i64, i64, i64),
) -> Result<()> {
    known.hold_to(base);
    if listed < head {
        let filled = connection.execute(sql::BLOCK_FILL, [listed]);
        filled.map_err(|error| fault(&error))?;
    }
    Ok(())
}

/// Writes that a record's workspace has records in its block.
pub(super) fn add(connection: &Connection, sequence: i64, workspace: &str) -> Result<()> {
    let mut statement = connection.prepare_cached(sql::BLOCK_ADD).map_err(|error| fault(&error))?;
    let added = statement.execute((workspace, of(sequence)));
    added.map(drop).map_err(|error| fault(&error))
}

/// Takes back that a workspace has records in a block.
pub(super) fn remove(connection: &Connection, block: i64, workspace: &str) -> Result<()> {
    let mut statement =
        connection.prepare_cached(sql::BLOCK_REMOVE).map_err(|error| fault(&error))?;
    let removed = statement.execute((workspace, block));
    removed.map(drop).map_err(|error| fault(&error))
}

/// Tells whether a record is found by its workspace.
pub(super) fn has(connection: &Connection, sequence: i64, workspace: &str) -> Result<bool> {
    let mut statement = connection.prepare_cached(sql::BLOCK_HAS).map_err(|error| fault(&error))?;
    let found = statement.query_row((workspace, of(sequence)), |_| Ok(())).optional();
    found.map(|found| found.is_some()).map_err(|error| fault(&error))
}

/// The last record that is in a block; those behind it are an older version's.
pub(super) fn listed(connection: &Connection) -> Result<i64> {
    let mut statement =
        connection.prepare_cached(sql::BLOCK_LISTED).map_err(|error| fault(&error))?;
    statement.query_row([], |row| row.get(0)).map_err(|error| fault(&error))
}
