//! The agent's process: a child of this program, or a process in the workspace's sandbox.

use std::{
    ffi::OsString, io, os::unix::ffi::OsStringExt, process::Stdio, sync::Arc, time::Duration,
};

use bytes::Bytes;
use garth_contract::{
    Ask, Code, Command, DynShell, Error, Input, ProcessId, Program, Result, Stdin, Stream, Timeout,
    Variables,
};
use garth_workspace::Workspace;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf},
    process::Child,
    time::{sleep, timeout},
};

/// How long an agent may take to end once nobody speaks to it any more, and again once it
/// was asked to.
const GRACE: Duration = Duration::from_secs(3);

/// How much waits between a sandbox and a pump.
const BUFFER: usize = 256 << 10;

/// How much goes into a sandbox at once.
const PIECE: usize = 64 << 10;

/// How long to wait before a process is tried again that does not read.
const AGAIN: Duration = Duration::from_millis(5);

/// An agent that runs.
pub(super) enum Agent {
    /// A child, with a process group of its own.
    Child { child: Child, group: Option<Pid> },
    /// A process in the workspace's sandbox.
    Inside { workspace: Arc<Workspace>, process: ProcessId },
}

/// Its streams.
pub(super) struct Streams {
    pub(super) read: Read,
    pub(super) write: Write,
}

/// What it prints.
pub(super) type Read = Box<dyn AsyncRead + Send + Sync + Unpin>;
/// What it reads.
pub(super) type Write = Box<dyn AsyncWrite + Send + Unpin>;

impl Streams {
    /// The streams of a process in the workspace's sandbox, of which nothing was read.
    pub(super) fn of(workspace: &Arc<Workspace>, process: ProcessId) -> Self {
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let (read, write) = tokio::io::split(ours);
        let (from_us, to_us) = tokio::io::split(theirs);
        tokio::spawn(bring(Arc::clone(workspace), process, from_us));
        tokio::spawn(fetch(Arc::clone(workspace), process, to_us));
        Self { read: Box::new(read), write: Box::new(write) }
    }
}

impl Agent {
    /// Starts an agent as a child, with everything that this program has.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where it cannot be started.
    pub(super) fn child(words: &[OsString]) -> Result<(Self, Streams)> {
        let (program, arguments) = words.split_first().ok_or_else(nothing)?;
        let started = tokio::process::Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn();
        let mut child = started.map_err(|error| not_started(&error))?;
        let (Some(read), Some(write)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(Error::new(Code::Internal, "the agent has no streams"));
        };
        crate::mcp::widen(&read);
        crate::mcp::widen(&write);
        let streams = Streams { read: Box::new(read), write: Box::new(write) };
        // Its number is gone once it was waited for, and its group may live on.
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Ok((Self::Child { child, group }, streams))
    }

    /// Starts an agent in the workspace's sandbox, with these variables.
    ///
    /// # Errors
    /// Those of starting a process there.
    pub(super) async fn inside(
        workspace: Arc<Workspace>,
        words: Vec<OsString>,
        variables: Vec<(String, String)>,
    ) -> Result<(Self, Streams)> {
        let words = words.into_iter().map(OsString::into_vec).collect();
        let mut command = Command::new(Program::arguments(words)?);
        command.variables = Variables::new(variables)?;
        command.stdin = Stdin::Open;
        command.timeout = Timeout::LASTING;
        let process = workspace.shell()?.start(command).await?;
        let streams = Streams::of(&workspace, process);
        Ok((Self::Inside { workspace, process }, streams))
    }

    /// Waits until it has ended; says whether all was well.
    pub(super) async fn ended(&mut self) -> bool {
        match self {
            Self::Child { child, .. } => child.wait().await.is_ok_and(|status| status.success()),
            Self::Inside { workspace, process } => {
                let Ok(shell) = workspace.shell() else { return false };
                until_ended(shell, *process).await
            }
        }
    }

    /// Ends it and all that it started: it is waited for, then asked, then killed.
    pub(super) async fn end(mut self) {
        if timeout(GRACE, self.ended()).await.is_ok() {
            self.signal(Signal::KILL);
            return;
        }
        match &self {
            Self::Child { .. } => {}
            Self::Inside { workspace, process } => {
                if let Ok(shell) = workspace.shell() {
                    // It asks, waits and kills by itself.
                    let _ = shell.end(*process).await;
                }
                return;
            }
        }
        self.signal(Signal::TERM);
        let _ = timeout(GRACE, self.ended()).await;
        self.signal(Signal::KILL);
        let _ = timeout(GRACE, self.ended()).await;
    }

    /// Sends a signal to a child and whatever it started that is still of its group.
    fn signal(&self, signal: Signal) {
        if let Self::Child { group: Some(group), .. } = self {
            // Where all of it has ended there is nobody to signal.
            let _ = kill_process_group(*group, signal);
        }
    }
}

impl Drop for Agent {
    /// Nothing of a child is left, also where nobody had the time to wait for it.
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

async fn until_ended(shell: &dyn DynShell, process: ProcessId) -> bool {
    let mut from = 0;
    loop {
        let ask = Ask { from, most: 1, wait: Ask::LONGEST };
        match shell.output(process, ask).await {
            Ok(printed) => match printed.ended {
                Some(ended) => return ended.exit.code() == 0,
                None => from = printed.total,
            },
            Err(_) => return false,
        }
    }
}

/// Brings what we write to the process.
async fn bring(workspace: Arc<Workspace>, process: ProcessId, mut from: ReadHalf<DuplexStream>) {
    let Ok(shell) = workspace.shell() else { return };
    let mut piece = vec![0; PIECE];
    while let Ok(read) = from.read(&mut piece).await {
        let bytes = piece.get(..read).unwrap_or_default();
        let input = match read {
            0 => Input::Close,
            _ => Input::Bytes(Bytes::copy_from_slice(bytes)),
        };
        let mut sent = shell.input(process, input.clone()).await;
        while sent.as_ref().is_err_and(|error| error.code() == Code::RateLimitExceeded) {
            sleep(AGAIN).await;
            sent = shell.input(process, input.clone()).await;
        }
        if sent.is_err() || read == 0 {
            return;
        }
    }
}

/// Fetches what the process prints: messages for us, the rest for standard error.
async fn fetch(workspace: Arc<Workspace>, process: ProcessId, mut to: WriteHalf<DuplexStream>) {
    let Ok(shell) = workspace.shell() else { return };
    let mut errors = tokio::io::stderr();
    let mut from = 0;
    loop {
        let ask = Ask { from, most: Ask::MOST, wait: Ask::LONGEST };
        let Ok(printed) = shell.output(process, ask).await else { return };
        if printed.missing > 0 {
            // It printed more than is kept before it could be read; nothing after is sure.
            return;
        }
        for piece in &printed.pieces {
            let written = match piece.stream {
                Stream::Stdout => to.write_all(&piece.bytes).await,
                // Where nobody reads it, it is lost.
                Stream::Stderr => errors.write_all(&piece.bytes).await.or(Ok(())),
            };
            if written.is_err() {
                return;
            }
        }
        from = printed.next;
        if printed.ended.is_some() && from >= printed.total {
            return;
        }
    }
}

fn nothing() -> Error {
    Error::new(Code::InvalidParams, "there is no agent to run")
        .hint("Name the agent's program after --, as in garth acp -- my-agent --acp.")
}

fn not_started(error: &io::Error) -> Error {
    let message = format!("the agent cannot be started: {}", error.kind());
    Error::new(Code::ProviderUnavailable, message)
        .hint("Say its whole path, or look whether it is on the PATH of the editor.")
}
