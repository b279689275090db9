//! What one transaction does to the next message in it.

use rusqlite::types::Value;

use super::*;
use crate::{audit::GENESIS, clock::Clock, store::connect};

fn look(workspace: &'static str) -> Message {
    let entry = Entry { workspace: workspace.into(), ..Entry::default() };
    let append = Append { entry, outlives: Outlives::Gateway, along: None, reply: None };
    Message::Append(Box::new(append))
}

/// Drops the records up to a number, as retention does.
fn drop_up_to(number: i64) -> Message {
    Message::Work(Box::new(move |connection| {
        connection.execute(sql::AUDIT_MOVE_BASE, (number, GENESIS.as_bytes(), 0)).unwrap();
        connection.execute(sql::BLOCK_DROP, [number]).unwrap();
        connection.execute(sql::AUDIT_DROP, [number]).unwrap();
        (Verdict::Keep, Box::new(|_| ()))
    }))
}

#[test]
fn a_record_behind_a_drop_in_its_own_transaction_is_in_a_block() {
    let dir = tempfile::tempdir().unwrap();
    let connection = connect::open(&dir.path().join("garth.db"), &Clock::system()).unwrap();
    let messages = vec![look("own"), look("other"), drop_up_to(1), look("own")];
    Group::default().commit(&connection, &Batch::default(), messages, Ok(())).unwrap();
    let mut statement = connection.prepare("SELECT workspace FROM audit_block ORDER BY 1").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    assert_eq!(rows.map(Result::unwrap).collect::<Vec<String>>(), ["other", "own"]);
}

#[test]
fn records_of_a_journal_are_one_chain_however_many_a_statement_writes() {
    for count in [1_i64, 7, 8, 9, 16, 19] {
        let dir = tempfile::tempdir().unwrap();
        let connection = connect::open(&dir.path().join("garth.db"), &Clock::system()).unwrap();
        let entry = |number: i64| Entry {
            time_ms: number,
            summary: format!("record {number}"),
            workspace: format!("w{}", number % 3),
            bytes_out: -number,
            ..Entry::default()
        };
        let mut batch = Batch::default();
        for number in 1..=count {
            batch.and_then(Batch::of_one(number.cast_unsigned(), &entry(number)));
        }
        Group::default().commit(&connection, &batch, Vec::new(), Ok(())).unwrap();
        // The same, each by itself.
        let alone = connect::open(&dir.path().join("alone.db"), &Clock::system()).unwrap();
        let mut head = Link { sequence: 0, hash: GENESIS, total: 0 };
        let mut known = Known::default();
        for number in 1..=count {
            let mut appender = Appender::new(&alone, &mut known).unwrap();
            head = appender.append(&head, &entry(number)).unwrap();
        }
        for table in ["audit", "audit_block"] {
            let written = rows(&connection, table);
            assert_eq!(written, rows(&alone, table), "{count}");
            let expected = if table == "audit" { count } else { count.min(3) };
            assert_eq!(i64::try_from(written.len()).unwrap(), expected, "{count}");
        }
    }
}

/// All of a table.
fn rows(connection: &Connection, table: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect());
    rows.unwrap().map(Result::unwrap).collect()
}
