//! How much a caller may ask for, and how much may be asked of a workspace.
//!
//! Requests and bytes a minute are counted by GCRA: a budget that refills evenly, so
//! a refusal can say to the millisecond when the next call fits. What is open at a
//! time is counted in [`slots`]. Everything is counted twice, for the caller and for
//! the workspace, each of which has one account; people in the web UI have budgets of
//! their own.

mod accounts;
mod bytes;
mod config;
mod counters;
mod requests;
mod slots;

use std::{sync::Arc, time::Duration};

use garth_contract::{Code, Detail, Error, Result};
use governor::clock::{Clock, DefaultClock};

pub use config::{Budget, Config, Family, Numbers, Takes};
pub use counters::Snapshot;
use counters::{Counters, Why};
pub use slots::Held;
use slots::{Open, Sides, Slots};

use crate::{AgentId, OwnLimits, caller::Kind};
use accounts::Accounts;

/// What to wait for a place that is taken: nobody knows when it is free, so a time in
/// which many an operation ends.
const PLACE_TAKEN: Duration = Duration::from_millis(100);

/// Whose budget something is counted on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// A caller's, by the id of its token.
    Caller(Arc<str>),
    /// A workspace's, apart for programs and for people.
    Workspace(AgentId, Kind),
}

/// What a call asks for.
#[derive(Clone, Debug)]
pub struct Demand<'a> {
    /// The id of the caller's token.
    pub caller: &'a Arc<str>,
    /// What the caller is.
    pub kind: Kind,
    /// The workspace, and what bounds of its own it has.
    pub workspace: Option<(&'a AgentId, OwnLimits)>,
    /// What kind of operation it is.
    pub family: Family,
    /// What it holds while it runs, or longer.
    pub takes: Takes,
    /// How large the request is.
    pub bytes: u64,
}

/// The budgets of everybody.
pub struct Limits<C: Clock = DefaultClock> {
    config: Config,
    accounts: Accounts<C>,
    slots: Arc<Slots>,
    counters: Counters,
}

impl Limits {
    /// Full budgets, by the clock of the machine.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::with_clock(config, DefaultClock::default())
    }
}

impl<C: Clock + Clone> Limits<C> {
    /// Full budgets, by another clock.
    #[must_use]
    pub fn with_clock(config: Config, clock: C) -> Self {
        Self {
            accounts: Accounts::new(clock),
            slots: Arc::new(Slots::new(config.in_flight)),
            config,
            counters: Counters::default(),
        }
    }

    /// Takes what a call asks for from the budgets.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` with the time after which it fits.
    pub fn admit(&self, demand: &Demand<'_>) -> Result<Held<C>> {
        let held = self.slots.take(demand.takes, self.sides(demand));
        let held = held.map_err(|why| self.refuse(why, PLACE_TAKEN))?;
        let now = self.accounts.now();
        for (account, numbers) in held.sides.iter().flatten() {
            let paid = account.charge(numbers.bytes_per_minute, demand.bytes, now);
            paid.map_err(|wait| self.refuse(Why::Bytes, wait))?;
        }
        for (account, numbers) in held.sides.iter().flatten() {
            let most = numbers.requests(demand.family);
            let paid = self.accounts.request(account, demand.family, most, now);
            paid.map_err(|wait| self.refuse(Why::Requests, wait))?;
        }
        self.counters.admitted();
        Ok(held)
    }

    /// Counts the bytes of the reply to a call that was admitted. They have left, so what is
    /// over the budget is owed and paid before the next call is admitted.
    pub fn settle(&self, held: &Held<C>, bytes: u64) {
        let now = self.accounts.now();
        for (account, numbers) in held.sides.iter().flatten() {
            account.owe(numbers.bytes_per_minute, bytes, now);
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut open = Open { calls: u64::from(self.slots.calls()), ..Open::default() };
        self.accounts.each_open(|scope, places| match scope {
            // Each place is counted for its caller and for its workspace; callers suffice.
            Scope::Caller(_) => places.add_to(&mut open),
            Scope::Workspace(..) => {}
        });
        self.counters.snapshot(open, self.accounts.count())
    }

    /// Forgets those whose budgets are full again.
    pub fn sweep(&self) {
        self.accounts.sweep();
    }

    /// Both sides of a call with the numbers that hold for them.
    fn sides(&self, demand: &Demand<'_>) -> Sides<C> {
        let budget = match demand.kind {
            Kind::Token => &self.config.programs,
            Kind::Session => &self.config.people,
        };
        let caller = Scope::Caller(Arc::clone(demand.caller));
        let workspace =
            demand.workspace.map(|(agent, _)| Scope::Workspace(agent.clone(), demand.kind));
        let [caller, workspace] = self.accounts.of([Some(caller), workspace]);
        let numbers = match (demand.workspace, demand.kind) {
            (Some((_, own)), Kind::Token) => budget.workspace.with(&own),
            (Some(_), Kind::Session) | (None, _) => budget.workspace,
        };
        [
            caller.map(|account| (account, budget.caller)),
            workspace.map(|account| (account, numbers)),
        ]
    }

    fn refuse(&self, why: Why, wait: Duration) -> Error {
        self.counters.refused(why);
        Error::new(Code::RateLimitExceeded, why.sentence()).with(Detail::RetryAfter(wait))
    }
}
