//! Directories that come, go and move while they are watched.

use std::os::unix::fs::PermissionsExt;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

#[test]
fn everything_in_new_nested_directories_is_told() {
    let scene = Scene::new();
    let mut seen = scene.watch(&everything());
    for round in 0..50 {
        scene.make(&[&format!("{round}/b/c/file")]);
        let all = ["", "/b", "/b/c", "/b/c/file"].map(|below| format!("{round}{below}"));
        assert_eq!(seen.outcome(), all.map(|path| (path, Change::Created)));
    }
    scene.replace("7/b/c/file");
    scene.replace("7/b/c/other");
    assert_eq!(seen.events(), [modified("7/b/c/file"), created("7/b/c/other")]);
}

#[test]
fn a_directory_moved_in_is_told_with_all_it_holds() {
    let scene = Scene::new();
    fs::create_dir_all(scene.outside("d/sub")).unwrap();
    fs::write(scene.outside("d/sub/file"), "").unwrap();
    let mut seen = scene.watch(&everything());
    fs::rename(scene.outside("d"), scene.at("d")).unwrap();
    assert_eq!(seen.events(), [created("d"), created("d/sub"), created("d/sub/file")]);
    scene.replace("d/sub/file");
    assert_eq!(seen.events(), [modified("d/sub/file")]);
}

#[test]
fn a_directory_moved_out_is_told_with_all_it_held_and_watched_no_more() {
    let scene = Scene::new();
    scene.make(&["d/sub/file", "d/a"]);
    let inode = fs::metadata(scene.at("d/sub")).unwrap().ino();
    let mut seen = scene.watch(&everything());
    assert!(watched().contains(&inode));
    fs::rename(scene.at("d"), scene.outside("d")).unwrap();
    fs::write(scene.outside("d/sub/file"), "changed").unwrap();
    let gone = [deleted("d/sub/file"), deleted("d/a"), deleted("d/sub"), deleted("d")];
    assert_eq!(seen.events(), gone);
    assert!(!watched().contains(&inode));
    fs::write(scene.outside("d/sub/file"), "changed again").unwrap();
    assert_eq!(seen.events(), []);
}

#[test]
fn a_directory_moved_within_is_followed_to_its_new_place() {
    let scene = Scene::new();
    scene.make(&["a/sub/file", "b/"]);
    let mut seen = scene.watch(&everything());
    fs::rename(scene.at("a"), scene.at("b/c")).unwrap();
    let [deleted_all, created_all] = [Change::Deleted, Change::Created];
    assert_eq!(
        seen.outcome(),
        [
            ("a".into(), deleted_all),
            ("a/sub".into(), deleted_all),
            ("a/sub/file".into(), deleted_all),
            ("b/c".into(), created_all),
            ("b/c/sub".into(), created_all),
            ("b/c/sub/file".into(), created_all),
        ]
    );
    scene.replace("b/c/sub/file");
    assert_eq!(seen.events(), [modified("b/c/sub/file")]);
}

#[test]
fn directories_that_are_exchanged_are_both_followed() {
    let scene = Scene::new();
    scene.make(&["a/x", "b/y"]);
    let mut seen = scene.watch(&everything());
    renameat_with(CWD, scene.at("a"), CWD, scene.at("b"), RenameFlags::EXCHANGE).unwrap();
    assert_eq!(
        seen.outcome(),
        [
            ("a".into(), Change::Modified),
            ("a/x".into(), Change::Deleted),
            ("a/y".into(), Change::Created),
            ("b".into(), Change::Modified),
            ("b/x".into(), Change::Created),
            ("b/y".into(), Change::Deleted),
        ]
    );
    scene.replace("a/y");
    scene.replace("b/x");
    assert_eq!(seen.events(), [modified("a/y"), modified("b/x")]);
}

#[test]
fn a_removed_tree_is_told_to_the_last_entry() {
    let scene = Scene::new();
    scene.make(&["d/sub/file", "d/a"]);
    let mut seen = scene.watch(&everything());
    fs::remove_dir_all(scene.at("d")).unwrap();
    let all = ["d", "d/a", "d/sub", "d/sub/file"];
    assert_eq!(seen.outcome(), all.map(|path| (path.into(), Change::Deleted)));
    scene.make(&["d/sub/file"]);
    let all = ["d", "d/sub", "d/sub/file"];
    assert_eq!(seen.outcome(), all.map(|path| (path.into(), Change::Created)));
}

