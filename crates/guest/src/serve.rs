//! One connection: its streams, all on one task, until the pipe breaks.
//!
//! A call is a future in a set and no task of its own: a small read is answered
//! within the poll that received it, and nothing wakes another thread. Dropping the
//! set drops every call, which is how calls end whose caller went away.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures::{StreamExt, stream::FuturesUnordered};
use garth_contract::{DynFilesystem, DynShell, ProcessId};
use garth_wire::{
    Duplex, Hush, Mux, Session, Vigil, Welcome,
    hello::{self, Stranger},
};
use tokio::{sync::Semaphore, time};

use crate::attend::attend;

/// How long a client may take to say hello; it has been started to do so.
const HELLO: Duration = Duration::from_secs(30);

/// How many calls of a connection may hold more than [`LARGE`] bytes at once.
const MOST_LARGE: usize = 8;

/// A request or an answer of more bytes than this needs one of few places.
pub(crate) const LARGE: u64 = 1 << 20;

/// What a guest serves.
pub struct Served {
    /// The files.
    pub files: Arc<dyn DynFilesystem>,
    /// The processes.
    pub shell: Arc<dyn DynShell>,
    /// Which life of the guest this is.
    pub session: Session,
    /// The number of its first process.
    pub first: ProcessId,
}

/// What the calls of one connection share.
pub(crate) struct Shared {
    pub(crate) served: Arc<Served>,
    pub(crate) large: Arc<Semaphore>,
}

/// Serves one client until its pipe breaks.
///
/// *Cancel*: every call that it was busy with is dropped.
///
/// # Errors
/// [`Stranger`], when it was no client.
pub async fn serve(pipe: impl Duplex, served: Arc<Served>) -> Result<(), Stranger> {
    let mut pipe: Pin<Box<dyn Duplex>> = Box::pin(pipe);
    let welcome = Welcome {
        session: served.session,
        first: served.first,
        files: served.files.abilities(),
        shell: served.shell.abilities(),
    };
    let greeting = hello::answer(&mut pipe, &welcome);
    time::timeout(HELLO, greeting).await.map_err(|_| Stranger::Gone)??;
    let shared = Arc::new(Shared { served, large: Arc::new(Semaphore::new(MOST_LARGE)) });
    let mut connection = Connection { mux: Mux::answering(pipe), calls: FuturesUnordered::new() };
    let hush = Hush::default();
    let (mut vigil, mut arrived) = (Vigil::default(), 0);
    poll_fn(|context| {
        let polled = hush.poll(context, |context| connection.poll(context, &shared));
        if polled.is_pending() {
            let now = connection.mux.arrived();
            if std::mem::replace(&mut arrived, now) != now {
                // Who asks one thing after the other will ask the next in a moment.
                vigil.begin();
            }
            vigil.linger(context);
        }
        polled
    })
    .await;
    Ok(())
}

struct Connection<F> {
    mux: Mux,
    calls: FuturesUnordered<F>,
}

type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Connection<Call> {
    /// Ready once the pipe is broken.
    fn poll(&mut self, context: &mut Context<'_>, shared: &Arc<Shared>) -> Poll<()> {
        loop {
            match self.mux.poll(context) {
                Poll::Ready(Ok(talk)) => {
                    self.calls.push(Box::pin(attend(talk, Arc::clone(shared))));
                }
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        // What they answer wakes the connection, so that it is sent in the next turn.
        while let Poll::Ready(Some(())) = self.calls.poll_next_unpin(context) {}
        Poll::Pending
    }
}
