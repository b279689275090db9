//! Hidden, ignored and denied files: neither told of nor watched.

use super::*;

#[test]
fn hidden_files_are_told_only_if_asked_for() {
    let scene = Scene::new();
    scene.make(&[".config/file", "visible"]);
    let mut seen = scene.watch(&everything());
    scene.replace(".hidden");
    scene.replace(".config/file");
    scene.replace("visible");
    assert_eq!(seen.events(), [modified("visible")]);
    assert!(!scene.is_watched(".config"));

    let mut seen = scene.watch(&WatchSpec { hidden: Hidden::Include, ..everything() });
    scene.replace(".hidden");
    scene.replace(".config/file");
    assert_eq!(seen.events(), [modified(".hidden"), modified(".config/file")]);
}

#[test]
fn ignored_directories_are_not_watched() {
    let scene = Scene::new();
    scene.make(&["build/deep/file", "src/build/", "src/main.rs", "notes.log"]);
    fs::write(scene.at(".gitignore"), "/build/\n*.log\n").unwrap();
    let mut seen = scene.watch(&everything());
    for dir in ["build", "build/deep"] {
        assert!(!scene.is_watched(dir), "{dir}");
    }
    for dir in ["", "src", "src/build"] {
        assert!(scene.is_watched(dir), "{dir}");
    }
    for name in ["build/deep/file", "notes.log", "src/x.log", "src/main.rs"] {
        scene.replace(name);
    }
    scene.make(&["build/new/file"]);
    assert_eq!(seen.events(), [modified("src/main.rs")]);
    assert!(!scene.is_watched("build/new"));
}

#[test]
fn a_new_directory_that_is_ignored_is_not_watched_either() {
    let scene = Scene::new();
    fs::write(scene.at(".ignore"), "out\n").unwrap();
    let mut seen = scene.watch(&everything());
    scene.make(&["out/file", "a/out/file", "a/file"]);
    let told = [("a".into(), Change::Created), ("a/file".into(), Change::Created)];
    assert_eq!(seen.outcome(), told);
    assert!(!scene.is_watched("out") && !scene.is_watched("a/out"));
}

#[test]
fn a_deeper_ignore_file_and_one_above_the_watched_directory_both_hold() {
    let scene = Scene::new();
    scene.make(&["a/b/keep.log", "a/b/c/", "a/b/x.tmp"]);
    fs::write(scene.at(".gitignore"), "*.log\n").unwrap();
    fs::write(scene.at("a/.gitignore"), "*.tmp\n").unwrap();
    fs::write(scene.at("a/b/.gitignore"), "!keep.log\n").unwrap();
    let mut seen = scene.watch(&WatchSpec { path: path("a/b"), ..everything() });
    for name in ["a/b/keep.log", "a/b/other.log", "a/b/x.tmp", "a/b/c/x.tmp", "a/b/c/x"] {
        scene.replace(name);
    }
    assert_eq!(seen.events_in("a/b/"), [modified("a/b/keep.log"), created("a/b/c/x")]);
}

#[test]
fn a_changed_ignore_file_changes_what_is_watched() {
    let scene = Scene::new();
    scene.make(&["build/deep/file", "src/main.rs"]);
    let mut seen = scene.watch(&everything());
    assert!(scene.is_watched("build/deep"));

    fs::write(scene.outside("whole"), "build/\n").unwrap();
    fs::rename(scene.outside("whole"), scene.at(".gitignore")).unwrap();
    seen.wait_for_overflow();
    assert!(!scene.is_watched("build") && !scene.is_watched("build/deep"));
    scene.replace("build/deep/file");
    scene.replace("src/main.rs");
    assert_eq!(seen.events(), [modified("src/main.rs")]);

    fs::remove_file(scene.at(".gitignore")).unwrap();
    seen.wait_for_overflow();
    assert!(scene.is_watched("build/deep"));
    scene.replace("build/deep/file");
    assert_eq!(seen.events(), [modified("build/deep/file")]);
}

#[test]
fn an_ignore_file_above_the_watched_directory_is_followed_too() {
    let scene = Scene::new();
    scene.make(&["a/b/out/"]);
    let mut seen = scene.watch(&WatchSpec { path: path("a/b"), ..everything() });
    assert!(scene.is_watched("a/b/out"));
    fs::write(scene.outside("whole"), "out/\n").unwrap();
    fs::rename(scene.outside("whole"), scene.at("a/.ignore")).unwrap();
    seen.wait_for_overflow();
    assert!(!scene.is_watched("a/b/out"));
    drop(seen);
}

#[test]
fn ignored_files_are_told_if_asked_for_and_the_inside_of_git_only_with_all() {
    let scene = Scene::new();
    scene.make(&[".git/objects/", ".git/HEAD", "out/file"]);
    fs::write(scene.at(".gitignore"), "out/\n").unwrap();
    let spec = WatchSpec { hidden: Hidden::Include, ..everything() };
    for (ignored, out, git) in [
        (Ignored::Skip, false, false),
        (Ignored::IncludeNoGit, true, false),
        (Ignored::Include, true, true),
    ] {
        let mut seen = scene.watch(&WatchSpec { ignored, ..spec.clone() });
        scene.replace("out/file");
        scene.replace(".git/HEAD");
        let mut expected = Vec::new();
        expected.extend(out.then(|| modified("out/file")));
        expected.extend(git.then(|| modified(".git/HEAD")));
        assert_eq!(seen.events(), expected, "{ignored:?}");
        assert_eq!((scene.is_watched("out"), scene.is_watched(".git/objects")), (out, git));
        drop(seen);
        until(|| !scene.is_watched(""));
    }
}

#[test]
fn direct_entries_alone_can_be_watched() {
    let scene = Scene::new();
    scene.make(&["d/sub/file", "d/file"]);
    let spec = WatchSpec { path: path("d"), reach: Reach::Entries, ..everything() };
    let mut seen = scene.watch(&spec);
    assert!(scene.is_watched("d") && !scene.is_watched("d/sub"));
    for name in ["d/sub/file", "beside", "d/file"] {
        scene.replace(name);
    }
    scene.make(&["d/new/file"]);
    assert_eq!(seen.events_in("d/"), [modified("d/file"), created("d/new")]);
    assert!(!scene.is_watched("d/new"));
}

#[test]
fn denied_files_are_never_told_and_denied_directories_not_watched() {
    let policy = Policy { deny: vec!["secret".into(), "d/*.key".into()], ..Policy::open() };
    let scene = Scene::with(&policy);
    scene.make(&["a/secret/file", "d/my.key", "d/file"]);
    let spec = WatchSpec { hidden: Hidden::Include, ignored: Ignored::Include, ..everything() };
    let mut seen = scene.watch(&spec);
    assert!(!scene.is_watched("a/secret"));
    for name in ["a/secret/file", "d/my.key", "d/new.key", "d/file", "secret"] {
        scene.replace(name);
    }
    scene.make(&["b/secret/file"]);
    assert_eq!(seen.events(), [modified("d/file"), created("b")]);
    fs::rename(scene.at("a"), scene.outside("a")).unwrap();
    assert_eq!(seen.events(), [deleted("a")]);
}
