//! The third step: whether there is room for the call.

use std::sync::Arc;

use garth_contract::{Error, Result};

use crate::{Admitted, Answer, Authorized, Gateway, call::Work, limits::Demand};

impl Gateway {
    /// Takes what the call needs from its caller's budget and its workspace's.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` with the time after which it fits.
    pub async fn admit<A: Answer>(&self, authorized: Authorized<A>) -> Result<Admitted<A>> {
        match self.admit_authorized(authorized) {
            Ok(admitted) => Ok(admitted),
            Err((work, error)) => Err(work.refuse(error).await),
        }
    }

    /// The same; a refusal has yet to be recorded.
    pub(crate) fn admit_authorized<A: Answer>(
        &self,
        authorized: Authorized<A>,
    ) -> Result<Admitted<A>, (Box<Work<A>>, Error)> {
        let Authorized { work, standing, permit } = authorized;
        let (limits, wanted) = (&self.inner.limits, work.wanted());
        let held = match &standing {
            Some(standing) => limits.admit_on(&standing.sides, &wanted),
            // About no workspace, which is asked for seldom.
            None => limits.admit_on(&Arc::new(limits.sides(&Demand::of(&work.caller))), &wanted),
        };
        match held {
            Ok(held) => Ok(Admitted { work, standing, permit, held }),
            Err(error) => Err((work, error)),
        }
    }
}
