//! Work that takes long, off the threads of the runtime.
//!
//! Small work is done at once, and so is all work where there is no runtime: a
//! tree in RAM needs none.

use garth_contract::{Code, Error, Result};
use tokio::runtime::Handle;

use crate::tree::Node;

/// From this many bytes on, hashing or scanning takes longer than a hop to
/// another thread and back.
const LARGE: usize = 256 << 10;
/// From this many entries on, giving memory back takes long.
const MANY: u64 = 10_000;

/// Runs a computation over `size` bytes.
///
/// Cancel: the computation goes on to its end, and nobody sees its result.
pub(crate) async fn run<T: Send + 'static>(
    size: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    match Handle::try_current() {
        Ok(runtime) if size >= LARGE => runtime.spawn_blocking(work).await.map_err(|failure| {
            let code = if failure.is_cancelled() { Code::Cancelled } else { Code::Internal };
            Error::of(code)
        }),
        Ok(_) | Err(_) => Ok(work()),
    }
}

/// Lets go of a part of a tree that nobody else may hold any more.
pub(crate) fn discard(node: Node) {
    if node.entries() < MANY {
        return;
    }
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn_blocking(move || drop(node));
    }
}
