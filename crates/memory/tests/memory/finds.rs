//! Walks: what is found, in which order, and how it is counted.

use garth_contract::{
    Case, Code, Detail, Filesystem, Flow, Found, Glob, Grep, Hidden, Ignored, Kinds, Lines, Order,
    Output, Query, Reach, Sink, Summary, Syntax, Total,
};
use std::sync::Arc;

use crate::fixture::{Ws, everything, filter, now, path, paths, workspace};

fn grep(pattern: &str, output: Output) -> Query {
    let grep = Grep {
        pattern: pattern.into(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        lines: Lines::Single,
        output,
        before: 0,
        after: 0,
    };
    Query { grep: Some(grep), kinds: Kinds::Files, ..everything() }
}

fn found(ws: &Ws, query: &Query) -> Vec<String> {
    paths(&ws.find(query).unwrap().0)
}

#[test]
fn a_walk_goes_in_the_order_of_paths() {
    let ws = workspace(&[("a/z", ""), ("a-b", ""), ("a/b/c", ""), ("b", ""), ("empty/", "")]);
    assert_eq!(ws.tree(), ["a", "a/b", "a/b/c", "a/z", "a-b", "b", "empty"]);
    let flat = Query { reach: Reach::Entries, ..everything() };
    assert_eq!(found(&ws, &flat), ["a", "a-b", "b", "empty"]);
    let below = Query { base: path("a"), ..everything() };
    assert_eq!(found(&ws, &below), ["a/b", "a/b/c", "a/z"]);
    let dirs = Query { kinds: Kinds::Dirs, ..everything() };
    assert_eq!(found(&ws, &dirs), ["a", "a/b", "empty"]);
}

#[test]
fn globs_are_read_from_the_base() {
    let ws = workspace(&[("src/main.py", ""), ("src/test.py", ""), ("docs/readme.md", "")]);
    let query = Query { include: vec![Glob::Path("src/*.py".into())], ..everything() };
    assert_eq!(found(&ws, &query), ["src/main.py", "src/test.py"]);
    let nothing = Query { include: filter("*.rs"), ..everything() };
    assert_eq!(ws.find(&nothing).unwrap().1.total, Total::Exact(0));
    let not_src = Query { exclude: filter("src"), kinds: Kinds::Files, ..everything() };
    assert_eq!(found(&ws, &not_src), ["docs/readme.md"]);
}

#[test]
fn links_are_reported_and_never_followed() {
    let ws = workspace(&[("d/a", "x"), ("d/loop", "-> .."), ("l", "-> d"), ("out", "-> /etc")]);
    assert_eq!(ws.tree(), ["d", "d/a", "d/loop", "l", "out"]);
    assert_eq!(found(&ws, &grep("x", Output::Files)), ["d/a"]);
    let through = Query { base: path("l"), ..everything() };
    assert_eq!(found(&ws, &through), ["d/a", "d/loop"]);
}

#[test]
fn ignore_files_hold_from_the_root_down_and_hidden_names_are_passed_over() {
    let ws = workspace(&[
        (".gitignore", "*.log\n/build\n"),
        ("sub/.ignore", "!keep.log\ntmp\n*.mine\n"),
        ("sub/keep.log", ""),
        ("sub/other.log", ""),
        ("sub/tmp/x", ""),
        ("sub/a", ""),
        ("build/out", ""),
        (".git/info/exclude", "*.bak\n"),
        ("a.bak", ""),
        ("tail.mine", ""),
        ("a", ""),
    ]);
    let plain =
        Query { hidden: Hidden::Skip, ignored: Ignored::Skip, kinds: Kinds::Files, ..everything() };
    assert_eq!(found(&ws, &plain), ["a", "sub/a", "sub/keep.log", "tail.mine"]);
    let below = Query { base: path("sub"), ..plain };
    assert_eq!(found(&ws, &below), ["sub/a", "sub/keep.log"]);
    let no_git = Query { ignored: Ignored::IncludeNoGit, kinds: Kinds::Files, ..everything() };
    assert!(found(&ws, &no_git).iter().all(|path| !path.starts_with(".git/")));
}

#[test]
fn newest_come_first_and_equal_times_by_path() {
    let ws = workspace(&[("b", ""), ("a", "")]);
    for name in ["old", "d/mid", "new"] {
        ws.write(name, "x").unwrap();
    }
    let query = Query { order: Order::Newest, kinds: Kinds::Files, ..grep("x", Output::Files) };
    assert_eq!(found(&ws, &query), ["new", "d/mid", "old"]);
    let page = Query { skip: 1, take: 1, ..query };
    let (results, summary) = ws.find(&page).unwrap();
    assert_eq!((paths(&results), summary.total), (vec!["d/mid".to_owned()], Total::Exact(3)));
}

#[test]
fn lines_come_by_path_and_then_by_number() {
    let ws = workspace(&[("b", "x\ny\nx y\n"), ("a", "no\n x\n"), ("bin", "x\0x\n")]);
    let (results, summary) = ws.find(&grep("x", Output::Content)).unwrap();
    assert_eq!(paths(&results), ["a:2", "b:1", "b:3"]);
    let expected =
        Summary { given: 3, total: Total::Exact(3), searched: 3, binary: 1, unreadable: 0 };
    assert_eq!(summary, expected);
    assert_eq!(found(&ws, &grep("x", Output::Count)), ["a: 1", "b: 2"]);
}

#[test]
fn no_more_than_wanted_are_given_and_the_rest_is_said_to_be_open() {
    let ws = workspace(&[("a", "x\nx\n"), ("b", "x\n"), ("c", "x\n")]);
    let query = Query { skip: 1, take: 2, ..grep("x", Output::Content) };
    let (results, summary) = ws.find(&query).unwrap();
    assert_eq!(paths(&results), ["a:2", "b:1"]);
    assert_eq!((summary.given, summary.total), (2, Total::AtLeast(3)));
}

#[test]
fn a_file_can_be_the_base() {
    let ws = workspace(&[("d/.hidden", "x\n"), (".gitignore", "d\n")]);
    let query = Query {
        base: path("d/.hidden"),
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        ..grep("x", Output::Content)
    };
    assert_eq!(found(&ws, &query), ["d/.hidden:1"]);
    assert_eq!(found(&ws, &Query { grep: None, ..query }), ["d/.hidden"]);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let ws = workspace(&[("a", "")]);
    let missing = Query { base: path("no"), ..everything() };
    assert_eq!(ws.find(&missing).unwrap_err(), Code::FileNotFound);
    let wrong = grep("a(", Output::Content);
    let sink = Arc::new(garth_contract::Collect::default());
    let error = now(ws.0.find(&wrong, sink)).unwrap_err();
    assert_eq!(error.code(), Code::InvalidPattern);
    assert!(matches!(error.details(), [Detail::Position(_)]), "{error:?}");
    let glob = Query { include: filter("a["), ..everything() };
    assert_eq!(ws.find(&glob).unwrap_err(), Code::InvalidPattern);
}

#[test]
fn a_sink_that_has_enough_ends_the_walk() {
    struct One(std::sync::Mutex<Vec<String>>);
    impl Sink for One {
        fn accept(&self, found: Found<'_>) -> Flow {
            self.0.lock().unwrap().push(format!("{found:?}"));
            Flow::Stop
        }
    }
    let ws = workspace(&[("a", ""), ("b", "")]);
    let sink = Arc::new(One(std::sync::Mutex::default()));
    let summary = now(ws.0.find(&everything(), Arc::clone(&sink) as _)).unwrap();
    assert_eq!(sink.0.lock().unwrap().len(), 1);
    assert_eq!((summary.given, summary.total), (1, Total::AtLeast(1)));
}
