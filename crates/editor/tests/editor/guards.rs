//! Guards hold against what the editor has, not only against what is on the disk.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{Access, Code, Detail, DynFilesystem, Guard, Parents, Policy, Put, Version};
use garth_editor::{Editor, Offers, Root, Session};
use tokio::task::JoinSet;

use crate::{
    client::{Client, Holds, Saves},
    fixture::{ANY, PATIENT, Scene, at, beneath, code, guarded},
};

#[tokio::test]
async fn unchanged_sees_what_a_person_typed() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "saved\n");
    scene.read("a").await.unwrap();
    scene.client.type_into("a", "typed\n");
    for guard in [Guard::Unchanged(Version::of(b"saved\n")), Guard::Holding("saved\n".into())] {
        let error = scene.write("a", "new\n", guarded(guard)).await.unwrap_err();
        assert_eq!(error.code(), Code::Conflict);
        assert_eq!(error.details(), [Detail::Current(Version::of(b"typed\n"))]);
    }
    assert_eq!(scene.client.buffer("a").unwrap(), "typed\n");
    let guard = Guard::Unchanged(Version::of(b"typed\n"));
    scene.write("a", "new\n", guarded(guard)).await.unwrap();
    assert_eq!(scene.client.buffer("a").unwrap(), "new\n");
}

#[tokio::test]
async fn absent_asks_the_disk_and_the_editor() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("on-disk", "");
    scene.client.type_into("in-buffer", "typed\n");
    for path in ["on-disk", "in-buffer"] {
        assert_eq!(code(scene.write(path, "x", guarded(Guard::Absent)).await), Code::FileExists);
    }
    assert!(scene.write("nowhere", "x", guarded(Guard::Absent)).await.unwrap().created);
}

#[tokio::test]
async fn of_writers_through_two_handles_one_wins() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "start");
    let client = Client::new(scene.dir.path(), Saves::Never, Holds::Exactly);
    let (pipe, _) = client.connect(PATIENT);
    let session = Session::new(pipe, "s", Offers::Both, PATIENT);
    let root = Root::new(scene.dir.path()).unwrap();
    let mut version = Version::of(b"start");
    for round in 0..10 {
        let mut writers = JoinSet::new();
        for number in 0..4 {
            let below = beneath(scene.dir.path(), Policy::open());
            let files: Arc<dyn DynFilesystem> =
                Arc::new(Editor::over(session.clone(), root.clone(), below));
            let content = Bytes::from(format!("{round} {number}"));
            let put = guarded(Guard::Unchanged(version));
            writers.spawn(async move { files.write(&at("a"), content, put).await });
        }
        let won: Vec<_> = writers.join_all().await.into_iter().filter_map(Result::ok).collect();
        assert_eq!(won.len(), 1);
        version = won[0].version;
    }
}

#[tokio::test]
async fn rules_beneath_hold_before_the_editor_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("secret.env"), "x").unwrap();
    std::fs::write(dir.path().join("locked"), "x").unwrap();
    let client = Client::new(dir.path(), Saves::AtOnce, Holds::Exactly);
    let (pipe, _) = client.connect(PATIENT);
    let session = Session::new(pipe, "s", Offers::Both, PATIENT);
    let files = |policy| -> Arc<dyn DynFilesystem> {
        let root = Root::new(dir.path()).unwrap();
        Arc::new(Editor::over(session.clone(), root, beneath(dir.path(), policy)))
    };
    let write = async |files: &dyn DynFilesystem, path, text: &'static str, put| {
        code(files.write(&at(path), Bytes::from(text), put).await)
    };
    let ruled = files(Policy {
        deny: vec!["*.env".into()],
        protect: vec!["locked".into()],
        max_file: 4,
        ..Policy::open()
    });
    let span = garth_contract::Span::Whole { at_most: 9 };
    assert_eq!(code(ruled.read(&at("secret.env"), span).await), Code::PermissionDenied);
    assert_eq!(write(&*ruled, "secret.env", "y", ANY).await, Code::PermissionDenied);
    assert_eq!(write(&*ruled, "new.env", "y", ANY).await, Code::PermissionDenied);
    assert_eq!(write(&*ruled, "d/new.env", "y", ANY).await, Code::PermissionDenied);
    assert_eq!(write(&*ruled, "locked", "y", ANY).await, Code::PermissionDenied);
    assert_eq!(write(&*ruled, "big", "12345", ANY).await, Code::FileTooLarge);
    let required = Put { parents: Parents::Require, ..ANY };
    assert_eq!(write(&*ruled, "no/f", "y", required).await, Code::ParentNotFound);
    let read_only = files(Policy { access: Access::ReadOnly, ..Policy::open() });
    assert_eq!(write(&*read_only, "a", "y", ANY).await, Code::ReadOnly);
    let wrote: Vec<_> =
        client.asked().into_iter().filter(|asked| asked.starts_with("write")).collect();
    assert_eq!(wrote, [""; 0]);
    assert!(!dir.path().join("d").exists(), "what was made for a refused file is gone");
}
