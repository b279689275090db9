//! Hands a credential to git so that it is in no argument, no variable and no file.
//!
//! Git asks a helper for credentials, and its own `credential-cache` asks whoever listens
//! on a socket. Here this program listens: on a socket for one operation alone, in a
//! directory that only the gateway's user can enter, and it answers only to that user,
//! only for the one host, and a few times at most. The credential goes from this
//! process's memory through the socket and two pipes into the memory of the program that
//! speaks with the remote.

use std::{
    os::fd::AsRawFd,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use garth_contract::{Code, Error, Result};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, chmodat, openat, unlinkat};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
    task::JoinHandle,
    time::timeout,
};
use zeroize::Zeroizing;

use crate::{address::Address, secret::Secret};

/// How often one operation may ask; git asks once a connection.
const MOST_ANSWERS: u32 = 8;

/// The longest question.
const MOST_QUESTION: u64 = 16 << 10;

/// How long a question may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A user's name and what proves it.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) username: String,
    pub(crate) password: Secret,
}

/// A credential that waits to be asked for; it cannot be asked for once this is gone.
#[derive(Debug)]
pub(crate) struct Handover {
    name: String,
    directory: std::os::fd::OwnedFd,
    state: Arc<State>,
    listening: JoinHandle<()>,
}

#[derive(Debug)]
struct State {
    protocol: &'static str,
    host: String,
    login: Login,
    answers: AtomicU32,
    refused: AtomicBool,
}

impl Handover {
    /// Waits on a socket in a directory for git to ask on behalf of an address.
    ///
    /// # Errors
    /// `INTERNAL` where there can be no socket.
    pub(crate) fn open(run: &Path, address: &Address, login: Login) -> Result<Self> {
        let failed = || Error::new(Code::Internal, "no socket for a git credential can be made");
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(CWD, run, flags, Mode::empty()).map_err(|_| failed())?;
        let mut random = [0_u8; 16];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
            .map_err(|_| failed())?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        // By handle: the path of a socket is at most 107 bytes.
        let path = format!("/proc/self/fd/{}/{name}", directory.as_raw_fd());
        let listener = UnixListener::bind(&path).map_err(|_| failed())?;
        let owner = Mode::RUSR | Mode::WUSR;
        chmodat(&directory, &*name, owner, AtFlags::empty()).map_err(|_| failed())?;
        let state = Arc::new(State {
            protocol: address.scheme().name(),
            host: address.host().to_owned(),
            login,
            answers: AtomicU32::new(0),
            refused: AtomicBool::new(false),
        });
        let listening = tokio::spawn(listen(listener, Arc::clone(&state)));
        Ok(Self { name, directory, state, listening })
    }

    /// The helper as git's configuration names it, seen from above the directory `run`.
    pub(crate) fn helper(&self, address: &Address) -> String {
        format!("credential.{}.helper=cache --socket=run/{}", address.origin(), self.name)
    }

    /// Tells whether the remote did not accept the credential.
    pub(crate) fn was_refused(&self) -> bool {
        self.state.refused.load(Ordering::SeqCst)
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        self.listening.abort();
        unlinkat(&self.directory, &*self.name, AtFlags::empty()).ok();
    }
}

async fn listen(listener: UnixListener, state: Arc<State>) {
    let own = rustix::process::geteuid().as_raw();
    while let Ok((stream, _)) = listener.accept().await {
        let known = stream.peer_cred().is_ok_and(|peer| peer.uid() == own);
        if known {
            // One at a time: nobody else asks. Whoever is slow gets nothing.
            timeout(PATIENCE, answer(stream, &state)).await.ok();
        }
    }
}

async fn answer(mut stream: UnixStream, state: &State) -> Option<()> {
    let mut question = Zeroizing::new(Vec::new());
    (&mut stream).take(MOST_QUESTION).read_to_end(&mut question).await.ok()?;
    let text = str::from_utf8(&question).ok()?;
    let value =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let ours = value("protocol") == Some(state.protocol)
        && value("host").is_some_and(|host| host.eq_ignore_ascii_case(&state.host));
    match value("action") {
        Some("get") if ours => {
            if state.answers.fetch_add(1, Ordering::SeqCst) < MOST_ANSWERS {
                let Login { username, password } = &state.login;
                let reply = format!("username={username}\npassword={}\n", password.reveal());
                stream.write_all(Zeroizing::new(reply).as_bytes()).await.ok()?;
            }
        }
        Some("erase") if ours => state.refused.store(true, Ordering::SeqCst),
        // What was accepted is to be stored, which is nothing to do here.
        Some(_) | None => {}
    }
    stream.shutdown().await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(at: &Path, name: &str, question: &str) -> String {
        let mut stream = UnixStream::connect(at.join(name)).await.unwrap();
        stream.write_all(question.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.unwrap();
        reply
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_credential_is_told_for_its_host_alone_and_not_without_end() {
        let at = tempfile::tempdir().unwrap();
        let address = Address::parse("https://host.example:99/o/r", &[]).unwrap();
        let login = Login { username: "me".to_owned(), password: Secret::new("hunter2").unwrap() };
        let handover = Handover::open(at.path(), &address, login).unwrap();
        assert!(
            handover
                .helper(&address)
                .starts_with("credential.https://host.example:99.helper=cache --socket=run/")
        );
        let name = handover.name.clone();
        for (action, protocol, host) in [
            ("get", "https", "host.example"),
            ("get", "https", "other.example:99"),
            ("get", "http", "host.example:99"),
            ("store", "https", "host.example:99"),
            ("erase", "https", "other.example"),
        ] {
            let question = format!("action={action}\nprotocol={protocol}\nhost={host}\n");
            assert_eq!(ask(at.path(), &name, &question).await, "", "{question}");
        }
        assert!(!handover.was_refused());
        let question = "action=get\ntimeout=900\nprotocol=https\nhost=host.example:99\n";
        for _ in 0..MOST_ANSWERS {
            let reply = ask(at.path(), &name, question).await;
            assert_eq!(reply, "username=me\npassword=hunter2\n");
        }
        assert_eq!(ask(at.path(), &name, question).await, "");
        let erase = question.replace("get", "erase");
        ask(at.path(), &name, &erase).await;
        assert!(handover.was_refused());
        drop(handover);
        assert!(UnixStream::connect(at.path().join(&name)).await.is_err());
        assert_eq!(crate::own_files::names(at.path()), [""; 0]);
    }
}
