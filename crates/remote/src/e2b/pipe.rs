//! A program in a sandbox as a pipe of bytes: what it prints is read, what is written it
//! reads.
//!
//! Both ways are calls of the wire: what it prints comes over the stream of its start,
//! what it reads goes in one call after the other, so that the order holds. Where it is
//! not certain that a piece arrived, and arrived once, the pipe is given up: whoever used
//! it makes another one, to a program that kept all that mattered.

use std::{sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::Result;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split},
    time::{self, Instant},
};

use super::{
    Envd,
    frames::Frame,
    guest::Spoke,
    http::{Answer, Stream, Wire},
    refuse::unruly,
};

/// How much waits on its way in either direction.
const ROOM: usize = 256 << 10;

/// The most bytes of one piece that is sent: a third more as text.
const MOST_PIECE: usize = 128 << 10;

/// How long a program may be too busy to read.
const UNTIL_READ: Duration = Duration::from_secs(60);

/// How long until a piece is sent again that there was no room for; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest of these.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A pipe to a program in a sandbox, which is killed when this is dropped.
pub type Pipe = DuplexStream;

/// A program that runs, and of which a stream tells.
pub(super) struct Running {
    pub(super) envd: Envd,
    pub(super) pid: u64,
    pub(super) stream: Stream,
}

/// What a stream tells of a program.
pub(super) enum Told {
    /// It printed this.
    Out(Vec<u8>),
    /// It complained.
    Complaint(Vec<u8>),
    /// It is there.
    Sign,
    /// It ended, with this number.
    Ended(i64),
    /// The stream ended before it did.
    Cut,
}

impl Running {
    /// What is told next.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` where it breaks off, or makes no sense.
    /// Cancel: nothing is lost.
    pub(super) async fn told(&mut self) -> Result<Told> {
        let message = match self.stream.next().await? {
            Some(Frame::One(message)) => message,
            Some(Frame::End(_)) | None => return Ok(Told::Cut),
        };
        let event = message.get("event");
        let Some(event) = event else { return Err(unruly("a message tells nothing")) };
        if let Some(end) = event.get("end") {
            let code = end.get("exitCode").and_then(Value::as_i64).unwrap_or_default();
            return Ok(Told::Ended(code));
        }
        let Some(data) = event.get("data") else { return Ok(Told::Sign) };
        let bytes = |name: &str| {
            let text = data.get(name).and_then(Value::as_str)?;
            Some(STANDARD.decode(text).map_err(|_| unruly("output is not base64")))
        };
        if let Some(out) = bytes("stdout").or_else(|| bytes("pty")) {
            return out.map(Told::Out);
        }
        bytes("stderr").transpose().map(|bytes| Told::Complaint(bytes.unwrap_or_default()))
    }

    /// The program as a pipe.
    pub(super) fn into_pipe(mut self, spoke: Arc<Spoke>) -> Pipe {
        let (near, far) = duplex(ROOM);
        tokio::spawn(async move {
            let (from, to) = split(far);
            let inward = Inward { envd: self.envd.clone(), pid: self.pid, wire: None };
            // When one way ends there is nothing to say on the other.
            tokio::select! {
                () = outward(&mut self, to, &spoke) => {}
                () = inward.pass(from, &spoke) => {}
            }
            drop(self.stream);
            // One that is gone needs no end, and one that cannot be ended now is when the next
            // pipe is made.
            let _ = self.envd.kill(self.pid).await;
        });
        near
    }
}

/// Passes on what a program prints.
async fn outward(running: &mut Running, mut to: WriteHalf<DuplexStream>, spoke: &Spoke) {
    loop {
        match running.told().await {
            Ok(Told::Out(bytes)) => {
                spoke.note();
                if to.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Ok(Told::Complaint(_) | Told::Sign) => {}
            Ok(Told::Ended(_) | Told::Cut) | Err(_) => return,
        }
    }
}

/// What goes to a program.
struct Inward {
    envd: Envd,
    pid: u64,
    wire: Option<Wire>,
}

impl Inward {
    /// Passes on what is written, piece by piece.
    async fn pass(mut self, mut from: ReadHalf<DuplexStream>, spoke: &Spoke) {
        let mut room = vec![0; MOST_PIECE];
        loop {
            let Ok(count @ 1..) = from.read(&mut room).await else { return };
            spoke.stir();
            let piece = room.get(..count).unwrap_or_default();
            if !self.send(piece).await {
                return;
            }
        }
    }

    /// Sends a piece; says whether it is certain that it arrived.
    async fn send(&mut self, piece: &[u8]) -> bool {
        let message = json!({
            "process": { "pid": self.pid },
            "input": { "stdin": STANDARD.encode(piece) },
        });
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        while begun.elapsed() < UNTIL_READ {
            match self.try_to_send(&message).await {
                Ok(answer) if answer.is_good() => return true,
                // There was no room for it, and nothing of it was taken.
                Ok(answer) if answer.status == 429 => {
                    time::sleep(answer.wait.unwrap_or(pause).min(LONGEST_PAUSE)).await;
                    pause *= 2;
                }
                Ok(_) | Err(_) => return false,
            }
        }
        false
    }

    async fn try_to_send(&mut self, message: &Value) -> Result<Answer> {
        let mut wire = match self.wire.take().filter(Wire::lives) {
            Some(wire) => wire,
            None => self.envd.wire().await?,
        };
        let answer = self.envd.call_on(&mut wire, "process.Process/SendInput", message).await?;
        self.wire = Some(wire);
        Ok(answer)
    }
}
