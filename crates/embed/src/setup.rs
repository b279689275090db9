//! What a session is made of.

use std::sync::Arc;

use garth_contract::Result;
use garth_redact::Config;
use garth_workspace::{Limits, Parts, Workspace};

use crate::Backend;

/// What a session is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where its files are.
    pub backend: Backend,
    /// How text of its files is redacted.
    pub redaction: Config,
    /// How much one call may take or give.
    pub limits: Limits,
}

impl Setup {
    /// Files with every secret redacted, and what a model can make use of.
    #[must_use]
    pub fn standard(backend: Backend) -> Self {
        Self { backend, redaction: Config::standard(), limits: Limits::standard() }
    }

    /// The workspace that tools run on.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern of the redaction that cannot be used.
    pub fn workspace(&self) -> Result<Arc<Workspace>> {
        let workspace = Workspace::new(Parts {
            fs: self.backend.files(),
            commands: self.backend.commands().clone(),
            aliases: self.backend.aliases().clone(),
            redaction: self.redaction.clone(),
            limits: self.limits,
        })?;
        Ok(Arc::new(workspace))
    }
}
