//! Files and directories: what each call does and what it refuses.

use bytes::Bytes;
use garth_contract::{
    Code, Depth, Detail, Entry, Filesystem, Guard, Kind, Links, Made, Page, Parents, Policy, Put,
    Removed, Renamed, Span, Version, Written, WsPath,
};
use garth_memory::Memory;

use crate::fixture::{
    ABSENT, ANY, REFUSE, REPLACE, Ws, at, now, path, put, workspace, workspace_under,
};

#[test]
fn a_written_file_reads_back_with_its_version_time_and_mode() {
    let ws = workspace(&[]);
    let written = ws.write("d/a.txt", "hello").unwrap();
    let version = Version::of(b"hello");
    assert_eq!(written, Written { version, created: true, modified: Some(at(1_001)) });
    let content = ws.content("d/a.txt", Span::Whole { at_most: 5 }).unwrap();
    assert_eq!((&content.bytes[..], content.size, content.offset), (&b"hello"[..], 5, 0));
    assert_eq!((content.version(), content.modified), (Some(version), Some(at(1_001))));
    assert_eq!(content.mode, Some(0o644));
}

#[test]
fn an_empty_file_is_a_file() {
    let ws = workspace(&[("e", "")]);
    assert_eq!(ws.read("e"), Ok(String::new()));
    assert_eq!(ws.stat("e", Links::Keep).unwrap().size, 0);
}

#[test]
fn a_replaced_file_keeps_its_mode_unless_one_is_given() {
    let ws = workspace(&[]);
    let with_mode = |mode| Put { mode, ..ANY };
    ws.put("run", "1", with_mode(Some(0o100_755))).unwrap();
    assert!(!ws.put("run", "2", with_mode(None)).unwrap().created);
    assert_eq!(ws.stat("run", Links::Keep).unwrap().mode, Some(0o755));
    ws.put("run", "3", with_mode(Some(0o600))).unwrap();
    assert_eq!(ws.stat("run", Links::Keep).unwrap().mode, Some(0o600));
}

#[test]
fn a_guard_lets_only_the_expected_file_be_replaced() {
    let ws = workspace(&[("a", "one")]);
    let code = |guard| ws.put("a", "two", put(guard)).map_err(|error| error.code()).map(drop);
    assert_eq!(code(Guard::Absent), Err(Code::FileExists));
    assert_eq!(code(Guard::Unchanged(Version::of(b"other"))), Err(Code::Conflict));
    assert_eq!(ws.read("a"), Ok("one".into()));
    assert_eq!(code(Guard::Unchanged(Version::of(b"one"))), Ok(()));
    assert_eq!(ws.read("a"), Ok("two".into()));
}

#[test]
fn a_conflict_tells_the_version_there_is() {
    let ws = workspace(&[("a", "one")]);
    let wrong = put(Guard::Unchanged(Version::of(b"")));
    let error = ws.put("a", "two", wrong.clone()).unwrap_err();
    assert_eq!(error.details(), [Detail::Current(Version::of(b"one"))]);
    let missing = ws.put("b", "two", wrong).unwrap_err();
    assert_eq!((missing.code(), missing.details()), (Code::Conflict, &[][..]));
}

#[test]
fn parents_are_made_only_when_asked_for() {
    let ws = workspace(&[("f", "")]);
    let require = Put { parents: Parents::Require, ..ANY };
    let code = |name| ws.put(name, "x", require.clone()).map_err(|error| error.code()).map(drop);
    assert_eq!(code("d/a"), Err(Code::ParentNotFound));
    assert_eq!(code("f/a"), Err(Code::NotADirectory));
    assert_eq!(ws.make_dir("d/e", Parents::Require), Err(Code::ParentNotFound));
    assert_eq!(ws.tree(), ["f"]);
    assert_eq!(ws.make_dir("d/e/f", Parents::Create), Ok(Made::Created));
    assert_eq!(code("d/e/a"), Ok(()));
    assert_eq!(ws.tree(), ["d", "d/e", "d/e/a", "d/e/f", "f"]);
}

#[test]
fn what_is_no_file_is_neither_read_nor_written() {
    let ws = workspace(&[("d/", "")]);
    for name in ["", "d"] {
        assert_eq!(ws.read(name), Err(Code::NotAFile), "{name:?}");
        assert_eq!(ws.write(name, "x"), Err(Code::NotAFile), "{name:?}");
        let absent = ws.put(name, "x", ABSENT).map_err(|error| error.code()).map(drop);
        assert_eq!(absent, Err(Code::NotAFile), "{name:?}");
    }
}

