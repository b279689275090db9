//! Slow readers, lost events and watches that run out.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn a_burst_that_nobody_reads_is_an_overflow_and_then_goes_on() {
    let scene = Scene::new();
    scene.make(&["d/"]);
    let mut seen = scene.watch(&everything());
    scene.make(&["file"]);
    for number in 0..20_000 {
        fs::hard_link(scene.at("file"), scene.at(&format!("d/{number}"))).unwrap();
    }
    seen.wait_for_overflow();
    // The rest of the burst, which may overflow once more.
    seen.events();
    scene.replace("d/7");
    scene.make(&["e/f/"]);
    assert_eq!(seen.outcome().first(), Some(&("d/7".into(), Change::Modified)));
    scene.replace("e/f/file");
    assert_eq!(seen.events(), [created("e/f/file")]);
}

#[test]
fn events_that_the_kernel_lost_are_an_overflow_and_new_directories_are_found() {
    let scene = Scene::new();
    scene.make(&["one", "two", "old/"]);
    let mut seen = scene.watch(&everything());
    {
        let live = lock(&scene.watches.live);
        let readers = live.first().unwrap().readers.upgrade().unwrap();
        // The thread cannot tell anybody, so that it reads nothing meanwhile.
        let _held = readers.hold();
        overflow_the_kernel(&scene);
        fs::rename(scene.at("old"), scene.outside("old")).unwrap();
        scene.make(&["new/deep/"]);
    }
    seen.wait_for_overflow();
    seen.events();
    let inode = fs::metadata(scene.outside("old")).unwrap().ino();
    assert!(!watched().contains(&inode));
    scene.replace("new/deep/file");
    assert_eq!(seen.events(), [created("new/deep/file")]);
}

/// Makes more events than the kernel keeps, no two in a row alike.
fn overflow_the_kernel(scene: &Scene) {
    // The thread may take this many before it tries to tell of them.
    const TAKEN: u32 = 40_000;
    let kept = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    for round in 0..(kept.trim().parse().unwrap_or(16_384) + TAKEN) / 2 {
        for name in ["one", "two"] {
            let mode = fs::Permissions::from_mode(0o600 | (round & 7));
            fs::set_permissions(scene.at(name), mode).unwrap();
        }
    }
}

#[test]
fn too_many_directories_at_the_start_are_refused_with_what_to_do() {
    let mut scene = Scene::new();
    scene.watches.room = 3;
    scene.make(&["a/", "b/", "c/"]);
    let error = scene.try_watch(&everything()).err().unwrap();
    assert_eq!(error.code(), Code::QuotaExceeded);
    assert!(error.advice().contains("max_user_watches"), "{}", error.advice());
}

#[test]
fn running_out_of_watches_later_is_an_overflow_that_comes_again() {
    let mut scene = Scene::new();
    scene.watches.room = 3;
    scene.make(&["a/", "b/"]);
    let mut seen = scene.watch(&everything());
    fs::create_dir(scene.at("c")).unwrap();
    seen.wait_for_overflow();
    // What could not be watched may have changed: the reader is told to look again.
    seen.wait_for_overflow();
    fs::remove_dir(scene.at("c")).unwrap();
    fs::remove_dir(scene.at("b")).unwrap();
    seen.wait_for_overflow();
    scene.replace("a/file");
    assert_eq!(seen.events(), [created("a/file")]);
}

#[test]
fn readers_of_the_same_share_one_watch_and_each_hears_all() {
    let scene = Scene::new();
    scene.make(&["d/"]);
    let mut one = scene.watch(&everything());
    let mut two = scene.watch(&everything());
    assert_eq!(lock(&scene.watches.live).len(), 1);
    let other = scene.watch(&WatchSpec { hidden: Hidden::Include, ..everything() });
    assert_eq!(lock(&scene.watches.live).len(), 2);
    drop(other);
    scene.replace("d/a");
    assert_eq!(one.next(), Some(created("d/a")));
    assert_eq!(two.next(), Some(created("d/a")));
    drop(one);
    scene.replace("d/a");
    assert_eq!(two.next(), Some(modified("d/a")));
}
