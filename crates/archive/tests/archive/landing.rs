//! Where a tree lands: beside what is there, over it, or not at all.

use garth_archive::{Format, Restore};
use garth_contract::{Clobber, Code, Policy};

use crate::{
    craft::Tar,
    fixture::{Yard, memory, names, open, plainly, read, restored, write},
};

fn over(format: Format) -> Restore {
    Restore { clobber: Clobber::Replace, ..plainly(format) }
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_join_and_nothing_is_removed() {
    let yard = Yard::new();
    for files in [yard.host(), memory()] {
        write(&files, "to/d/old", "old").await;
        let archive = Tar::default().dir("d").file("d/new", "new").file("e/f", "f").end();
        let told = restored(&files, "to", archive, &plainly(Format::Tar)).await.unwrap();
        assert_eq!(told.replaced, 0);
        let want = ["to", "to/d", "to/d/new", "to/d/old", "to/e", "to/e/f"];
        assert_eq!(names(&files).await, want);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_there_is_replaced_only_when_asked() {
    let yard = Yard::new();
    for files in [yard.host(), memory()] {
        write(&files, "d/f", "old").await;
        let archive = Tar::default().file("a", "a").file("d/f", "new").file("z", "z").end();
        let error = restored(&files, "", archive.clone(), &plainly(Format::Tar)).await.unwrap_err();
        assert_eq!(error.code(), Code::DestinationExists);
        assert_eq!(names(&files).await, ["d", "d/f"]);
        assert_eq!(read(&files, "d/f").await, "old");
        let told = restored(&files, "", archive, &over(Format::Tar)).await.unwrap();
        assert_eq!((told.replaced, told.files), (1, 3));
        assert_eq!(names(&files).await, ["a", "d", "d/f", "z"]);
        assert_eq!(read(&files, "d/f").await, "new");
    }
    let really: Vec<_> = yard.really().into_keys().collect();
    assert_eq!(really.len(), 7, "{really:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_and_a_file_never_replace_each_other() {
    let yard = Yard::new();
    for files in [yard.host(), memory()] {
        write(&files, "d/f", "old").await;
        write(&files, "f", "old").await;
        for (archive, code) in [
            (Tar::default().file("a", "a").file("d", "file").end(), Code::NotAFile),
            (Tar::default().file("a", "a").file("f/g", "below").end(), Code::NotADirectory),
        ] {
            let error = restored(&files, "", archive, &over(Format::Tar)).await.unwrap_err();
            assert_eq!(error.code(), code);
            assert_eq!(names(&files).await, ["d", "d/f", "f"]);
        }
        let into = Tar::default().file("a", "a").end();
        let error = restored(&files, "f", into.clone(), &over(Format::Tar)).await.unwrap_err();
        assert_eq!(error.code(), Code::NotADirectory);
        let error = restored(&files, "f/below", into, &over(Format::Tar)).await.unwrap_err();
        assert_eq!(error.code(), Code::NotADirectory);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_directories_are_made_and_names_are_stripped() {
    let archive = Tar::default()
        .dir("top-1.0")
        .file("top-1.0/README", "readme")
        .file("top-1.0/src/main.rs", "main")
        .hard_link("top-1.0/copy", "top-1.0/README")
        .file("stray", "stray")
        .end();
    let yard = Yard::new();
    for files in [yard.host(), memory()] {
        let how = Restore { strip: 1, ..plainly(Format::Tar) };
        let told = restored(&files, "a/b/c", archive.clone(), &how).await.unwrap();
        assert_eq!((told.entries, told.files), (5, 3));
        let want =
            ["a", "a/b", "a/b/c", "a/b/c/README", "a/b/c/copy", "a/b/c/src", "a/b/c/src/main.rs"];
        assert_eq!(names(&files).await, want);
        assert_eq!(read(&files, "a/b/c/copy").await, "readme");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_workspace_forbids_is_not_restored() {
    let yard = Yard::new();
    write(&yard.host(), "locked/f", "mine").await;
    let before = yard.really();
    let policy = || Policy { deny: vec![".env".into()], protect: vec!["locked".into()], ..open() };
    for name in [".env", "d/.env", "d/.env/below", "locked/f", "locked/new"] {
        let archive = Tar::default().file("a", "a").file(name, "evil").end();
        let host = yard.host_under(policy());
        let error = restored(&host, "", archive, &over(Format::Tar)).await.unwrap_err();
        assert_eq!(error.code(), Code::PermissionDenied, "{name}");
        assert_eq!(yard.really(), before, "{name}");
    }
    let archive = Tar::default().file("a", "a").end();
    let read_only = Policy { access: garth_contract::Access::ReadOnly, ..open() };
    let host = yard.host_under(read_only);
    let error = restored(&host, "", archive, &over(Format::Tar)).await.unwrap_err();
    assert_eq!(error.code(), Code::ReadOnly);
    assert_eq!(yard.really(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synced_workspace_restores_too() {
    let yard = Yard::new();
    let host = yard.host_under(Policy::open());
    let archive = Tar::default().file("d/f", "x").end();
    restored(&host, "to", archive, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(read(&host, "to/d/f").await, "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_restores_at_once_to_one_place_one_lands() {
    let yard = Yard::new();
    let host = yard.host();
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let host = host.clone();
            let content = number.to_string();
            let archive = Tar::default().file("d/f", &content).file("d/g", &content).end();
            tokio::spawn(async move {
                restored(&host, "to", archive, &plainly(Format::Tar)).await.is_ok()
            })
        })
        .collect();
    let mut landed = 0;
    for task in tasks {
        landed += u32::from(task.await.unwrap());
    }
    assert_eq!(landed, 1);
    assert_eq!(names(&host).await, ["to", "to/d", "to/d/f", "to/d/g"]);
    assert_eq!(read(&host, "to/d/f").await, read(&host, "to/d/g").await);
}
