//! A guest in a sandbox of this machine's own kernel: namespaces, mounts, Landlock
//! and seccomp, and no other program.
//!
//! A pipe is a sandbox: it is made with the pipe and ends with it, and everything
//! inside ends with the sandbox.

use std::{
    ffi::OsString,
    io,
    os::fd::OwnedFd,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use garth_contract::{Code, Error, ProcessId, Result};
use garth_egress::{Bounds, Proxy, Rules};
use garth_sandbox::{Image, Network, Program, Running, Spec, Stdio, start};
use rustix::fs::{CWD, Mode, OFlags, chmod, openat};
use tempfile::TempDir;
use tokio::{
    net::{UnixListener, UnixStream},
    task::{JoinHandle, spawn_blocking},
};

use crate::{Connect, pipe::Pipe};

/// A guest in a local sandbox.
///
/// Cloning is cheap and gives the same setup, not the same sandbox.
#[derive(Clone)]
pub struct Local(Arc<Setup>);

struct Setup {
    spec: Spec,
    program: OwnedFd,
    arguments: Vec<OsString>,
    /// The way out, where there is one.
    egress: Option<Egress>,
}

/// A proxy, on a socket in a directory of its own.
struct Egress {
    rules: Rules,
    directory: TempDir,
    serving: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Egress {
    fn drop(&mut self) {
        if let Some(serving) = self.serving().take() {
            serving.abort();
        }
    }
}

/// The port inside at which the way out is found.
const PROXY_PORT: &str = "3128";

/// The variables by which programs find a proxy, in both spellings that are in use.
const PROXY_VARIABLES: [&str; 4] = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];

impl Local {
    /// A guest that this open program is, started with these arguments, its own name
    /// first; what it serves and under which variables commands run is added.
    #[must_use]
    pub fn new(spec: Spec, program: OwnedFd, arguments: Vec<OsString>) -> Self {
        Self(Arc::new(Setup { spec, program, arguments, egress: None }))
    }

    /// The same with a way out to what the rules allow, for programs that use a proxy.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where there is no room for its socket.
    pub fn reaching(
        mut spec: Spec,
        program: OwnedFd,
        arguments: Vec<OsString>,
        rules: Rules,
    ) -> Result<Self> {
        let directory = TempDir::with_prefix("garth-egress-").map_err(no_way_out)?;
        let egress = Egress { rules, directory, serving: Mutex::default() };
        spec.network = Network::Through(egress.socket());
        Ok(Self(Arc::new(Setup { spec, program, arguments, egress: Some(egress) })))
    }
}

impl Egress {
    fn socket(&self) -> PathBuf {
        self.directory.path().join("proxy")
    }

    fn serving(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the proxy serve, where it does not yet.
    fn open(&self) -> Result<()> {
        let mut serving = self.serving();
        if serving.is_none() {
            let listener = UnixListener::bind(self.socket()).map_err(no_way_out)?;
            // Whoever runs inside is somebody else to the kernel. Outside, only the
            // directory's owner gets near the socket.
            let anybody = Mode::from_raw_mode(0o666);
            chmod(self.socket(), anybody).map_err(|errno| no_way_out(errno.into()))?;
            let proxy = Proxy::new(self.rules.clone(), Bounds::usual());
            *serving = Some(tokio::spawn(proxy.serve(listener)));
        }
        Ok(())
    }
}

fn no_way_out(_: io::Error) -> Error {
    unavailable("the way out of the sandbox could not be made")
}

impl Connect for Local {
    type Pipe = Pipe<UnixStream, Running>;

    async fn connect(&self, first: ProcessId) -> Result<Pipe<UnixStream, Running>> {
        if let Some(egress) = &self.0.egress {
            egress.open()?;
        }
        let setup = Arc::clone(&self.0);
        let made = spawn_blocking(move || setup.start(first)).await;
        made.map_err(|_| unavailable("the sandbox could not be started"))?
    }
}

impl Setup {
    fn start(&self, first: ProcessId) -> Result<Pipe<UnixStream, Running>> {
        let failed = |_| unavailable("no pipe into the sandbox could be made");
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        let ours = UnixStream::from_std(ours).map_err(failed)?;
        let theirs = OwnedFd::from(theirs);
        let void = openat(CWD, "/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
        let stdio = Stdio {
            input: theirs.try_clone().map_err(failed)?,
            output: theirs,
            error: void.map_err(|errno| failed(errno.into()))?,
        };
        let program = Program {
            image: Image::Open(self.program.try_clone().map_err(failed)?),
            arguments: self.arguments(first),
        };
        let running = start(&self.spec, &program, stdio)?;
        Ok(Pipe::new(ours, running))
    }

    fn arguments(&self, first: ProcessId) -> Vec<OsString> {
        let mut arguments = self.arguments.clone();
        arguments.extend(["--root".into(), self.spec.seat.served().into()]);
        arguments.push("--kill-strays".into());
        let mut add = |name: &str, value: OsString| arguments.extend([name.into(), value]);
        add("--first-process", first.0.to_string().into());
        for (name, value) in &self.spec.environment {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(value);
            add("--env", pair);
        }
        if self.egress.is_some() {
            add("--proxy", format!("127.0.0.1:{PROXY_PORT}={}", Network::SOCKET).into());
            for name in PROXY_VARIABLES {
                add("--env", format!("{name}=http://127.0.0.1:{PROXY_PORT}").into());
            }
            for name in ["no_proxy", "NO_PROXY"] {
                add("--env", format!("{name}=localhost,127.0.0.1,::1").into());
            }
        }
        arguments
    }
}

fn unavailable(message: &'static str) -> Error {
    Error::new(Code::ProviderUnavailable, message)
}
