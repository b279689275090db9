//! Watches: what is told, what is not, and what happens to a slow reader.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use garth_contract::{
    Change, Code, Depth, Event, Filesystem, Hidden, Ignored, Parents, Policy, Reach, Watch,
    WatchSpec,
};

use crate::fixture::{REFUSE, REPLACE, Ws, now, path, workspace, workspace_under};

fn spec(name: &str) -> WatchSpec {
    WatchSpec {
        path: path(name),
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    }
}

fn watch(ws: &Ws, spec: &WatchSpec) -> Watch {
    now(ws.0.watch(spec)).unwrap()
}

/// All that there is to tell now, and `end` if the stream is over.
fn told(watch: &mut Watch) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let stream: Pin<&mut dyn futures_core::Stream<Item = Event>> = watch.as_mut();
        match stream.poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => return told,
            Poll::Ready(None) => {
                told.push("end".to_owned());
                return told;
            }
            Poll::Ready(Some(Event::Overflow)) => told.push("overflow".to_owned()),
            Poll::Ready(Some(Event::Changed { path, change })) => told.push(match change {
                Change::Created => format!("+{path}"),
                Change::Modified => format!("~{path}"),
                Change::Deleted => format!("-{path}"),
            }),
        }
    }
}

#[test]
fn each_change_is_told() {
    let ws = workspace(&[("old", "1")]);
    let mut watch = watch(&ws, &spec(""));
    ws.write("d/a", "1").unwrap();
    ws.write("old", "2").unwrap();
    assert_eq!(told(&mut watch), ["+d", "+d/a", "~old"]);
    ws.rename("d/a", "b", REFUSE).unwrap();
    assert_eq!(told(&mut watch), ["-d/a", "+b"]);
    ws.rename("b", "old", REPLACE).unwrap();
    assert_eq!(told(&mut watch), ["-b", "~old"]);
    ws.remove("d", Depth::One).unwrap();
    ws.make_dir("old2", Parents::Require).unwrap();
    ws.0.symlink(&path("l"), b"old").unwrap();
    assert_eq!(told(&mut watch), ["-d", "+old2", "+l"]);
}

#[test]
fn what_changes_nothing_is_not_told() {
    let ws = workspace(&[("d/a", "1")]);
    let mut watch = watch(&ws, &spec(""));
    ws.make_dir("d", Parents::Require).unwrap();
    ws.rename("d", "d", REFUSE).unwrap();
    ws.write("d", "x").unwrap_err();
    assert!(told(&mut watch).is_empty());
}

#[test]
fn a_tree_that_moves_is_told_with_all_it_holds() {
    let ws = workspace(&[("d/e/a", ""), ("d/b", "")]);
    let mut watch = watch(&ws, &spec(""));
    ws.rename("d", "x", REFUSE).unwrap();
    let expected = ["-d/b", "-d/e", "-d/e/a", "-d", "+x", "+x/b", "+x/e", "+x/e/a"];
    assert_eq!(told(&mut watch), expected);
    ws.remove("x/e", Depth::All).unwrap();
    assert_eq!(told(&mut watch), ["-x/e/a", "-x/e"]);
}

#[test]
fn several_changes_of_one_path_come_as_one() {
    let ws = workspace(&[("old", "1"), ("gone", "1")]);
    let mut watch = watch(&ws, &spec(""));
    ws.write("new", "1").unwrap();
    ws.write("old", "2").unwrap();
    ws.write("new", "2").unwrap();
    ws.remove("old", Depth::One).unwrap();
    ws.write("old", "3").unwrap();
    ws.write("brief", "1").unwrap();
    ws.remove("brief", Depth::One).unwrap();
    ws.write("gone", "2").unwrap();
    ws.remove("gone", Depth::One).unwrap();
    assert_eq!(told(&mut watch), ["+new", "~old", "-brief", "-gone"]);
}

#[test]
fn a_watch_tells_of_its_own_part_only() {
    let ws = workspace(&[("d/e/", ""), ("f", "1")]);
    let mut tree = watch(&ws, &spec("d"));
    let mut entries = watch(&ws, &WatchSpec { reach: Reach::Entries, ..spec("d") });
    let mut file = watch(&ws, &spec("f"));
    ws.write("d/a", "1").unwrap();
    ws.write("d/e/b", "1").unwrap();
    ws.write("f", "2").unwrap();
    ws.write("ff", "2").unwrap();
    assert_eq!(told(&mut tree), ["+d/a", "+d/e/b"]);
    assert_eq!(told(&mut entries), ["+d/a"]);
    assert_eq!(told(&mut file), ["~f"]);
}

