//! The last step: it is done, recorded, and only then told.

use std::{sync::PoisonError, time::Duration};

use blake3::{Hash, Hasher};
use garth_contract::{Code, Error, Result, WsPath};
use garth_workspace::Workspace;

use crate::{
    Admitted, AgentId, Answer, At, Done, Held, Role, Run, Takes, When,
    approvals::{
        Again, Answered, AnsweredBy, Collected, Hears, Question, Reply, Told, Touched, Verdict,
    },
    audit::Closing,
    call::Work,
    change,
    contain::{caught, contain},
    operation::OnWorkspace,
    registry::{Claim, Claimed, Key, Known, Settled},
    store::Along,
    summary,
};

impl<A: Answer> Admitted<A> {
    /// Runs the operation, and waits until its record is on the disk.
    ///
    /// # Errors
    /// Those of the operation; `APPROVAL_REFUSED`; `INTERNAL` when it panicked or could
    /// not be recorded.
    ///
    /// Cancel: as for [`Gateway::call`](crate::Gateway::call).
    pub async fn run(mut self) -> Result<Done<A>> {
        match self.work.request_id.take() {
            None => self.perform(None).await,
            Some(request) => Box::pin(self.run_once(request)).await,
        }
    }

    async fn run_once(self, request: String) -> Result<Done<A>> {
        let key = Key {
            workspace: self.work.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
            caller: self.work.caller.id().to_owned(),
            request,
        };
        let claim = self.work.gateway.inner.once.claim(key, digest(&self.work)).await;
        match claim {
            Ok(Claim::Run(claimed)) => {
                // A task of its own, so that a connection that breaks does not leave the
                // caller with a call of which nobody knows how far it went.
                let task = tokio::spawn(self.perform(Some(Box::new(claimed))));
                task.await.unwrap_or_else(|_| Err(Error::of(Code::Cancelled)))
            }
            Ok(Claim::Done(settled)) => self.repeat(settled).await,
            Err(error) => Err(self.work.refuse(error).await),
        }
    }

    async fn perform(mut self, claimed: Option<Box<Claimed>>) -> Result<Done<A>> {
        let result = self.execute().await;
        let along = claimed.as_ref().map(|claimed| claimed.settle(settled(&result)));
        self.ran(result, along).told().await
    }

    /// Runs the operation where nothing has to be waited for; else it comes back as it was.
    pub(crate) fn run_now(mut self) -> Result<Ran<A>, Self> {
        match self.answer_now() {
            Some(result) => Ok(self.ran(result, None)),
            None => Err(self),
        }
    }

    fn answer_now(&mut self) -> Option<Result<A>> {
        let Self { work, standing, permit, .. } = self;
        let Run::Workspace(OnWorkspace { at_once: Some(at_once), .. }) = &work.operation.run else {
            return None;
        };
        let standing = standing.as_deref().filter(|_| work.request_id.is_none())?;
        let (known, workspaces) = (&*standing.known, &work.gateway.inner.workspaces);
        let slot = workspaces.slot_now(standing, work.arrived).ok()?;
        let workspace = slot.workspace().filter(|_| known.rules.allow_everything())?;
        let (agent, permit) = (&known.agent.id, permit.as_ref());
        let at = At { workspace, agent, caller: &work.caller, permit };
        let along = work.along.get_mut().unwrap_or_else(PoisonError::into_inner).as_ref()?;
        caught(|| at_once(at, &work.params, along)).transpose()
    }

    /// Closes the record of a call that was run.
    fn ran(self, result: Result<A>, along: Option<Along>) -> Ran<A> {
        let Self { mut work, held, .. } = self;
        if let Some(more) = result.as_ref().ok().and_then(Answer::recorded) {
            work.record.note(more);
        }
        let bytes = result.as_ref().map_or(0, Answer::bytes);
        let outcome = outcome(&result).map(|()| bytes);
        let Work { gateway, operation, record, .. } = *work;
        let (limits, closing) = (&gateway.inner.limits, record.close_along(outcome, along));
        let held = match (operation.takes, &closing) {
            // Nobody need be waited for.
            (Takes::Nothing | Takes::Read, Closing::Kept) => {
                limits.end(held, bytes);
                None
            }
            (Takes::Nothing | Takes::Read | Takes::Watch | Takes::Process, _) => {
                limits.settle(&held, bytes);
                Some(held)
            }
        };
        Ran { result, closing, held, takes: operation.takes }
    }

