//! A guest that is a child of this program: on this machine, or at the far end of a
//! program that passes its streams on, such as `ssh host garth guest`.

use std::{
    ffi::OsString,
    io,
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::Stdio,
    time::Duration,
};

use garth_contract::{Code, Error, ProcessId, Result};
use garth_wire::Handles;
use tokio::{
    process::{Child, Command},
    runtime::Handle,
    time,
};

use crate::{Connect, pipe::Pipe};

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

    fn start(&self, first: ProcessId) -> io::Result<Pipe<Handles, Ends>> {
        let (ours, theirs) = UnixStream::pair()?;
        let ours = Handles::both_ways(ours.into())?;
        let theirs = OwnedFd::from(theirs);
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .args(["--first-process", &first.0.to_string()])
            .stdin(Stdio::from(theirs.try_clone()?))
            .stdout(Stdio::from(theirs))
            .spawn()?;
        Ok(Pipe::new(ours, Ends(Some(child))))
    }
}

impl Connect for Process {
    type Pipe = Pipe<Handles, Ends>;

    async fn connect(&self, first: ProcessId) -> Result<Pipe<Handles, Ends>> {
        self.start(first).map_err(|_| {
            Error::new(Code::ProviderUnavailable, "the guest's program cannot be started")
        })
    }
}

/// A child that is to end.
#[derive(Debug)]
pub struct Ends(Option<Child>);

impl Drop for Ends {
    fn drop(&mut self) {
        let Some(mut child) = self.0.take() else { return };
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
