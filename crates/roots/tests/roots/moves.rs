//! Moves from one root to another: what arrives, what is refused, what stays.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    sync::{Arc, Mutex},
};

use garth_contract::{
    Access, Aliases, Code, Error, Filesystem, Kind, Links, Parents, Policy, Renamed,
};
use garth_host::Host;
use garth_memory::Memory;
use garth_roots::Roots;

use crate::{
    fixture::{
        ALL, CREATE, Files, KEEP, REPLACE, again, fill, memory, now, path, read, rename, roots,
        tree, two,
    },
    tampered::{Act, Tampered},
};

#[test]
fn a_file_moves_to_another_root() {
    let roots = two(&[("f", "1")], &[]);
    let moved = rename(&roots, "a/f", "b/g", KEEP);
    assert_eq!(moved, Ok(Renamed { kind: Kind::File, replaced: false }));
    assert_eq!(tree(&roots), ["a", "b", "b/g=1"]);
}

#[test]
fn a_directory_moves_whole() {
    let roots = two(&[("d/f", "1"), ("d/e/", ""), ("d/e/deep/g", "2"), ("d/empty/", "")], &[]);
    let moved = rename(&roots, "a/d", "b/n/d", CREATE);
    assert_eq!(moved, Ok(Renamed { kind: Kind::Dir, replaced: false }));
    assert_eq!(
        tree(&roots),
        [
            "a",
            "b",
            "b/n",
            "b/n/d",
            "b/n/d/e",
            "b/n/d/e/deep",
            "b/n/d/e/deep/g=2",
            "b/n/d/empty",
            "b/n/d/f=1"
        ]
    );
}

#[tokio::test]
async fn files_move_between_this_machine_and_memory_with_their_modes() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("d/run"), "x").unwrap();
    fs::set_permissions(dir.path().join("d/run"), fs::Permissions::from_mode(0o750)).unwrap();
    let host = Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    let roots = roots([("host", Arc::new(host)), ("ram", Arc::new(memory(&[])))]);
    roots.rename(&path("host/d"), &path("ram/d"), KEEP).await.unwrap();
    let entry = roots.stat(&path("ram/d/run"), Links::Keep).await.unwrap();
    assert_eq!((entry.size, entry.mode), (1, Some(0o750)));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    roots.rename(&path("ram/d"), &path("host/back"), KEEP).await.unwrap();
    assert_eq!(fs::read(dir.path().join("back/run")).unwrap(), b"x");
    let mode = fs::metadata(dir.path().join("back/run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(roots.list(&path("ram"), ALL).await.unwrap().total, 0);
}

#[test]
fn what_stands_at_the_destination_is_kept_or_replaced_as_in_one_root() {
    let here = [("f", "new"), ("d/x", "1")];
    let there =
        [("file", "old"), ("empty/", ""), ("full/y", "2"), ("target", "3"), ("link", "-> target")];
    let fresh = || two(&here, &there);
    for to in ["b/file", "b/empty", "b/full", "b/link"] {
        for from in ["a/f", "a/d"] {
            let roots = fresh();
            let before = tree(&roots);
            assert_eq!(rename(&roots, from, to, KEEP), Err(Code::DestinationExists));
            assert_eq!(rename(&roots, from, to, CREATE), Err(Code::DestinationExists));
            assert_eq!(tree(&roots), before);
        }
    }
    for (from, to, code) in [
        ("a/f", "b/empty", Code::NotAFile),
        ("a/f", "b/full", Code::NotAFile),
        ("a/d", "b/file", Code::NotADirectory),
        ("a/d", "b/link", Code::NotADirectory),
        ("a/d", "b/full", Code::DirectoryNotEmpty),
    ] {
        let roots = fresh();
        let before = tree(&roots);
        assert_eq!(rename(&roots, from, to, REPLACE), Err(code), "{from} {to}");
        assert_eq!(tree(&roots), before);
    }
    let roots = fresh();
    let replaced = |kind| Ok(Renamed { kind, replaced: true });
    assert_eq!(rename(&roots, "a/d", "b/empty", REPLACE), replaced(Kind::Dir));
    assert_eq!(rename(&roots, "a/f", "b/link", REPLACE), replaced(Kind::File));
    assert_eq!(rename(&roots, "b/target", "a/f", REPLACE).map(|done| done.replaced), Ok(false));
    assert_eq!(
        tree(&roots),
        [
            "a",
            "a/f=3",
            "b",
            "b/empty",
            "b/empty/x=1",
            "b/file=old",
            "b/full",
            "b/full/y=2",
            "b/link=new"
        ]
    );
}

#[test]
fn a_refused_move_changes_nothing() {
    let roots = two(&[("f", "1"), ("d/", ""), ("d/l", "-> f"), ("l", "-> f")], &[("g", "2")]);
    let before = tree(&roots);
    for (from, to, code) in [
        ("a/no", "b/x/y", Code::SourceNotFound),
        ("a/no/no", "b/x/y", Code::SourceNotFound),
        ("a/f/no", "b/x/y", Code::NotADirectory),
        ("a/f", "b/g/y", Code::NotADirectory),
        ("a/l", "b/x/y", Code::Unsupported),
        ("a/d", "b/x/y", Code::Unsupported),
    ] {
        assert_eq!(rename(&roots, from, to, CREATE), Err(code), "{from} {to}");
    }
    assert_eq!(rename(&roots, "a/f", "b/no/y", KEEP), Err(Code::ParentNotFound));
    assert_eq!(rename(&roots, "a/f", "b/no/no/y", REPLACE), Err(Code::ParentNotFound));
    assert_eq!(tree(&roots), before);
}

#[test]
fn the_refusal_of_a_link_names_it_and_says_why() {
    let roots = two(&[("d/", ""), ("d/l", "-> x")], &[]);
    let error = now(roots.rename(&path("a/d"), &path("b/d"), KEEP)).unwrap_err();
    assert_eq!(error.path(), Some(&path("a/d/l")));
    assert_eq!(error.advice(), "Links and special files cannot be moved to another root.");
}

#[tokio::test]
async fn a_pipe_is_not_moved_and_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("p")).status();
    assert!(made.unwrap().success());
    let host = Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    let roots = roots([("a", Arc::new(host)), ("b", Arc::new(memory(&[])))]);
    let moved = roots.rename(&path("a/p"), &path("b/p"), KEEP).await;
    assert_eq!(moved.map_err(|error| error.code()), Err(Code::Unsupported));
}

