//! Which entries are found by their names and kinds.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, os::unix::fs::symlink};

use garth_contract::{
    Aliases, Code, Glob, HardLinks, Hidden, Ignored, Kind, Kinds, Owned, Policy, Query, Reach,
    Total,
};
use garth_host::Host;
use rustix::fs::{CWD, Mode, mkfifoat};

use crate::yard::{Yard, at, everything, files, find, find_into, grep};

#[test]
fn everything_below_the_base_is_found_and_the_base_is_not() {
    let yard = Yard::with(&[("a/b/c", ""), ("a/d/", ""), ("e", "")]);
    assert_eq!(yard.shown(&everything()), "a a/b a/b/c a/d e");
    let below = Query { base: at("a"), ..everything() };
    assert_eq!(yard.shown(&below), "a/b a/b/c a/d");
    let flat = Query { reach: Reach::Entries, ..everything() };
    assert_eq!(yard.shown(&flat), "a e");
    let dirs = Query { kinds: Kinds::Dirs, ..everything() };
    assert_eq!(yard.shown(&dirs), "a a/b a/d");
}

#[test]
fn an_entry_says_what_it_is() {
    let yard = Yard::with(&[("file", "12345"), ("dir/", "")]);
    symlink("file", yard.path().join("link")).unwrap();
    mkfifoat(CWD, yard.path().join("pipe"), Mode::RUSR).unwrap();
    let sink = std::sync::Arc::new(garth_contract::Collect::default());
    find_into(&yard.host(), &everything(), std::sync::Arc::<garth_contract::Collect>::clone(&sink))
        .unwrap();
    let entries = sink.take().into_iter().map(|found| {
        let Owned::Entry(entry) = found else { panic!("an entry") };
        assert!(entry.modified.is_some());
        (entry.path.to_string(), entry.kind, entry.size)
    });
    let expected = [
        ("dir", Kind::Dir, 0),
        ("file", Kind::File, 5),
        ("link", Kind::Symlink, 0),
        ("pipe", Kind::Fifo, 0),
    ];
    assert_eq!(
        entries.collect::<Vec<_>>(),
        expected.map(|(name, kind, size)| (name.to_string(), kind, size))
    );
}

#[test]
fn links_are_found_and_never_followed() {
    let yard = Yard::with(&[("a/needle", "needle")]);
    symlink("..", yard.path().join("a/up")).unwrap();
    symlink("needle", yard.path().join("a/file")).unwrap();
    symlink("/etc", yard.path().join("out")).unwrap();
    assert_eq!(yard.shown(&everything()), "a a/file a/needle a/up out");
    assert_eq!(yard.shown(&grep("needle")), "a/needle:1:needle");
}

