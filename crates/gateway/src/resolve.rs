//! The first step: what is asked for, and of whom.

use std::sync::{Arc, Mutex};

use garth_contract::{Code, Error, Result, escape};

use crate::{
    Access, Answer, Call, Gateway, Operation, Resolved, Run, Table,
    agent_id::AgentId,
    audit::{Begin, Outlives, Word},
    call::Work,
    summary,
};

/// The longest name of an operation that is recorded, in bytes.
const MOST_NAME: usize = 128;

impl Gateway {
    /// Finds the operation, reads the agent's id, and opens the record.
    ///
    /// # Errors
    /// `UNKNOWN_METHOD`; `INVALID_PARAMS` for an id that is none or is missing.
    pub async fn resolve<A: Answer>(
        &self,
        table: &Table<A>,
        call: Call<A::Along>,
    ) -> Result<Resolved<A>> {
        let Call { caller, operation: name, agent, params, bytes, request_id, hears, along } = call;
        let found = table.find(&name);
        let agent = found.map_or(Ok(None), |found| agent_of(found, agent.as_deref()));
        let summary = found.map(|found| (found.describe)(&params)).unwrap_or_default();
        let [by, role, session] = caller.words();
        let begin = Begin {
            trace: caller.trace(),
            caller: by,
            role,
            session,
            workspace: match &agent {
                Ok(Some(id)) => id.shared().into(),
                Ok(None) | Err(_) => Word::default(),
            },
            operation: found.map_or_else(|| shown(&name).into(), |found| found.name.into()),
            summary: summary::line(&summary, &self.inner.redactor).into(),
            bytes_in: bytes,
            outlives: match found.map(|found| found.access) {
                Some(Access::Read) | None => Outlives::Gateway,
                Some(Access::Write | Access::Run | Access::Admin) => Outlives::Machine,
            },
        };
        let record = self.inner.audit.open(begin).await?;
        let resolved = match (found, agent) {
            (Some(operation), Ok(agent)) => Ok((Arc::clone(operation), agent)),
            (None, _) => Err(Error::of(Code::UnknownMethod)),
            (Some(_), Err(error)) => Err(error),
        };
        match resolved {
            Ok((operation, agent)) => Ok(Resolved(Box::new(Work {
                gateway: self.clone(),
                operation,
                caller,
                agent,
                params,
                bytes,
                request_id,
                hears,
                summary,
                record,
                along: Mutex::new(Some(along)),
            }))),
            Err(error) => {
                record.close(Err(error.code())).await?;
                Err(error)
            }
        }
    }
}

/// The agent that an operation needs one of.
fn agent_of<A: Answer>(operation: &Operation<A>, agent: Option<&str>) -> Result<Option<AgentId>> {
    match (&operation.run, agent) {
        (Run::Gateway(_), _) => Ok(None),
        (Run::Workspace(_), Some(text)) => AgentId::parse(text).map(Some),
        (Run::Workspace(_), None) => {
            Err(Error::new(Code::InvalidParams, "the call does not say whose workspace it means"))
        }
    }
}

/// A name as a caller sent it, which can be anything.
fn shown(name: &str) -> String {
    let end = name.floor_char_boundary(MOST_NAME);
    escape(name.as_bytes().get(..end).unwrap_or_default())
}
