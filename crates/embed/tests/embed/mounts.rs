//! Directories of the machine, copied into files in RAM.

use garth_embed::{Backend, Bounds, Code, HostMount, Policy, Section, Setup, json};

use crate::fixture::memory;

#[tokio::test]
async fn a_mount_copies_and_never_writes_back() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("src")).unwrap();
    std::fs::write(directory.path().join("src/a.rs"), "fn a() {}\n").unwrap();
    std::fs::write(directory.path().join("src/a.log"), "noise\n").unwrap();
    std::fs::write(directory.path().join("b.md"), "text\n").unwrap();

    let backend = memory();
    let mount =
        HostMount::new(directory.path(), "code").unwrap().without(&["*.log"]).only(&["src/**"]);
    assert_eq!(backend.mount(&mount).await.unwrap().files, 1);
    let session = Section::workspace(Setup::standard(backend)).unwrap();
    let session = session.session(Bounds::standard()).unwrap();
    let found = session.call("glob", json!({ "pattern": "**/*" })).await;
    assert_eq!(found.text().lines().next(), Some("code/src/a.rs"));

    let edit = json!({ "path": "code/src/a.rs", "old_string": "a()", "new_string": "b()" });
    assert!(session.call("edit", edit).await.is_success());
    let disk = std::fs::read_to_string(directory.path().join("src/a.rs")).unwrap();
    assert_eq!(disk, "fn a() {}\n");
}

#[tokio::test]
async fn two_directories_stand_side_by_side() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(one.path().join("a"), "1").unwrap();
    std::fs::write(two.path().join("a"), "2").unwrap();
    let backend = memory();
    for (directory, at) in [(&one, "one"), (&two, "two")] {
        backend.mount(&HostMount::new(directory.path(), at).unwrap()).await.unwrap();
    }
    let again = HostMount::new(one.path(), "one").unwrap();
    assert_eq!(backend.mount(&again).await.unwrap_err().code(), Code::FileExists);
}

#[tokio::test]
async fn only_files_in_ram_take_a_mount() {
    let directory = tempfile::tempdir().unwrap();
    let backend = Backend::host(directory.path(), Policy::open()).unwrap();
    let mount = HostMount::new(directory.path(), "x").unwrap();
    assert_eq!(backend.mount(&mount).await.unwrap_err().code(), Code::Unsupported);
    let error = HostMount::new(directory.path(), "../x").unwrap_err();
    assert_eq!(error.code(), Code::PathOutsideWorkspace);
    let missing = HostMount::new(directory.path().join("none"), "x").unwrap();
    assert_eq!(memory().mount(&missing).await.unwrap_err().code(), Code::WorkspaceNotFound);
}
