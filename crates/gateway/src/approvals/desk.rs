//! Questions that wait for an answer.
//!
//! A call that is asked about puts its question here and waits; whoever watches the
//! desk answers. No answer in time is a refusal, and so is a full desk: a caller
//! cannot fill the memory with questions, nor somebody's day.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use blake3::Hash;
use garth_contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, oneshot};

use crate::{AgentId, Caller, Role, clock::Clock, clock::millis, random};

/// The most questions that wait at once: more than anybody reads.
const MOST_PENDING: usize = 256;

/// The most of one workspace, so that one agent leaves room for the others.
const MOST_OF_ONE: usize = 32;

/// Events that a slow watcher may lag behind; it then asks for the list.
const MOST_EVENTS: usize = 256;

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// What it is answered by.
    pub id: String,
    /// Whose workspace it is about.
    pub agent: AgentId,
    /// Who wants it.
    pub caller: String,
    /// The session it is wanted in.
    pub session: String,
    /// What would be done,
    pub operation: String,
    /// and to what.
    pub summary: String,
    /// What it would change, where it says so: lines behind `-` and `+`, without secrets.
    pub change: Option<String>,
    /// When it was asked, in milliseconds since 1970.
    pub asked_ms: i64,
    /// When it counts as refused.
    pub deadline_ms: i64,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reply {
    /// It may be done.
    Allow,
    /// It may not.
    Deny,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "how")]
pub enum Answered {
    /// Somebody answered.
    #[serde(rename_all = "camelCase")]
    By {
        /// The id of the operator's token.
        caller: String,
        /// The answer.
        reply: Reply,
    },
    /// Nobody did in time.
    Unanswered,
    /// Whoever asked went away.
    Withdrawn,
}

/// What happens at the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum Event {
    /// A question came.
    Asked(Asked),
    /// A question is gone.
    Settled {
        /// Which one.
        id: String,
        /// How it ended.
        answered: Answered,
    },
}

/// What is to be asked.
pub(crate) struct Question {
    pub(crate) agent: AgentId,
    pub(crate) caller: String,
    pub(crate) session: String,
    pub(crate) operation: String,
    pub(crate) summary: String,
    pub(crate) change: Option<String>,
    pub(crate) wait: Duration,
}

/// What became of a question that was left.
pub(crate) enum Collected {
    /// It is answered, and gone.
    Answered(Answered),
    /// It still waits.
    Waits(Asked),
}

/// Where questions wait.
pub struct Desk {
    clock: Clock,
    pending: Mutex<BTreeMap<String, Pending>>,
    events: broadcast::Sender<Event>,
}

struct Pending {
    asked: Asked,
    answer: Answers,
}

/// How an answer comes to whoever wants it.
enum Answers {
    /// Somebody waits for it.
    Waited(oneshot::Sender<(String, Reply)>),
    /// Its caller comes again: with the same call, and what is answered by then.
    Left { about: Hash, answered: Option<(String, Reply)> },
}

impl Answers {
    fn is_open(&self) -> bool {
        match self {
            Self::Waited(_) => true,
            Self::Left { answered, .. } => answered.is_none(),
        }
    }
}

impl Desk {
    pub(crate) fn new(clock: Clock) -> Self {
        let (events, _) = broadcast::channel(MOST_EVENTS);
        Self { clock, pending: Mutex::new(BTreeMap::new()), events }
    }

