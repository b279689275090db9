//! A guest in a directory of its own, for tests of the program.
#![allow(dead_code, reason = "each test target needs a part of it")]

use std::{
    ffi::OsString,
    future::Future,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use garth_contract::{Announce, Command as Line, ProcessId, Program, Report, Shell, WsPath};
use garth_remote::{
    Connect, Link, Patience, Remote,
    providers::{Process, Socket},
};
use tempfile::TempDir;
use tokio::time;

/// The guest's own program.
pub(crate) const GUEST: &str = env!("CARGO_BIN_EXE_garth-guest");

/// Longer than anything takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A directory `ws` for a workspace, and what stands next to it.
pub(crate) struct Place {
    dir: TempDir,
    listening: Option<Child>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("ws")).unwrap();
        Self { dir, listening: None }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.dir.path().join("socket")
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.root().join(name), content).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(name)).ok()
    }

    /// Everything that is really there, by name, in order.
    pub(crate) fn names(&self) -> Vec<OsString> {
        let entries = std::fs::read_dir(self.root()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    /// What every guest here is started with.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["--root".into(), self.root().into()];
        arguments.extend(["--spool".into(), self.dir.path().into()]);
        arguments.extend(["--env".into(), "PATH=/usr/bin:/bin".into()]);
        arguments
    }

    /// A guest that is a child, over its standard streams.
    pub(crate) async fn child(&self, more: &[&str]) -> Remote {
        let mut arguments = self.arguments();
        arguments.extend(more.iter().map(OsString::from));
        link(Process::new(GUEST.into(), arguments)).await
    }

    /// Starts a guest that listens; it ends with the place.
    pub(crate) async fn listen(&mut self) {
        let guest = Command::new(GUEST)
            .args(self.arguments())
            .args(["--listen".into(), self.socket().into_os_string()])
            .stdin(Stdio::null())
            .spawn();
        self.listening = Some(guest.unwrap());
        let socket = self.socket();
        until(|| std::os::unix::net::UnixStream::connect(&socket).is_ok()).await;
    }

    /// The process that listens.
    pub(crate) fn pid(&self) -> u32 {
        self.listening.as_ref().unwrap().id()
    }

    /// A client of the guest that listens.
    pub(crate) async fn client(&self) -> Remote {
        link(Socket::new(self.socket())).await
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(mut guest) = self.listening.take() {
            guest.kill().ok();
            guest.wait().ok();
        }
    }
}

pub(crate) async fn link(connect: impl Connect) -> Remote {
    Remote::new(Link::open(connect, ProcessId(1), Patience::USUAL).await.unwrap())
}

pub(crate) fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

pub(crate) fn script(text: &str) -> Line {
    Line::new(Program::script(text).unwrap())
}

pub(crate) async fn run(shell: &impl Shell, text: &str) -> Report {
    Shell::run(shell, script(text), Announce::nobody()).await.unwrap()
}

/// What comes of something that must not hang.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    time::timeout(DEADLINE, future).await.expect("it hangs")
}

/// Waits until something holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    soon(async {
        while !holds() {
            time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Whether a process that a command wrote down is alive.
pub(crate) fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// How much memory a process has, in MiB.
pub(crate) fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
}
