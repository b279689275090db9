//! The first step: what is asked for, and of whom.

use std::sync::{Arc, Mutex};

use garth_contract::{Code, Error, Result, escape};

use crate::{
    Access, Answer, Call, Gateway, Operation, Resolved, Run, Summary, Table,
    agent_id::AgentId,
    audit::{self, Begin, Outlives, Word},
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
        let (begin, asked) = self.ask(table, call);
        let record = self.inner.audit.open(begin).await?;
        match asked.on_record(record) {
            Ok(work) => Ok(Resolved(work)),
            Err(ended) => Err(ended.told().await),
        }
    }

    /// What is known of a call before it has a record, and what that is to begin with.
    pub(crate) fn ask<A: Answer>(
        &self,
        table: &Table<A>,
        call: Call<A::Along>,
    ) -> (Begin, Asked<A>) {
        let found = table.find(&call.operation);
        let agent = found.map_or(Ok(None), |found| agent_of(found, call.agent.as_deref()));
        let summary = found.map(|found| (found.describe)(&call.params)).unwrap_or_default();
        let [by, role, session] = call.caller.words();
        let begin = Begin {
            trace: call.caller.trace(),
            caller: by,
            role,
            session,
            workspace: match &agent {
                Ok(Some(id)) => id.shared().into(),
                Ok(None) | Err(_) => Word::default(),
            },
            operation: found
                .map_or_else(|| shown(&call.operation).into(), |found| found.name.into()),
            summary: summary::line(&summary, &self.inner.redactor).into(),
            bytes_in: call.bytes,
            outlives: match found.map(|found| found.access) {
                Some(Access::Read) | None => Outlives::Gateway,
                Some(Access::Write | Access::Run | Access::Admin) => Outlives::Machine,
            },
        };
        let found = match (found, agent) {
            (Some(operation), Ok(agent)) => Ok((Arc::clone(operation), agent)),
            (None, _) => Err(Error::of(Code::UnknownMethod)),
            (Some(_), Err(error)) => Err(error),
        };
        (begin, Asked { gateway: self.clone(), found, call, summary })
    }
}

/// A call that has no record yet.
pub(crate) struct Asked<A: Answer> {
    pub(crate) gateway: Gateway,
    found: Result<(Arc<Operation<A>>, Option<AgentId>)>,
    call: Call<A::Along>,
    summary: Summary,
}

impl<A: Answer> Asked<A> {
    /// The call with its record, where there is such an operation; else the record, and why
    /// not.
    pub(crate) fn on_record(self, record: audit::Open) -> Result<Box<Work<A>>, Box<Ended>> {
        let Self { gateway, found, call, summary } = self;
        let (operation, agent) = match found {
            Ok(found) => found,
            Err(error) => return Err(Box::new(Ended { record, error })),
        };
        let Call { caller, params, bytes, request_id, hears, arrived, along, .. } = call;
        Ok(Box::new(Work {
            gateway,
            operation,
            caller,
            agent,
            params,
            bytes,
            request_id,
            hears,
            arrived,
            summary,
            record,
            along: Mutex::new(Some(along)),
        }))
    }
}

/// A call that came no further than its record.
pub(crate) struct Ended {
    pub(crate) record: audit::Open,
    pub(crate) error: Error,
}

impl Ended {
    /// Why it did not, once that is on record.
    pub(crate) async fn told(self) -> Error {
        let Self { record, error } = self;
        match record.close(Err(error.code())).await {
            Ok(_) => error,
            Err(unrecorded) => unrecorded,
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
