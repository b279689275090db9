//! A guest that is a child of this program: on this machine, or at the far end of a
//! program that passes its streams on, such as `ssh host garth guest`.

use std::{
    ffi::OsString,
    io,
    os::fd::OwnedFd,
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
    time::Duration,
};

use garth_contract::{Code, Error, ProcessId, Result};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::UnixStream,
    process::{Child, Command},
    runtime::Handle,
    time,
};

use crate::Connect;

/// How long a guest may take to end its processes when its client is gone.
const GRACE: Duration = Duration::from_secs(10);

/// A guest that is started as a child, and ends with its pipe.
#[derive(Clone, Debug)]
pub struct Process {
    program: OsString,
    arguments: Vec<OsString>,
}

impl Process {
    /// A guest that this program is, with these arguments; the number of its first
    /// process is added to them.
    #[must_use]
    pub fn new(program: OsString, arguments: Vec<OsString>) -> Self {
        Self { program, arguments }
    }

    fn start(&self, first: ProcessId) -> io::Result<Pipe> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let ours = UnixStream::from_std(ours)?;
        let theirs = OwnedFd::from(theirs);
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .args(["--first-process", &first.0.to_string()])
            .stdin(Stdio::from(theirs.try_clone()?))
            .stdout(Stdio::from(theirs))
            .spawn()?;
        Ok(Pipe { stream: ours, child: Some(child) })
    }
}

impl Connect for Process {
    type Pipe = Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Pipe> {
        self.start(first).map_err(|_| {
            Error::new(Code::ProviderUnavailable, "the guest's program cannot be started")
        })
    }
}

/// A pipe to a child, which ends with it.
#[derive(Debug)]
pub struct Pipe {
    stream: UnixStream,
    child: Option<Child>,
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // The end of its input tells the guest to end what it runs, and itself.
        let end = async move {
            if time::timeout(GRACE, child.wait()).await.is_err() {
                // One that is gone by now has no need of it.
                let _ = child.kill().await;
            }
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(end);
        }
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, to)
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
