//! The line by which QEMU is told what to do: one JSON a line, and events between.

use std::{io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
    time,
};

/// How long QEMU may take to answer.
const ANSWER: Duration = Duration::from_secs(30);

/// The longest line that is read: much more than any answer has.
const MOST_LINE: u64 = 1 << 20;

/// A line to one QEMU.
#[derive(Debug)]
pub(crate) struct Line {
    stream: BufReader<UnixStream>,
}

impl Line {
    /// Says hello.
    ///
    /// # Errors
    /// Those of the line; QEMU says nothing that makes sense.
    pub(crate) async fn open(stream: UnixStream) -> io::Result<Self> {
        let mut line = Self { stream: BufReader::new(stream) };
        let greeting = within(line.read()).await?;
        if greeting.get("QMP").is_none() {
            return Err(io::Error::other("this is no QEMU"));
        }
        line.execute("qmp_capabilities", json!({})).await?;
        Ok(line)
    }

    /// Tells it one thing, and gives its answer.
    ///
    /// # Errors
    /// Those of the line; QEMU refuses.
    pub(crate) async fn execute(&mut self, what: &str, arguments: Value) -> io::Result<Value> {
        let mut text = json!({"execute": what, "arguments": arguments}).to_string();
        text.push('\n');
        let work = async {
            self.stream.get_mut().write_all(text.as_bytes()).await?;
            loop {
                let mut answer = self.read().await?;
                if answer.get("error").is_some() {
                    return Err(io::Error::other("QEMU refuses"));
                }
                if let Some(answer) = answer.get_mut("return") {
                    return Ok(answer.take());
                }
            }
        };
        within(work).await
    }

    /// Waits until the guest in the machine has opened a port.
    ///
    /// # Errors
    /// Those of the line: QEMU has ended. Time has no bound here.
    pub(crate) async fn until_opened(&mut self, port: &str) -> io::Result<()> {
        loop {
            let told = self.read().await?;
            let data = told.get("data");
            let field = |name: &str| data.and_then(|data| data.get(name));
            if told.get("event").and_then(Value::as_str) == Some("VSERPORT_CHANGE")
                && field("id").and_then(Value::as_str) == Some(port)
                && field("open").and_then(Value::as_bool) == Some(true)
            {
                return Ok(());
            }
        }
    }

    async fn read(&mut self) -> io::Result<Value> {
        let mut line = Vec::new();
        let count = (&mut self.stream).take(MOST_LINE).read_until(b'\n', &mut line).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_slice(&line).map_err(io::Error::other)
    }
}

async fn within<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match time::timeout(ANSWER, work).await {
        Ok(done) => done,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}
