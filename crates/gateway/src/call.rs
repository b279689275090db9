//! A call on its way: each step takes the last one's type and gives a stronger one.
//!
//! Only [`Admitted`] can be run, and only [`Gateway::admit`](crate::Gateway::admit)
//! makes one, from what [`Gateway::authorize`](crate::Gateway::authorize) made:
//!
//! ```no_run
//! # use garth_gateway::{Authorized, Gateway};
//! async fn run(gateway: &Gateway, authorized: Authorized<serde_json::Value>) {
//!     let admitted = gateway.admit(authorized).await.unwrap();
//!     admitted.run().await.unwrap();
//! }
//! ```
//!
//! ```compile_fail,E0599
//! # use garth_gateway::{Authorized, Gateway};
//! async fn run(gateway: &Gateway, authorized: Authorized<serde_json::Value>) {
//!     authorized.run().await.unwrap();
//! }
//! ```
//!
//! ```compile_fail,E0308
//! # use garth_gateway::{Gateway, Resolved};
//! async fn run(gateway: &Gateway, resolved: Resolved<serde_json::Value>) {
//!     let admitted = gateway.admit(resolved).await.unwrap();
//! }
//! ```

use std::sync::{Arc, Mutex};

use garth_contract::{Error, Result};
use garth_redact::Permit;
use serde_json::Value;

use crate::{
    Answer, Caller, Gateway, Held, Moment, Operation, Summary, agent_id::AgentId, approvals::Hears,
    audit, limits::Wanted, resolve::Ended, standing::Standing,
};

/// What a caller asks for, as an interface read it.
#[derive(Clone)]
pub struct Call<L = ()> {
    /// Who asks.
    pub caller: Caller,
    /// The operation's name.
    pub operation: String,
    /// Whose workspace is meant; not looked at for an operation of the gateway itself.
    pub agent: Option<String>,
    /// The parameters.
    pub params: Value,
    /// How large the request was.
    pub bytes: u64,
    /// What the caller named the call, so that it happens at most once.
    pub request_id: Option<String>,
    /// How the caller hears of an approval that the call needs.
    pub hears: Hears,
    /// When it was here.
    pub arrived: Moment,
    /// What comes along beside the parameters.
    pub along: L,
}

/// What travels along; in a box, since it goes through many hands.
pub(crate) struct Work<A: Answer> {
    pub(crate) gateway: Gateway,
    pub(crate) operation: Arc<Operation<A>>,
    pub(crate) caller: Caller,
    pub(crate) agent: Option<AgentId>,
    pub(crate) params: Value,
    pub(crate) bytes: u64,
    pub(crate) request_id: Option<String>,
    pub(crate) hears: Hears,
    pub(crate) arrived: Moment,
    pub(crate) summary: Summary,
    pub(crate) record: audit::Open,
    /// Until it is run; behind a lock, since the call is looked at from several places.
    pub(crate) along: Mutex<Option<A::Along>>,
}

/// A call whose operation is known and whose agent's id is one.
pub struct Resolved<A: Answer>(pub(crate) Box<Work<A>>);

/// A call that its caller may make.
pub struct Authorized<A: Answer> {
    pub(crate) work: Box<Work<A>>,
    pub(crate) standing: Option<Arc<Standing>>,
    pub(crate) permit: Option<Permit>,
}

/// A call that there is room for; it can be run.
#[must_use = "an admitted call that is not run is recorded as cancelled"]
pub struct Admitted<A: Answer> {
    pub(crate) work: Box<Work<A>>,
    pub(crate) standing: Option<Arc<Standing>>,
    pub(crate) permit: Option<Permit>,
    pub(crate) held: Held,
}

/// A call that was done, and whose record is on the disk.
pub struct Done<A> {
    /// What it answers.
    pub answer: A,
    /// The number of its record; the record of a mere look gets one a little later.
    pub sequence: Option<i64>,
    /// Whether it was done now.
    pub when: When,
    /// The place of a watch or a process, to be held as long as it lives.
    pub held: Option<Held>,
}

/// Whether a call was done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// It was.
    Now,
    /// It was done before, by a call with the same request id; the answer is that one's.
    Before,
}

impl<A: Answer> Work<A> {
    /// Ends the call with an error that is on record before it is told.
    pub(crate) async fn refuse(self: Box<Self>, error: Error) -> Error {
        Ended { record: self.record, error }.told().await
    }

    /// What is taken for it from the budgets.
    pub(crate) fn wanted(&self) -> Wanted {
        let Operation { family, takes, .. } = *self.operation;
        Wanted { family, takes, bytes: self.bytes }
    }
}

/// Ends a call where a step fails.
pub(crate) async fn step<A: Answer, T>(
    work: Box<Work<A>>,
    result: Result<T>,
) -> Result<(Box<Work<A>>, T)> {
    match result {
        Ok(value) => Ok((work, value)),
        Err(error) => Err(work.refuse(error).await),
    }
}
