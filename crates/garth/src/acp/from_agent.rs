//! What the agent says, on its way to the client. The agent is not believed: what it asks
//! of files and commands is checked here, or answered from the workspace.

use std::{io, sync::Arc};

use bytes::Bytes;
use garth_contract::{Code, Error};

use super::{
    answer,
    json::{Edit, Object, Unclear, spliced},
    log::{Entry, kept, short},
    message::{Id, Kind, Message, Outcome},
    places::Side,
    relay::{Era, ForAgent, ForClient, Relay, send, send_changed},
    reply,
    table::Waiting,
    translate::Translation,
};

/// The most places of a tool that are recorded.
const MOST_PLACES: usize = 8;

/// The most choices of a question that are recorded, which are kept until it is answered.
const MOST_OPTIONS: usize = 16;

impl Relay {
    pub(super) async fn from_agent(
        self: &Arc<Self>,
        line: &Bytes,
        message: &Message<'_>,
    ) -> io::Result<()> {
        match &message.kind {
            Kind::Request { id, method } => match &**method {
                name if answer::METHODS.contains(&name) => self.asked(line, message).await,
                "session/request_permission" => self.permission(line, message, id).await,
                _ => self.agent_asks(line, message, (id, ForAgent::Pass, Vec::new())).await,
            },
            Kind::Notice { method } if method == "session/update" => {
                self.update(line, message).await
            }
            // As a notification it would be done all the same by some clients.
            Kind::Notice { method } if answer::METHODS.contains(&&**method) => {
                self.log_refused("agent", "a request without an id", line.len()).await;
                Ok(())
            }
            Kind::Notice { .. } => send(&self.client, line).await,
            Kind::Reply { id, outcome } => self.agent_answers(line, message, (id, outcome)).await,
        }
    }

    /// Passes a request on, and remembers what its answer is for.
    pub(super) async fn agent_asks(
        &self,
        line: &Bytes,
        message: &Message<'_>,
        (id, purpose, edits): (&Id, ForAgent, Vec<Edit>),
    ) -> io::Result<()> {
        let waiting = Waiting { raw_id: message.raw_id().to_owned(), purpose };
        if let Err((full, waiting)) = self.asked_by_agent.put(id.clone(), waiting) {
            let error = Error::new(Code::InvalidRequest, full.sentence());
            self.log_refused("agent", full.sentence(), line.len()).await;
            return send(&self.agent, reply::failed(&waiting.raw_id, &error).as_bytes()).await;
        }
        if edits.is_empty() {
            return send(&self.client, line).await;
        }
        let made = spliced(message.whole, edits);
        send_changed(&self.client, line, message.whole, &made).await
    }

    /// A question to a person, which is recorded with its answer.
    async fn permission(&self, line: &Bytes, message: &Message<'_>, id: &Id) -> io::Result<()> {
        let found = self.permission_facts(message);
        let (session, summary, options, edits) = match found {
            Ok(found) => found,
            Err(unclear) => return self.refuse_agent(message, &unclear).await,
        };
        let operation = "session/request_permission";
        let entry = Entry { session: &session, operation, summary, bytes: line.len() };
        let recording = match self.log.begin(entry).await {
            Ok(recording) => recording,
            Err(error) => {
                let answer = reply::failed(message.raw_id(), &error);
                return send(&self.agent, answer.as_bytes()).await;
            }
        };
        let purpose = ForAgent::Permission { recording, options };
        self.agent_asks(line, message, (id, purpose, edits)).await
    }

    #[allow(clippy::type_complexity, reason = "it is taken apart where it is used")]
    fn permission_facts(
        &self,
        message: &Message<'_>,
    ) -> Result<(String, String, Vec<(String, String)>, Vec<Edit>), Unclear> {
        let params = message.params()?;
        let session = params.text("sessionId")?.unwrap_or_default();
        let mut options = Vec::new();
        for option in params.array("options")?.into_iter().take(MOST_OPTIONS) {
            let option = Object::of(option)?;
            let [id, kind] = ["optionId", "kind"].map(|name| option.text(name));
            options.push((short(&id?.unwrap_or_default()), short(&kind?.unwrap_or_default())));
        }
        let call = params.object("toolCall")?;
        let summary = call.as_ref().map_or_else(|| Ok(String::new()), tool)?;
        let mut translation = Translation::of(message.whole, &self.places, Side::Agent);
        if let Some(call) = call.filter(|_| !self.places.is_shared()) {
            translation.tool_call(&call)?;
        }
        Ok((session, summary, options, translation.edits()))
    }

