//! When a watch ends: nobody reads, or there is nothing left.

use super::*;

#[test]
fn dropping_the_stream_ends_the_thread_and_all_watches() {
    let scene = Scene::new();
    scene.make(&["d/"]);
    let seen = scene.watch(&everything());
    let readers = lock(&scene.watches.live).first().unwrap().readers.clone();
    assert!(scene.is_watched("d"));
    drop(seen);
    until(|| readers.strong_count() == 0);
    assert!(!scene.is_watched("") && !scene.is_watched("d"));
}

#[test]
fn the_end_of_the_workspace_ends_the_stream() {
    let scene = Scene::new();
    let mut watch = scene.try_watch(&everything()).unwrap();
    let Scene { home, watches, .. } = scene;
    drop(watches);
    assert_eq!(in_time(poll_fn(|context| watch.as_mut().poll_next(context))), None);
    drop(home);
}

#[test]
fn a_removed_root_ends_the_stream() {
    let scene = Scene::new();
    scene.make(&["d/file"]);
    let mut seen = scene.watch(&everything());
    fs::remove_dir_all(scene.at("")).unwrap();
    for gone in ["d/file", "d", ""] {
        assert_eq!(seen.next(), Some(deleted(gone)));
    }
    assert_eq!(seen.next(), None);
}

#[test]
fn a_watched_directory_that_is_removed_ends_the_stream() {
    let scene = Scene::new();
    scene.make(&["a/b/file"]);
    let mut seen = scene.watch(&WatchSpec { path: path("a/b"), ..everything() });
    fs::remove_dir_all(scene.at("a/b")).unwrap();
    assert_eq!(seen.next(), Some(deleted("a/b/file")));
    assert_eq!(seen.next(), Some(deleted("a/b")));
    assert_eq!(seen.next(), None);
    let refused = scene.try_watch(&WatchSpec { path: path("a/b"), ..everything() });
    assert_eq!(refused.err().unwrap().code(), Code::FileNotFound);
}

#[test]
fn a_watched_file_whose_directory_is_removed_ends_the_stream() {
    let scene = Scene::new();
    scene.make(&["d/file"]);
    let mut seen = scene.watch(&WatchSpec { path: path("d/file"), ..everything() });
    fs::rename(scene.at("d"), scene.outside("d")).unwrap();
    assert_eq!(seen.next(), Some(deleted("d/file")));
    assert_eq!(seen.next(), None);
}

#[test]
fn a_watched_directory_whose_parent_is_moved_away_ends_the_stream() {
    let scene = Scene::new();
    scene.make(&["a/b/c/file"]);
    let mut seen = scene.watch(&WatchSpec { path: path("a/b/c"), ..everything() });
    fs::rename(scene.at("a"), scene.at("elsewhere")).unwrap();
    assert_eq!(seen.next(), Some(deleted("a/b/c/file")));
    assert_eq!(seen.next(), Some(deleted("a/b/c")));
    assert_eq!(seen.next(), None);
    until(|| !scene.is_watched("elsewhere/b/c"));
}

#[test]
fn a_watched_directory_that_is_replaced_at_once_is_followed() {
    let scene = Scene::new();
    scene.make(&["a/file", "b/other"]);
    let mut seen = scene.watch(&WatchSpec { path: path("a"), ..everything() });
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, scene.at("a"), CWD, scene.at("b"), RenameFlags::EXCHANGE).unwrap();
    seen.wait_for_overflow();
    assert!(scene.is_watched("a") && !scene.is_watched("b"));
    scene.replace("a/other");
    assert_eq!(seen.events_in("a/"), [modified("a/other")]);
}

#[test]
fn a_cancelled_start_leaves_nothing() {
    let scene = Scene::new();
    scene.make(&["d/"]);
    let refused = scene.watches.watch(&WsPath::root(), &everything(), &AtomicBool::new(true));
    assert_eq!(refused.err().unwrap().code(), Code::Cancelled);
    assert!(!scene.is_watched(""));
}