#[test]
fn hidden_ignored_and_denied_paths_are_not_told() {
    let deny = vec!["*.key".to_owned()];
    let entries = [(".gitignore", "*.log\nbuild/\n"), ("sub/.gitignore", "only-here\n")];
    let ws = workspace_under(Policy { deny, ..Policy::open() }, &entries);
    let quiet = WatchSpec { hidden: Hidden::Skip, ignored: Ignored::Skip, ..spec("") };
    let mut quiet = watch(&ws, &quiet);
    let mut all = watch(&ws, &spec(""));
    for name in ["a.log", "build/x", ".env", ".d/x", "sub/only-here", "only-here", "sub/a"] {
        ws.write(name, "1").unwrap();
    }
    Ws(ws.0.under(Policy::open()).unwrap()).write("x.key", "1").unwrap();
    assert_eq!(told(&mut quiet), ["+only-here", "+sub/a"]);
    assert_eq!(told(&mut all).len(), 9);
    // A changed ignore file holds from then on.
    ws.write(".gitignore", "*.txt\n").unwrap();
    ws.write("b.txt", "").unwrap();
    ws.write("b.log", "").unwrap();
    assert_eq!(told(&mut quiet), ["+b.log"]);
}

#[test]
fn a_slow_reader_is_told_to_list_again() {
    let ws = workspace(&[]);
    let mut watch = watch(&ws, &spec(""));
    for number in 0..5_000 {
        ws.write(&format!("f{number}"), "").unwrap();
    }
    assert_eq!(told(&mut watch), ["overflow"]);
    ws.write("after", "").unwrap();
    assert_eq!(told(&mut watch), ["+after"]);
}

#[test]
fn a_watch_ends_with_what_it_watches() {
    let ws = workspace(&[("d/e/a", ""), ("x/", "")]);
    let mut gone = watch(&ws, &spec("d/e"));
    let mut file = watch(&ws, &spec("d/e/a"));
    ws.rename("d", "x/d", REFUSE).unwrap();
    assert_eq!(told(&mut gone), ["-d/e/a", "-d/e", "end"]);
    assert_eq!(told(&mut file), ["-d/e/a", "end"]);
    ws.write("d/e/a", "new").unwrap();
    assert_eq!(told(&mut gone), ["end"]);
}

#[test]
fn a_watch_ends_with_its_workspace() {
    let ws = workspace(&[]);
    let mut watch = watch(&ws, &spec(""));
    ws.write("a", "").unwrap();
    drop(ws);
    assert_eq!(told(&mut watch), ["+a", "end"]);
}

#[test]
fn a_restored_workspace_must_be_listed_again() {
    let ws = workspace(&[]);
    let before = ws.0.snapshot();
    ws.write("d/a", "").unwrap();
    let (mut root, mut dir) = (watch(&ws, &spec("")), watch(&ws, &spec("d")));
    ws.0.restore(&before).unwrap();
    assert_eq!(told(&mut root), ["overflow"]);
    assert_eq!(told(&mut dir), ["overflow", "end"]);
}

#[test]
fn a_watch_sees_what_another_handle_changes() {
    let ws = workspace(&[]);
    let other = Ws(ws.0.under(Policy::open()).unwrap());
    let mut watch = watch(&ws, &spec(""));
    other.write("a", "").unwrap();
    drop(ws);
    assert_eq!(told(&mut watch), ["+a"]);
    drop(other);
    assert_eq!(told(&mut watch), ["end"]);
}

#[test]
fn a_fork_is_not_watched_with_its_original() {
    let ws = workspace(&[]);
    let mut watch = watch(&ws, &spec(""));
    Ws(ws.0.fork()).write("a", "").unwrap();
    assert!(told(&mut watch).is_empty());
}

#[test]
fn a_watch_through_a_link_speaks_the_watchers_paths() {
    let ws = workspace(&[("d/", ""), ("l", "-> d")]);
    let mut watch = watch(&ws, &spec("l"));
    ws.write("d/a", "").unwrap();
    assert_eq!(told(&mut watch), ["+l/a"]);
}

#[test]
fn what_is_not_there_cannot_be_watched() {
    let ws = workspace(&[("out", "-> /etc")]);
    let code = |name| now(ws.0.watch(&spec(name))).map(drop).unwrap_err().code();
    assert_eq!(code("no"), Code::FileNotFound);
    assert_eq!(code("out"), Code::PathOutsideWorkspace);
}

#[test]
fn there_is_an_end_to_watches_and_a_dropped_one_makes_room() {
    let ws = workspace(&[]);
    let mut watches: Vec<Watch> = (0..1024).map(|_| watch(&ws, &spec(""))).collect();
    let over = now(ws.0.watch(&spec(""))).map(drop).unwrap_err();
    assert_eq!(over.code(), Code::QuotaExceeded);
    watches.pop();
    assert!(now(ws.0.watch(&spec(""))).is_ok());
}
