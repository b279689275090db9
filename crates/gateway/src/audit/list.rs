//! Records by page and by stream.

use std::{cmp::Reverse, ops::Range};

use garth_contract::{Code, Error, Result};
use rusqlite::{Connection, types::Value};
use serde::{Deserialize, Serialize};

use super::{Audit, Entry, Record, blocks, packs};
use crate::store::{fault, sql};

/// The most records of a page.
const MOST_PAGE: u32 = 1_000;

/// Records that are read at once while all are looked through.
const BATCH: usize = 1_000;

/// Which records are meant; what is not named is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Filter {
    /// Of this workspace.
    pub workspace: Option<String>,
    /// By this token.
    pub caller: Option<String>,
    /// In this session.
    pub session: Option<String>,
    /// Of this name.
    pub operation: Option<String>,
    /// With this outcome: `OK` or a code's name.
    pub outcome: Option<String>,
    /// Begun at this time or later, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Begun before this time.
    pub until_ms: Option<i64>,
}

/// Part of the records, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// The records.
    pub records: Vec<Record>,
    /// What to ask for as `before` to get those that follow; `None` at the end.
    pub next: Option<i64>,
}

impl Audit {
    /// The newest records that the filter lets through, up to 1,000 of them, below the
    /// number `before` where one is given.
    ///
    /// # Errors
    /// `INTERNAL` when the database cannot be read.
    pub async fn list(&self, filter: &Filter, before: Option<i64>, limit: u32) -> Result<Page> {
        let limit = usize::try_from(limit.clamp(1, MOST_PAGE)).unwrap_or(usize::MAX);
        let wanted = Wanted { filter: filter.clone(), before: before.unwrap_or(i64::MAX), limit };
        self.settle().await;
        let records = self.store.read(move |connection| wanted.read(connection)).await?;
        let full = records.len() == limit;
        let next = records.last().filter(|_| full).map(|record| record.sequence);
        Ok(Page { records, next })
    }

    /// Every record that the filter lets through, oldest first, as a line of JSON each.
    ///
    /// `line` is called for one after the other, and ends it by an error of its own.
    ///
    /// # Errors
    /// Those of `line`, and `INTERNAL` when the database cannot be read.
    pub async fn export(
        &self,
        filter: &Filter,
        mut line: impl FnMut(&str) -> Result<()> + Send,
    ) -> Result<u64> {
        self.settle().await;
        let mut count = 0;
        let mut seen = 0;
        loop {
            let batch = self.store.read(move |connection| after(connection, seen)).await?;
            let Some(last) = batch.last() else { return Ok(count) };
            seen = last.sequence;
            for record in batch.iter().filter(|record| filter.lets(&record.entry)) {
                let text = serde_json::to_string(record).map_err(|_| {
                    Error::new(Code::Internal, "a record could not be written as JSON")
                })?;
                line(&text)?;
                count += 1;
            }
        }
    }
}

/// What a page is to hold.
struct Wanted {
    filter: Filter,
    before: i64,
    limit: usize,
}

impl Wanted {
    fn read(&self, connection: &Connection) -> Result<Vec<Record>> {
        let Some(workspace) = &self.filter.workspace else {
            return self.among(connection, i64::MIN..self.before, self.limit);
        };
        // All as they are at one moment, also when some are dropped meanwhile.
        connection.execute_batch("BEGIN").map_err(|error| fault(&error))?;
        let records = self.of_workspace(connection, workspace);
        connection.execute_batch("ROLLBACK").map_err(|error| fault(&error))?;
        records
    }

    /// Goes through the workspace's blocks from the newest, until the page is full.
    fn of_workspace(&self, connection: &Connection, workspace: &str) -> Result<Vec<Record>> {
        let end = blocks::listed(connection)?.saturating_add(1).min(self.before);
        // What an older version wrote is in no block yet; most often that is nothing.
        let mut records = self.among(connection, end..self.before, self.limit)?;
        let mut statement =
            connection.prepare_cached(sql::BLOCK_LIST).map_err(|error| fault(&error))?;
        let newest = blocks::of(end.saturating_sub(1));
        let rows = statement.query_map((workspace, newest), |row| row.get::<_, i64>(0));
        for block in rows.map_err(|error| fault(&error))? {
            if records.len() >= self.limit {
                break;
            }
            let block = block.map_err(|error| fault(&error))?;
            let numbers = blocks::begin(block)..blocks::begin(block.saturating_add(1)).min(end);
            records.extend(self.among(connection, numbers, self.limit - records.len())?);
        }
        Ok(records)
    }

