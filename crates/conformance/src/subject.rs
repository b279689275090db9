//! What is tested: a backend by name, and one fresh workspace of it.

use std::{future::Future, sync::Arc};

use garth_contract::{DynFilesystem, Filesystem, Policy, Result};

use crate::{Nothing, Outside};

/// One kind of filesystem, which makes empty workspaces to be tested.
pub trait Backend {
    /// What the report calls it.
    fn name(&self) -> &str;

    /// Makes a new, empty workspace under these rules.
    fn make(&self, policy: Policy) -> impl Future<Output = Result<Subject>>;
}

/// One empty workspace, and a hand behind its back.
///
/// Dropping it removes whatever the backend's harness made for it.
pub struct Subject {
    /// The filesystem under test.
    pub fs: Arc<dyn DynFilesystem>,
    /// What can be arranged around it.
    pub outside: Box<dyn Outside>,
}

impl Subject {
    /// A workspace around which nothing can be arranged.
    #[must_use]
    pub fn new(fs: impl Filesystem) -> Self {
        Self { fs: Arc::new(fs), outside: Box::new(Nothing) }
    }

    /// The same workspace with a hand behind its back.
    #[must_use]
    pub fn with(self, outside: impl Outside + 'static) -> Self {
        Self { outside: Box::new(outside), ..self }
    }
}
