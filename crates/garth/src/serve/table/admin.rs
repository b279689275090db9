//! Operations on the gateway itself: agents.

use std::sync::Arc;

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_gateway::{
    Access, AgentId, Closed, Family, Gateway, Operation, Registry, Run, Settings, State, Summary,
    Takes,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::row::{facts, read};
use crate::serve::{answer::Answer, data::Home, opener};

/// The most agents of a page.
const PAGE: u32 = 1_000;

/// The rows.
pub(super) fn rows(gateway: &Gateway, data: &Home) -> Vec<Operation<Answer>> {
    let registry = gateway.registry().clone();
    vec![
        row("agents.list", &registry, data, list),
        row("agents.get", &registry, data, get),
        row("agents.create", &registry, data, create),
        row("agents.update", &registry, data, update),
        row("agents.stop", &registry, data, stop),
        row("agents.start", &registry, data, start),
        row("agents.delete", &registry, data, delete),
    ]
}

#[derive(Clone)]
struct Place {
    registry: Registry,
    home: Home,
}

fn row<F>(
    name: &'static str,
    registry: &Registry,
    data: &Home,
    run: fn(Place, Value) -> F,
) -> Operation<Answer>
where
    F: Future<Output = Result<Map<String, Value>>> + Send + 'static,
{
    let place = Place { registry: registry.clone(), home: data.clone() };
    let run = Run::on_gateway(move |_, params, _| {
        let doing = run(place.clone(), params);
        let doing: BoxFuture<'static, Result<Answer>> =
            Box::pin(async move { doing.await.map(Answer::Facts) });
        doing
    });
    let describe = |params: &Value| match params.get("agentId").and_then(Value::as_str) {
        Some(agent) => Summary::default().fact("agent", agent),
        None => Summary::default(),
    };
    Operation {
        name,
        access: Access::Admin,
        family: Family::Admin,
        takes: Takes::Nothing,
        describe: Arc::new(describe),
        run,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    #[serde(default)]
    cursor: String,
    #[serde(default)]
    limit: Option<u32>,
}

async fn list(place: Place, params: Value) -> Result<Map<String, Value>> {
    let List { cursor, limit } = read(params)?;
    let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
    let agents = place.registry.list(&cursor, limit).await?;
    let next =
        (agents.len() == limit as usize).then(|| agents.last().map(|agent| agent.id.clone()));
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Listed {
        agents: Vec<garth_gateway::Agent>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_cursor: Option<AgentId>,
    }
    facts(&Listed { agents, next_cursor: next.flatten() })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct One {
    agent_id: String,
}

async fn get(place: Place, params: Value) -> Result<Map<String, Value>> {
    let One { agent_id } = read(params)?;
    facts(&place.registry.get(&AgentId::parse(&agent_id)?).await?)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Set {
    agent_id: String,
    #[serde(default)]
    settings: Map<String, Value>,
}

async fn create(place: Place, params: Value) -> Result<Map<String, Value>> {
    let Set { agent_id, settings } = read(params)?;
    let id = AgentId::parse(&agent_id)?;
    let settings = changed(&place.home.begins, settings)?;
    settings.check()?;
    place.home.git.check(&settings)?;
    place.home.sandboxes.ready(&id, &settings).await?;
    let (data, made, wanted) = (place.home.path.clone(), id.clone(), settings.clone());
    blocking(move || opener::make_directory(&data, &made, &wanted)).await?;
    place.registry.create(&id, &settings).await?;
    facts(&place.registry.get(&id).await?)
}

async fn update(place: Place, params: Value) -> Result<Map<String, Value>> {
    let Set { agent_id, settings } = read(params)?;
    let id = AgentId::parse(&agent_id)?;
    let before = place.registry.get(&id).await?;
    let settings = changed(&before.settings, settings)?;
    if settings.git != before.settings.git {
        settings.check()?;
        place.home.git.check(&settings)?;
    }
    if settings.provider != before.settings.provider {
        settings.check()?;
        place.home.sandboxes.ready(&id, &settings).await?;
    }
    place.registry.configure(&id, &settings).await?;
    if settings != before.settings {
        place.home.sandboxes.end(&before, Closed::Changed).await;
    }
    facts(&place.registry.get(&id).await?)
}

/// Ends what runs and refuses calls until it is started; files and settings stay.
async fn stop(place: Place, params: Value) -> Result<Map<String, Value>> {
    let One { agent_id } = read(params)?;
    let before = place.registry.get(&AgentId::parse(&agent_id)?).await?;
    place.registry.set_state(&before.id, State::Stopped).await?;
    place.home.sandboxes.end(&before, Closed::Changed).await;
    facts(&place.registry.get(&before.id).await?)
}

async fn start(place: Place, params: Value) -> Result<Map<String, Value>> {
    let One { agent_id } = read(params)?;
    let id = AgentId::parse(&agent_id)?;
    place.registry.set_state(&id, State::Active).await?;
    facts(&place.registry.get(&id).await?)
}

async fn delete(place: Place, params: Value) -> Result<Map<String, Value>> {
    let One { agent_id } = read(params)?;
    let before = place.registry.get(&AgentId::parse(&agent_id)?).await?;
    place.registry.delete(&before.id).await?;
    place.home.sandboxes.end(&before, Closed::Deleted).await;
    place.home.versions.forget(&before.id).await;
    place.home.git.forget(&before).await;
    let mut facts = Map::new();
    facts.insert("deleted".to_owned(), true.into());
    Ok(facts)
}

/// Settings with what was sent in place of what there is.
pub(crate) fn changed(settings: &Settings, sent: Map<String, Value>) -> Result<Settings> {
    let mut all = facts(settings)?;
    all.extend(sent);
    all.retain(|_, value| !value.is_null());
    read(Value::Object(all))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let stopped = |_| Err(Error::new(Code::Internal, "a thread was stopped"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(stopped)
}
