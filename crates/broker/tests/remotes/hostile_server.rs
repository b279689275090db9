//! Remotes that mean harm: they get no token that is not theirs, and nothing of theirs
//! that is malformed or endless reaches a workspace.

use std::{io::Write, process::Stdio, time::Duration};

use garth_contract::Code;
use garth_git::{Fetch, Remotes};

use crate::{
    scene::{NAME, Scene, Wanted, limits, until},
    server::{Manner, Server, git, packet},
};

async fn bounded(change: impl FnOnce(&mut garth_broker::Limits)) -> Scene {
    Scene::with(|_| {
        let mut limits = limits();
        change(&mut limits);
        Wanted { limits, ..Wanted::default() }
    })
    .await
}

async fn fetch(scene: &Scene) -> garth_contract::Result<()> {
    scene.mirror().fetch(scene.place.repository(), Fetch::default()).await.map(drop)
}

/// That nothing came.
fn empty(scene: &Scene) {
    assert_eq!(git(&scene.place.path, &["for-each-ref"]), "");
    let objects = git(&scene.place.path, &["count-objects", "-v"]);
    assert!(objects.contains("count: 0") && objects.contains("in-pack: 0"), "{objects}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_that_sends_elsewhere_is_not_followed() {
    let (scene, other) = (Scene::new().await, Server::start().await);
    scene.clone_here().await;
    scene.place.commit("a.txt", "one\n");
    scene.server.treat(Manner::Elsewhere(format!("http://{}", other.host)));
    let error = scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::GitFailed, "{error:?}");
    assert_eq!(error.message(), "the remote sends elsewhere, which is not followed");
    assert_eq!(fetch(&scene).await.unwrap_err().code(), Code::GitFailed);
    // Not even to itself by another name.
    let port = scene.server.host.split(':').next_back().unwrap();
    scene.server.treat(Manner::Elsewhere(format!("http://localhost:{port}")));
    assert_eq!(fetch(&scene).await.unwrap_err().code(), Code::GitFailed);
    assert_eq!(other.requests(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_without_an_end_is_cut() {
    let scene = bounded(|limits| limits.bytes = 1 << 20).await;
    scene.place.init();
    scene.server.treat(Manner::Endless);
    let error = fetch(&scene).await.unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded, "{error:?}");
    assert!(!scene.data.join(NAME).exists(), "what came of it is gone");
    empty(&scene);
    scene.server.treat(Manner::Usual);
    fetch(&scene).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_that_only_talks_runs_out_of_time() {
    let scene = bounded(|limits| limits.time = Duration::from_secs(3)).await;
    scene.place.init();
    scene.server.treat(Manner::Chatter);
    let error = fetch(&scene).await.unwrap_err();
    assert_eq!(error.code(), Code::CommandTimeout, "{error:?}");
    until("what ran is gone", || scene.outside().is_empty()).await;
    empty(&scene);
}

#[tokio::test(flavor = "multi_thread")]
async fn junk_in_place_of_a_pack_is_refused() {
    let scene = Scene::new().await;
    scene.place.init();
    let mut junk = b"000dpackfile\n".to_vec();
    junk.extend(packet(b"PACK\0\0\0\x02\0\0\0\x01 this is no object"));
    junk.extend(b"0000");
    for says in [junk, b"junk".to_vec(), Vec::new()] {
        scene.server.treat(Manner::Says(says.into()));
        let error = fetch(&scene).await.unwrap_err();
        let codes = [Code::GitFailed, Code::ProviderUnavailable];
        assert!(codes.contains(&error.code()), "{error:?}");
        empty(&scene);
    }
    scene.server.treat(Manner::Usual);
    fetch(&scene).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_or_too_much_is_refused() {
    for (index, change) in [
        (|limits: &mut garth_broker::Limits| limits.bytes = 1 << 20) as fn(&mut _),
        |limits: &mut garth_broker::Limits| limits.objects = 3,
        |limits: &mut garth_broker::Limits| limits.refs = 3,
    ]
    .into_iter()
    .enumerate()
    {
        let scene = bounded(change).await;
        scene.place.init();
        let other = tempfile::tempdir().unwrap();
        let bare = scene.server.bare();
        git(other.path(), &["clone", "-q", bare.to_str().unwrap(), "."]);
        let mut state = 1_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[2]
        })
        .take(2 << 20)
        .collect();
        std::fs::write(other.path().join("noise"), noise).unwrap();
        git(other.path(), &["add", "."]);
        git(other.path(), &["commit", "-q", "-m", "large"]);
        let heads = ["HEAD:main", "HEAD:refs/heads/a", "HEAD:refs/heads/b", "HEAD:refs/heads/c"];
        git(other.path(), &[&["push", "-q", "origin"], &heads[..]].concat());
        let error = fetch(&scene).await.unwrap_err();
        assert_eq!(error.code(), Code::QuotaExceeded, "{index}: {error:?}");
        assert!(!scene.data.join(NAME).exists(), "{index}");
        empty(&scene);
    }
}

/// Puts an object into a repository that git itself would not make.
fn plant(scene: &Scene, kind: &str, bytes: &[u8]) -> String {
    let mut child = std::process::Command::new("git")
        .args(["hash-object", "-w", "--literally", "--stdin", "-t", kind])
        .current_dir(scene.server.bare())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_objects_do_not_come() {
    let scene = Scene::new().await;
    scene.place.init();
    let blob = plant(&scene, "blob", b"evil\n");
    let raw: Vec<u8> =
        (0..20).map(|at| u8::from_str_radix(&blob[at * 2..at * 2 + 2], 16).unwrap()).collect();
    for name in ["..", ".git", ".GIT", "a/b"] {
        let mut tree = format!("100644 {name}\0").into_bytes();
        tree.extend(&raw);
        let tree = plant(&scene, "tree", &tree);
        let who = "Eve <eve@example.com> 1 +0000";
        let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nevil\n");
        let commit = plant(&scene, "commit", commit.as_bytes());
        let ref_file = scene.server.bare().join("refs/heads/evil");
        std::fs::write(ref_file, format!("{commit}\n")).unwrap();
        let error = fetch(&scene).await.unwrap_err();
        assert_eq!(error.code(), Code::GitFailed, "{name}: {error:?}");
        assert_eq!(error.message(), "the remote's objects are malformed and were not taken");
        empty(&scene);
    }
    git(&scene.server.bare(), &["update-ref", "-d", "refs/heads/evil"]);
    fetch(&scene).await.unwrap();
}
