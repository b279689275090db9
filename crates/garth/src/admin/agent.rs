//! `garth agent`: the agents of a gateway.

use std::path::Path;

use garth_contract::{Code, Error, Result};
use garth_gateway::{Agent, Settings};
use serde_json::{Map, Value, json};

use super::{Missing, Office, columns, facts, format, run as on_data, when};
use crate::{
    args::{self, AgentVerb},
    output::{Format, Outcome, Output},
    serve::{changed, opener, sandboxes::Sandboxes, versions},
};

/// Runs the command.
pub(crate) fn run(args: &args::Agent, output: &Output) -> Outcome {
    match &args.verb {
        AgentVerb::Create(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Made, to, |office| create(office, args, to))
        }
        AgentVerb::List(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| list(office, to))
        }
        AgentVerb::Show(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| show(office, args, to))
        }
        AgentVerb::Update(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| update(office, args, to))
        }
        AgentVerb::Delete(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| delete(office, args, to))
        }
    }
}

type To<'a> = (&'a Output, Format);

async fn create(office: Office, args: &args::AgentSet, to: To<'_>) -> Result<Outcome> {
    let (id, data) = (&args.id, &office.settings.data);
    let settings = set_up(&office.settings.new_agent(), args)?;
    let work = async {
        settings.check()?;
        adopted(&settings)?;
        sandboxes(&office).ready(id, &settings).await?;
        opener::make_directory(data, id, &settings)?;
        office.registry.create(id, &settings).await
    };
    office.change("agents.create", format!("agent: {id}"), work).await?;
    let agent = office.registry.get(id).await?;
    let path = agent.settings.directory(data, id);
    told(&agent, &format!("{id} has its workspace in {}", path.display()), to)
}

async fn update(office: Office, args: &args::AgentSet, to: To<'_>) -> Result<Outcome> {
    let id = &args.id;
    let work = async {
        let before = office.registry.get(id).await?.settings;
        let settings = set_up(&before, args)?;
        settings.check()?;
        adopted(&settings)?;
        if settings.provider != before.provider {
            sandboxes(&office).ready(id, &settings).await?;
        }
        opener::make_directory(&office.settings.data, id, &settings)?;
        office.registry.configure(id, &settings).await
    };
    office.change("agents.update", format!("agent: {id}"), work).await?;
    let agent = office.registry.get(id).await?;
    told(&agent, &format!("{id} is changed"), to)
}

/// What tells whether an agent's commands could run; whoever serves them ends them.
fn sandboxes(office: &Office) -> Sandboxes {
    Sandboxes::new(office.settings.providers(), &office.settings.data, Vec::new())
}

async fn list(office: Office, (output, format): To<'_>) -> Result<Outcome> {
    let mut agents: Vec<Agent> = Vec::new();
    loop {
        let after = agents.last().map(|agent| agent.id.to_string()).unwrap_or_default();
        let page = office.registry.list(&after, u32::MAX).await?;
        if page.is_empty() {
            break;
        }
        agents.extend(page);
    }
    match format {
        Format::Json => output.payload(&facts(&json!({ "agents": agents }))?),
        Format::Text => {
            let rows: Vec<_> = agents.iter().map(|agent| row(agent, &office)).collect();
            output.answer(&columns::page(
                ["AGENT", "PROVIDER", "ACCESS", "MADE", "WORKSPACE"],
                &rows,
            ));
        }
    }
    Ok(Outcome::Done)
}

fn row(agent: &Agent, office: &Office) -> [String; 5] {
    let settings = &agent.settings;
    [
        agent.id.to_string(),
        settings.provider.clone(),
        if settings.read_only { "read" } else { "read, write" }.to_owned(),
        when::shown(agent.created_ms),
        settings.directory(&office.settings.data, &agent.id).display().to_string(),
    ]
}

async fn show(office: Office, args: &args::AgentOne, (output, format): To<'_>) -> Result<Outcome> {
    let agent = office.registry.get(&args.id).await?;
    let facts = facts(&agent)?;
    match format {
        Format::Json => output.payload(&facts),
        Format::Text => {
            let [id, provider, access, made, path] = row(&agent, &office);
            let settings = serde_json::to_string_pretty(&agent.settings).unwrap_or_default();
            output.answer(&format!(
                "agent      {id}\nprovider   {provider}\naccess     {access}\nmade       {made}\n\
                 workspace  {path}\nsettings   {settings}"
            ));
        }
    }
    Ok(Outcome::Done)
}

async fn delete(
    office: Office,
    args: &args::AgentOne,
    (output, format): To<'_>,
) -> Result<Outcome> {
    let id = &args.id;
    let agent = office.registry.get(id).await?;
    let work = office.registry.delete(id);
    office.change("agents.delete", format!("agent: {id}"), work).await?;
    versions::forget(&office.settings.data, id);
    let path = agent.settings.directory(&office.settings.data, id);
    match format {
        Format::Json => output.payload(&facts(&json!({ "deleted": true }))?),
        Format::Text => {
            let path = path.display();
            output.answer(&format!(
                "{id} is forgotten, its tokens are taken back; its files stay in {path}"
            ));
        }
    }
    Ok(Outcome::Done)
}

fn told(agent: &Agent, sentence: &str, (output, format): To<'_>) -> Result<Outcome> {
    match format {
        Format::Json => output.payload(&facts(agent)?),
        Format::Text => output.answer(sentence),
    }
    Ok(Outcome::Done)
}

/// Settings with what the command line says in place of what there is.
fn set_up(settings: &Settings, args: &args::AgentSet) -> Result<Settings> {
    let mut settings = changed(settings, sent(args)?)?;
    // Rules of its own stay, for whoever turns it on again.
    settings.redaction.enabled &= !args.no_redact;
    Ok(settings)
}

/// What the command line sets, in the words of the wire; flags go before `--settings`.
fn sent(args: &args::AgentSet) -> Result<Map<String, Value>> {
    let mut sent: Map<String, Value> = match &args.settings {
        None => Map::new(),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            let message = format!("--settings is no JSON object: {error}");
            Error::new(Code::InvalidParams, message)
        })?,
    };
    let mut set = |name: &str, value: Option<Value>| {
        sent.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("provider", args.provider.clone().map(Value::from));
    set("directory", args.dir.as_deref().map(directory).transpose()?.map(Value::from));
    set("readOnly", args.read_only.map(Value::from));
    set("quotaBytes", args.quota.map(Value::from));
    set("maxFileBytes", args.max_file.map(Value::from));
    let globs = |globs: &Vec<String>| (!globs.is_empty()).then(|| globs.clone().into());
    set("deny", globs(&args.deny));
    set("protect", globs(&args.protect));
    Ok(sent)
}

/// A directory as it is stored: absolute, and what it really is.
fn directory(path: &Path) -> Result<String> {
    #[allow(
        clippy::disallowed_methods,
        reason = "it only names the directory; nothing is opened by it"
    )]
    let real = path.canonicalize();
    let real = real.map_err(|error| {
        let message = format!("--dir {} cannot be used: {}", path.display(), error.kind());
        Error::new(Code::InvalidParams, message)
    })?;
    real.into_os_string()
        .into_string()
        .map_err(|_| Error::new(Code::InvalidParams, "the path of --dir is no UTF-8 text"))
}

/// Checks that an adopted directory is there.
fn adopted(settings: &Settings) -> Result<()> {
    match &settings.directory {
        Some(path) if !Path::new(path).is_dir() => {
            Err(Error::new(Code::WorkspaceNotFound, "the directory to adopt is not there"))
        }
        Some(_) | None => Ok(()),
    }
}
