//! The agents of a registry.

use garth_contract::Code;
use garth_gateway::{AgentId, Settings};

use crate::stage::{Begin, Stage, id_of};

#[tokio::test]
async fn an_agent_is_what_it_was_made_as_also_after_a_restart() {
    let stage = Stage::new().await;
    let mut settings = Settings::new("podman");
    settings.quota_bytes = Some(7);
    stage.gateway.registry().create(&id_of("new"), &settings).await.unwrap();
    let made = stage.gateway.registry().get(&id_of("new")).await.unwrap();
    assert_eq!(made.settings, settings);
    let stage = stage.again(Begin::default()).await;
    assert_eq!(stage.gateway.registry().get(&id_of("new")).await.unwrap(), made);
}

#[tokio::test]
async fn an_id_is_given_once() {
    let stage = Stage::new().await;
    let registry = stage.gateway.registry();
    let again = registry.create(&id_of("own"), &Settings::new("podman")).await.unwrap_err();
    assert_eq!(again.code(), Code::Conflict);
    assert_eq!(registry.get(&id_of("own")).await.unwrap().settings.provider, "local");
}

#[tokio::test]
async fn one_change_that_fails_does_not_undo_those_beside_it() {
    let stage = Stage::new().await;
    let registry = stage.gateway.registry();
    let settings = Settings::new("local");
    let ids: Vec<AgentId> = (0..40).map(|n| id_of(&format!("a{}", n / 2))).collect();
    let made = ids.iter().map(|id| {
        let (registry, id, settings) = (registry.clone(), id.clone(), settings.clone());
        tokio::spawn(async move { registry.create(&id, &settings).await.is_ok() })
    });
    let mut good = 0;
    for task in made.collect::<Vec<_>>() {
        good += usize::from(task.await.unwrap());
    }
    assert_eq!(good, 20);
    let listed = registry.list("", 100).await.unwrap();
    assert_eq!(listed.iter().filter(|agent| agent.id.as_str().starts_with('a')).count(), 20);
}

#[tokio::test]
async fn agents_are_listed_by_page() {
    let stage = Stage::new().await;
    let registry = stage.gateway.registry();
    let mut seen: Vec<String> = Vec::new();
    loop {
        let after = seen.last().cloned().unwrap_or_default();
        let page = registry.list(&after, 2).await.unwrap();
        if page.is_empty() {
            break;
        }
        seen.extend(page.iter().map(|agent| agent.id.to_string()));
    }
    assert_eq!(seen, ["gone", "other", "own"]);
}

#[tokio::test]
async fn a_deleted_agent_is_gone_and_its_id_can_be_given_again() {
    let stage = Stage::new().await;
    let registry = stage.gateway.registry();
    registry.delete(&id_of("own")).await.unwrap();
    for result in [
        registry.get(&id_of("own")).await.map(drop),
        registry.delete(&id_of("own")).await,
        registry.configure(&id_of("own"), &Settings::new("local")).await,
    ] {
        assert_eq!(result.unwrap_err().code(), Code::AgentNotFound);
    }
    assert_eq!(registry.list("", 10).await.unwrap().len(), 2);
    registry.create(&id_of("own"), &Settings::new("gvisor")).await.unwrap();
    assert_eq!(registry.get(&id_of("own")).await.unwrap().settings.provider, "gvisor");
}

#[tokio::test]
async fn settings_that_cannot_be_used_are_not_stored() {
    let stage = Stage::new().await;
    let registry = stage.gateway.registry();
    let mut settings = Settings::new("local");
    settings.deny = vec!["[".to_owned()];
    let made = registry.create(&id_of("new"), &settings).await.unwrap_err();
    assert_eq!(made.code(), Code::InvalidPattern);
    let changed = registry.configure(&id_of("own"), &settings).await.unwrap_err();
    assert_eq!(changed.code(), Code::InvalidPattern);
    assert_eq!(registry.get(&id_of("new")).await.unwrap_err().code(), Code::AgentNotFound);
}
