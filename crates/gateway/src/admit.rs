//! The third step: whether there is room for the call.

use garth_contract::Result;

use crate::{Admitted, Answer, Authorized, Gateway, call::step};

impl Gateway {
    /// Takes what the call needs from its caller's budget and its workspace's.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` with the time after which it fits.
    pub async fn admit<A: Answer>(&self, authorized: Authorized<A>) -> Result<Admitted<A>> {
        let Authorized { work, known, permit } = authorized;
        let held = self.inner.limits.admit(&work.demand(known.as_ref()));
        let (work, held) = step(work, held).await?;
        Ok(Admitted { work, known, permit, held })
    }
}