    async fn execute(&mut self) -> Result<A> {
        let along = self.work.along.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(along) = along else { return Err(Error::of(Code::Internal)) };
        let Self { work, standing, permit, .. } = self;
        let work = &mut **work;
        if let Run::Gateway(run) = &work.operation.run {
            let params = std::mem::take(&mut work.params);
            return contain(|| run(work.caller.clone(), params, along)).await;
        }
        let Some(standing) = standing.as_deref() else {
            return Err(Error::of(Code::AgentNotFound));
        };
        let (known, workspaces) = (&*standing.known, &work.gateway.inner.workspaces);
        let slot = workspaces.slot_now(standing, work.arrived)?;
        let workspace = match slot.workspace() {
            Some(workspace) => workspace,
            // Apart, since it is open most often.
            None => Box::pin(workspaces.open_slot(&known.agent, &slot)).await?,
        };
        if !known.rules.allow_everything() {
            // Apart, since most have no rules, and asking takes much.
            Box::pin(approve(work, known, workspace)).await?;
        }
        let Run::Workspace(OnWorkspace { run, .. }) = &work.operation.run else {
            return Err(Error::of(Code::Internal));
        };
        let params = std::mem::take(&mut work.params);
        let (agent, permit) = (&known.agent.id, permit.as_ref());
        let at = At { workspace, agent, caller: &work.caller, permit };
        contain(|| run(at, params, along)).await
    }

    /// Gives the answer of an earlier call again.
    async fn repeat(self, settled: Settled) -> Result<Done<A>> {
        let mut work = self.work;
        work.record.note("answered as before");
        let result = match settled {
            Settled::Answer(text) => A::recall(&text).ok_or_else(unkept),
            Settled::Unkept => Err(unkept()),
            Settled::Error(code, message) => {
                Err(Error::new(Code::from_name(&code).unwrap_or(Code::Internal), message))
            }
        };
        let bytes = result.as_ref().map_or(0, Answer::bytes);
        let outcome = outcome(&result).map(|()| bytes);
        work.gateway.inner.limits.settle(&self.held, bytes);
        let sequence = work.record.close(outcome).await?;
        Ok(Done { answer: result?, sequence, when: When::Before, held: None })
    }
}

/// A call that was run, and whose record is being closed.
pub(crate) struct Ran<A: Answer> {
    result: Result<A>,
    closing: Closing,
    /// Until the record is closed, or longer.
    held: Option<Held>,
    takes: Takes,
}

impl<A: Answer> Ran<A> {
    /// What came of it, once its record outlives what it is to outlive.
    pub(crate) async fn told(self) -> Result<Done<A>> {
        let Self { result, closing, mut held, takes } = self;
        let sequence = closing.told().await?;
        let held = match takes {
            Takes::Watch | Takes::Process => {
                held.iter_mut().for_each(Held::call_ended);
                held
            }
            Takes::Nothing | Takes::Read => None,
        };
        Ok(Done { answer: result?, sequence, when: When::Now, held })
    }

    /// The same where the record does so already.
    ///
    /// # Errors
    /// This, where it has to be waited for.
    pub(crate) fn told_now(self) -> Result<Result<Done<A>>, Box<Self>> {
        match (&self.closing, &self.held) {
            (Closing::Kept, None) => {
                let done = |answer| Done { answer, sequence: None, when: When::Now, held: None };
                Ok(self.result.map(done))
            }
            (Closing::Kept | Closing::Waits(_) | Closing::Failed, _) => Err(Box::new(self)),
        }
    }
}

