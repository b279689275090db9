//! The third step: whether there is room for the call.

use garth_contract::{Error, Result};

use crate::{Admitted, Answer, Authorized, Gateway, call::Work};

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
        let Authorized { work, known, permit } = authorized;
        match self.inner.limits.admit(&work.demand(known.as_ref())) {
            Ok(held) => Ok(Admitted { work, known, permit, held }),
            Err(error) => Err((work, error)),
        }
    }
}