#[test]
fn a_read_only_root_neither_gives_nor_takes() {
    let files = memory(&[("f", "1")]);
    let closed = Policy { access: Access::ReadOnly, ..Policy::open() };
    let closed: Files = Arc::new(files.under(closed).unwrap());
    let roots = roots([("a", closed), ("b", Arc::new(memory(&[("g", "2")])))]);
    assert_eq!(rename(&roots, "a/f", "b/f", KEEP), Err(Code::ReadOnly));
    assert_eq!(rename(&roots, "b/g", "a/g", KEEP), Err(Code::ReadOnly));
    assert_eq!(tree(&roots), ["a", "a/f=1", "b", "b/g=2"]);
}

#[test]
fn a_protected_entry_does_not_leave() {
    let files = memory(&[("d/keep", "1")]);
    let policy = Policy { protect: vec!["keep".to_owned()], ..Policy::open() };
    let guarded: Files = Arc::new(files.under(policy).unwrap());
    let roots = roots([("a", guarded), ("b", Arc::new(memory(&[])))]);
    assert_eq!(rename(&roots, "a/d/keep", "b/keep", KEEP), Err(Code::PermissionDenied));
    assert_eq!(tree(&roots), ["a", "a/d", "a/d/keep=1", "b"]);
    assert_eq!(rename(&roots, "a/d", "b/d", KEEP), Err(Code::PermissionDenied));
    assert_eq!(read(&roots, "a/d/keep"), Ok("1".to_owned()));
}

#[test]
fn a_move_of_too_much_is_refused_before_it_begins() {
    let files = memory(&[]);
    for number in 0..10_001 {
        fill(&files, &[(&format!("d/{}/{number}", number % 7), "")]);
    }
    let touched = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&touched);
    let target = Tampered::new(memory(&[]), move |call, _| {
        calls.lock().unwrap().push(call.to_owned());
        Act::Pass
    });
    let roots = roots([("a", Arc::new(files)), ("b", target)]);
    assert_eq!(rename(&roots, "a/d", "b/d", KEEP), Err(Code::Unsupported));
    assert!(!touched.lock().unwrap().iter().any(|call| call != "stat"));
}

