//! The top: what stands there, and that nothing else ever does.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Access, Code, Depth, Entry, Error, Filesystem, Guard, Kind, Links, Listing, Made, Page,
    Parents, Policy, Put, Version,
};
use garth_memory::Memory;
use garth_roots::Roots;

use crate::{
    fixture::{
        ALL, ANY, CREATE, Files, KEEP, REPLACE, WHOLE, memory, now, path, rename, roots, tree, two,
    },
    tampered::{Act, Tampered},
};

fn names(listing: &Listing) -> Vec<String> {
    listing.entries.iter().map(|entry| entry.path.to_string()).collect()
}

#[test]
fn the_top_lists_the_roots_by_name() {
    let empty = || Arc::new(memory(&[])) as Files;
    let roots = roots([("b", empty()), ("a.d", empty()), ("a", empty()), ("a-2", empty())]);
    let listing = now(roots.list(&path(""), ALL)).unwrap();
    assert_eq!(names(&listing), ["a", "a-2", "a.d", "b"]);
    assert!(listing.entries.iter().all(|entry| entry.kind == Kind::Dir && entry.mode.is_some()));
    let page = now(roots.list(&path(""), Page { skip: 1, take: 2 })).unwrap();
    assert_eq!((names(&page), page.total), (vec!["a-2".to_owned(), "a.d".to_owned()], 4));
}

#[test]
fn the_top_is_a_directory_and_no_file() {
    let roots = two(&[], &[]);
    let top = Entry { path: path(""), kind: Kind::Dir, size: 0, modified: None, mode: Some(0o555) };
    assert_eq!(now(roots.stat(&path(""), Links::Follow)), Ok(top));
    let refused = Error::at(Code::NotAFile, &path(""));
    assert_eq!(now(roots.read(&path(""), WHOLE)), Err(refused.clone()));
    assert_eq!(now(roots.write(&path(""), Bytes::new(), ANY)), Err(refused));
    assert_eq!(now(roots.make_dir(&path(""), Parents::Require)), Ok(Made::Existed));
}

#[test]
fn nothing_is_made_beside_the_roots() {
    let roots = two(&[("f", "1")], &[]);
    let hint = "Use a path below one of the roots: a, b.";
    let refused = |code, at: &str| Error::at(code, &path(at)).hint(hint);
    let require = Put { parents: Parents::Require, ..ANY };
    for (at, put, code) in [
        ("new", ANY, Code::PermissionDenied),
        ("new", require.clone(), Code::PermissionDenied),
        ("new/x", ANY, Code::PermissionDenied),
        ("new/x", require, Code::ParentNotFound),
    ] {
        let made = now(roots.make_dir(&path(at), put.parents));
        assert_eq!(made, Err(refused(code, at)));
        assert_eq!(now(roots.write(&path(at), Bytes::new(), put)), Err(refused(code, at)));
    }
    for how in [KEEP, REPLACE, CREATE] {
        let moved = now(roots.rename(&path("a/f"), &path("new"), how));
        assert_eq!(moved, Err(refused(Code::PermissionDenied, "new")));
        assert_eq!(rename(&roots, "a/no", "new", how), Err(Code::SourceNotFound));
    }
    assert_eq!(tree(&roots), ["a", "a/f=1", "b"]);
}

#[test]
fn no_root_is_removed_moved_or_replaced() {
    let roots = two(&[("f", "1")], &[]);
    for at in ["", "a", "b"] {
        for depth in [Depth::One, Depth::All] {
            let removed = now(roots.remove(&path(at), depth));
            assert_eq!(removed, Err(Error::at(Code::CannotDeleteRoot, &path(at))));
        }
        for how in [KEEP, REPLACE, CREATE] {
            assert_eq!(rename(&roots, at, "a/x", how), Err(Code::CannotDeleteRoot), "{at}");
            assert_eq!(rename(&roots, at, "c", how), Err(Code::CannotDeleteRoot), "{at}");
            assert_eq!(rename(&roots, "a/f", at, how), Err(Code::CannotDeleteRoot), "{at}");
        }
    }
    assert_eq!(tree(&roots), ["a", "a/f=1", "b"]);
}