#[test]
fn a_missing_name_and_a_file_on_the_way_are_told_apart() {
    let ws = workspace(&[("f", "x"), ("d/", "")]);
    for missing in ["g", "g/h", "d/g"] {
        assert_eq!(ws.read(missing), Err(Code::FileNotFound));
        assert_eq!(ws.list(missing), Err(Code::FileNotFound));
        assert_eq!(ws.kind(missing), Err(Code::FileNotFound));
        assert_eq!(ws.remove(missing, Depth::All), Err(Code::FileNotFound));
        assert_eq!(ws.rename(missing, "z", REFUSE), Err(Code::SourceNotFound));
    }
    assert_eq!(ws.read("f/g"), Err(Code::NotADirectory));
    assert_eq!(ws.list("f"), Err(Code::NotADirectory));
    assert_eq!(ws.write("f/g", "x"), Err(Code::NotADirectory));
    assert_eq!(ws.make_dir("f/g", Parents::Create), Err(Code::NotADirectory));
    assert_eq!(ws.rename("d", "f/g", REFUSE), Err(Code::NotADirectory));
}

#[test]
fn a_file_over_its_bound_is_not_read_whole() {
    let ws = workspace(&[("a", "12345")]);
    let error = now(ws.0.read(&path("a"), Span::Whole { at_most: 4 })).unwrap_err();
    assert_eq!(error.code(), Code::FileTooLarge);
    assert_eq!(error.details(), [Detail::Limit { limit: 4, actual: 5 }]);
}

#[test]
fn a_span_of_bytes_ends_where_the_file_does() {
    let ws = workspace(&[("a", "0123456789")]);
    for (offset, length, expected, starts) in
        [(2, 4, "2345", 2), (8, 8, "89", 8), (20, 4, "", 10), (0, u64::MAX, "0123456789", 0)]
    {
        let content = ws.content("a", Span::Bytes { offset, length }).unwrap();
        assert_eq!((&content.bytes[..], content.offset), (expected.as_bytes(), starts));
        assert_eq!(content.version().is_some(), expected.len() == 10);
        assert_eq!(content.size, 10);
    }
}

#[test]
fn a_span_of_lines_is_whole_lines() {
    let ws = workspace(&[("a", "a\nbb\r\nc")]);
    let lines = |skip, take, at_most| {
        let content = ws.content("a", Span::Lines { skip, take, at_most }).unwrap();
        let text = String::from_utf8(content.bytes.to_vec()).unwrap();
        (text, content.offset, content.lines)
    };
    assert_eq!(lines(1, u64::MAX, u64::MAX), ("bb\r\nc".into(), 2, Some(3)));
    assert_eq!(lines(0, 2, u64::MAX), ("a\nbb\r\n".into(), 0, None));
    assert_eq!(lines(1, 1, 2), ("bb".into(), 2, None));
    assert_eq!(lines(9, 1, 9), (String::new(), 7, Some(3)));
}

#[test]
fn the_last_lines_come_from_the_end() {
    let ws = workspace(&[("a", "a\nbb\nc\n"), ("e", "")]);
    let last = |name, take, at_most| {
        let content = ws.content(name, Span::LastLines { take, at_most }).unwrap();
        let text = String::from_utf8(content.bytes.to_vec()).unwrap();
        (text, content.offset, content.lines)
    };
    assert_eq!(last("a", 2, u64::MAX), ("bb\nc\n".into(), 2, None));
    assert_eq!(last("a", 3, u64::MAX), ("a\nbb\nc\n".into(), 0, Some(3)));
    assert_eq!(last("a", 9, 4), ("b\nc\n".into(), 3, None));
    assert_eq!(last("a", 0, 9), (String::new(), 7, None));
    assert_eq!(last("e", 5, 9), (String::new(), 0, Some(0)));
}

#[test]
fn a_listing_is_sorted_by_name_and_comes_in_pages() {
    let ws = workspace(&[("d/b", "22"), ("d/a-b", ""), ("d/a/x", ""), ("d/Z", "1"), ("e", "")]);
    assert_eq!(ws.list("d").unwrap(), ["d/Z", "d/a", "d/a-b", "d/b"]);
    assert_eq!(ws.list("").unwrap(), ["d", "e"]);
    let page = now(ws.0.list(&path("d"), Page { skip: 1, take: 2 })).unwrap();
    let names: Vec<_> = page.entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!((names, page.total), (vec!["d/a".into(), "d/a-b".into()], 4));
    let past = now(ws.0.list(&path("d"), Page { skip: 9, take: 2 })).unwrap();
    assert_eq!((past.entries, past.total), (vec![], 4));
}

