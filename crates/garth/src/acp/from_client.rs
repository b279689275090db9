//! What the client says, on its way to the agent.

use std::{io, sync::Arc};

use bytes::Bytes;
use garth_contract::{Code, Error};

use super::{
    capabilities::{self, Wanted},
    json::{Edit, Object, Unclear, spliced},
    log::{Entry, kept, short},
    message::{Id, Kind, Message, Outcome},
    places::Side,
    relay::{Era, ForAgent, ForClient, Relay, send, send_changed},
    reply, session,
    table::Waiting,
    translate::Translation,
};

/// A request as it goes to the agent.
struct Admitted {
    edits: Vec<Edit>,
    purpose: ForClient,
}

impl Relay {
    pub(super) async fn from_client(
        self: &Arc<Self>,
        line: &Bytes,
        message: &Message<'_>,
    ) -> io::Result<()> {
        match &message.kind {
            Kind::Request { id, method } => self.client_asks(line, message, (id, method)).await,
            Kind::Notice { .. } => send(&self.agent, line).await,
            Kind::Reply { id, outcome } => self.client_answers(line, (id, outcome)).await,
        }
    }

    async fn client_asks(
        &self,
        line: &Bytes,
        message: &Message<'_>,
        (id, method): (&Id, &str),
    ) -> io::Result<()> {
        let admitted = self.admit(message, method).await;
        let raw_id = message.raw_id().to_owned();
        let Admitted { edits, purpose } = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return self.refuse_client(&raw_id, method, &error).await,
        };
        if let Err((full, _)) = self.asked_by_client.put(id.clone(), Waiting { raw_id, purpose }) {
            let error = Error::new(Code::InvalidRequest, full.sentence());
            return self.refuse_client(message.raw_id(), method, &error).await;
        }
        if edits.is_empty() {
            return send(&self.agent, line).await;
        }
        let made = spliced(message.whole, edits);
        send_changed(&self.agent, line, message.whole, &made).await
    }

    /// Looks at a request, and says what must be another in it.
    async fn admit(&self, message: &Message<'_>, method: &str) -> Result<Admitted, Error> {
        let bad = |error: Unclear| reply::unclear(method, &error);
        let mut admitted = Admitted { edits: Vec::new(), purpose: ForClient::Pass };
        if method == "initialize" {
            match capabilities::raised(message, self.rules.ours).map_err(bad)? {
                Wanted::Understood { client, edits } => {
                    let mut known = self.known();
                    known.era = Era::First;
                    known.client = client;
                    admitted.edits = edits;
                }
                Wanted::Other => self.known().era = Era::Other,
            }
            return Ok(admitted);
        }
        if self.known().era == Era::Other {
            return Ok(admitted);
        }
        if session::METHODS.contains(&method) {
            return self.begin(message, method).await;
        }
        if self.places.is_shared() {
            return Ok(admitted);
        }
        let mut translation = Translation::of(message.whole, &self.places, Side::Client);
        if method == "session/list" {
            if let Ok(params) = message.params() {
                translation.path(&params, "cwd").map_err(bad)?;
            }
            admitted.purpose = ForClient::Sessions;
        } else if method == "session/prompt" {
            translation.blocks(&message.params().map_err(bad)?, "prompt").map_err(bad)?;
        }
        admitted.edits = translation.edits();
        Ok(admitted)
    }

    async fn begin(&self, message: &Message<'_>, method: &str) -> Result<Admitted, Error> {
        let server = self.rules.server.as_ref();
        let begun = session::begin(message, method, &self.places, server).await?;
        let place = begun.place.path;
        let session = begun.session.unwrap_or_default();
        if !session.is_empty() && method != "session/fork" {
            self.known().remember(&session, place.clone());
        }
        let server = begun.server.map_or_else(String::new, |name| format!("; server: {name}"));
        let shown = if place.is_root() { String::new() } else { place.to_string() };
        let summary = format!("directory: /{shown}{server}");
        let bytes = message.whole.len();
        let entry = Entry { session: &session, operation: method, summary, bytes };
        self.log.told(entry, Ok(0)).await;
        Ok(Admitted { edits: begun.edits, purpose: ForClient::Session(place) })
    }

    async fn refuse_client(&self, raw_id: &str, method: &str, error: &Error) -> io::Result<()> {
        let summary = kept(error.message());
        let entry = Entry { session: "", operation: method, summary, bytes: 0 };
        self.log.told(entry, Err(error.code())).await;
        send(&self.client, reply::failed(raw_id, error).as_bytes()).await
    }

    /// Passes an answer on to the agent, if the agent asked.
    async fn client_answers(
        &self,
        line: &Bytes,
        (id, outcome): (&Id, &Outcome<'_>),
    ) -> io::Result<()> {
        let Some(waiting) = self.asked_by_agent.take(id) else {
            return self.unasked("client", &self.agent, line, (id, outcome)).await;
        };
        let size = match outcome {
            Outcome::Done(_) => Ok(line.len() as u64),
            Outcome::Failed => Err(Code::Cancelled),
        };
        match waiting.purpose {
            ForAgent::Pass => {}
            ForAgent::Record(recording) => recording.close(size).await,
            ForAgent::Permission { mut recording, options } => {
                recording.note(&decided(outcome, &options));
                recording.close(size).await;
            }
        }
        send(&self.agent, line).await
    }

    /// What answers nothing is not passed on, except that a message could not be read.
    pub(super) async fn unasked(
        &self,
        side: &str,
        to: &super::relay::Out,
        line: &Bytes,
        (id, outcome): (&Id, &Outcome<'_>),
    ) -> io::Result<()> {
        match (id, outcome) {
            (Id::Null, Outcome::Failed) => send(to, line).await,
            (Id::Null | Id::Number(_) | Id::Text(_), Outcome::Done(_) | Outcome::Failed) => {
                self.log_refused(side, "an answer to what was not asked", line.len()).await;
                Ok(())
            }
        }
    }
}

/// What a person decided, in words.
fn decided(outcome: &Outcome<'_>, options: &[(String, String)]) -> String {
    let chosen = || -> Option<String> {
        let Outcome::Done(result) = outcome else { return None };
        let told = Object::of(result).ok()?.object("outcome").ok()??;
        let said = told.text("outcome").ok()??;
        let option = told.text("optionId").ok()?;
        Some(match option {
            Some(option) => {
                let kind = options.iter().find(|(id, _)| *id == short(&option));
                let kind = kind.map_or("not offered", |(_, kind)| kind);
                format!("{}: {} ({})", kept(&said), kept(&option), kept(kind))
            }
            None => kept(&said),
        })
    };
    chosen().unwrap_or_else(|| "no decision".to_owned())
}
