//! Fetches and clones: what comes, and what goes.

use garth_contract::Code;
use garth_git::{Fetch, Moved, Remotes};

use crate::{
    scene::{Place, Scene, branch, files},
    server::git,
};

/// Changes the remote behind everybody's back.
fn elsewhere(scene: &Scene, arguments: &[&[&str]]) {
    let other = tempfile::tempdir().unwrap();
    let bare = scene.server.bare();
    git(other.path(), &["clone", "-q", bare.to_str().unwrap(), "."]);
    for arguments in arguments {
        git(other.path(), arguments);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_push_comes_and_what_they_remove_goes() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let first = scene.place.tip("origin/main");
    elsewhere(
        &scene,
        &[
            &["commit", "-q", "--allow-empty", "-m", "second"],
            &["push", "-q", "origin", "main", "HEAD:refs/heads/topic", "HEAD:refs/tags/v1"],
        ],
    );
    let mirror = scene.mirror();
    let fetched = mirror.fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    let now = scene.place.tip("refs/remotes/origin/main");
    assert_ne!(now, first);
    assert_eq!(scene.place.tip("refs/tags/v1"), now);
    let mut moved: Vec<_> = fetched.moved.iter().map(|one| one.name.to_string()).collect();
    moved.sort();
    assert_eq!(moved, ["refs/remotes/origin/main", "refs/remotes/origin/topic", "refs/tags/v1"]);
    // Neither a branch nor a file has changed.
    assert_eq!(scene.place.tip("HEAD"), first);
    let again = mirror.fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    assert_eq!(again.moved, []);
    elsewhere(&scene, &[&["push", "-q", "origin", ":topic"]]);
    let pruned = mirror.fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    let topic = branch("topic").tracking();
    assert_eq!(pruned.moved, [Moved { name: topic, before: Some(now), now: None }]);
    assert_eq!(git(&scene.place.path, &["branch", "-r"]), "origin/main");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_branch_is_fetched_alone_and_one_that_is_not_there_is_said() {
    let scene = Scene::new().await;
    elsewhere(&scene, &[&["push", "-q", "origin", "HEAD:refs/heads/topic"]]);
    scene.place.init();
    let mirror = scene.mirror();
    let wanted = Fetch { branches: vec![branch("topic")] };
    mirror.fetch(scene.place.repository(), wanted).await.unwrap();
    assert_eq!(git(&scene.place.path, &["branch", "-r"]), "origin/topic");
    let wanted = Fetch { branches: vec![branch("nothing")] };
    let error = mirror.fetch(scene.place.repository(), wanted).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams, "{error:?}");
    // All of them come later, and the first stays.
    mirror.fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    let branches = git(&scene.place.path, &["branch", "-r", "--format=%(refname:short)"]);
    assert_eq!(branches, "origin/main\norigin/topic");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_of_the_agent_stays_where_the_remote_has_another() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let own = scene.place.commit("a.txt", "one\n");
    git(&scene.place.path, &["tag", "v1"]);
    elsewhere(&scene, &[&["push", "-q", "origin", "HEAD:refs/tags/v1"]]);
    scene.mirror().fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    assert_eq!(scene.place.tip("refs/tags/v1"), own);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_remote_has_nothing_to_clone() {
    let scene = Scene::new().await;
    git(&scene.server.bare(), &["update-ref", "-d", "refs/heads/main"]);
    scene.place.init();
    let mirror = scene.mirror();
    let cloned = mirror.clone_into(scene.place.repository(), Fetch::default()).await.unwrap();
    assert_eq!((cloned.head, cloned.moved), (None, Vec::new()));
    // The first push makes the branch.
    scene.place.commit("a.txt", "one\n");
    scene.push("main").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_off_is_begun_anew() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    // As if the gateway had died in the middle of writing.
    let place = scene.data.join(crate::scene::NAME);
    std::fs::write(place.join("busy"), "").unwrap();
    std::fs::write(place.join("repo.git/packed-refs.lock"), "").unwrap();
    std::fs::write(place.join("repo.git/objects/pack/tmp_pack_x"), "junk").unwrap();
    std::fs::write(place.join("in/left"), "junk").unwrap();
    let now = scene.place.commit("a.txt", "one\n");
    scene.push("main").await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
    let names: Vec<_> = files(&place).iter().map(|path| path.display().to_string()).collect();
    assert!(names.iter().all(|name| !name.contains("tmp_pack") && !name.ends_with("left")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_workspace_shares_nothing_with_the_first() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    git(&scene.place.path, &["checkout", "-q", "-b", "secret"]);
    let secret = scene.place.commit("secret.txt", "of the first\n");
    let error = {
        // It is refused at the remote, so it is in the first one's quarantine only.
        let mirror = scene.mirror();
        scene.server.treat(crate::server::Manner::Status(403));
        let error = scene.push_by(&mirror, "secret").await.unwrap_err();
        scene.server.treat(crate::server::Manner::Usual);
        error
    };
    assert_eq!(error.code(), Code::PermissionDenied);
    let other = Place::new();
    other.init();
    let policy = garth_broker::Policy::new(&[], garth_broker::Workflows::Allow).unwrap();
    let mirror = scene.broker.mirror("other@1", &scene.remote(), policy).unwrap();
    mirror.fetch(other.repository(), Fetch::default()).await.unwrap();
    // It claims to have what only the first one has.
    git(&other.path, &["branch", "mine", "origin/main"]);
    let wanted = garth_git::Push { branch: branch("mine"), tip: secret.clone() };
    let error = mirror.push(other.repository(), wanted).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict, "{error:?}");
    assert_eq!(scene.server.tip("refs/heads/mine"), None);
}
