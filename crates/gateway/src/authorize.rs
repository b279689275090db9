//! The second step: whether this caller may ask for this.
//!
//! An agent that asks for another's workspace is refused before anybody looks whether
//! there is such an agent, so neither the answer nor the time it takes tells.

use std::sync::Arc;

use garth_contract::{Code, Error, Result};
use garth_redact::Permit;

use crate::{
    Access, Answer, Authorized, Gateway, Resolved, Role, Run, Shows,
    call::{Work, step},
    registry::Known,
    standing::Standing,
    summary,
};

impl Gateway {
    /// Checks the caller's token and role, and that the agent is there.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` once the token was taken back; `PERMISSION_DENIED` for what the
    /// role does not allow; `AGENT_NOT_FOUND`, to an operator only; `READ_ONLY`.
    pub async fn authorize<A: Answer>(&self, resolved: Resolved<A>) -> Result<Authorized<A>> {
        let Resolved(work) = resolved;
        let allowed = self.allows(&work);
        let (work, permit) = step(work, allowed).await?;
        let standing = self.look_up(&work).await;
        let (work, standing) = step(work, standing).await?;
        Ok(Authorized::of(work, standing, permit))
    }

    /// The same where it need not wait: for who may ask, about an agent that is in memory.
    pub(crate) fn authorize_now<A: Answer>(
        &self,
        work: Box<Work<A>>,
    ) -> Result<Authorized<A>, Box<Work<A>>> {
        let Ok(permit) = self.allows(&work) else { return Err(work) };
        let Some(id) = &work.agent else { return Ok(Authorized::of(work, None, permit)) };
        let Some(standing) = self.standing_now(&work.caller, id) else { return Err(work) };
        match may_be_changed(&work, &standing.known) {
            Ok(()) => Ok(Authorized::of(work, Some(standing), permit)),
            Err(_) => Err(work),
        }
    }

    /// Judges by the token alone, and issues the permit for what is not redacted.
    fn allows<A: Answer>(&self, work: &Work<A>) -> Result<Option<Permit>> {
        // As of when its record was opened, a moment ago.
        work.caller.check(work.record.time_ms())?;
        if !self.inner.audit.is_writable() {
            // The record of this refusal is the next try to write one.
            return Err(Error::new(
                Code::Internal,
                "the audit cannot be written, so nothing is run",
            ));
        }
        let denied = || Err(Error::of(Code::PermissionDenied));
        match work.caller.role() {
            Role::Operator => {}
            Role::Agent(own) => {
                let mine = work.agent.as_ref() == Some(own);
                let on_workspace = match (&work.operation.run, work.operation.access) {
                    (Run::Workspace(_), Access::Read | Access::Write | Access::Run) => true,
                    (Run::Workspace(_), Access::Admin) | (Run::Gateway(_), _) => false,
                };
                if !mine || !on_workspace || work.summary.shows == Shows::Raw {
                    return denied();
                }
            }
            Role::User => return denied(),
        }
        Ok(match work.summary.shows {
            Shows::Clean => None,
            // The caller was just found to be an operator, and the record says it.
            Shows::Raw => Some(Permit::authorised()),
        })
    }

    /// Finds the agent that the call is about.
    async fn look_up<A: Answer>(&self, work: &Work<A>) -> Result<Option<Arc<Standing>>> {
        let Some(id) = &work.agent else { return Ok(None) };
        // Before it is read: what changes meanwhile makes this one old.
        let generation = self.inner.registry.generation();
        let known =
            self.inner.registry.known(id).await.map_err(|error| match work.caller.role() {
                // To an agent its own absence looks like anybody else's.
                Role::Agent(_) | Role::User if error.code() == Code::AgentNotFound => {
                    Error::of(Code::PermissionDenied)
                }
                Role::Agent(_) | Role::User | Role::Operator => error,
            })?;
        may_be_changed(work, &known)?;
        Ok(Some(self.stand(&work.caller, known, generation)))
    }
}

impl<A: Answer> Authorized<A> {
    fn of(mut work: Box<Work<A>>, standing: Option<Arc<Standing>>, permit: Option<Permit>) -> Self {
        let known = standing.as_ref().map(|standing| &standing.known);
        if let Some(known) = known.filter(|known| known.has_own_redactor()) {
            work.record.describe(summary::line(&work.summary, &known.redactor));
        }
        Self { work, standing, permit }
    }
}

/// # Errors
/// `READ_ONLY` for a call that changes what is not to be changed.
fn may_be_changed<A: Answer>(work: &Work<A>, known: &Known) -> Result<()> {
    match work.operation.access {
        Access::Write if known.agent.settings.read_only => Err(Error::of(Code::ReadOnly)),
        Access::Read | Access::Write | Access::Run | Access::Admin => Ok(()),
    }
}
