//! Firecracker's interface: one request at a time over a socket, JSON both ways.

use std::{
    io,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    time::Duration,
};

use garth_contract::{Code, Error, Result};
use rustix::fs::{CWD, Mode, OFlags, openat};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
    time,
};

use crate::container::said;

/// How long an answer may take: a snapshot writes all of the machine's memory.
const ANSWER: Duration = Duration::from_secs(120);

/// The most bytes of an answer: they are short.
const MOST: u64 = 1 << 20;

/// The interface of one machine.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    /// The directory that its socket is in, and its name there.
    directory: PathBuf,
    name: String,
}

impl Api {
    /// The interface at a socket.
    pub(crate) fn new(directory: PathBuf, name: &str) -> Self {
        Self { directory, name: name.to_owned() }
    }

    /// Asks for something to be so.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`: nobody answers, or it is refused.
    pub(crate) async fn put(&self, path: &str, body: &Value) -> Result<()> {
        self.ask("PUT", path, Some(body)).await.map(drop)
    }

    /// Asks for something to be changed.
    ///
    /// # Errors
    /// As for [`Api::put`].
    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Result<()> {
        self.ask("PATCH", path, Some(body)).await.map(drop)
    }

    /// Looks at something.
    ///
    /// # Errors
    /// As for [`Api::put`].
    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.ask("GET", path, None).await
    }

    async fn ask(&self, verb: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = format!(
            "{verb} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let work = async {
            let stream = connect_in(&self.directory, &self.name).await?;
            let mut stream = BufReader::new(stream);
            stream.get_mut().write_all(request.as_bytes()).await?;
            read(&mut stream).await
        };
        let (status, answer) = match time::timeout(ANSWER, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => return Err(unavailable("Firecracker does not answer".to_owned())),
            Err(_) => return Err(unavailable("Firecracker takes too long to answer".to_owned())),
        };
        if (200..300).contains(&status) {
            return Ok(serde_json::from_str(&answer).unwrap_or(Value::Null));
        }
        let fault: Value = serde_json::from_str(&answer).unwrap_or(Value::Null);
        let why = fault.get("fault_message").and_then(Value::as_str).unwrap_or_default();
        Err(unavailable(format!("Firecracker refuses {verb} {path}: {}", said(why))))
    }
}

/// Connects to a socket in a directory: its path is then short, however long the
/// directory's is, and no link is followed.
///
/// # Errors
/// Those of the system.
pub(crate) async fn connect_in(directory: &Path, name: &str) -> io::Result<UnixStream> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, directory, flags, Mode::empty())?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let socket = openat(&directory, name, flags, Mode::empty())?;
    let stream = UnixStream::connect(format!("/proc/self/fd/{}", socket.as_raw_fd())).await;
    // The path means this socket only as long as its handle is open.
    drop(socket);
    stream
}

/// Reads the status and the body of an answer.
async fn read(stream: &mut BufReader<UnixStream>) -> io::Result<(u16, String)> {
    let mut bounded = stream.take(MOST);
    let mut line = String::new();
    bounded.read_line(&mut line).await?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or(io::ErrorKind::InvalidData)?;
    let mut length = 0_u64;
    loop {
        line.clear();
        if bounded.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = String::new();
    bounded.take(length).read_to_string(&mut body).await?;
    Ok((status, body))
}

fn unavailable(message: String) -> Error {
    Error::new(Code::ProviderUnavailable, message)
}
