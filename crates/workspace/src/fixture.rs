//! A workspace for tests: files in RAM, everything redacted.

use std::sync::Arc;

use garth_contract::{Aliases, Policy};
use garth_memory::Memory;
use garth_redact::Config;

use crate::{Commands, Limits, Parts, Workspace};

pub(crate) fn workspace() -> Workspace {
    over(&memory())
}

pub(crate) fn memory() -> Arc<Memory> {
    Arc::new(Memory::new(Policy::open()).unwrap())
}

/// A workspace whose texts are redacted so.
pub(crate) fn redacting(redaction: Config) -> Workspace {
    Workspace::new(Parts { redaction, ..parts(&memory()) }).unwrap()
}

/// A workspace of its own over files that others may have too.
pub(crate) fn over(memory: &Arc<Memory>) -> Workspace {
    Workspace::new(parts(memory)).unwrap()
}

fn parts(memory: &Arc<Memory>) -> Parts {
    Parts {
        fs: Arc::<Memory>::clone(memory),
        commands: Commands::None,
        aliases: Aliases::none().with(b"/workspace"),
        redaction: Config::standard(),
        limits: Limits::standard(),
    }
}

/// Waits for a future on this thread.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(future)
}