#[test]
fn what_is_in_no_root_is_not_found() {
    let roots = two(&[], &[]);
    for at in ["c", "c/d", "ab", "A/f"] {
        let code = Err(Code::FileNotFound);
        let path = path(at);
        assert_eq!(now(roots.stat(&path, Links::Keep)).map_err(|e| e.code()).map(drop), code);
        assert_eq!(now(roots.list(&path, ALL)).map_err(|e| e.code()).map(drop), code);
        assert_eq!(now(roots.read(&path, WHOLE)).map_err(|e| e.code()).map(drop), code);
        assert_eq!(now(roots.remove(&path, Depth::All)).map_err(|e| e.code()).map(drop), code);
        assert_eq!(rename(&roots, at, "a/x", KEEP), Err(Code::SourceNotFound));
    }
}

#[test]
fn an_error_names_the_whole_path() {
    let roots = two(&[("d/f", "1")], &[]);
    let error = now(roots.read(&path("a/d"), WHOLE)).unwrap_err();
    assert_eq!(error.to_string(), "not a regular file: a/d");
    assert_eq!(error.path(), Some(&path("a/d")));
}

#[test]
fn an_entry_has_its_whole_path() {
    let roots = two(&[("d/f", "1")], &[]);
    for at in ["a", "a/d", "a/d/f"] {
        assert_eq!(now(roots.stat(&path(at), Links::Keep)).unwrap().path, path(at));
    }
    assert_eq!(names(&now(roots.list(&path("a/d"), ALL)).unwrap()), ["a/d/f"]);
}

#[test]
fn guards_and_versions_pass_through() {
    let roots = two(&[("f", "1")], &[]);
    let guarded =
        |content: &str| Put { guard: Guard::Unchanged(Version::of(content.as_bytes())), ..ANY };
    let write = |content: &'static str, put| {
        now(roots.write(&path("a/f"), Bytes::from(content), put)).map_err(|error| error.code())
    };
    assert_eq!(write("2", guarded("1")).map(|written| written.version), Ok(Version::of(b"2")));
    assert_eq!(write("3", guarded("1")).map(drop), Err(Code::Conflict));
    assert_eq!(write("3", Put { guard: Guard::Absent, ..ANY }).map(drop), Err(Code::FileExists));
}

#[test]
fn roots_can_what_all_of_them_can() {
    let closed = Policy { access: Access::ReadOnly, ..Policy::open() };
    let roots =
        roots([("a", Arc::new(memory(&[]))), ("b", Arc::new(Memory::new(closed).unwrap()))]);
    let abilities = Filesystem::abilities(&roots);
    assert_eq!(
        abilities,
        garth_contract::Abilities { write: false, ..Filesystem::abilities(&memory(&[])) }
    );
}

#[test]
fn a_root_that_cannot_be_looked_at_is_listed_still() {
    let gone = Tampered::new(memory(&[]), |_, _| Act::Fail(Code::WorkspaceNotFound));
    let roots = roots([("a", Arc::new(memory(&[]))), ("b", gone)]);
    assert_eq!(names(&now(roots.list(&path(""), ALL)).unwrap()), ["a", "b"]);
    let told = now(roots.stat(&path("b"), Links::Keep)).map_err(|error| error.code());
    assert_eq!(told.map(drop), Err(Code::WorkspaceNotFound));
}

#[test]
fn names_are_single_components_and_different() {
    let named = |names: &[&[u8]]| {
        let root = |name: &&[u8]| (name.to_vec(), Arc::new(memory(&[])) as Files);
        Roots::new(names.iter().map(root).collect()).map(drop).map_err(|error| error.code())
    };
    assert_eq!(named(&[b"a", b"A", b"\xff", b"..."]), Ok(()));
    for bad in [b"".as_slice(), b".", b"..", b"a/b", b"a\0"] {
        assert_eq!(named(&[b"x", bad]), Err(Code::InvalidPath));
    }
    assert_eq!(named(&[b"a", b"b", b"a"]), Err(Code::InvalidParams));
    assert_eq!(named(&[]), Err(Code::InvalidParams));
}

#[test]
fn content_is_handed_on_and_never_copied() {
    let files = memory(&[("f", "content")]);
    let there = now(Filesystem::read(&files, &path("f"), WHOLE)).unwrap();
    let roots = roots([("a", Arc::new(files))]);
    let here = now(roots.read(&path("a/f"), WHOLE)).unwrap();
    assert_eq!(here, there);
    assert_eq!(here.bytes.as_ptr(), there.bytes.as_ptr());
}
