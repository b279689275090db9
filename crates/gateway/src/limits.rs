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
use slots::{Open, Slots};

use crate::{AgentId, Caller, OwnLimits, caller::Kind};
use accounts::Accounts;
pub(crate) use accounts::Sides;

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

impl<'a> Demand<'a> {
    /// What a caller asks for that asks for nothing yet.
    pub(crate) fn of(caller: &'a Caller) -> Self {
        Self {
            caller: caller.shared_id(),
            kind: caller.kind(),
            workspace: None,
            family: Family::Worktree,
            takes: Takes::Nothing,
            bytes: 0,
        }
    }
}

/// The same, of whomever it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) family: Family,
    pub(crate) takes: Takes,
    pub(crate) bytes: u64,
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
        let Demand { family, takes, bytes, .. } = *demand;
        self.admit_on(&Arc::new(self.sides(demand)), &Wanted { family, takes, bytes })
    }

    /// The same for sides that are known.
    ///
    /// # Errors
    /// As for [`admit`](Self::admit).
    pub(crate) fn admit_on(&self, sides: &Arc<Sides<C>>, wanted: &Wanted) -> Result<Held<C>> {
        if !self.slots.begin() {
            return Err(self.refuse(Why::InFlight, PLACE_TAKEN));
        }
        let mut held = Held::begun(Arc::clone(sides), wanted.takes);
        let taken = self.accounts.take(sides, wanted);
        taken.map_err(|(why, wait)| self.refuse(why, wait.unwrap_or(PLACE_TAKEN)))?;
        held.has_places();
        self.counters.admitted();
        Ok(held)
    }

    /// Counts the bytes of the reply to a call that was admitted. They have left, so what is
    /// over the budget is owed and paid before the next call is admitted.
    pub fn settle(&self, held: &Held<C>, bytes: u64) {
        let now = self.accounts.now();
        held.sides.each(|spent, numbers| spent.owe(numbers, bytes, now));
    }

    /// The same for a call that leaves nothing open, and gives back what it held.
    pub(crate) fn end(&self, mut held: Held<C>, bytes: u64) {
        let now = self.accounts.now();
        held.leave(|spent, numbers| spent.owe(numbers, bytes, now));
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
    pub(crate) fn sides(&self, demand: &Demand<'_>) -> Sides<C> {
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
        let accounts = [
            caller.map(|account| (account, budget.caller)),
            workspace.map(|account| (account, numbers)),
        ];
        Sides::new(accounts, Arc::clone(&self.slots))
    }

    fn refuse(&self, why: Why, wait: Duration) -> Error {
        self.counters.refused(why);
        Error::new(Code::RateLimitExceeded, why.sentence()).with(Detail::RetryAfter(wait))
    }
}