#[test]
fn an_entry_says_what_it_is() {
    let ws = workspace(&[]);
    ws.write("a", "123").unwrap();
    let expected = Entry {
        path: path("a"),
        kind: Kind::File,
        size: 3,
        modified: Some(at(1_001)),
        mode: Some(0o644),
    };
    assert_eq!(ws.stat("a", Links::Keep), Ok(expected));
    ws.make_dir("d", Parents::Require).unwrap();
    let dir = ws.stat("d", Links::Keep).unwrap();
    assert_eq!((dir.kind, dir.size, dir.mode), (Kind::Dir, 0, Some(0o755)));
    assert_eq!(ws.stat("", Links::Keep).unwrap().kind, Kind::Dir);
}

#[test]
fn a_directory_is_modified_when_a_name_in_it_comes_or_goes() {
    let ws = workspace(&[("d/a", "1"), ("d/b", "1")]);
    let modified = || ws.stat("d", Links::Keep).unwrap().modified.unwrap();
    let first = modified();
    ws.write("d/a", "2").unwrap();
    assert_eq!(modified(), first);
    ws.remove("d/a", Depth::One).unwrap();
    let second = modified();
    assert_ne!(second, first);
    ws.write("d/c", "").unwrap();
    let third = modified();
    assert_ne!(third, second);
    ws.rename("d/b", "b", REFUSE).unwrap();
    assert_ne!(modified(), third);
}

#[test]
fn names_of_any_bytes_are_kept() {
    let memory = Memory::new(Policy::open()).unwrap();
    let odd = WsPath::root().join(b"caf\xe9\n ").unwrap();
    now(memory.write(&odd, Bytes::from_static(b"x"), ANY)).unwrap();
    let listing = now(memory.list(&WsPath::root(), Page { skip: 0, take: 9 })).unwrap();
    assert_eq!(listing.entries[0].path, odd);
}

#[test]
fn a_directory_can_be_made_again() {
    let ws = workspace(&[("f", "x")]);
    assert_eq!(ws.make_dir("d", Parents::Require), Ok(Made::Created));
    assert_eq!(ws.make_dir("d", Parents::Require), Ok(Made::Existed));
    assert_eq!(ws.make_dir("", Parents::Require), Ok(Made::Existed));
    assert_eq!(ws.make_dir("f", Parents::Create), Err(Code::FileExists));
}

#[test]
fn a_removal_goes_as_far_as_it_was_asked_to() {
    let ws = workspace(&[("d/a", ""), ("d/e/b", ""), ("d/e/", ""), ("f", "")]);
    assert_eq!(ws.remove("d", Depth::One), Err(Code::DirectoryNotEmpty));
    assert_eq!(ws.remove("", Depth::All), Err(Code::CannotDeleteRoot));
    assert_eq!(ws.remove("f", Depth::One), Ok(Removed { kind: Kind::File, count: 1 }));
    assert_eq!(ws.remove("d", Depth::All), Ok(Removed { kind: Kind::Dir, count: 4 }));
    assert!(ws.tree().is_empty());
}

#[test]
fn a_move_takes_everything_along() {
    let ws = workspace(&[("d/a", "1"), ("d/e/b", "2"), ("x/", "")]);
    let before = ws.stat("d/e/b", Links::Keep).unwrap();
    let moved = ws.rename("d", "x/y", REFUSE);
    assert_eq!(moved, Ok(Renamed { kind: Kind::Dir, replaced: false }));
    assert_eq!(ws.tree(), ["x", "x/y", "x/y/a", "x/y/e", "x/y/e/b"]);
    let after = ws.stat("x/y/e/b", Links::Keep).unwrap();
    assert_eq!(after, Entry { path: path("x/y/e/b"), ..before });
    assert_eq!(ws.list("x/y").unwrap(), ["x/y/a", "x/y/e"]);
}