    /// What the agent tells of its work: tools are recorded.
    async fn update(&self, line: &Bytes, message: &Message<'_>) -> io::Result<()> {
        let looked = async {
            let params = message.params()?;
            let Some(update) = params.object("update")? else { return Ok(Vec::new()) };
            let kind = update.text("sessionUpdate")?.unwrap_or_default();
            if ["tool_call", "tool_call_update"].contains(&&*kind) {
                let session = params.text("sessionId")?.unwrap_or_default();
                let summary = tool(&update)?;
                let entry =
                    Entry { session: &session, operation: &kind, summary, bytes: line.len() };
                self.log.told(entry, Ok(0)).await;
            }
            if self.places.is_shared() || self.known().era == Era::Other {
                return Ok(Vec::new());
            }
            let mut translation = Translation::of(message.whole, &self.places, Side::Agent);
            translation.update(&update)?;
            Ok(translation.edits())
        };
        match looked.await {
            Ok(edits) if edits.is_empty() => send(&self.client, line).await,
            Ok(edits) => {
                let made = spliced(message.whole, edits);
                send_changed(&self.client, line, message.whole, &made).await
            }
            // What is merely shown does no harm, however odd it is.
            Err(Unclear::Wrong | Unclear::TooMany | Unclear::Twice(_)) => {
                send(&self.client, line).await
            }
        }
    }

    /// Refuses parameters that cannot be relied on.
    pub(super) async fn refuse_agent(
        &self,
        message: &Message<'_>,
        unclear: &Unclear,
    ) -> io::Result<()> {
        let method = match &message.kind {
            Kind::Request { method, .. } | Kind::Notice { method } => method,
            Kind::Reply { .. } => return Ok(()),
        };
        let error = reply::unclear(&kept(method), unclear);
        self.log_refused("agent", error.message(), message.whole.len()).await;
        send(&self.agent, reply::failed(message.raw_id(), &error).as_bytes()).await
    }

    /// Passes an answer on to the client, if the client asked.
    async fn agent_answers(
        &self,
        line: &Bytes,
        message: &Message<'_>,
        (id, outcome): (&Id, &Outcome<'_>),
    ) -> io::Result<()> {
        let Some(waiting) = self.asked_by_client.take(id) else {
            return self.unasked("agent", &self.client, line, (id, outcome)).await;
        };
        let Outcome::Done(result) = outcome else { return send(&self.client, line).await };
        match waiting.purpose {
            ForClient::Pass => {}
            ForClient::Session(place) => {
                let named = Object::of(result).and_then(|result| result.text("sessionId"));
                if let Ok(Some(session)) = named {
                    self.known().remember(&session, place);
                }
            }
            ForClient::Sessions => {
                let edits = self.listed(message.whole, result).unwrap_or_default();
                if !edits.is_empty() {
                    let made = spliced(message.whole, edits);
                    return send_changed(&self.client, line, message.whole, &made).await;
                }
            }
        }
        send(&self.client, line).await
    }

    /// The directories in a list of sessions, as the client knows them.
    fn listed(&self, whole: &str, result: &str) -> Result<Vec<Edit>, Unclear> {
        let mut translation = Translation::of(whole, &self.places, Side::Agent);
        for session in Object::of(result)?.array("sessions")? {
            let session = Object::of(session)?;
            translation.path(&session, "cwd")?;
            translation.paths(&session, "additionalDirectories")?;
        }
        Ok(translation.edits())
    }
}

/// What is recorded of a tool: which call, of what kind, how far, where; no title, which
/// holds whatever a model wrote.
fn tool(call: &Object<'_>) -> Result<String, Unclear> {
    let mut facts = Vec::new();
    for name in ["toolCallId", "kind", "status"] {
        if let Some(text) = call.text(name)? {
            facts.push(format!("{name}: {}", kept(&text)));
        }
    }
    for place in call.array("locations")?.into_iter().take(MOST_PLACES) {
        if let Some(path) = Object::of(place)?.text("path")? {
            facts.push(format!("at: {}", kept(&path)));
        }
    }
    Ok(facts.join("; "))
}