/// Holds the call against the workspace's rules, and asks where they say so.
async fn approve<A: Answer>(
    work: &mut Work<A>,
    known: &Known,
    workspace: &Workspace,
) -> Result<()> {
    let named = work.summary.paths.iter().map(|named| {
        let path: Result<WsPath> = workspace.path(&named.path);
        path.map(|path| Touched { path, reach: named.reach })
    });
    let touched: Vec<Touched> = named.collect::<Result<_>>()?;
    let name = work.operation.name;
    match known.rules.judge(name, &touched, work.summary.command.as_deref()) {
        Verdict::Allow => return Ok(()),
        Verdict::Deny => {
            work.record.note("approval: denied by a rule");
            let message = "a rule of the workspace denies this";
            return Err(Error::new(Code::ApprovalRefused, message));
        }
        Verdict::Ask => {}
    }
    let question = Question {
        agent: known.agent.id.clone(),
        caller: work.caller.id().to_owned(),
        session: work.caller.session().to_owned(),
        operation: name.to_owned(),
        summary: summary::line(&work.summary, &known.redactor),
        change: work
            .summary
            .change
            .and_then(|change| change::shown(&change(&work.params), &known.redactor)),
        wait: Duration::from_millis(known.agent.settings.approvals.wait_ms),
    };
    let told = told(work, known);
    let desk = &work.gateway.inner.desk;
    let answered = match told {
        None => desk.ask(question).await?,
        Some(told) => {
            let about = about(work);
            let collected = match &told.again {
                Some(Again { id, said }) => desk.collect(id, (about, &work.caller), *said)?,
                None => Collected::Waits(desk.leave(question, about)?),
            };
            match collected {
                Collected::Answered(answered) => answered,
                Collected::Waits(asked) => {
                    work.record.note("approval: asked of the caller");
                    // Set once: each try of a call is a call of its own.
                    let _ = told.question.set(asked);
                    let message = "approval is needed";
                    return Err(Error::new(Code::ApprovalRefused, message));
                }
            }
        }
    };
    let refused = |message: &'static str| Err(Error::new(Code::ApprovalRefused, message));
    match answered {
        Answered::By { caller, reply: Reply::Allow } => {
            work.record.note(&format!("approval: allowed by {caller}"));
            Ok(())
        }
        Answered::By { caller, reply: Reply::Deny } => {
            work.record.note(&format!("approval: denied by {caller}"));
            refused("approval was refused")
        }
        Answered::Unanswered | Answered::Withdrawn => {
            work.record.note("approval: not answered");
            refused("approval was not given in time")
        }
    }
}

/// How a caller is told of a question itself, where its own answer would count.
fn told<A: Answer>(work: &Work<A>, known: &Known) -> Option<Told> {
    let Hears::Told(told) = &work.hears else { return None };
    let counts = match (work.caller.role(), known.agent.settings.approvals.answered_by) {
        (Role::Operator, _) | (Role::Agent(_) | Role::User, AnsweredBy::Anybody) => true,
        (Role::Agent(_) | Role::User, AnsweredBy::Operators) => false,
    };
    counts.then(|| told.clone())
}

/// How a call ended, as the record says it.
fn outcome<A: Answer>(result: &Result<A>) -> Result<(), Code> {
    match result {
        Ok(answer) => answer.failed().map_or(Ok(()), Err),
        Err(error) => Err(error.code()),
    }
}

/// What is kept of a call for whoever asks again.
fn settled<A: Answer>(result: &Result<A>) -> Settled {
    match result {
        Ok(answer) => answer.keep().map_or(Settled::Unkept, Settled::Answer),
        Err(error) => {
            Settled::Error(error.code().row().name.to_owned(), error.message().to_owned())
        }
    }
}

fn unkept() -> Error {
    let message = "the call with this request id was done, and its answer was not kept";
    Error::new(Code::Conflict, message).hint("Look at what is there now.")
}

/// What tells a call apart from others that an approval is not about.
fn about<A: Answer>(work: &Work<A>) -> Hash {
    let agent = work.agent.as_ref().map(AgentId::as_str).unwrap_or_default();
    let mut hasher = Hasher::new();
    hasher.update(digest(work).as_bytes());
    hasher.update(agent.as_bytes());
    hasher.finalize()
}

/// What tells two calls apart that have the same request id.
fn digest<A: Answer>(work: &Work<A>) -> Hash {
    let mut hasher = Hasher::new();
    let params = work.params.to_string();
    for text in [work.operation.name, &params] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}