#[test]
fn a_move_replaces_only_like_with_like_and_only_when_asked() {
    let entries = [("f", "1"), ("g", "2"), ("d/", ""), ("e/", ""), ("full/x", "")];
    let ws = workspace(&entries);
    let refused = |from, to, how, code| {
        assert_eq!(ws.rename(from, to, how), Err(code), "{from} to {to}");
        assert_eq!(ws.tree(), ["d", "e", "f", "full", "full/x", "g"]);
    };
    refused("f", "g", REFUSE, Code::DestinationExists);
    refused("f", "d", REPLACE, Code::NotAFile);
    refused("d", "f", REPLACE, Code::NotADirectory);
    refused("d", "full", REPLACE, Code::DirectoryNotEmpty);
    refused("full/x", "full", REPLACE, Code::NotAFile);
    refused("", "y", REPLACE, Code::CannotDeleteRoot);
    refused("d", "", REPLACE, Code::CannotDeleteRoot);
    refused("f", "no/y", REPLACE, Code::ParentNotFound);
    let replaced = |kind| Ok(Renamed { kind, replaced: true });
    assert_eq!(ws.rename("f", "g", REPLACE), replaced(Kind::File));
    assert_eq!(ws.rename("full", "d", REPLACE), replaced(Kind::Dir));
    assert_eq!((ws.tree(), ws.read("g")), (strings(&["d", "d/x", "e", "g"]), Ok("1".into())));
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_directory_cannot_be_moved_into_itself() {
    let ws = workspace(&[("d/e/", ""), ("l", "-> d/e")]);
    for to in ["d/x", "d/e/x", "l/x"] {
        assert_eq!(ws.rename("d", to, REPLACE), Err(Code::CannotMoveToSubdirectory), "{to}");
    }
    assert_eq!(ws.tree(), ["d", "d/e", "l"]);
}

#[test]
fn moving_a_path_onto_itself_changes_nothing() {
    let ws = workspace(&[("d/a", "1"), ("l", "-> d")]);
    let same = |kind| Ok(Renamed { kind, replaced: false });
    assert_eq!(ws.rename("d/a", "d/a", REFUSE), same(Kind::File));
    assert_eq!(ws.rename("d/a", "l/a", REPLACE), same(Kind::File));
    assert_eq!(ws.rename("d", "d", REFUSE), same(Kind::Dir));
    assert_eq!(ws.read("d/a"), Ok("1".into()));
    assert_eq!(ws.rename("no", "no", REFUSE), Err(Code::SourceNotFound));
}

/// A path of directories as deep as one can be.
fn deepest() -> String {
    "x/".repeat(2_048).trim_end_matches('/').to_owned()
}

#[test]
fn the_deepest_path_can_be_made_forked_and_dropped_on_a_small_stack() {
    let work = || {
        let ws = workspace(&[]);
        let deep = deepest();
        ws.write(&deep, "down here").unwrap();
        assert_eq!(ws.read(&deep), Ok("down here".into()));
        let fork = Ws(ws.0.fork());
        assert_eq!(fork.remove("x", Depth::All), Ok(Removed { kind: Kind::Dir, count: 2_048 }));
        drop(fork);
        assert_eq!(ws.tree().len(), 2_048);
    };
    std::thread::Builder::new().stack_size(400 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn no_path_gets_longer_than_a_path_can_be() {
    let ws = workspace(&[("y/", ""), ("l", "-> y")]);
    ws.make_dir(&deepest(), Parents::Create).unwrap();
    assert_eq!(ws.rename("x", "y/x", REFUSE), Err(Code::InvalidPath));
    let nearly = deepest().split_off(2);
    ws.0.symlink(&path("deep"), nearly.as_bytes()).unwrap();
    assert_eq!(ws.write("deep/a-longer-name", "x"), Err(Code::InvalidPath));
    // Once the depths are gone, so is the reason.
    ws.write("x/beside", "").unwrap();
    ws.remove("x/x", Depth::All).unwrap();
    assert!(ws.rename("x", "y/x", REFUSE).is_ok());
}

#[test]
fn a_small_part_of_a_large_buffer_does_not_keep_the_buffer() {
    let memory = Memory::new(Policy::open()).unwrap();
    let large = Bytes::from(vec![b'x'; 1 << 20]);
    now(memory.write(&path("a"), large.slice(..10), ANY)).unwrap();
    assert!(large.is_unique());
}

#[test]
fn a_fork_of_a_bounded_workspace_is_bounded() {
    let policy = Policy { max_file: 2, ..Policy::open() };
    let fork = Ws(workspace_under(policy, &[]).0.fork());
    assert_eq!(fork.write("a", "123"), Err(Code::FileTooLarge));
}
