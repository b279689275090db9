//! The way to a guest: a pipe that is made anew when it breaks.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use garth_contract::{Abilities, BoxFuture, Code, Error, ProcessId, Result, ShellAbilities};
use garth_wire::{
    Duplex, GENERATION, Mux, Request,
    hello::{self, Stranger},
};
use tokio::{
    sync,
    time::{self, Instant},
};

use crate::{
    call::{Call, Failure, Nature},
    connection::{Connection, Why},
    drive::drive,
};

/// How a provider reaches the guest of one sandbox.
pub trait Connect: Send + Sync + 'static {
    /// The pipe it makes.
    type Pipe: Duplex;

    /// Makes a fresh pipe to the guest, and starts one where none runs.
    ///
    /// A guest that is started counts its processes from `first`; one that runs goes
    /// on as it is. The pipe before this one is dropped by then.
    ///
    /// *Errors*: `PROVIDER_UNAVAILABLE`.
    /// *Cancel*: nothing is left that would hinder the next call.
    fn connect(&self, first: ProcessId) -> impl Future<Output = Result<Self::Pipe>> + Send;

    /// Says what there is of a sandbox that was made before this program began, and
    /// makes none. A sandbox that ends with its pipe leaves nothing.
    ///
    /// *Errors*: `PROVIDER_UNAVAILABLE`.
    fn left(&self) -> impl Future<Output = Result<Left>> + Send {
        async { Ok(Left::Nothing) }
    }
}

/// What there is of a sandbox before it is first used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// There never was one.
    Nothing,
    /// It runs, and its processes with it.
    Runs,
    /// There was one, and its processes ended with it.
    Lost,
}

/// [`Connect`] behind a pointer.
trait Connects: Send + Sync {
    fn connect(&self, first: ProcessId) -> BoxFuture<'_, Result<Pin<Box<dyn Duplex>>>>;
}

impl<C: Connect> Connects for C {
    fn connect(&self, first: ProcessId) -> BoxFuture<'_, Result<Pin<Box<dyn Duplex>>>> {
        Box::pin(async move {
            let pipe: Pin<Box<dyn Duplex>> = Box::pin(Connect::connect(self, first).await?);
            Ok(pipe)
        })
    }
}

/// How long a guest is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a pipe to it, and for it to start where it must.
    pub start: Duration,
    /// For its first words.
    pub hello: Duration,
    /// For any sign of it while a call is under way. It is asked for one, so that a
    /// long command is no silence.
    pub silence: Duration,
}

impl Patience {
    /// A minute to start, ten seconds to say hello, half a minute of silence.
    pub const USUAL: Self = Self {
        start: Duration::from_secs(60),
        hello: Duration::from_secs(10),
        silence: Duration::from_secs(30),
    };

    /// Five minutes to start, a minute for the rest: a virtual machine whose processor is
    /// emulated, on a machine that is busy.
    pub const MACHINE: Self = Self {
        start: Duration::from_secs(300),
        hello: Duration::from_secs(60),
        silence: Duration::from_secs(60),
    };
}

/// How often a call looks for a pipe that is not broken at once.
const TRIES: usize = 3;

/// The way to the guest of one sandbox.
///
/// Calls under way when the pipe breaks fail with `PROVIDER_UNAVAILABLE`; the next
/// one makes a new pipe. Dropping the link closes it.
pub struct Link {
    connect: Box<dyn Connects>,
    patience: Patience,
    /// The number of the first process that this link may ever see.
    first: ProcessId,
    abilities: (Abilities, ShellAbilities),
    now: Mutex<Now>,
    /// Held by whoever makes a new pipe; how the last try failed, and when.
    making: sync::Mutex<Option<(Instant, Error)>>,
}

struct Now {
    connection: Option<Arc<Connection>>,
    /// The largest number of a process seen so far.
    seen: ProcessId,
}

impl Link {
    /// Makes the first pipe to a guest.
    ///
    /// `first` is the number from which processes are counted: one more than any that
    /// the workspace had before.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` when there is no guest, none of this generation, or none
    /// that answers in time.
    pub async fn open(
        connect: impl Connect,
        first: ProcessId,
        patience: Patience,
    ) -> Result<Arc<Self>> {
        let connect = Box::new(connect);
        let seen = ProcessId(first.0.saturating_sub(1));
        let connection = make(&*connect, seen, patience).await?;
        Ok(Arc::new(Self {
            connect,
            patience,
            first: first.min(connection.welcome.first),
            abilities: (connection.welcome.files, connection.welcome.shell),
            now: Mutex::new(Now { connection: Some(connection), seen }),
            making: sync::Mutex::default(),
        }))
    }

