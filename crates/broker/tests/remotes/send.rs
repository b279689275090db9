//! Pushes: what arrives, and what does not.

use garth_broker::{Policy, Remote, Workflows};
use garth_contract::{Code, Detail};
use garth_git::{Push, Remotes};

use crate::{
    scene::{NAME, Scene, Wanted, branch, token},
    server::{Manner, git},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_arrives_and_the_repository_knows_it() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let before = scene.place.tip("HEAD");
    let now = scene.place.commit("a.txt", "one\n");
    let pushed = scene.push("main").await.unwrap();
    assert_eq!((pushed.before.as_ref(), &pushed.now), (Some(&before), &now));
    assert_eq!(pushed.url, scene.server.url);
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
    assert_eq!(scene.place.tip("refs/remotes/origin/main"), now);
    // Nothing is left on the way.
    let left = git(&scene.place.path, &["status", "--porcelain"]);
    assert_eq!(left, "");
    assert!(!scene.data.join(NAME).join("busy").exists());
    for empty in ["in", "run"] {
        let left = std::fs::read_dir(scene.data.join(NAME).join(empty)).unwrap().count();
        assert_eq!(left, 0, "{empty}");
    }
    let logins = scene.server.seen.logins.lock().unwrap().clone();
    let token = format!("x-access-token:{}", crate::server::CANARY);
    assert!(!logins.is_empty() && logins.iter().all(|(login, _)| *login == token));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_branch_has_no_before_and_a_second_push_of_it_changes_nothing() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    git(&scene.place.path, &["checkout", "-q", "-b", "fix/one"]);
    let now = scene.place.commit("a.txt", "one\n");
    let pushed = scene.push("fix/one").await.unwrap();
    assert_eq!((pushed.before, &pushed.now), (None, &now));
    let again = scene.push("fix/one").await.unwrap();
    assert_eq!((again.before.as_ref(), &again.now), (Some(&now), &now));
    assert_eq!(scene.server.tip("refs/heads/fix/one").as_deref(), Some(now.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_was_never_fetched_is_pushed_whole() {
    let scene = Scene::new().await;
    scene.place.init();
    git(&scene.place.path, &["checkout", "-q", "-b", "other"]);
    let now = scene.place.commit("a.txt", "one\n");
    scene.push("other").await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/other").as_deref(), Some(now.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_allowed_branches_are_pushed_to_and_nothing_else_is_asked() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    scene.place.commit("a.txt", "one\n");
    let mirror = scene.mirror_with(&["agent/*"], Workflows::Allow);
    let before = (scene.server.requests(), scene.server.tip("refs/heads/main"));
    let error = scene.push_by(&mirror, "main").await.unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied);
    assert_eq!((scene.server.requests(), scene.server.tip("refs/heads/main")), before);
    git(&scene.place.path, &["branch", "agent/a"]);
    scene.push_by(&mirror, "agent/a").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_moved_on_is_a_conflict_and_is_not_forced() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    scene.place.commit("a.txt", "one\n");
    scene.push("main").await.unwrap();
    let there = scene.server.tip("refs/heads/main");
    git(&scene.place.path, &["reset", "-q", "--hard", "HEAD~1"]);
    scene.place.commit("a.txt", "another\n");
    let error = scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict, "{error:?}");
    assert_eq!(scene.server.tip("refs/heads/main"), there);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_the_remote_can_refuse() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new().await;
    scene.clone_here().await;
    let hook = scene.server.bare().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho secret words of the remote >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
    scene.place.commit("a.txt", "one\n");
    let error = scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied, "{error:?}");
    assert!(!error.message().contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_remote_automates_is_changed_by_nobody_who_may_not() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let mirror = scene.mirror_with(&[], Workflows::Refuse);
    scene.place.commit("src/a.txt", "one\n");
    scene.push_by(&mirror, "main").await.unwrap();
    let good = scene.server.tip("refs/heads/main");
    scene.place.commit(".github/workflows/ci.yml", "on: push\n");
    let error = scene.push_by(&mirror, "main").await.unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied, "{error:?}");
    // Not by a commit that hides behind one which takes it back, and not on a new branch.
    git(&scene.place.path, &["rm", "-q", ".github/workflows/ci.yml"]);
    git(&scene.place.path, &["commit", "-q", "-m", "back"]);
    assert_eq!(scene.push_by(&mirror, "main").await.unwrap_err().code(), Code::PermissionDenied);
    git(&scene.place.path, &["branch", "other"]);
    assert_eq!(scene.push_by(&mirror, "other").await.unwrap_err().code(), Code::PermissionDenied);
    assert_eq!(scene.server.tip("refs/heads/main"), good);
    assert_eq!(scene.server.tip("refs/heads/other"), None);
    // Who may, does.
    scene.push("main").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_cannot_go_back_to_an_earlier_state_of_what_is_automated() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let at = scene.place.path.clone();
    scene.place.commit(".github/workflows/ci.yml", "old\n");
    scene.place.commit(".github/workflows/ci.yml", "new\n");
    scene.push("main").await.unwrap();
    let good = scene.server.tip("refs/heads/main");
    let mirror = scene.mirror_with(&[], Workflows::Refuse);
    // Every commit that is merged is known; what they are put together to is not.
    git(&at, &["checkout", "-q", "-b", "back", "HEAD~1"]);
    git(&at, &["merge", "-q", "-s", "ours", "--no-edit", "main"]);
    git(&at, &["checkout", "-q", "main"]);
    git(&at, &["reset", "-q", "--hard", "back"]);
    let error = scene.push_by(&mirror, "main").await.unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied, "{error:?}");
    assert_eq!(scene.server.tip("refs/heads/main"), good);
    git(&at, &["reset", "-q", "--hard", "origin/main"]);
    scene.place.commit("src/a.txt", "one\n");
    scene.push_by(&mirror, "main").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_answers_has_a_clear_code() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    scene.place.commit("a.txt", "one\n");
    let there = scene.server.tip("refs/heads/main");
    for (status, code) in [
        (403, Code::PermissionDenied),
        (404, Code::GitFailed),
        (429, Code::RateLimitExceeded),
        (500, Code::ProviderUnavailable),
        (503, Code::ProviderUnavailable),
    ] {
        scene.server.treat(Manner::Status(status));
        let before = scene.server.requests();
        let error = scene.push("main").await.unwrap_err();
        assert_eq!(error.code(), code, "{status}: {error:?}");
        assert!(scene.server.requests() - before <= 3, "it is not tried without end");
        let waits = error.details().iter().any(|one| matches!(one, Detail::RetryAfter(_)));
        assert_eq!(waits, status == 429);
    }
    scene.server.treat(Manner::Usual);
    assert_eq!(scene.server.tip("refs/heads/main"), there);
    scene.push("main").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_not_accepted_is_shown_once_or_twice_and_never_without_end() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    scene.place.commit("a.txt", "one\n");
    scene.server.seen.tokens.lock().unwrap().clear();
    let before = scene.server.requests();
    let error = scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::GitFailed);
    assert_eq!(error.message(), "the remote does not accept the credential");
    assert!(scene.server.requests() - before <= 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_is_not_available() {
    let scene = Scene::new().await;
    scene.place.init();
    scene.place.commit("a.txt", "one\n");
    // Nobody listens on a port that was just given back.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let remote = Remote { url: format!("http://{host}/owner/repo.git"), credential: None };
    let policy = Policy::new(&[], Workflows::Allow).unwrap();
    let mirror = scene.broker.mirror("down@1", &remote, policy).unwrap();
    let error = scene.push_by(&mirror, "main").await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable, "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_of_another_host_is_not_used() {
    let scene = Scene::with(|_| Wanted {
        credentials: Some(vec![token("other.example", "ghs_other")]),
        ..Wanted::default()
    })
    .await;
    let policy = || Policy::new(&[], Workflows::Allow).unwrap();
    let named = Remote { credential: Some("main".to_owned()), ..scene.remote() };
    let refused = scene.broker.mirror(NAME, &named, policy()).err().unwrap();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let unknown = Remote { credential: Some("nobody".to_owned()), ..scene.remote() };
    let refused = scene.broker.mirror(NAME, &unknown, policy()).err().unwrap();
    assert_eq!(refused.code(), Code::InvalidParams);
    // Without a credential for the host nothing is shown to it.
    scene.place.init();
    scene.place.commit("a.txt", "one\n");
    let error = scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::GitFailed, "{error:?}");
    assert!(scene.server.seen.logins.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_of_one_workspace_take_turns() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let mut tips = Vec::new();
    for name in ["a", "b", "c", "d"] {
        git(&scene.place.path, &["checkout", "-q", "-b", name, "origin/main"]);
        tips.push((name, scene.place.commit(&format!("{name}.txt"), name)));
    }
    let mirrors = [scene.mirror(), scene.mirror(), scene.mirror(), scene.mirror()];
    let push = |index: usize| {
        let (name, tip) = tips[index].clone();
        mirrors[index].push(scene.place.repository(), Push { branch: branch(name), tip })
    };
    let (a, b, c, d) = tokio::join!(push(0), push(1), push(2), push(3));
    for pushed in [a, b, c, d] {
        pushed.unwrap();
    }
    for (name, tip) in &tips {
        let there = scene.server.tip(&format!("refs/heads/{name}"));
        assert_eq!(there.as_deref(), Some(tip.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_is_forgotten_leaves_nothing_and_begins_nothing() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let mirror = scene.mirror();
    assert!(scene.data.join(NAME).exists());
    scene.broker.forget(NAME).await.unwrap();
    assert!(!scene.data.join(NAME).exists());
    let error = scene.push_by(&mirror, "main").await.unwrap_err();
    assert_eq!(error.code(), Code::WorkspaceNotFound);
    assert!(!scene.data.join(NAME).exists());
}
