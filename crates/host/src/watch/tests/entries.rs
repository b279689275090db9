//! What is told of files: made, changed, removed, moved, replaced.

use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

#[test]
fn a_new_file_is_created() {
    let scene = Scene::new();
    let mut seen = scene.watch(&everything());
    scene.make(&["a.txt"]);
    assert_eq!(seen.outcome(), [("a.txt".into(), Change::Created)]);
}

#[test]
fn a_written_file_is_modified() {
    let scene = Scene::new();
    scene.make(&["a.txt"]);
    let mut seen = scene.watch(&everything());
    fs::write(scene.at("a.txt"), "more").unwrap();
    assert_eq!(seen.outcome(), [("a.txt".into(), Change::Modified)]);
}

#[test]
fn a_changed_mode_is_a_modification() {
    let scene = Scene::new();
    scene.make(&["a.txt", "d/"]);
    let mut seen = scene.watch(&everything());
    for name in ["a.txt", "d"] {
        fs::set_permissions(scene.at(name), fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert_eq!(seen.events(), [modified("a.txt"), modified("d")]);
}

#[test]
fn a_removed_file_is_deleted() {
    let scene = Scene::new();
    scene.make(&["a.txt"]);
    let mut seen = scene.watch(&everything());
    fs::remove_file(scene.at("a.txt")).unwrap();
    assert_eq!(seen.events(), [deleted("a.txt")]);
}

#[test]
fn a_file_that_is_removed_at_once_is_told_as_deleted_to_who_may_have_listed_it() {
    let scene = Scene::new();
    let mut seen = scene.watch(&everything());
    for number in 0..50 {
        let name = format!("{number}");
        fs::write(scene.at(&name), "").unwrap();
        fs::remove_file(scene.at(&name)).unwrap();
        assert_eq!(seen.events().last(), Some(&deleted(&name)));
    }
}

#[test]
fn a_move_deletes_the_source_and_creates_the_destination() {
    let scene = Scene::new();
    scene.make(&["a.txt", "d/"]);
    let mut seen = scene.watch(&everything());
    fs::rename(scene.at("a.txt"), scene.at("d/b.txt")).unwrap();
    assert_eq!(seen.events(), [deleted("a.txt"), created("d/b.txt")]);
}

#[test]
fn a_file_moved_in_is_created_and_one_moved_out_deleted() {
    let scene = Scene::new();
    scene.make(&["old"]);
    fs::write(scene.outside("new"), "").unwrap();
    let mut seen = scene.watch(&everything());
    fs::rename(scene.outside("new"), scene.at("new")).unwrap();
    fs::rename(scene.at("old"), scene.outside("old")).unwrap();
    assert_eq!(seen.events(), [created("new"), deleted("old")]);
}

#[test]
fn an_atomic_replace_is_one_modification() {
    let scene = Scene::new();
    scene.make(&["a.txt"]);
    let mut seen = scene.watch(&everything());
    scene.replace("a.txt");
    assert_eq!(seen.events(), [modified("a.txt")]);
    scene.replace("b.txt");
    assert_eq!(seen.events(), [created("b.txt")]);
    scene.replace("b.txt");
    assert_eq!(seen.events(), [modified("b.txt")]);
}

#[test]
fn a_file_removed_and_then_put_in_place_again_is_there() {
    let scene = Scene::new();
    scene.make(&["a.txt"]);
    let mut seen = scene.watch(&everything());
    fs::remove_file(scene.at("a.txt")).unwrap();
    scene.replace("a.txt");
    assert_eq!(seen.outcome(), [("a.txt".into(), Change::Modified)]);
}

#[test]
fn two_names_that_are_exchanged_are_modified_and_neither_is_deleted() {
    let scene = Scene::new();
    scene.make(&["a", "b", "d/c"]);
    let mut seen = scene.watch(&everything());
    renameat_with(CWD, scene.at("a"), CWD, scene.at("b"), RenameFlags::EXCHANGE).unwrap();
    let both = [("a".into(), Change::Modified), ("b".into(), Change::Modified)];
    assert_eq!(seen.outcome(), both);
    fs::write(scene.outside("x"), "").unwrap();
    renameat_with(CWD, scene.outside("x"), CWD, scene.at("a"), RenameFlags::EXCHANGE).unwrap();
    assert_eq!(seen.outcome(), [("a".into(), Change::Modified)]);
}

#[test]
fn a_link_is_an_entry_like_any_other() {
    let scene = Scene::new();
    let mut seen = scene.watch(&everything());
    symlink("nowhere", scene.at("link")).unwrap();
    assert_eq!(seen.events(), [created("link")]);
    fs::remove_file(scene.at("link")).unwrap();
    assert_eq!(seen.events(), [deleted("link")]);
}

#[test]
fn a_name_that_is_no_text_is_told_as_it_is() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    let mut seen = scene.watch(&everything());
    fs::create_dir(scene.at("").join(std::ffi::OsStr::from_bytes(b"\xff\n"))).unwrap();
    let change = Change::Created;
    let path = WsPath::from_bytes(b"\xff\n").unwrap();
    assert_eq!(seen.events(), [Event::Changed { path, change }]);
}

#[test]
fn what_happened_before_is_not_told() {
    let scene = Scene::new();
    let mut first = scene.watch(&everything());
    for number in 0..50 {
        scene.make(&[&format!("{number}")]);
        let mut second = scene.watch(&everything());
        assert_eq!(second.events(), []);
        drop(second);
    }
    assert_eq!(first.outcome().len(), 100);
}

#[test]
fn our_temporary_files_are_never_told() {
    let scene = Scene::new();
    scene.make(&["a.txt"]);
    let mut seen = scene.watch(&WatchSpec { hidden: Hidden::Include, ..everything() });
    fs::write(scene.at(".garth-fedcba9876543210.tmp"), "left by a crash").unwrap();
    let temporary = scene.at(".garth-0123456789abcdef.tmp");
    fs::write(&temporary, "new").unwrap();
    fs::rename(&temporary, scene.at("a.txt")).unwrap();
    assert_eq!(seen.events(), [modified("a.txt")]);
    // The way of a write that looks at what it displaced.
    fs::write(&temporary, "newer").unwrap();
    renameat_with(CWD, &temporary, CWD, scene.at("a.txt"), RenameFlags::EXCHANGE).unwrap();
    fs::remove_file(&temporary).unwrap();
    assert_eq!(seen.outcome(), [("a.txt".into(), Change::Modified)]);
}

#[test]
fn one_file_can_be_watched_through_replacement_and_removal() {
    let scene = Scene::new();
    scene.make(&["d/a.txt", "d/b.txt"]);
    let mut seen = scene.watch(&WatchSpec { path: path("d/a.txt"), ..everything() });
    scene.replace("d/b.txt");
    scene.replace("d/a.txt");
    assert_eq!(seen.next(), Some(modified("d/a.txt")));
    fs::remove_file(scene.at("d/a.txt")).unwrap();
    assert_eq!(seen.next(), Some(deleted("d/a.txt")));
    scene.replace("d/b.txt");
    scene.replace("d/a.txt");
    assert_eq!(seen.next(), Some(created("d/a.txt")));
}

#[test]
fn a_file_that_was_named_is_told_though_it_is_hidden_and_ignored() {
    let scene = Scene::new();
    scene.make(&[".env"]);
    fs::write(scene.at(".gitignore"), ".env\n").unwrap();
    let mut seen = scene.watch(&WatchSpec { path: path(".env"), ..everything() });
    scene.replace(".env");
    assert_eq!(seen.next(), Some(modified(".env")));
}

#[test]
fn what_is_not_there_cannot_be_watched() {
    let scene = Scene::new();
    scene.make(&["file"]);
    for missing in ["nothing", "no/thing", "file/below"] {
        let refused = scene.try_watch(&WatchSpec { path: path(missing), ..everything() });
        assert_eq!(refused.err().unwrap().code(), Code::FileNotFound, "{missing}");
    }
}