    /// What the guest could do when it was first met.
    pub(crate) fn abilities(&self) -> (Abilities, ShellAbilities) {
        self.abilities
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection there is, if it is not known to be broken.
    fn current(&self) -> Option<Arc<Connection>> {
        self.now().connection.clone().filter(|connection| connection.broken().is_none())
    }

    /// A connection: the one there is, or a new one.
    async fn connection(&self) -> Result<Arc<Connection>> {
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        let came = Instant::now();
        let mut failed = self.making.lock().await;
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        // Whoever waited for a try that failed need not try the same again.
        if let Some((when, error)) = &*failed
            && *when >= came
        {
            return Err(error.clone());
        }
        let (before, seen) = {
            let now = self.now();
            (now.connection.as_ref().map(|before| before.welcome.session), now.seen)
        };
        let made = make(&*self.connect, seen, self.patience).await;
        let made = made.and_then(|connection| {
            let welcome = &connection.welcome;
            if before != Some(welcome.session) && welcome.first <= seen {
                // A number must never mean two processes.
                connection.end(Why::Unruly);
                return Err(unavailable("the sandbox's new guest counts processes anew"));
            }
            Ok(connection)
        });
        match made {
            Ok(connection) => {
                self.now().connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                *failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Sends a request.
    pub(crate) async fn begin(&self, request: &Request, nature: Nature) -> Result<Call> {
        self.begin_about(None, request, nature).await
    }

    /// Sends a request about a process.
    ///
    /// A pipe that turns out to be broken before anything was sent is made anew.
    pub(crate) async fn begin_about(
        &self,
        id: Option<ProcessId>,
        request: &Request,
        nature: Nature,
    ) -> Result<Call> {
        let mut broken = Why::Closed;
        for _ in 0..TRIES {
            let connection = self.connection().await?;
            if let Some(id) = id {
                self.known(&connection, id)?;
            }
            match Call::begin(connection, request, nature).await {
                Ok(call) => return Ok(call),
                Err(Failure::Unsent(why)) => broken = why,
                Err(Failure::Told(error)) => return Err(error),
            }
        }
        Err(broken.error())
    }

    /// Checks the number of a process that a caller asks for.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that was lost with its sandbox, or never was.
    fn known(&self, connection: &Connection, id: ProcessId) -> Result<()> {
        if id >= connection.welcome.first {
            return Ok(());
        }
        if id < self.first {
            return Err(id.unknown());
        }
        Err(lost(id))
    }

    /// Takes note of the number of a process that the guest named.
    ///
    /// # Errors
    /// `INTERNAL` for a number that no process of this session can have.
    pub(crate) fn note(&self, connection: &Connection, id: ProcessId) -> Result<()> {
        if id < connection.welcome.first || id.0 > LARGEST {
            let message = "the sandbox's guest named a process that cannot be";
            return Err(Error::new(Code::Internal, message));
        }
        let mut now = self.now();
        now.seen = now.seen.max(id);
        Ok(())
    }
}

/// A process that ended with its sandbox.
pub(crate) fn lost(id: ProcessId) -> Error {
    let message = format!("process {id} is lost: the sandbox it ran in is gone");
    Error::new(Code::InvalidParams, message).hint("Start it again if it is still wanted.")
}

/// The largest number of a process that is believed: it can be written in JSON, and
/// no guest gets near it by counting.
const LARGEST: u64 = 1 << 53;

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(connection) = self.now().connection.take() {
            connection.end(Why::Dropped);
        }
    }
}

/// Makes a pipe, says hello and lets a task drive it.
async fn make(
    connect: &dyn Connects,
    seen: ProcessId,
    patience: Patience,
) -> Result<Arc<Connection>> {
    let first = ProcessId(seen.0.saturating_add(1));
    let pipe = time::timeout(patience.start, connect.connect(first)).await;
    let mut pipe = pipe.map_err(|_| unavailable("the sandbox does not start in time"))??;
    let welcome = time::timeout(patience.hello, hello::ask(&mut pipe)).await;
    let welcome = welcome.map_err(|_| unavailable("the sandbox's guest does not say hello"))?;
    let welcome = welcome.map_err(stranger)?;
    let connection = Arc::new(Connection::new(Mux::asking(pipe), welcome));
    tokio::spawn(drive(Arc::clone(&connection), patience.silence));
    Ok(connection)
}

fn stranger(stranger: Stranger) -> Error {
    match stranger {
        Stranger::Gone => unavailable("the sandbox's guest ended before it said hello"),
        Stranger::NoGuest => unavailable("what answers in the sandbox is no guest"),
        Stranger::Generation(other) => unavailable(format!(
            "the sandbox's guest is of generation {other}, and this is generation {GENERATION}"
        ))
        .hint("Use a guest that was built together with this program."),
    }
}

fn unavailable(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(Code::ProviderUnavailable, message)
}
