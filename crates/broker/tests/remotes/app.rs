//! A GitHub App: tokens are made for one repository, kept, made anew and ended.

use std::time::{Duration, SystemTime};

use garth_broker::{Broker, Config, Policy, Workflows};
use garth_contract::{Code, Detail};
use garth_git::{Fetch, Remotes};
use serde_json::json;

use crate::{
    github::{Github, Mood},
    scene::{NAME, Scene, limits},
    server::Manner,
};

/// A scene whose token is an app's.
struct Apps {
    scene: Scene,
    github: Github,
}

impl Apps {
    async fn new() -> Self {
        Self::at(SystemTime::now).await
    }

    async fn at(now: fn() -> SystemTime) -> Self {
        let mut scene = Scene::new().await;
        let github = Github::start(scene.server.seen.clone()).await;
        let config = Config {
            directory: scene.data.clone(),
            limits: limits(),
            credentials: vec![github.credential(&scene.server.host)],
            plain_hosts: Vec::new(),
            certificates: None,
            bot: None,
            now,
        };
        scene.broker = Broker::open(config).unwrap();
        Self { scene, github }
    }

    async fn fetch(&self) -> garth_contract::Result<()> {
        let mirror = self.scene.mirror();
        mirror.fetch(self.scene.place.repository(), Fetch::default()).await.map(drop)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_for_one_repository_and_its_contents_and_is_used_again() {
    let apps = Apps::new().await;
    apps.scene.clone_here().await;
    apps.scene.place.commit("a.txt", "one\n");
    apps.scene.push("main").await.unwrap();
    assert_eq!(apps.github.shared.wrong.lock().unwrap()[..], [""; 0]);
    let asked = apps.github.shared.asked.lock().unwrap().clone();
    let once = json!({ "repositories": ["repo"], "permissions": { "contents": "write" } });
    assert_eq!(asked, [once]);
    let minted = apps.github.minted();
    assert_eq!(minted.len(), 1, "one is enough for all of it");
    let logins = apps.scene.server.seen.logins.lock().unwrap().clone();
    let login = format!("x-access-token:{}", minted[0]);
    assert!(!logins.is_empty() && logins.iter().all(|(shown, _)| *shown == login));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_soon_is_not_used_again() {
    let apps = Apps::new().await;
    apps.scene.place.init();
    apps.github.be(Mood::ShortLived);
    apps.fetch().await.unwrap();
    apps.fetch().await.unwrap();
    assert_eq!(apps.github.minted().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_in_the_middle_is_made_anew_once() {
    let apps = Apps::new().await;
    apps.scene.clone_here().await;
    let now = apps.scene.place.commit("a.txt", "one\n");
    apps.scene.server.treat(Manner::ExpiresInTheMiddle);
    apps.scene.push("main").await.unwrap();
    assert_eq!(apps.scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
    assert_eq!(apps.github.minted().len(), 2);
    // Where no token is ever accepted it ends.
    apps.scene.place.commit("a.txt", "two\n");
    apps.scene.server.treat(Manner::Status(401));
    let error = apps.scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::GitFailed, "{error:?}");
    assert!(apps.github.minted().len() <= 4);
    assert_eq!(apps.scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_github_says_has_a_clear_code_and_is_not_asked_again() {
    let apps = Apps::new().await;
    apps.scene.place.init();
    for (mood, code, waits) in [
        (Mood::NotInstalled, Code::PermissionDenied, None),
        (Mood::ReadOnly, Code::PermissionDenied, None),
        (Mood::Busy, Code::RateLimitExceeded, Some(7..=7)),
        (Mood::Spent, Code::RateLimitExceeded, Some(1..=30)),
        (Mood::Down, Code::ProviderUnavailable, None),
    ] {
        apps.github.be(mood);
        let before = apps.github.calls();
        let error = apps.fetch().await.unwrap_err();
        assert_eq!(error.code(), code, "{mood:?}: {error:?}");
        assert!(apps.github.calls() - before <= 2, "{mood:?}");
        let waited = error.details().iter().find_map(|detail| {
            if let Detail::RetryAfter(time) = detail { Some(time.as_secs()) } else { None }
        });
        assert_eq!(waited.is_some(), waits.is_some());
        assert!(waits.is_none_or(|waits| waits.contains(&waited.unwrap())), "{waited:?}");
    }
    assert_eq!(apps.scene.server.requests(), 0, "nothing was asked of the remote");
    apps.github.be(Mood::Usual);
    apps.fetch().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong_is_not_believed_by_github() {
    let apps = Apps::at(|| SystemTime::now() - Duration::from_secs(3_600)).await;
    apps.scene.place.init();
    let error = apps.fetch().await.unwrap_err();
    assert_eq!(error.code(), Code::GitFailed, "{error:?}");
    assert_eq!(apps.github.shared.wrong.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tokens_of_a_workspace_end_with_it_and_no_other_ones() {
    let apps = Apps::new().await;
    apps.scene.place.init();
    apps.fetch().await.unwrap();
    let policy = Policy::new(&[], Workflows::Allow).unwrap();
    let other = apps.scene.broker.mirror("other@1", &apps.scene.remote(), policy).unwrap();
    other.fetch(apps.scene.place.repository(), Fetch::default()).await.unwrap();
    let minted = apps.github.minted();
    assert_eq!(minted.len(), 2);
    apps.scene.broker.forget(NAME).await.unwrap();
    assert_eq!(apps.github.shared.revoked.lock().unwrap()[..], minted[..1]);
    other.fetch(apps.scene.place.repository(), Fetch::default()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_is_who_github_says_and_the_usual_one_where_it_cannot_be_asked() {
    let apps = Apps::new().await;
    let bot = apps.scene.broker.identity().await;
    assert_eq!(bot.name(), "emergent-app[bot]");
    let host = apps.scene.server.host.clone();
    assert_eq!(bot.email(), format!("424242+emergent-app[bot]@users.noreply.{host}"));
    let calls = apps.github.calls();
    assert_eq!(apps.scene.broker.identity().await, bot);
    assert_eq!(apps.github.calls(), calls, "it is asked once");
    let other = Apps::new().await;
    other.github.be(Mood::Down);
    assert_eq!(other.scene.broker.identity().await, garth_git::Identity::bot());
}