#[test]
fn a_tree_deeper_than_handles_are_kept_is_watched_to_its_end() {
    let scene = Scene::new();
    let deep = "d/".repeat(150);
    scene.make(&[&deep]);
    let mut seen = scene.watch(&everything());
    scene.replace(&format!("{deep}file"));
    assert_eq!(seen.events(), [created(&format!("{deep}file"))]);
}

#[test]
fn a_directory_that_becomes_readable_is_watched() {
    let scene = Scene::new();
    scene.make(&["d/file"]);
    let set_mode = |mode| {
        fs::set_permissions(scene.at("d"), fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(0o000);
    let mut seen = scene.watch(&everything());
    set_mode(0o700);
    scene.replace("d/file");
    let told: Vec<_> = seen.outcome().into_iter().map(|(path, _)| path).collect();
    assert_eq!(told, ["d", "d/file"]);
}

#[test]
fn any_order_of_changes_leaves_the_reader_with_what_is_there() {
    let scene = Scene::new();
    let mut seen = scene.watch(&everything());
    let mut known = HashSet::new();
    let mut random = Random(11);
    for _ in 0..40 {
        change_things(&scene, &mut random, 25);
        learn(&mut known, &seen.events(), &scene);
        assert_eq!(known, on_disk(&scene));
    }
}

#[test]
fn a_tree_that_never_rests_is_known_when_it_does() {
    for seed in 0..5 {
        let scene = Scene::new();
        let mut seen = scene.watch(&everything());
        let mut known = HashSet::new();
        for round in 0..4 {
            change_things(&scene, &mut Random(seed * 4 + round), 1_000);
            learn(&mut known, &seen.events(), &scene);
            assert_eq!(known, on_disk(&scene), "seed {seed}, round {round}");
        }
    }
}

struct Random(u32);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % bound
    }

    /// A path of up to three names out of three.
    fn path(&mut self) -> String {
        let depth = self.below(3) + 1;
        (0..depth).map(|_| self.below(3).to_string()).collect::<Vec<_>>().join("/")
    }
}

/// Makes, writes, moves, exchanges and removes at random.
fn change_things(scene: &Scene, random: &mut Random, count: usize) {
    for _ in 0..count {
        let (one, other) = (scene.at(&random.path()), scene.at(&random.path()));
        // Many of these fail, and that is well: what succeeds is what counts.
        let _ = match random.below(7) {
            0 => fs::create_dir_all(&one),
            1 | 2 => fs::write(&one, "x"),
            3 => fs::rename(&one, &other),
            4 => fs::remove_dir_all(&one),
            5 => fs::remove_file(&one),
            _ => renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).map_err(Into::into),
        };
    }
}

/// What a reader knows who goes by what it is told.
fn learn(known: &mut HashSet<WsPath>, events: &[Event], scene: &Scene) {
    for event in events {
        match event {
            Event::Changed { path, change: Change::Deleted } => drop(known.remove(path)),
            Event::Changed { path, .. } if is_last(path) => {}
            Event::Changed { path, .. } => drop(known.insert(path.clone())),
            Event::Overflow => *known = on_disk(scene),
        }
    }
}

/// All paths there are, those that tests make to be told last left out.
fn on_disk(scene: &Scene) -> HashSet<WsPath> {
    let mut all = HashSet::new();
    let mut next = vec![WsPath::root()];
    while let Some(dir) = next.pop() {
        for entry in fs::read_dir(scene.at(&dir.to_string())).unwrap() {
            let entry = entry.unwrap();
            let path = dir.join(entry.file_name().as_encoded_bytes()).unwrap();
            if is_last(&path) {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                next.push(path.clone());
            }
            all.insert(path);
        }
    }
    all
}

fn is_last(path: &WsPath) -> bool {
    path.as_bytes().starts_with(b"last-")
}
