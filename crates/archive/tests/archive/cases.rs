//! The collection of attacks that is kept beside the repository.

use std::{fs, os::unix::fs::symlink, time::Duration};

use garth_archive::{Format, Restore, Unfit};
use garth_contract::{Code, WsPath};
use serde_json::Value;

use crate::{
    craft::{Entry, Tar, Zip},
    fixture::{FORMATS, Yard, memory, names, packed_from, plainly, restored, write},
    hostile_tar::refused_as,
};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/attacks.json");

/// The cases that are about archives, and what is replayed for each.
const REPLAYED: [&str; 4] = ["P16", "Z01", "Z03", "Z04"];

#[test]
fn every_case_about_archives_is_replayed() {
    let Ok(text) = fs::read_to_string(FILE) else {
        println!("skipped: no shared cases");
        return;
    };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let about = |case: &&Value| {
        let words = format!("{} {} {}", case["class_"], case["setup"], case["action"]);
        case["surface"] == "file"
            && ["archive", "zip", "tar ", "restore"].iter().any(|word| words.contains(word))
    };
    let found: Vec<_> = cases["attacks"].as_array().unwrap().iter().filter(about).collect();
    for case in &found {
        let id = case["id"].as_str().unwrap();
        assert!(REPLAYED.contains(&id), "{case}");
    }
    assert_eq!(found.len(), REPLAYED.len());
}

/// P16: a pipe that nobody writes to, and one that comes in place of a file.
#[tokio::test(flavor = "multi_thread")]
async fn a_pipe_holds_nobody_up() {
    let yard = Yard::new();
    let host = yard.host();
    write(&host, "d/f", "x").await;
    let fifo = rustix::fs::mknodat(
        rustix::fs::CWD,
        yard.root().join("d/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o666),
        0,
    );
    fifo.unwrap();
    symlink("pipe", yard.root().join("d/link")).unwrap();
    for format in FORMATS {
        let root = WsPath::root();
        let work = packed_from(&host, &root, format);
        let done = tokio::time::timeout(Duration::from_secs(60), work).await;
        let (_, told) = done.expect("it waits for the pipe").unwrap();
        assert_eq!((told.special, told.files, told.links), (1, 1, 1));
    }
}

/// Z01: names that climb out of where they are unpacked.
#[tokio::test(flavor = "multi_thread")]
async fn a_zip_slip_is_refused() {
    for name in ["../../outside/f", "../beyond/f", "d/../../../beyond/f", "/outside/f"] {
        let entry = Entry::new(name, "evil");
        let zip = Zip::default().put(&Entry::new("good", "good")).put(&entry).end();
        refused_as(&zip, &plainly(Format::Zip), Code::PathOutsideWorkspace, name).await;
        let tar = Tar::default().file("good", "good").file(name, "evil").end();
        refused_as(&tar, &plainly(Format::Tar), Code::PathOutsideWorkspace, name).await;
    }
}

/// Z03: 300 MB of zeros in some 300 KB.
#[tokio::test(flavor = "multi_thread")]
async fn a_zip_bomb_is_stopped() {
    let zeros = vec![0; 300_000_000];
    let zip = Zip::default().put(&Entry::deflated("zeros", &zeros)).end();
    drop(zeros);
    assert!(zip.len() < 400_000, "{}", zip.len());
    let files = memory();
    let error = restored(&files, "", zip, &plainly(Format::Zip)).await.unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
    assert_eq!(names(&files).await, [""; 0]);
}

/// Z04: a directory that is a link to one outside.
#[tokio::test(flavor = "multi_thread")]
async fn a_linked_directory_is_packed_as_a_link() {
    let yard = Yard::new();
    let host = yard.host();
    symlink(yard.dir.path().join("beyond"), yard.root().join("linkdir")).unwrap();
    for format in FORMATS {
        let (archive, told) = packed_from(&host, &WsPath::root(), format).await.unwrap();
        assert_eq!((told.links, told.files), (1, 0));
        let how = Restore { unfit: Unfit::LeaveOut, ..plainly(format) };
        let to = memory();
        let told = restored(&to, "", archive, &how).await.unwrap();
        assert_eq!((told.left_out, names(&to).await.len()), (1, 0));
    }
}