    /// The newest of those whose number is among these.
    fn among(
        &self,
        connection: &Connection,
        numbers: Range<i64>,
        limit: usize,
    ) -> Result<Vec<Record>> {
        let (mut text, mut values) = self.filter.conditions();
        condition(&mut text, &mut values, "sequence >=", numbers.start.into());
        condition(&mut text, &mut values, "sequence <", numbers.end.into());
        values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
        let text =
            format!("{}{text} ORDER BY sequence DESC LIMIT ${}", sql::AUDIT_PAGE, values.len());
        let mut statement = connection.prepare_cached(&text).map_err(|error| fault(&error))?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), Record::read);
        let records = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>);
        let mut records: Vec<Record> = records.map_err(|error| fault(&error))?;
        let wanted = |entry: &Entry<&str>| self.filter.lets(entry);
        records.extend(packs::newest(connection, &numbers, limit, wanted)?);
        records.sort_by_key(|record| Reverse(record.sequence));
        records.truncate(limit);
        Ok(records)
    }
}

/// The next records that follow a number; none where it is the last one.
pub(super) fn after(connection: &Connection, sequence: i64) -> Result<Vec<Record>> {
    let mut sequence = sequence;
    loop {
        let (mut records, rows_end) = rows_after(connection, sequence)?;
        let (packed, packs_end) = packs::after(connection, sequence)?;
        records.extend(packed);
        records.sort_by_key(|record| record.sequence);
        // What only one of both was read up to is for the next time.
        let end = rows_end.min(packs_end);
        records.retain(|record| record.sequence <= end);
        if !records.is_empty() || end == i64::MAX {
            return Ok(records);
        }
        sequence = end;
    }
}

/// The records behind a number that have rows of their own, and up to where they are all of those.
fn rows_after(connection: &Connection, sequence: i64) -> Result<(Vec<Record>, i64)> {
    let mut statement =
        connection.prepare_cached(sql::AUDIT_AFTER).map_err(|error| fault(&error))?;
    let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
    let rows = statement.query_map((sequence, limit), Record::read);
    let records = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>);
    let records: Vec<Record> = records.map_err(|error| fault(&error))?;
    let full = records.len() == BATCH;
    let end = records.last().filter(|_| full).map_or(i64::MAX, |record| record.sequence);
    Ok((records, end))
}

impl Filter {
    /// The same in SQL.
    fn conditions(&self) -> (String, Vec<Value>) {
        let (mut text, mut values) = (String::new(), Vec::new());
        let texts = [
            ("workspace =", &self.workspace),
            ("caller =", &self.caller),
            ("session =", &self.session),
            ("operation =", &self.operation),
            ("outcome =", &self.outcome),
        ];
        for (column, value) in texts {
            if let Some(value) = value {
                condition(&mut text, &mut values, column, value.clone().into());
            }
        }
        for (column, value) in [("time_ms >=", self.since_ms), ("time_ms <", self.until_ms)] {
            if let Some(value) = value {
                condition(&mut text, &mut values, column, value.into());
            }
        }
        (text, values)
    }

    fn lets<T: AsRef<str>>(&self, entry: &Entry<T>) -> bool {
        let texts = [
            (&self.workspace, &entry.workspace),
            (&self.caller, &entry.caller),
            (&self.session, &entry.session),
            (&self.operation, &entry.operation),
            (&self.outcome, &entry.outcome),
        ];
        texts.iter().all(|(wanted, is)| wanted.as_ref().is_none_or(|wanted| wanted == is.as_ref()))
            && self.since_ms.is_none_or(|since| entry.time_ms >= since)
            && self.until_ms.is_none_or(|until| entry.time_ms < until)
    }
}

/// Adds a condition whose value is the next parameter.
fn condition(text: &mut String, values: &mut Vec<Value>, column: &str, value: Value) {
    values.push(value);
    let word = if text.is_empty() { "WHERE" } else { "AND" };
    text.push_str(&format!(" {word} {column} ${}", values.len()));
}
