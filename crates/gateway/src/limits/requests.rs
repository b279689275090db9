//! Requests a minute, of one caller or one workspace.

use std::{num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::Clock,
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};

use super::{Family, accounts::MINUTE};

type Limiter<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// A budget for each kind of operation, from the first on that is asked for.
pub(super) struct Requests<C: Clock> {
    worktree: Option<Budget<C>>,
    tool: Option<Budget<C>>,
    sandbox: Option<Budget<C>>,
    admin: Option<Budget<C>>,
}

/// A limiter has one number for ever, so another number is another limiter.
struct Budget<C: Clock> {
    most: NonZeroU32,
    limiter: Limiter<C>,
}

impl<C: Clock> Default for Requests<C> {
    fn default() -> Self {
        Self { worktree: None, tool: None, sandbox: None, admin: None }
    }
}

impl<C: Clock> Requests<C> {
    /// Whether any was asked for.
    pub(super) fn is_any(&self) -> bool {
        [&self.worktree, &self.tool, &self.sandbox, &self.admin].into_iter().any(Option::is_some)
    }

    /// Takes one, where so many a minute may be taken.
    ///
    /// # Errors
    /// The time after which there is one.
    pub(super) fn take(&mut self, family: Family, most: u32, clock: &C) -> Result<(), Duration>
    where
        C: Clone,
    {
        // Nothing a minute is a refusal that no wait helps; a minute is as good as any.
        let Some(most) = NonZeroU32::new(most) else { return Err(MINUTE) };
        let budget = match family {
            Family::Worktree => &mut self.worktree,
            Family::Tool => &mut self.tool,
            Family::Sandbox => &mut self.sandbox,
            Family::Admin => &mut self.admin,
        };
        let made = budget.take().filter(|budget| budget.most == most);
        let budget = budget.insert(made.unwrap_or_else(|| Budget::new(most, clock.clone())));
        budget.limiter.check().map_err(|until| until.wait_time_from(clock.now()))
    }
}

impl<C: Clock> Budget<C> {
    fn new(most: NonZeroU32, clock: C) -> Self {
        Self { most, limiter: RateLimiter::direct_with_clock(Quota::per_minute(most), clock) }
    }
}
