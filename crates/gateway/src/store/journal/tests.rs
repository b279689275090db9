//! What is in a journal after an end at any moment.

use super::*;

fn entry(number: usize) -> Entry {
    Entry { summary: format!("{number} {}", "x".repeat(200)), ..Entry::default() }
}

fn summaries(batch: &Batch) -> Vec<usize> {
    let number = |entry: Entry<&str>| entry.summary.split(' ').next().unwrap().parse().unwrap();
    let all: Vec<usize> = batch.entries().map(number).collect();
    assert_eq!(all.len(), batch.count);
    all
}

fn open(dir: &Path, taken: u64) -> Left {
    Journal::open(&dir.join("garth.db"), taken).unwrap().unwrap()
}

#[test]
fn what_the_database_has_not_is_there_at_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    for number in 1..=5 {
        assert_eq!(journal.keep(&entry(number)), Kept::Yes);
    }
    assert_eq!(summaries(&journal.take()), [1, 2, 3, 4, 5]);
    drop(journal);
    let left = open(dir.path(), 2);
    assert_eq!((summaries(&left.batch), left.batch.last), (vec![3, 4, 5], 5));
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
            assert_eq!(journal.keep(&entry(number)), Kept::Yes);
        }
        let batch = journal.take();
        // Some come while the others are on their way into the database.
        number += 1;
        assert_eq!(journal.keep(&entry(number)), Kept::Yes);
        taken = batch.last;
        journal.taken(taken);
        longest = longest.max(journal.lock().bytes);
    }
    assert!(longest < 2 * LONG, "{longest}");
    drop(journal);
    let left = open(dir.path(), taken).batch;
    assert_eq!(summaries(&left), [number]);
}

#[test]
fn more_than_may_wait_are_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    for number in 0..MOST_WAITING {
        assert_eq!(journal.keep(&entry(number)), Kept::Yes);
    }
    assert_eq!(journal.keep(&entry(0)), Kept::No);
    let batch = journal.take();
    assert_eq!(journal.keep(&entry(0)), Kept::No, "those on their way wait too");
    journal.taken(batch.last);
    assert_eq!(journal.keep(&entry(0)), Kept::Yes);
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
    assert_eq!(journal.keep(&entry(1)), Kept::Yes);
    let long = Entry { summary: "x".repeat(ROOM), ..Entry::default() };
    assert_eq!(journal.keep(&long), Kept::No);
    assert_eq!(journal.keep(&entry(2)), Kept::Yes);
    drop(journal);
    assert_eq!(summaries(&open(dir.path(), 0).batch), [1, 2]);
}

#[test]
fn what_was_taken_at_a_start_does_not_come_again() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(open(dir.path(), 0).journal.keep(&entry(1)), Kept::Yes);
    let Left { journal, batch } = open(dir.path(), 0);
    journal.begin(&batch);
    assert_eq!(journal.keep(&entry(2)), Kept::Yes);
    drop(journal);
    assert_eq!(summaries(&open(dir.path(), 1).batch), [2]);
    // Also where the database was put back to an older state: numbers go on from there.
    assert_eq!(summaries(&open(dir.path(), 0).batch), [2]);
}

#[test]
fn a_closed_journal_takes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    journal.close();
    assert_eq!(journal.keep(&entry(2)), Kept::No);
}

#[test]
fn what_a_version_with_another_check_left_is_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path(), 0).journal;
    for number in 1..=3 {
        assert_eq!(journal.keep(&entry(number)), Kept::Yes);
    }
    {
        let mut inner = journal.lock();
        let before = entries::as_before(&inner.current[..inner.bytes]);
        let length = inner.bytes;
        inner.current[..length].copy_from_slice(&before);
    }
    assert_eq!(journal.keep(&entry(4)), Kept::Yes);
    drop(journal);
    assert_eq!(summaries(&open(dir.path(), 1).batch), [2, 3, 4]);
}