/// Moves a file while `meddle` is done to its source right before the copy lands.
fn meddled(meddle: fn(&Memory)) -> (Roots, Result<Renamed, Error>) {
    let source = memory(&[("d/f", "1"), ("d/g", "2")]);
    let handle = again(&source);
    let target = Tampered::new(memory(&[]), move |call, _| {
        if call == "rename" {
            meddle(&handle);
        }
        Act::Pass
    });
    let roots = roots([("a", Arc::new(source)), ("b", target)]);
    let moved = now(roots.rename(&path("a/d"), &path("b/d"), KEEP));
    (roots, moved)
}

#[test]
fn what_was_written_meanwhile_stays() {
    let (roots, moved) = meddled(|source| fill(source, &[("d/g", "later")]));
    let error = moved.unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Conflict, Some(&path("a/d/g"))));
    assert_eq!(error.advice(), "The copy is whole at b/d; what was not removed is still at a/d.");
    assert_eq!(read(&roots, "a/d/g"), Ok("later".to_owned()));
    assert_eq!(read(&roots, "b/d/g"), Ok("2".to_owned()));
}

#[test]
fn what_was_made_meanwhile_stays() {
    let (roots, moved) = meddled(|source| fill(source, &[("d/new", "later")]));
    assert_eq!(moved.map_err(|error| error.code()), Err(Code::DirectoryNotEmpty));
    assert_eq!(tree(&roots), ["a", "a/d", "a/d/new=later", "b", "b/d", "b/d/f=1", "b/d/g=2"]);
}

#[tokio::test]
async fn nobody_sees_the_copy_on_this_machine_before_it_has_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let (at, seen) = (dir.path().to_owned(), Arc::new(Mutex::new(Vec::new())));
    let notes = Arc::clone(&seen);
    let source = Tampered::new(memory(&[("d/f", "1"), ("d/g", "2")]), move |call, _| {
        if call == "read" {
            let names = fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().file_name());
            notes.lock().unwrap().extend(names.map(|name| name.into_string().unwrap()));
        }
        Act::Pass
    });
    let open = || Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    let roots = roots([("a", source), ("b", Arc::new(open()))]);
    roots.rename(&path("a/d"), &path("b/d"), KEEP).await.unwrap();
    let hidden = seen.lock().unwrap().first().cloned().unwrap();
    Filesystem::make_dir(&open(), &path(&hidden), Parents::Require).await.unwrap();
    let listing = Filesystem::list(&open(), &path(""), ALL).await.unwrap();
    let names: Vec<String> = listing.entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(names, ["d"]);
}

#[test]
fn what_two_roots_share_is_not_lost() {
    let files = memory(&[("f", "1"), ("d/g", "2")]);
    let roots = roots([("a", Arc::new(again(&files))), ("b", Arc::new(files))]);
    let before = tree(&roots);
    let same = Renamed { kind: Kind::File, replaced: false };
    assert_eq!(rename(&roots, "a/f", "b/f", REPLACE), Ok(same));
    assert_eq!(rename(&roots, "a/f", "b/f", KEEP), Err(Code::DestinationExists));
    assert_eq!(rename(&roots, "a/d", "b/d/e", KEEP), Err(Code::CannotMoveToSubdirectory));
    assert_eq!(tree(&roots), before);
    assert_eq!(rename(&roots, "a/f", "b/d/g", REPLACE).map(|moved| moved.replaced), Ok(true));
    assert_eq!(tree(&roots), ["a", "a/d", "a/d/g=1", "b", "b/d", "b/d/g=1"]);
}

#[test]
fn nothing_is_copied_for_a_parent_that_must_be_there_and_is_not() {
    let source =
        Tampered::new(
            memory(&[("f", "1")]),
            |call, _| {
                if call == "read" { Act::Hang } else { Act::Pass }
            },
        );
    let roots = roots([("a", source), ("b", Arc::new(memory(&[])))]);
    assert_eq!(rename(&roots, "a/f", "b/no/f", KEEP), Err(Code::ParentNotFound));
}
