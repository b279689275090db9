//! What a query's names and kinds let through, one fact each.

use garth_contract::{Code, Detail, Facts, Order, WsPath};

use super::*;
use crate::ignores::IgnoreFiles;

fn query(base: &str) -> Query {
    Query {
        base: WsPath::from_bytes(base.as_bytes()).unwrap(),
        reach: garth_contract::Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Skip,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

fn judge(query: &Query, path: &str, kind: Kind) -> (bool, bool) {
    let name = path.rsplit('/').next().unwrap();
    let met = Met { path: path.as_bytes(), name: name.as_bytes(), kind };
    let judged = Filter::compile(query).unwrap().judge(&met, &Ignores::none());
    (judged.counts, judged.enters)
}

fn includes(glob: Glob, base: &str, path: &str) -> bool {
    judge(&Query { include: vec![glob], ..query(base) }, path, Kind::File).0
}

#[test]
fn a_path_glob_without_a_slash_matches_in_the_base_only() {
    let glob = || Glob::Path("*.rs".into());
    assert!(includes(glob(), "", "a.rs"));
    assert!(!includes(glob(), "", "src/a.rs"));
    assert!(includes(glob(), "src", "src/a.rs"));
    assert!(!includes(glob(), "src", "src/b/a.rs"));
}

#[test]
fn a_filter_without_a_slash_matches_names_at_any_depth() {
    let glob = || Glob::Filter("*.rs".into());
    assert!(includes(glob(), "", "a.rs"));
    assert!(includes(glob(), "", "src/b/a.rs"));
    assert!(!includes(glob(), "", "a.rs.txt"));
    assert!(!includes(Glob::Filter("b/*.rs".into()), "", "src/b/a.rs"));
    assert!(includes(Glob::Filter("b/*.rs".into()), "src", "src/b/a.rs"));
}

#[test]
fn two_stars_cross_slashes_and_one_does_not() {
    for (glob, path, expected) in [
        ("**/*.rs", "a.rs", true),
        ("**/*.rs", "a/b/c.rs", true),
        ("src/**", "src/a/b", true),
        ("src/**", "src", false),
        ("src/*/c", "src/b/c", true),
        ("src/*/c", "src/a/b/c", false),
        ("a?c", "a/c", false),
        ("{a,b}/*.{rs,toml}", "b/x.toml", true),
        ("[a-c].rs", "b.rs", true),
        ("[!a-c].rs", "b.rs", false),
        ("foo{,.txt}", "foo", true),
        ("./src/*.rs", "src/a.rs", true),
        ("/src/*.rs", "src/a.rs", true),
    ] {
        assert_eq!(includes(Glob::Path(glob.into()), "", path), expected, "{glob} {path}");
    }
}

#[test]
fn an_excluded_directory_is_not_entered() {
    let query = Query { exclude: vec![Glob::Filter("target".into())], ..query("") };
    assert_eq!(judge(&query, "a/target", Kind::Dir), (false, false));
    assert_eq!(judge(&query, "a/targets", Kind::Dir), (true, true));
}

#[test]
fn a_directory_in_which_nothing_can_match_is_not_entered() {
    let with = |glob: &str| Query { include: vec![Glob::Path(glob.into())], ..query("base") };
    for (glob, dir, expected) in [
        ("*.rs", "base/src", false),
        ("src/*.rs", "base/src", true),
        ("src/*.rs", "base/src/deep", false),
        ("src/**/*.rs", "base/src/deep/deeper", true),
        ("src/**/*.rs", "base/doc", false),
        ("*/x/*.rs", "base/a", true),
        ("*/x/*.rs", "base/a/y", false),
        ("{src,doc/en}/*.rs", "base/doc/en", true),
    ] {
        assert_eq!(judge(&with(glob), dir, Kind::Dir).1, expected, "{glob} {dir}");
    }
}

#[test]
fn hidden_names_are_passed_over_unless_asked_for() {
    assert_eq!(judge(&query(""), "a/.b", Kind::Dir), (false, false));
    let all = Query { hidden: Hidden::Include, ..query("") };
    assert_eq!(judge(&all, "a/.b", Kind::Dir), (true, true));
}

#[test]
fn the_inside_of_git_can_be_left_out() {
    let query = Query { hidden: Hidden::Include, ignored: Ignored::IncludeNoGit, ..query("") };
    assert_eq!(judge(&query, "a/.git", Kind::Dir), (true, false));
    assert_eq!(judge(&query, "a/.git", Kind::File), (true, false));
    assert_eq!(judge(&query, "a/.gitx", Kind::Dir), (true, true));
}

#[test]
fn only_the_kinds_asked_for_count() {
    let dirs = Query { kinds: Kinds::Dirs, ..query("") };
    assert_eq!(judge(&dirs, "a", Kind::Dir), (true, true));
    assert_eq!(judge(&dirs, "a", Kind::File), (false, false));
    let files = Query { kinds: Kinds::Files, ..query("") };
    assert_eq!(judge(&files, "a", Kind::Dir), (false, true));
    assert_eq!(judge(&files, "a", Kind::Symlink), (false, false));
}

#[test]
fn direct_entries_are_not_entered() {
    let flat = Query { reach: garth_contract::Reach::Entries, ..query("") };
    assert_eq!(judge(&flat, "a", Kind::Dir), (true, false));
}

#[test]
fn what_an_ignore_file_takes_back_is_seen_even_when_hidden() {
    let filter = Filter::compile(&Query { ignored: Ignored::Skip, ..query("") }).unwrap();
    let files = IgnoreFiles { gitignore: Some(b"*.log\n!.keep\n"), ..IgnoreFiles::default() };
    let ignores = Ignores::none().below(b"", files);
    let counts = |name: &str| {
        let met = Met { path: name.as_bytes(), name: name.as_bytes(), kind: Kind::File };
        filter.judge(&met, &ignores).counts
    };
    assert!(counts(".keep"));
    assert!(counts("a.txt"));
    assert!(!counts(".other"));
    assert!(!counts("a.log"));
}

#[test]
fn a_bad_glob_is_refused_with_its_position() {
    for (glob, position) in [("src/[a", 4), ("../x", 0), ("a/../b", 2), ("", 0), ("{a", 0)] {
        let query = Query { include: vec![Glob::Path(glob.into())], ..query("") };
        let error = Filter::compile(&query).unwrap_err();
        assert_eq!(error.code(), Code::InvalidPattern, "{glob}");
        assert_eq!(error.details(), [Detail::Position(position)], "{glob}");
    }
    let many = vec![Glob::Filter("a".repeat(4000)); 1000];
    assert!(Filter::compile(&Query { include: many, ..query("") }).is_err());
}

#[test]
fn every_entry_counts_only_where_nothing_is_asked_of_any() {
    let reach = garth_contract::Reach::Entries;
    let plain = || Query { reach, hidden: Hidden::Include, ..query("d") };
    let counts_all = |query: Query| Filter::compile(&query).unwrap().counts_all_entries();
    assert!(counts_all(plain()));
    assert!(counts_all(Query { ignored: Ignored::IncludeNoGit, ..plain() }));
    let glob = || vec![Glob::Filter("*.rs".into())];
    for asked in [
        Query { reach: garth_contract::Reach::Tree, ..plain() },
        Query { include: glob(), ..plain() },
        Query { exclude: glob(), ..plain() },
        Query { kinds: Kinds::Files, ..plain() },
        Query { kinds: Kinds::Dirs, ..plain() },
        Query { hidden: Hidden::Skip, ..plain() },
        Query { ignored: Ignored::Skip, ..plain() },
        Query { after: Some(WsPath::from_bytes(b"d/a").unwrap()), ..plain() },
    ] {
        assert!(!counts_all(asked.clone()), "{asked:?}");
    }
}
