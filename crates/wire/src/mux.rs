//! Many streams over one pipe, each with a window of its own.
//!
//! The multiplexer is `yamux`; this is how it is set up, and where its faults end:
//! whatever the other side sends, what comes of it is at worst [`Broken`].

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, ready},
};

use yamux::{Config, Connection, Mode};

use crate::{Duplex, Talk, pipe::Pipe};

/// The most streams of one connection. Each may fill its window of 256 KiB before
/// anyone reads it, so this bounds the memory that the other side can fill.
pub const MOST_STREAMS: usize = 256;

/// What all windows of a connection may have together: 256 KiB each, and as much
/// again for streams that turn out to carry much.
const MOST_WINDOWS: usize = 2 * MOST_STREAMS * (256 << 10);

/// The most bytes of one frame: enough to make few of them, and few enough that a
/// small answer does not wait long behind one.
const MOST_OF_A_FRAME: usize = 64 << 10;

/// The pipe is closed, or what came through it made no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// One end of a pipe with many streams in it.
pub struct Mux {
    connection: Connection<Pipe>,
    pipe: Pipe,
}

impl std::fmt::Debug for Mux {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mux")
    }
}

impl Mux {
    /// The end that asks.
    #[must_use]
    pub fn asking(io: Pin<Box<dyn Duplex>>) -> Self {
        Self::new(io, Mode::Client)
    }

    /// The end that answers.
    #[must_use]
    pub fn answering(io: Pin<Box<dyn Duplex>>) -> Self {
        Self::new(io, Mode::Server)
    }

    fn new(io: Pin<Box<dyn Duplex>>, mode: Mode) -> Self {
        let pipe = Pipe::new(io);
        let mut config = Config::default();
        config.set_max_num_streams(MOST_STREAMS);
        config.set_max_connection_receive_window(Some(MOST_WINDOWS));
        config.set_split_send_size(MOST_OF_A_FRAME);
        Self { connection: Connection::new(pipe.clone(), config, mode), pipe }
    }

    /// Opens a stream; the other side hears of it with the first bytes.
    ///
    /// # Errors
    /// `Broken`.
    pub fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<Result<Talk, Broken>> {
        let stream = ready!(guarded(|| self.connection.poll_new_outbound(context))?);
        Poll::Ready(stream.map(Talk::new).map_err(|_| Broken))
    }

    /// Moves everything on that can be: reads what came, wakes whoever waits for it,
    /// writes what is to be sent. Ready with a stream that the other side opened.
    ///
    /// # Errors
    /// `Broken`, once and for all; whoever waits on a stream is woken.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Talk, Broken>> {
        let inbound = guarded(|| self.connection.poll_next_inbound(context))?;
        if let Poll::Ready(Err(_)) = self.pipe.poll_write_out(context) {
            // The connection finds out by itself, and wakes all who wait.
            self.pipe.cut();
            let _ = guarded(|| self.connection.poll_next_inbound(context))?;
            return Poll::Ready(Err(Broken));
        }
        match ready!(inbound) {
            Some(Ok(stream)) => Poll::Ready(Ok(Talk::new(stream))),
            Some(Err(_)) | None => Poll::Ready(Err(Broken)),
        }
    }

    /// Gives the pipe up: the next `poll` is `Broken`.
    pub fn cut(&self) {
        self.pipe.cut();
    }

    /// How many bytes have come so far.
    #[must_use]
    pub fn arrived(&self) -> u64 {
        self.pipe.arrived()
    }
}

/// Takes a panic of the multiplexer for a broken pipe: it has checks of its own that
/// an odd frame can trip, and one connection must not end another.
fn guarded<T>(poll: impl FnOnce() -> Poll<T>) -> Result<Poll<T>, Broken> {
    catch_unwind(AssertUnwindSafe(poll)).map_err(|_| Broken)
}
