//! Who may do what: callers, limits, approvals, the audit and the registry of agents.
//!
//! A call goes one straight line, and each step takes the last one's type:
//! [`Gateway::resolve`] → [`Gateway::authorize`] → [`Gateway::admit`] →
//! [`Admitted::run`]. [`Gateway::call`] is all of them. The record of a call is opened
//! with it and on the disk before its answer is told, whatever the answer is.
//!
//! Nothing here knows a protocol or a backend: an interface fills a [`Table`] of
//! operations, and an [`Opener`] opens workspaces.

mod admit;
mod agent_id;
pub mod approvals;
pub mod audit;
mod authorize;
mod call;
mod caller;
mod callers;
mod change;
mod clock;
mod contain;
mod gateway;
mod housekeeping;
pub mod limits;
mod moment;
mod operation;
mod own_files;
mod random;
mod registry;
mod resolve;
mod run;
mod settings;
mod standing;
mod store;
mod summary;
mod token;
mod trace;
mod workspaces;

pub use agent_id::AgentId;
pub use call::{Admitted, Authorized, Call, Done, Resolved, When};
pub use caller::{Caller, Credential, Kind, Role};
pub use callers::{Callers, Grant, Token};
pub use change::Part;
pub use clock::Clock;
pub use gateway::{Begun, Gateway, Health, Setup};
pub use limits::{Family, Held, Limits, Takes};
pub use moment::{Latest, Moment};
pub use operation::{Access, Answer, At, Describe, Named, Operation, Run, Shows, Summary, Table};
pub use registry::{Agent, Lease, Node, Owned, Registry, State};
pub use settings::{Behavior, CustomPattern, GitRemote, OwnLimits, Redaction, Settings, Workflows};
pub use store::Store;
pub use token::Secret;
pub use trace::{Sampled, Trace};
pub use workspaces::{Closed, Opener};
