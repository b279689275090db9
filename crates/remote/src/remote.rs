//! [`Remote`]: what a guest serves, as a backend like any other.

use std::{fmt, sync::Arc};

use garth_contract::Result;
use garth_wire::{Answer, Request};

use crate::{Link, call::Nature};

/// The files and processes behind a [`Link`].
///
/// Cloning is cheap and gives the same sandbox.
#[derive(Clone)]
pub struct Remote {
    pub(crate) link: Arc<Link>,
}

impl Remote {
    /// What is at the other end of a link.
    #[must_use]
    pub fn new(link: Arc<Link>) -> Self {
        Self { link }
    }

    /// Makes a call that has one answer without a body.
    pub(crate) async fn ask(&self, request: &Request, nature: Nature) -> Result<Answer> {
        self.ask_for(request, nature, 0).await
    }

    /// Makes a call that has one answer, whose body may have so many bytes.
    pub(crate) async fn ask_for(
        &self,
        request: &Request,
        nature: Nature,
        most_body: u64,
    ) -> Result<Answer> {
        let mut call = self.link.begin(request, nature).await?;
        let answer = call.answer(most_body).await?;
        call.finish();
        Ok(answer)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remote")
    }
}
