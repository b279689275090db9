//! What waits to be sent to one client: bounded in frames and in bytes.

use std::{sync::Arc, time::Duration};

use futures::{Sink, SinkExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_tungstenite::tungstenite::{
    Message,
    protocol::{CloseFrame, frame::coding::CloseCode},
};

/// Frames that may wait.
const MOST_FRAMES: usize = 256;
/// Bytes that may wait; one frame alone may be larger.
pub(crate) const MOST_BYTES: u32 = 52_428_800;
/// How long a client may take to make room for what is sent to it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where frames are put that are to be sent; clones are the same one.
#[derive(Clone)]
pub(crate) struct Outbox {
    frames: mpsc::Sender<Waiting>,
    bytes: Arc<Semaphore>,
}

struct Waiting {
    message: Message,
    // Given back when the frame was written.
    _bytes: Option<OwnedSemaphorePermit>,
}

/// The client went away, or was too slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl Outbox {
    /// An outbox, and what is in it.
    pub(crate) fn new() -> (Self, Outgoing) {
        let (frames, waiting) = mpsc::channel(MOST_FRAMES);
        let bytes = Arc::new(Semaphore::new(MOST_BYTES as usize));
        (Self { frames, bytes }, Outgoing(waiting))
    }

    /// Puts a frame in, and waits for room.
    ///
    /// # Errors
    /// When nobody sends any more.
    ///
    /// Cancel: it was not put in.
    pub(crate) async fn send(&self, text: String) -> Result<(), Gone> {
        let size = u32::try_from(text.len()).unwrap_or(MOST_BYTES).min(MOST_BYTES);
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(size).await.map_err(|_| Gone)?;
        let waiting = Waiting { message: Message::text(text), _bytes: Some(bytes) };
        self.frames.send(waiting).await.map_err(|_| Gone)
    }

    /// Puts a frame in where there is room at once; tells whether there was.
    pub(crate) fn offer(&self, text: String) -> bool {
        let size = u32::try_from(text.len()).unwrap_or(MOST_BYTES).min(MOST_BYTES);
        let Ok(bytes) = Arc::clone(&self.bytes).try_acquire_many_owned(size) else { return false };
        let waiting = Waiting { message: Message::text(text), _bytes: Some(bytes) };
        self.frames.try_send(waiting).is_ok()
    }

    /// Says goodbye, behind everything that was put in before.
    pub(crate) async fn close(&self, code: CloseCode, reason: &'static str) {
        let message = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        let _ = self.frames.send(Waiting { message, _bytes: None }).await;
    }

    /// Keeps the connection alive.
    pub(crate) fn ping(&self) {
        let message = Message::Ping(bytes::Bytes::new());
        let _ = self.frames.try_send(Waiting { message, _bytes: None });
    }
}

/// What is in an outbox.
pub(crate) struct Outgoing(mpsc::Receiver<Waiting>);

impl Outgoing {
    /// Sends what is put in until a goodbye, the end of all who could put something in,
    /// or a client that takes nothing.
    ///
    /// Everything that waits goes out in one flush: many small writes would each be a
    /// packet of their own.
    pub(crate) async fn write(mut self, mut socket: impl Sink<Message> + Unpin) {
        while let Some(first) = self.0.recv().await {
            let mut closing = first.message.is_close();
            let batch = async {
                socket.feed(first.message).await?;
                while !closing && let Ok(next) = self.0.try_recv() {
                    closing = next.message.is_close();
                    socket.feed(next.message).await?;
                }
                socket.flush().await
            };
            match tokio::time::timeout(PATIENCE, batch).await {
                Ok(Ok(())) if !closing => {}
                Ok(_) | Err(_) => return,
            }
        }
    }
}
