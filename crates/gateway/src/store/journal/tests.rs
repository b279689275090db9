//! What is in a journal after an end at any moment.

use super::*;

fn entry(number: usize) -> Entry {
    Entry { summary: format!("{number} {}", "x".repeat(200)), ..Entry::default() }
}

fn summaries(entries: &[Entry]) -> Vec<usize> {
    let number = |entry: &Entry| entry.summary.split(' ').next().unwrap().parse().unwrap();
    entries.iter().map(number).collect()
}

fn open(dir: &Path, taken: u64) -> Left {
    Journal::open(&dir.join("garth.db"), taken).unwrap().unwrap()
}

#[test]
fn what_the_database_has_not_is_there_at_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    for number in 1..=5 {
        journal.keep(entry(number)).unwrap();
    }
    assert_eq!(summaries(&journal.take().entries), [1, 2, 3, 4, 5]);
    drop(journal);
    let left = open(dir.path(), 2);
    assert_eq!((summaries(&left.batch.entries), left.batch.last), (vec![3, 4, 5], 5));
}

#[test]
fn a_long_journal_is_emptied_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    let (mut number, mut taken) = (0, 0);
    let mut longest = 0;
    while number < 20_000 {
        for _ in 0..1_000 {
            number += 1;
            journal.keep(entry(number)).unwrap();
        }
        let batch = journal.take();
        // Some come while the others are on their way into the database.
        number += 1;
        journal.keep(entry(number)).unwrap();
        taken = batch.last;
        journal.taken(taken);
        longest = longest.max(journal.lock().bytes);
    }
    assert!(longest < 2 * LONG, "{longest}");
    drop(journal);
    let left = open(dir.path(), taken).batch;
    assert_eq!(summaries(&left.entries), [number]);
}

#[test]
fn more_than_may_wait_are_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    for number in 0..MOST_WAITING {
        journal.keep(entry(number)).unwrap();
    }
    assert!(journal.keep(entry(0)).is_err());
    let batch = journal.take();
    assert!(journal.keep(entry(0)).is_err(), "those on their way wait too");
    journal.taken(batch.last);
    journal.keep(entry(0)).unwrap();
}

#[test]
fn another_process_does_not_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path(), 0);
    assert!(Journal::open(&dir.path().join("garth.db"), 0).unwrap().is_none());
    drop(first);
    open(dir.path(), 0);
}

#[test]
fn what_is_longer_than_the_room_is_given_back_and_spoils_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    journal.keep(entry(1)).unwrap();
    let long = Entry { summary: "x".repeat(ROOM), ..Entry::default() };
    assert!(journal.keep(long).is_err());
    journal.keep(entry(2)).unwrap();
    drop(journal);
    assert_eq!(summaries(&open(dir.path(), 0).batch.entries), [1, 2]);
}

#[test]
fn what_was_taken_at_a_start_does_not_come_again() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path(), 0).journal.keep(entry(1)).unwrap();
    let Left { journal, batch } = open(dir.path(), 0);
    journal.begin(&batch);
    journal.keep(entry(2)).unwrap();
    drop(journal);
    assert_eq!(summaries(&open(dir.path(), 1).batch.entries), [2]);
    // Also where the database was put back to an older state: numbers go on from there.
    assert_eq!(summaries(&open(dir.path(), 0).batch.entries), [2]);
}

#[test]
fn a_closed_journal_takes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    journal.close();
    assert!(journal.keep(entry(2)).is_err());
}
