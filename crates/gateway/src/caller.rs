//! Who asks: a role that a token proves, and the session that the caller names.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use garth_contract::{Code, Error, Result, escape};
use tokio::sync::watch;

use crate::{AgentId, Trace, audit::Word, standing::Standing};

/// The longest name of a session that is recorded, in bytes.
const MOST_SESSION: usize = 128;

/// What a caller may do; it comes from the token alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Everything.
    Operator,
    /// Its own workspace.
    Agent(AgentId),
    /// Nothing directly; a user works through an agent.
    User,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Agent(id) => write!(f, "agent:{id}"),
            Self::User => f.write_str("user"),
        }
    }
}

/// What a credential was made for, which decides how much it may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A program.
    Token,
    /// A person's session in the web UI.
    Session,
}

/// A token that was found good.
#[derive(Clone)]
pub struct Credential {
    pub(crate) id: Arc<str>,
    pub(crate) role: Role,
    pub(crate) label: Arc<str>,
    pub(crate) kind: Kind,
    pub(crate) life: Arc<Life>,
}

impl Credential {
    /// The credential of the person who started the program on their own machine, and
    /// is therefore the operator. It has no token.
    #[must_use]
    pub fn of_the_person_who_started_it() -> Self {
        Self {
            id: Arc::from("local"),
            role: Role::Operator,
            label: Arc::from("the person who started it"),
            kind: Kind::Session,
            life: Arc::new(Life::new()),
        }
    }

    /// The same, in the hands of a person at our own page, whose browser asks for much
    /// at once. That it comes from there a program can say too, so it holds for
    /// operators alone, who set the limits.
    #[must_use]
    pub fn at_the_page(mut self) -> Self {
        match self.role {
            Role::Operator => self.kind = Kind::Session,
            Role::Agent(_) | Role::User => {}
        }
        self
    }

    /// The token's id, which is public.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it gives a right to.
    #[must_use]
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// What the operator called it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Waits until it was revoked or has expired; a connection ends then.
    ///
    /// Cancel: nothing happens.
    pub async fn ended(&self) {
        let mut seen = self.life.ended.subscribe();
        // The sender lives as long as `self`.
        let _ = seen.wait_for(|ended| *ended).await;
    }
}

/// Whether a credential is still good, for all who hold it.
pub(crate) struct Life {
    /// For those who wait for it; every call asks the other one.
    ended: watch::Sender<bool>,
    is_ended: AtomicBool,
    expires_ms: AtomicI64,
}

impl Life {
    pub(crate) fn new() -> Self {
        Self {
            ended: watch::Sender::new(false),
            is_ended: AtomicBool::new(false),
            expires_ms: AtomicI64::new(i64::MAX),
        }
    }

    /// Says when it is over by itself.
    pub(crate) fn expires(&self, at_ms: Option<i64>) {
        self.expires_ms.store(at_ms.unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::SeqCst);
        self.ended.send_replace(true);
    }

    pub(crate) fn is_over(&self, now_ms: i64) -> bool {
        self.is_ended.load(Ordering::SeqCst) || self.expires_ms.load(Ordering::Relaxed) <= now_ms
    }
}

/// Who asks: a credential, and the session that is named with it.
#[derive(Clone)]
pub struct Caller {
    who: Arc<Who>,
    trace: Option<Trace>,
}

/// What is the same for every call of a caller.
///
/// A connection has its own, texts included: two connections with one token that work at the
/// same time would count on one place of the memory who has them, which costs more than all
/// else that is done with them.
struct Who {
    credential: Credential,
    session: Arc<str>,
    /// The role as records have it.
    role: Arc<str>,
    /// The workspace that it called last.
    standing: Mutex<Option<Arc<Standing>>>,
}

impl Caller {
    /// A caller with the session that it names, or the connection's id. The name is
    /// theirs, so it is cut and escaped, and proves nothing.
    #[must_use]
    pub fn new(credential: Credential, session: &str) -> Self {
        let end = session.floor_char_boundary(MOST_SESSION);
        let session = escape(session.as_bytes().get(..end).unwrap_or_default());
        let role = Arc::from(credential.role.to_string());
        let credential = Credential { id: Arc::from(&*credential.id), ..credential };
        let (session, standing) = (Arc::from(session), Mutex::default());
        let who = Arc::new(Who { credential, session, role, standing });
        Self { who, trace: None }
    }

    /// The same caller, in the trace that it names with a `traceparent`, if that is one.
    ///
    /// It is theirs as the session is: it goes to whoever watches the audit, and decides
    /// nothing.
    #[must_use]
    pub fn traced(mut self, parent: Option<&str>) -> Self {
        if let Some(trace) = parent.and_then(Trace::parse) {
            self.trace = Some(trace);
        }
        self
    }

    /// The trace that it named.
    pub(crate) fn trace(&self) -> Option<Trace> {
        self.trace
    }

    /// The id of its token.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.who.credential.id
    }

    /// What it may do.
    #[must_use]
    pub fn role(&self) -> &Role {
        &self.who.credential.role
    }

    /// The session it named.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.who.session
    }

    /// The same, as text that is shared.
    #[must_use]
    pub fn shared_id(&self) -> &Arc<str> {
        &self.who.credential.id
    }

    /// Its token's id, its role and its session, as records have them.
    pub(crate) fn words(&self) -> [Word; 3] {
        [&self.who.credential.id, &self.who.role, &self.who.session]
            .map(|word| Word::Shared(Arc::clone(word)))
    }

    pub(crate) fn kind(&self) -> Kind {
        self.who.credential.kind
    }

    /// What it has at hand of the workspace that it called last.
    pub(crate) fn standing(&self) -> Option<Arc<Standing>> {
        self.who.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn stands(&self, standing: &Arc<Standing>) {
        let mut last = self.who.standing.lock().unwrap_or_else(PoisonError::into_inner);
        // What it was is let go when nobody waits for it.
        let before = last.replace(Arc::clone(standing));
        drop(last);
        drop(before);
    }

    /// # Errors
    /// `UNAUTHENTICATED` once the token was revoked or has expired.
    pub(crate) fn check(&self, now_ms: i64) -> Result<()> {
        if self.who.credential.life.is_over(now_ms) {
            return Err(Error::of(Code::Unauthenticated));
        }
        Ok(())
    }
}
