//! A real repository: thousands of commits and files.

use std::{fmt::Write as _, io::Write as _, process::Stdio};

use crate::{scene::Scene, server::git};

/// How many commits, each with a file of its own.
const MANY: usize = 5_000;

/// Fills the server's repository through `git fast-import`.
fn fill(scene: &Scene) {
    let mut text = String::new();
    for number in 0..MANY {
        let content = format!("file {number}\n");
        write!(
            text,
            "commit refs/heads/main\ncommitter Ada <ada@example.com> {} +0000\ndata 8\ncommit {}\n",
            1_700_000_000 + number,
            number % 10
        )
        .unwrap();
        if number == 0 {
            text.push_str("from refs/heads/main^0\n");
        }
        write!(
            text,
            "M 100644 inline d{}/f{number}\ndata {}\n{content}\n",
            number % 100,
            content.len()
        )
        .unwrap();
    }
    let mut child = std::process::Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(scene.server.bare())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_commits_and_files_are_cloned_changed_and_pushed() {
    let scene = Scene::new().await;
    fill(&scene);
    scene.clone_here().await;
    let at = &scene.place.path;
    assert_eq!(git(at, &["rev-list", "--count", "HEAD"]), (MANY + 1).to_string());
    assert_eq!(git(at, &["ls-files"]).lines().count(), MANY + 1);
    assert_eq!(git(at, &["fsck", "--connectivity-only"]), "");
    let before = scene.place.tip("HEAD");
    let now = scene.place.commit("d7/f7", "changed\n");
    let pushed = scene.push("main").await.unwrap();
    assert_eq!((pushed.before, pushed.now), (Some(before), now.clone()));
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
    assert_eq!(git(&scene.server.bare(), &["fsck", "--connectivity-only"]), "");
}