#[test]
fn a_pipe_never_blocks_a_search() {
    let yard = Yard::with(&[("a", "needle")]);
    mkfifoat(CWD, yard.path().join("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
    assert_eq!(yard.shown(&grep("needle")), "a:1:needle");
    let error = find(&yard.host(), &Query { base: at("pipe"), ..grep("x") }).unwrap_err();
    assert_eq!(error.code(), Code::NotAFile);
}

#[test]
fn globs_are_held_against_paths_below_the_base() {
    let yard =
        Yard::with(&[("src/a.rs", ""), ("src/b/c.rs", ""), ("src/b/c.txt", ""), ("d.rs", "")]);
    let glob = |base: &str, glob: Glob| {
        yard.shown(&Query { base: at(base), include: vec![glob], ..files() })
    };
    assert_eq!(glob("src", Glob::Path("*.rs".into())), "src/a.rs");
    assert_eq!(glob("src", Glob::Path("**/*.rs".into())), "src/a.rs src/b/c.rs");
    assert_eq!(glob("", Glob::Filter("*.rs".into())), "d.rs src/a.rs src/b/c.rs");
    assert_eq!(glob("", Glob::Filter("src/*".into())), "src/a.rs");
    let without = Query { exclude: vec![Glob::Filter("b".into())], ..files() };
    assert_eq!(yard.shown(&without), "d.rs src/a.rs");
}

#[test]
fn ignore_files_above_the_base_hold_too() {
    let yard = Yard::with(&[
        (".gitignore", "*.log\n/a/skip\n"),
        ("a/.ignore", "!keep.log\n"),
        ("a/x.log", ""),
        ("a/keep.log", ""),
        ("a/skip/in", ""),
        ("a/b/x.log", ""),
        ("a/b/y", ""),
    ]);
    assert_eq!(yard.shown(&files()), "a/b/y a/keep.log");
    assert_eq!(yard.shown(&Query { base: at("a"), ..files() }), "a/b/y a/keep.log");
    assert_eq!(yard.shown(&Query { base: at("a/b"), ..files() }), "a/b/y");
    // What is named itself counts, whatever names it.
    assert_eq!(yard.shown(&Query { base: at("a/skip"), ..files() }), "a/skip/in");
    assert_eq!(yard.shown(&Query { base: at("a/x.log"), ..files() }), "a/x.log");
}

#[test]
fn an_ignore_file_outside_the_root_is_not_read() {
    let yard = Yard::with(&[(".ignore", "*\n"), ("root/a", "")]);
    let host = Host::open(&yard.path().join("root"), Policy::open(), Aliases::none()).unwrap();
    assert_eq!(find(&host, &files()).unwrap().0, ["a"]);
}

#[test]
fn the_repositorys_own_excludes_hold() {
    let yard = Yard::with(&[(".git/info/exclude", "*.log\n"), ("a.log", ""), ("b", "")]);
    assert_eq!(yard.shown(&files()), "b");
}

#[test]
fn git_is_entered_only_where_everything_is_wanted() {
    let yard = Yard::with(&[(".git/config", ""), (".github/x", ""), ("a", "")]);
    let query = |ignored| Query { hidden: Hidden::Include, ignored, ..files() };
    assert_eq!(yard.shown(&query(Ignored::IncludeNoGit)), ".github/x a");
    assert_eq!(yard.shown(&query(Ignored::Include)), ".git/config .github/x a");
}

#[test]
fn a_link_in_place_of_an_ignore_file_is_not_followed() {
    let yard = Yard::with(&[("rules", "*.log\n"), ("a.log", "")]);
    symlink("rules", yard.path().join(".gitignore")).unwrap();
    mkfifoat(CWD, yard.path().join(".ignore"), Mode::RUSR | Mode::WUSR).unwrap();
    assert_eq!(yard.shown(&files()), "a.log rules");
}

#[test]
fn denied_entries_and_temporary_files_are_left_out() {
    let yard = Yard::with(&[
        ("a/.env", "needle"),
        ("a/b", "needle"),
        ("private/x", "needle"),
        ("keep/private/y", "needle"),
        (".garth-0123456789abcdef.tmp", "needle"),
    ]);
    let policy = Policy { deny: vec![".env".into(), "/private".into()], ..Policy::open() };
    let host = Host::open(yard.path(), policy, Aliases::none()).unwrap();
    let all = find(&host, &everything()).unwrap().0.join(" ");
    assert_eq!(all, "a a/b keep keep/private keep/private/y");
    let query = Query { hidden: Hidden::Include, ..grep("needle") };
    let lines = find(&host, &query).unwrap().0.join(" ");
    assert_eq!(lines, "a/b:1:needle keep/private/y:1:needle");
    let error = find(&host, &Query { base: at("private"), ..grep("needle") }).unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied);
}

#[test]
fn odd_names_are_found_and_told_apart() {
    let yard = Yard::with(&[("a\nb", "needle"), ("sp ace", "needle")]);
    fs::write(yard.path().join(OsStr::from_bytes(b"\xff\xfe")), "needle").unwrap();
    let expected = [r"a\x0ab:1:needle", "sp ace:1:needle", r"\xff\xfe:1:needle"];
    assert_eq!(yard.find(&grep("needle")).0, expected);
}

#[test]
fn a_file_with_other_names_is_not_read_where_that_is_refused() {
    let yard = Yard::with(&[("a", "needle"), ("b", "needle")]);
    fs::hard_link(yard.path().join("a"), yard.path().join("c")).unwrap();
    let policy = Policy { hard_links: HardLinks::Refuse, ..Policy::open() };
    let host = Host::open(yard.path(), policy, Aliases::none()).unwrap();
    let (lines, summary) = find(&host, &grep("needle")).unwrap();
    assert_eq!(lines, ["b:1:needle"]);
    assert_eq!((summary.unreadable, summary.searched), (2, 1));
}

#[test]
fn a_file_can_be_the_base() {
    let yard = Yard::with(&[("a/b.log", "x\nneedle\n"), (".ignore", "*.log")]);
    let (lines, summary) = yard.find(&Query { base: at("a/b.log"), ..grep("needle") });
    assert_eq!(lines, ["a/b.log:2:needle"]);
    assert_eq!((summary.total, summary.searched), (Total::Exact(1), 1));
}

#[test]
fn a_missing_base_is_not_found_and_a_bad_pattern_is_refused() {
    let yard = Yard::with(&[("a", "")]);
    let code = |query: &Query| find(&yard.host(), query).unwrap_err().code();
    assert_eq!(code(&Query { base: at("nope"), ..files() }), Code::FileNotFound);
    assert_eq!(code(&grep("a(")), Code::InvalidPattern);
    let glob = Query { include: vec![Glob::Path("[".into())], ..files() };
    assert_eq!(code(&glob), Code::InvalidPattern);
}

#[test]
fn a_directory_that_cannot_be_read_is_counted() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        println!("skipped: root reads every directory");
        return;
    }
    let yard = Yard::with(&[("a/b", "needle"), ("c", "needle")]);
    fs::set_permissions(yard.path().join("a"), fs::Permissions::from_mode(0o000)).unwrap();
    let (lines, summary) = yard.find(&grep("needle"));
    fs::set_permissions(yard.path().join("a"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!((lines, summary.unreadable), (vec!["c:1:needle".to_string()], 1));
}
