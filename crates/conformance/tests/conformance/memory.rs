//! The suite on `memory`, with a second handle as the hand behind its back.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, Mutex},
    time::SystemTime,
};

use garth_conformance::{
    Arranged, Backend, Beyond, Cannot, Outside, SECRET, Subject, conform, time,
};
use garth_contract::{
    Aliases, Depth, DynFilesystem, Filesystem, Guard, Parents, Policy, Put, Result, Span, WsPath,
};
use garth_memory::Memory;

conform!(in_ram, InMemory);

pub(super) struct InMemory;

impl Backend for InMemory {
    fn name(&self) -> &str {
        "memory"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let (memory, around) = make(policy)?;
        Ok(Subject::new(memory).with(around))
    }
}

/// An empty workspace in RAM, and the hand behind its back.
pub(super) fn make(policy: Policy) -> Result<(Memory, impl Outside)> {
    let clock = Arc::new(Clock::default());
    let told = Arc::clone(&clock);
    let memory = Memory::new(policy)?
        .with_aliases(Aliases::none().with(b"/memory/ws"))
        .with_clock(move || told.now());
    let free = memory.under(Policy::open())?;
    Ok((memory, Around { free: Arc::new(free), clock }))
}

/// The time of day, unless somebody set it.
#[derive(Default)]
struct Clock(Mutex<Option<SystemTime>>);

impl Clock {
    fn now(&self) -> SystemTime {
        self.0.lock().unwrap().unwrap_or_else(SystemTime::now)
    }
}

/// The same files without rules; there is nothing next to them.
struct Around {
    free: Arc<Memory>,
    clock: Arc<Clock>,
}

/// Waits for a call to end, on a thread where waiting is allowed.
fn wait<T: Send + 'static>(call: impl Future<Output = Result<T>> + Send + 'static) -> Arranged<T> {
    let thread = std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(call)
    });
    thread.join().unwrap().map_err(|error| {
        println!("cannot do it from outside: {error}");
        Cannot("do it from outside")
    })
}

const ANY: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };

impl Outside for Around {
    fn write(&self, at: &WsPath, content: &[u8]) -> Arranged {
        let (free, at, content) = (Arc::clone(&self.free), at.clone(), content.to_vec());
        wait(async move { Filesystem::write(&*free, &at, content.into(), ANY).await }).map(drop)
    }

    fn symlink(&self, at: &WsPath, target: &[u8]) -> Arranged {
        self.free.symlink(at, target).map_err(|error| {
            println!("cannot make a link: {error}");
            Cannot("make a link")
        })
    }

    fn remove(&self, at: &WsPath) -> Arranged {
        let (free, at) = (Arc::clone(&self.free), at.clone());
        wait(async move { Filesystem::remove(&*free, &at, Depth::All).await }).map(drop)
    }

    fn set_modified(&self, at: &WsPath, seconds: u64) -> Arranged {
        *self.clock.0.lock().unwrap() = Some(time(seconds));
        let (free, at) = (Arc::clone(&self.free), at.clone());
        let written = wait(async move {
            let content = Filesystem::read(&*free, &at, Span::Whole { at_most: 1 << 30 }).await?;
            Filesystem::write(&*free, &at, content.bytes, ANY).await
        });
        *self.clock.0.lock().unwrap() = None;
        written.map(drop)
    }

    fn absolute(&self, inside: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        Ok(vec![[b"/memory/ws/", inside.as_bytes()].concat()])
    }

    fn beyond(&self) -> Arranged<Beyond> {
        Ok(Beyond { absolute: b"/memory/beyond".to_vec(), relative: b"../beyond".to_vec() })
    }

    fn beyond_now(&self) -> Arranged<BTreeMap<Vec<u8>, Vec<u8>>> {
        let secret = |path: &[u8]| (path.to_vec(), SECRET.to_vec());
        Ok([secret(b"secret"), secret(b"dir/inner")].into())
    }

    fn open_again(&self, policy: Policy) -> Arranged<Arc<dyn DynFilesystem>> {
        Ok(Arc::new(self.free.under(policy).map_err(|_| Cannot("open the same files again"))?))
    }
}