    /// The questions that wait, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<Asked> {
        let mut pending = self.lock();
        self.sweep(&mut pending);
        let open = pending.values().filter(|pending| pending.answer.is_open());
        let mut all: Vec<_> = open.map(|pending| pending.asked.clone()).collect();
        drop(pending);
        all.sort_by_key(|asked| asked.asked_ms);
        all
    }

    /// What happens from now on. Who lags too far behind loses events and asks for
    /// [`pending`](Self::pending) again.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Answers a question.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` unless an operator does; `INVALID_PARAMS` for a question that
    /// does not wait, or no longer.
    pub fn answer(&self, id: &str, reply: Reply, by: &Caller) -> Result<()> {
        match by.role() {
            Role::Operator => {}
            Role::Agent(_) | Role::User => return Err(Error::of(Code::PermissionDenied)),
        }
        let gone = || Error::new(Code::InvalidParams, "no such approval is waited for");
        let caller = by.id().to_owned();
        let mut all = self.lock();
        self.sweep(&mut all);
        match all.remove(id).ok_or_else(gone)? {
            Pending { answer: Answers::Waited(answer), .. } => {
                answer.send((caller.clone(), reply)).map_err(|_| gone())?;
            }
            left @ Pending { answer: Answers::Left { answered: Some(_), .. }, .. } => {
                // The first answer counts; it waits to be fetched.
                all.insert(id.to_owned(), left);
                return Err(gone());
            }
            Pending { asked, answer: Answers::Left { about, answered: None } } => {
                let answer = Answers::Left { about, answered: Some((caller.clone(), reply)) };
                all.insert(id.to_owned(), Pending { asked, answer });
            }
        }
        drop(all);
        self.tell(id, Answered::By { caller, reply });
        Ok(())
    }

    /// Asks, and waits for an answer.
    ///
    /// # Errors
    /// `APPROVAL_REFUSED` when too many wait already.
    ///
    /// Cancel: the question is withdrawn.
    pub(crate) async fn ask(&self, question: Question) -> Result<Answered> {
        let wait = question.wait;
        let asked = self.asked(question)?;
        let id = asked.id.clone();
        let (answer, waiting) = oneshot::channel();
        self.put(asked, Answers::Waited(answer))?;
        let mut seat = Seat { desk: self, id, how: Answered::Withdrawn };
        match tokio::time::timeout(wait, waiting).await {
            Ok(Ok((caller, reply))) => Ok(Answered::By { caller, reply }),
            Ok(Err(_)) | Err(_) => {
                seat.how = Answered::Unanswered;
                Ok(Answered::Unanswered)
            }
        }
    }

    /// Leaves a question, whose caller comes again with the same call.
    ///
    /// # Errors
    /// `APPROVAL_REFUSED` when too many wait already.
    pub(crate) fn leave(&self, question: Question, about: Hash) -> Result<Asked> {
        let asked = self.asked(question)?;
        self.put(asked.clone(), Answers::Left { about, answered: None })?;
        Ok(asked)
    }

    /// Comes again with a call, and with what its own person says to it, if anything.
    ///
    /// An answer that was given at the desk goes before; each answer counts for one call.
    ///
    /// # Errors
    /// `APPROVAL_REFUSED` for a question that is no longer there, or was about another
    /// call or caller.
    pub(crate) fn collect(
        &self,
        id: &str,
        (about, by): (Hash, &Caller),
        said: Option<Reply>,
    ) -> Result<Collected> {
        let gone = || Error::new(Code::ApprovalRefused, "no such approval is waited for");
        let mut all = self.lock();
        self.sweep(&mut all);
        let there = all.get(id).ok_or_else(gone)?;
        let answered = match &there.answer {
            Answers::Left { about: left, answered }
                if *left == about && there.asked.caller == by.id() =>
            {
                answered.clone()
            }
            Answers::Left { .. } | Answers::Waited(_) => return Err(gone()),
        };
        let own = || said.map(|reply| (by.id().to_owned(), reply));
        let fresh = answered.is_none();
        let Some((caller, reply)) = answered.or_else(own) else {
            return Ok(Collected::Waits(there.asked.clone()));
        };
        all.remove(id);
        drop(all);
        let answered = Answered::By { caller, reply };
        if fresh {
            self.tell(id, answered.clone());
        }
        Ok(Collected::Answered(answered))
    }

    fn asked(&self, question: Question) -> Result<Asked> {
        let Question { agent, caller, session, operation, summary, change, wait } = question;
        let asked_ms = self.clock.now_ms();
        let deadline_ms = asked_ms.saturating_add(millis(wait));
        let id = random::name()?;
        Ok(Asked { id, agent, caller, session, operation, summary, change, asked_ms, deadline_ms })
    }

    /// Forgets questions whose caller did not come again in time.
    fn sweep(&self, pending: &mut BTreeMap<String, Pending>) {
        let now_ms = self.clock.now_ms();
        pending.retain(|id, one| match &one.answer {
            Answers::Left { .. } if one.asked.deadline_ms <= now_ms => {
                if one.answer.is_open() {
                    self.tell(id, Answered::Unanswered);
                }
                false
            }
            Answers::Left { .. } | Answers::Waited(_) => true,
        });
    }

    fn put(&self, asked: Asked, answer: Answers) -> Result<()> {
        let mut pending = self.lock();
        self.sweep(&mut pending);
        let same = pending.values().filter(|other| other.asked.agent == asked.agent).count();
        if pending.len() >= MOST_PENDING || same >= MOST_OF_ONE {
            let message = "approval is needed, and too many approvals are waited for already";
            return Err(Error::new(Code::ApprovalRefused, message));
        }
        pending.insert(asked.id.clone(), Pending { asked: asked.clone(), answer });
        drop(pending);
        // Without a watcher nobody hears it, and the question waits in the list.
        let _ = self.events.send(Event::Asked(asked));
        Ok(())
    }

    fn tell(&self, id: &str, answered: Answered) {
        let _ = self.events.send(Event::Settled { id: id.to_owned(), answered });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question's place at the desk, which is cleared when nobody waits for it any more.
struct Seat<'a> {
    desk: &'a Desk,
    id: String,
    how: Answered,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let left = self.desk.lock().remove(&self.id);
        if left.is_some() {
            self.desk.tell(&self.id, self.how.clone());
        }
    }
}
