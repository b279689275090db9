//! Measures what a read costs through a root beside the same read without it.
//!
//! Both are taken in turn in one run; a content of 1 MiB shows that nothing is
//! copied on the way.

#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]

use std::{
    future::Future,
    hint::black_box,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use bytes::Bytes;
use garth_contract::{
    Code, DynFilesystem, Error, Guard, Parents, Policy, Put, Result, Span, WsPath,
};
use garth_memory::Memory;
use garth_roots::Roots;

const ROUNDS: usize = 20_001;
const PUT: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };

fn main() -> Result<()> {
    let files: Arc<dyn DynFilesystem> = Arc::new(Memory::new(Policy::open())?);
    let roots: Arc<dyn DynFilesystem> =
        Arc::new(Roots::new(vec![(b"root".to_vec(), Arc::clone(&files))])?);
    for (name, size) in [("src/small", 4 << 10), ("src/large", 1 << 20)] {
        let bare = WsPath::from_bytes(name.as_bytes())?;
        let whole = bare.under(&WsPath::from_bytes(b"root")?)?;
        now(files.write(&bare, Bytes::from(vec![b'x'; size]), PUT))?;
        let (mut direct, mut through) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            direct.push(read(&files, &bare)?);
            through.push(read(&roots, &whole)?);
        }
        println!("read {size} bytes: {:?}, through a root {:?}", middle(direct), middle(through));
    }
    Ok(())
}

fn read(files: &Arc<dyn DynFilesystem>, path: &WsPath) -> Result<Duration> {
    let started = Instant::now();
    black_box(now(files.read(path, Span::Whole { at_most: 1 << 30 }))?);
    Ok(started.elapsed())
}

/// Runs a future that never has to wait: without a runtime, memory never does.
fn now<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => Err(Error::of(Code::Internal)),
    }
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
