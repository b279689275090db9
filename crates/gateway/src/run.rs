//! The last step: it is done, recorded, and only then told.

use std::{sync::PoisonError, time::Duration};

use blake3::{Hash, Hasher};
use garth_contract::{Code, Error, Result, WsPath};
use garth_workspace::Workspace;

use crate::{
    Admitted, AgentId, Answer, At, Done, Role, Run, Takes, When,
    approvals::{
        Again, Answered, AnsweredBy, Collected, Hears, Question, Reply, Told, Touched, Verdict,
    },
    audit::Closing,
    call::Work,
    change,
    contain::contain,
    registry::{Claim, Claimed, Key, Known, Settled},
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
        let Self { mut work, mut held, .. } = self;
        if let Some(more) = result.as_ref().ok().and_then(Answer::recorded) {
            work.record.note(more);
        }
        let bytes = result.as_ref().map_or(0, Answer::bytes);
        let along = claimed.as_ref().map(|claimed| claimed.settle(settled(&result)));
        let outcome = outcome(&result).map(|()| bytes);
        let Work { gateway, operation, record, .. } = *work;
        let (limits, closing) = (&gateway.inner.limits, record.close_along(outcome, along));
        let (sequence, held) = match (operation.takes, closing) {
            (Takes::Watch | Takes::Process, closing) => {
                limits.settle(&held, bytes);
                let sequence = closing.told().await?;
                held.call_ended();
                (sequence, Some(held))
            }
            // Nobody need be waited for.
            (Takes::Nothing | Takes::Read, Closing::Kept) => {
                limits.end(held, bytes);
                (None, None)
            }
            (Takes::Nothing | Takes::Read, closing) => {
                limits.settle(&held, bytes);
                (closing.told().await?, None)
            }
        };
        Ok(Done { answer: result?, sequence, when: When::Now, held })
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
        let Run::Workspace(run) = &work.operation.run else {
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
