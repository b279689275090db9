//! Several futures at a time, and a bound on how many.

use std::{
    future::poll_fn,
    task::{Context, Poll},
};

use garth_contract::{BoxFuture, Result};

/// Runs one future after another, at most `width` of them at once, and hands each
/// result to `done` as soon as it is there.
///
/// Cancel: those that run are dropped.
pub(super) async fn run<'a, T>(
    width: usize,
    mut waiting: impl Iterator<Item = BoxFuture<'a, T>>,
    mut done: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut running: Vec<BoxFuture<'a, T>> = Vec::with_capacity(width);
    loop {
        let free = width.saturating_sub(running.len());
        running.extend(waiting.by_ref().take(free));
        if running.is_empty() {
            return Ok(());
        }
        done(poll_fn(|context| poll_any(&mut running, context)).await)?;
    }
}

fn poll_any<T>(running: &mut Vec<BoxFuture<'_, T>>, context: &mut Context<'_>) -> Poll<T> {
    for (index, future) in running.iter_mut().enumerate() {
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            drop(running.swap_remove(index));
            return Poll::Ready(value);
        }
    }
    Poll::Pending
}
