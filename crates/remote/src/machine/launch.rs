//! The program that a machine runs in: started, watched, and never left behind.
//!
//! The kernel ties a process to the *thread* that made it, so each has a thread that
//! lives as long, waits for its end and says so. However this program ends, the process
//! ends with it.

use std::{
    ffi::OsString,
    io::{self, Read},
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, net::UnixStream},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc::sync_channel},
    thread,
};

use rustix::fs::stat;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::sync::watch;

use super::launch_unsafe::tie;
use crate::container::User;

/// The thread waits and holds little.
const STACK: usize = 128 << 10;

/// The most bytes that are kept of what it says: its last words.
const MOST_SAID: usize = 1 << 10;

/// What is to be started.
pub(crate) struct Launch {
    /// A path, or a name that is looked up.
    pub(crate) program: PathBuf,
    /// Its words.
    pub(crate) arguments: Vec<OsString>,
    /// Its standard input and output; left out, nothing to read, and what it prints is
    /// heard with its complaints.
    pub(crate) streams: Option<(OwnedFd, OwnedFd)>,
    /// Open files that it finds under the numbers that they have here.
    pub(crate) files: Vec<OwnedFd>,
    /// Whom it runs as; left out, as this program does.
    pub(crate) user: Option<User>,
    /// Where it stands.
    pub(crate) directory: PathBuf,
}

/// A process that runs. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Running {
    handle: OwnedFd,
    ended: watch::Receiver<bool>,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Launch {
    /// Starts it.
    ///
    /// # Errors
    /// Those of the system: there is no such program.
    pub(crate) fn start(self) -> io::Result<Running> {
        let (tell, hear) = sync_channel(1);
        let (over, ended) = watch::channel(false);
        let said: Arc<Mutex<Vec<u8>>> = Arc::default();
        let heard = Arc::clone(&said);
        let keep = move || match self.spawn() {
            Ok((mut child, handle, error)) => {
                let _ = tell.send(Ok(handle));
                listen(error, &heard);
                let _ = child.wait();
                over.send_replace(true);
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        thread::Builder::new().name("garth-machine".to_owned()).stack_size(STACK).spawn(keep)?;
        let handle = hear.recv().unwrap_or_else(|_| Err(io::Error::other("its thread ended")))?;
        Ok(Running { handle, ended, said })
    }

    #[allow(clippy::disallowed_methods, reason = "what runs machines is no command of a workspace")]
    fn spawn(self) -> io::Result<(Child, OwnedFd, UnixStream)> {
        let (error, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().current_dir(&self.directory);
        // Where it finds what belongs to it is the system's matter; it learns nothing else.
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        let theirs = OwnedFd::from(theirs);
        match self.streams {
            Some((input, output)) => command.stdin(input).stdout(output),
            None => command.stdin(Stdio::null()).stdout(theirs.try_clone()?),
        };
        command.stderr(theirs);
        tie(&mut command, self.files, self.user);
        let child = command.spawn()?;
        // What this side holds of its streams would keep them open after its end.
        drop(command);
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("it has no number"))?;
        Ok((child, pidfd_open(pid, PidfdFlags::empty())?, error))
    }
}

impl Running {
    /// Kills it. Once, twice or after its end makes no difference.
    pub(crate) fn kill(&self) {
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }

    /// Waits for its end.
    pub(crate) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // A thread that is gone without a word has nothing to wait for either.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// Whether it runs.
    pub(crate) fn lives(&self) -> bool {
        !*self.ended.borrow()
    }

    /// The last that it said to standard error, as far as it can be told.
    pub(crate) fn said(&self) -> String {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        crate::container::said(&String::from_utf8_lossy(&said))
    }
}

/// A program where it is: a path, or a name that is looked up.
pub(crate) fn find_program(program: &Path) -> Option<PathBuf> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return stat(program).ok().map(|_| program.to_owned());
    }
    let places = std::env::var_os("PATH").unwrap_or_default();
    let mut paths = std::env::split_paths(&places).map(|place| place.join(program));
    paths.find(|path| path.is_absolute() && stat(path).is_ok())
}

/// Hears what is said until nobody can say more, and keeps the last of it.
fn listen(mut stream: UnixStream, said: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(count) = stream.read(&mut bytes)
        && count > 0
    {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend(bytes.get(..count).unwrap_or_default());
        let beyond = said.len().saturating_sub(MOST_SAID);
        said.drain(..beyond);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}
