//! Forks and snapshots: the same files, from then on apart.

use garth_contract::{Code, Depth, Policy};
use garth_memory::Memory;

use crate::fixture::{REFUSE, WHOLE, Ws, workspace, workspace_under};

#[test]
fn a_fork_and_its_original_go_their_own_ways() {
    let ws = workspace(&[("d/a", "1"), ("d/b", "2")]);
    let fork = Ws(ws.0.fork());
    fork.write("d/a", "changed").unwrap();
    fork.remove("d/b", Depth::One).unwrap();
    ws.write("d/c", "3").unwrap();
    assert_eq!((ws.tree(), ws.read("d/a")), (all(&["d", "d/a", "d/b", "d/c"]), Ok("1".into())));
    assert_eq!((fork.tree(), fork.read("d/a")), (all(&["d", "d/a"]), Ok("changed".into())));
}

#[test]
fn forks_share_their_content() {
    let ws = workspace(&[("a", "the same bytes")]);
    let fork = Ws(ws.0.fork());
    let pointer = |ws: &Ws| ws.content("a", WHOLE).unwrap().bytes.as_ptr();
    assert_eq!(pointer(&ws), pointer(&fork));
}

#[test]
fn a_restored_workspace_is_what_it_was() {
    let ws = workspace(&[("a", "1"), (".gitignore", "ignored"), ("d/", "")]);
    let before = ws.0.snapshot();
    ws.write("a", "2").unwrap();
    ws.write("ignored", "new").unwrap();
    ws.rename("d", "e", REFUSE).unwrap();
    let after = ws.0.snapshot();
    ws.0.restore(&before).unwrap();
    assert_eq!((ws.tree(), ws.read("a")), (all(&[".gitignore", "a", "d"]), Ok("1".into())));
    ws.0.restore(&after).unwrap();
    assert_eq!(ws.tree(), [".gitignore", "a", "e", "ignored"]);
}

#[test]
fn what_was_read_stays_whole_when_the_file_is_replaced() {
    let ws = workspace(&[("a", "old content")]);
    let read = ws.content("a", WHOLE).unwrap();
    ws.write("a", "new").unwrap();
    ws.remove("a", Depth::One).unwrap();
    assert_eq!(&read.bytes[..], b"old content");
}

#[test]
fn a_snapshot_without_room_is_refused() {
    let ws = workspace(&[("a", "12345")]);
    let small = workspace_under(Policy { quota: Some(4), ..Policy::open() }, &[]);
    let restored = small.0.restore(&ws.0.snapshot()).map_err(|error| error.code());
    assert_eq!(restored, Err(Code::QuotaExceeded));
    assert!(small.tree().is_empty());
}

#[test]
fn a_snapshot_outlives_its_workspace() {
    let ws = workspace(&[("a", "1")]);
    let snapshot = ws.0.snapshot();
    drop(ws);
    let other = Ws(Memory::new(Policy::open()).unwrap());
    other.0.restore(&snapshot).unwrap();
    assert_eq!(other.read("a"), Ok("1".into()));
}

fn all(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
