//! Nothing outside of the root is ever watched, whatever is swapped meanwhile.

use std::{os::unix::fs::symlink, thread};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

#[test]
fn linked_directories_are_not_entered() {
    let scene = Scene::new();
    scene.make(&["real/"]);
    fs::create_dir(scene.outside("sub")).unwrap();
    symlink(scene.outside(""), scene.at("out")).unwrap();
    symlink("real", scene.at("in")).unwrap();
    let mut seen = scene.watch(&everything());
    let outside = fs::metadata(scene.outside("")).unwrap().ino();
    assert!(!watched().contains(&outside));
    fs::write(scene.outside("file"), "").unwrap();
    scene.replace("real/file");
    assert_eq!(seen.events(), [created("real/file")]);
    symlink(scene.outside(""), scene.at("later")).unwrap();
    assert_eq!(seen.events(), [created("later")]);
    assert!(!watched().contains(&outside));
}

#[test]
fn a_watch_through_a_link_that_was_swapped_in_is_refused() {
    let scene = Scene::new();
    fs::create_dir(scene.outside("sub")).unwrap();
    symlink(scene.outside(""), scene.at("d")).unwrap();
    let refused = scene.try_watch(&WatchSpec { path: path("d/sub"), ..everything() });
    assert_eq!(refused.err().unwrap().code(), Code::FileNotFound);
}

#[test]
fn a_directory_swapped_for_a_link_is_never_watched_outside() {
    let scene = Scene::new();
    scene.make(&["d/sub/"]);
    fs::create_dir(scene.outside("sub")).unwrap();
    symlink(scene.outside(""), scene.at("link")).unwrap();
    let inodes = ["", "sub"].map(|path| fs::metadata(scene.outside(path)).unwrap().ino());
    let outside = || inodes.iter().any(|inode| watched().contains(inode));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let (dir, link) = (scene.at("d"), scene.at("link"));
                renameat_with(CWD, dir, CWD, link, RenameFlags::EXCHANGE).unwrap();
                fs::write(scene.outside("sub/file"), "").unwrap();
            }
        });
        // One watch lives through it all, others are set while it goes on.
        let mut through = scene.watch(&everything());
        for round in 0..30 {
            let hidden = if round % 2 == 0 { Hidden::Include } else { Hidden::Skip };
            let spec = WatchSpec { hidden, reach: Reach::Tree, ..everything() };
            let ignored = Ignored::Include;
            drop(scene.watch(&WatchSpec { ignored, ..spec.clone() }));
            // A path below the swapped one is there or is not, and never outside.
            let below = WatchSpec { path: path("d/sub"), ignored, ..spec };
            if let Err(error) = scene.try_watch(&below) {
                assert_eq!(error.code(), Code::FileNotFound);
            }
            assert!(!outside(), "round {round}");
        }
        done.store(true, Ordering::Relaxed);
        for event in through.events() {
            let Event::Changed { path, .. } = event else { continue };
            assert!(!path.to_string().ends_with("sub/file"), "{path}");
        }
    });
    assert!(!outside());
}
