//! The database file: ours, whole, of a form that is known, or left as it is.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use garth_contract::{Code, Error};
use garth_gateway::{Clock, Registry, Settings, Store};

use crate::stage::id_of;

fn open(path: &Path) -> Result<Store, Error> {
    Store::open(path, Clock::system())
}

/// A database with an agent in it, closed.
async fn made(path: &Path) {
    let store = open(path).unwrap();
    let registry = Registry::new(store.clone());
    registry.create(&id_of("own"), &Settings::new("local")).await.unwrap();
    store.close().await;
}

/// Opening is refused with a sentence, and the file is what it was.
fn refused(path: &Path) -> String {
    let before = fs::read(path).unwrap();
    let error = open(path).map(drop).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(!error.message().contains('/'), "{error}");
    assert!(fs::read(path).unwrap() == before, "the file was changed");
    error.message().to_owned()
}

#[tokio::test]
async fn a_database_is_made_once_and_only_its_owner_reads_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("garth.db");
    made(&path).await;
    let store = open(&path).unwrap();
    Registry::new(store.clone()).get(&id_of("own")).await.unwrap();
    for entry in fs::read_dir(dir.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?} can be read by others", entry.file_name());
        let name = entry.file_name().into_string().unwrap();
        assert!(name.starts_with("garth.db") && !name.contains("new"), "{name} was left behind");
    }
    store.close().await;
}

#[tokio::test]
async fn many_who_open_it_first_make_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("garth.db");
    let opened: Vec<_> = (0..8)
        .map(|number| {
            let path = path.clone();
            std::thread::spawn(move || (number, open(&path).unwrap()))
        })
        .collect();
    for thread in opened {
        let (number, store) = thread.join().unwrap();
        let id = id_of(&format!("a{number}"));
        Registry::new(store.clone()).create(&id, &Settings::new("local")).await.unwrap();
        store.close().await;
    }
    let store = open(&path).unwrap();
    assert_eq!(Registry::new(store.clone()).list("", 100).await.unwrap().len(), 8);
    store.close().await;
}

#[test]
fn what_is_no_database_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("garth.db");
    fs::write(&path, "these are my notes, and not a database\n".repeat(200)).unwrap();
    assert!(refused(&path).contains("not a database"));
    fs::write(&path, "").unwrap();
    assert!(refused(&path).contains("emptied"));
}

#[test]
fn a_database_of_somebody_else_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("garth.db");
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    drop(theirs);
    assert!(refused(&path).contains("not a registry"));
}

#[tokio::test]
async fn a_newer_form_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("garth.db");
    made(&path).await;
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.execute("UPDATE meta SET value = '999' WHERE name = 'schema'", []).unwrap();
    newer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(newer);
    assert!(refused(&path).contains("999"));
}

#[tokio::test]
async fn a_damaged_database_is_refused_and_not_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("garth.db");
    made(&path).await;
    let whole = fs::read(&path).unwrap();
    let mut cut = whole.clone();
    cut.truncate(whole.len() / 2);
    fs::write(&path, &cut).unwrap();
    assert!(refused(&path).contains("damaged"));
    let mut spoilt = whole.clone();
    spoilt[4_096..].iter_mut().for_each(|byte| *byte = 0xa5);
    fs::write(&path, &spoilt).unwrap();
    assert!(refused(&path).contains("damaged"));
    fs::write(&path, &whole).unwrap();
    let store = open(&path).unwrap();
    Registry::new(store.clone()).get(&id_of("own")).await.unwrap();
    store.close().await;
}

#[test]
fn a_directory_that_is_missing_is_said_without_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let error = open(&dir.path().join("no/garth.db")).map(drop).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(!error.message().contains('/'), "{error}");
}
