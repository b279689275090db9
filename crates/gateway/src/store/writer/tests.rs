//! What one transaction does to the next message in it.

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
