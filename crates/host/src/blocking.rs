//! Kernel calls on threads that may block.

use garth_contract::{Code, Error, Result};

/// Runs a call that may block, off the runtime's own threads.
///
/// Cancel: the call goes on to its end; it is one that is whole or not at all.
pub(crate) async fn run<T: Send + 'static>(
    call: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(call).await.map_err(|failure| {
        let code = if failure.is_cancelled() { Code::Cancelled } else { Code::Internal };
        Error::of(code)
    })?
}
