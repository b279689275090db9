//! What waits to be sent to one client: bounded in frames and in bytes.
//!
//! Replies and events wait apart from each other, so that a flood of events leaves room
//! for replies, and whoever has more events to tell than a client takes waits by itself.

use std::{sync::Arc, time::Duration};

use futures::{Sink, SinkExt};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_tungstenite::tungstenite::{
    Message,
    protocol::{CloseFrame, frame::coding::CloseCode},
};

use super::{frame::Out, gate::Door};

/// Frames that may wait.
const MOST_FRAMES: usize = 256;
/// Events among them.
const MOST_EVENTS: usize = 128;
/// Bytes that may wait; one frame alone may be larger.
pub(crate) const MOST_BYTES: u32 = 52_428_800;
/// How long a client may take nothing at all of what is sent to it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where frames are put that are to be sent; clones are the same one.
#[derive(Clone)]
pub(crate) struct Outbox {
    frames: mpsc::Sender<Waiting>,
    bytes: Arc<Semaphore>,
    events: Arc<Semaphore>,
}

struct Waiting {
    message: Message,
    // Given back when the frame was written.
    _places: Places,
}

#[derive(Default)]
struct Places {
    _bytes: Option<OwnedSemaphorePermit>,
    _event: Option<OwnedSemaphorePermit>,
}

/// The client went away, or was too slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl Outbox {
    /// An outbox, and what is in it.
    pub(crate) fn new() -> (Self, Outgoing) {
        let (frames, waiting) = mpsc::channel(MOST_FRAMES);
        let bytes = Arc::new(Semaphore::new(MOST_BYTES as usize));
        let events = Arc::new(Semaphore::new(MOST_EVENTS));
        (Self { frames, bytes, events }, Outgoing(waiting))
    }

    /// Puts a frame in, and waits for room.
    ///
    /// # Errors
    /// When nobody sends any more.
    ///
    /// Cancel: it was not put in.
    pub(crate) async fn send(&self, text: String) -> Result<(), Gone> {
        self.put(text, None).await
    }

    /// Puts a frame in where there is room at once; else it comes back. Where nobody sends
    /// any more it is gone.
    pub(crate) fn send_now(&self, text: String) -> Result<(), String> {
        let Ok(room) = self.frames.try_reserve() else { return Err(text) };
        let size = size(&text);
        let Ok(bytes) = Arc::clone(&self.bytes).try_acquire_many_owned(size) else {
            return Err(text);
        };
        let places = Places { _bytes: Some(bytes), _event: None };
        room.send(Waiting { message: Message::text(text), _places: places });
        Ok(())
    }

    /// Puts an event in, and waits for room among events.
    ///
    /// # Errors
    /// When nobody sends any more.
    ///
    /// Cancel: it was not put in.
    pub(crate) async fn event(&self, event: &str, payload: &Value) -> Result<(), Gone> {
        let place = Arc::clone(&self.events).acquire_owned().await.map_err(|_| Gone)?;
        self.put(Out::Event { event, payload, seq: None }.text(), Some(place)).await
    }

    async fn put(&self, text: String, event: Option<OwnedSemaphorePermit>) -> Result<(), Gone> {
        let size = size(&text);
        let bytes = match Arc::clone(&self.bytes).try_acquire_many_owned(size) {
            Ok(bytes) => bytes,
            // Nobody gives places back once nobody sends any more.
            Err(_) => tokio::select! {
                bytes = Arc::clone(&self.bytes).acquire_many_owned(size) => {
                    bytes.map_err(|_| Gone)?
                }
                () = self.frames.closed() => return Err(Gone),
            },
        };
        let places = Places { _bytes: Some(bytes), _event: event };
        let waiting = Waiting { message: Message::text(text), _places: places };
        self.frames.send(waiting).await.map_err(|_| Gone)
    }

    /// Puts a frame in where there is room at once; else it is left out.
    pub(crate) fn offer(&self, text: String) {
        let size = size(&text);
        let Ok(bytes) = Arc::clone(&self.bytes).try_acquire_many_owned(size) else { return };
        let places = Places { _bytes: Some(bytes), _event: None };
        let waiting = Waiting { message: Message::text(text), _places: places };
        let _ = self.frames.try_send(waiting);
    }

    /// Says goodbye, behind everything that was put in before.
    pub(crate) async fn close(&self, code: CloseCode, reason: &'static str) {
        let message = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        let _ = self.frames.send(Waiting { message, _places: Places::default() }).await;
    }

    /// Waits until nothing is sent any more: the client went away or takes nothing.
    ///
    /// Cancel: nothing happens.
    pub(crate) async fn closed(&self) {
        self.frames.closed().await;
    }

    /// Keeps the connection alive.
    pub(crate) fn ping(&self) {
        let message = Message::Ping(bytes::Bytes::new());
        let _ = self.frames.try_send(Waiting { message, _places: Places::default() });
    }
}

fn size(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(MOST_BYTES).min(MOST_BYTES)
}

/// What is in an outbox.
pub(crate) struct Outgoing(mpsc::Receiver<Waiting>);

impl Outgoing {
    /// Sends what is put in until a goodbye, the end of all who could put something in,
    /// or a client that takes nothing; gives back where it was sent to.
    ///
    /// Everything that waits goes out in one flush: many small writes would each be a
    /// packet of their own.
    pub(crate) async fn write<S: Sink<Message> + Unpin>(mut self, mut socket: S, door: Door) -> S {
        while let Some(first) = self.0.recv().await {
            let mut closing = first.message.is_close();
            let batch = async {
                let mut fed = socket.feed(first.message).await;
                for _ in 0..MOST_FRAMES {
                    if fed.is_err() || closing {
                        break;
                    }
                    let Ok(next) = self.0.try_recv() else { break };
                    closing = next.message.is_close();
                    fed = socket.feed(next.message).await;
                }
                // Also where no more is taken: the answer to a goodbye waits to be sent.
                let flushed = socket.flush().await;
                fed.and(flushed)
            };
            match with_patience(batch, &door).await {
                Some(Ok(())) if !closing => {}
                Some(_) | None => break,
            }
        }
        socket
    }
}

/// Waits for something to be sent, as long as any of it is taken.
async fn with_patience<T>(sending: impl Future<Output = T>, door: &Door) -> Option<T> {
    let mut sending = std::pin::pin!(sending);
    loop {
        let before = door.taken();
        match tokio::time::timeout(PATIENCE, sending.as_mut()).await {
            Ok(sent) => return Some(sent),
            Err(_) if door.taken() > before => {}
            Err(_) => return None,
        }
    }
}
