//! The guest in a sandbox: put in, started, found again, and reached by a pipe.
//!
//! It listens at a socket inside, so it and what it runs outlive every pipe and this
//! program. A pipe is a second process, a relay, which copies between its own streams and
//! that socket. Both are known by their tags, which nothing inside can give a process.

use std::{
    fs::File,
    io::Read,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use garth_contract::{Code, Error, Result};
use rustix::fs::{CWD, Mode, OFlags, openat};
use serde_json::{Value, json};
use tokio::time;

use super::{
    Envd, Pipe,
    pipe::{Running, Told},
    refuse::unavailable,
};
use crate::container::said;

/// Where the guest's program and its sockets are inside: in the one directory that every
/// system has and that every user may write to.
const PLACE: &str = "/tmp/.garth";

/// The largest program that is put into a sandbox; `make guest` makes one of 6 MB at most.
const MOST_PROGRAM: u64 = 64 << 20;

/// How long a guest may take from its start until it listens.
const UNTIL_IT_LISTENS: Duration = Duration::from_secs(60);

/// The most of its last words that are repeated.
const MOST_WORDS: usize = 300;

/// Starts a guest: its directory is made, and its program may be run by its owner.
const START: &str = r#"d=$1; shift; mkdir -p "$d" && chmod 700 "$0" && exec "$0" "$@""#;

/// Waits for a guest's socket and is a relay to it; says so before it is one.
const RELAY: &str = r#"n=0; while [ ! -S "$1" ]; do n=$((n + 1)); [ $n -gt 1200 ] && exit 1
sleep 0.05; done; echo ready >&2; exec "$0" --relay "$1""#;

/// What is known of a pipe: whether the guest ever said a word, and that it is in use.
#[derive(Debug, Default)]
pub(crate) struct Spoke {
    ever: AtomicBool,
    moves: AtomicU64,
}

impl Spoke {
    /// The guest said something.
    pub(super) fn note(&self) {
        self.ever.store(true, Ordering::Relaxed);
        self.stir();
    }

    /// Something passed.
    pub(super) fn stir(&self) {
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    /// A number that changes with all that passes.
    pub(crate) fn moves(&self) -> u64 {
        self.moves.load(Ordering::Relaxed)
    }

    fn ever(&self) -> bool {
        self.ever.load(Ordering::Relaxed)
    }
}

/// The guest of one workspace in a sandbox.
pub(crate) struct Visit<'a> {
    envd: &'a Envd,
    /// The directory that it serves.
    directory: &'a str,
    /// Its words, but for the way by which it is spoken to and the numbers of processes.
    words: &'a [String],
    /// Its program, and where that is inside.
    content: Vec<u8>,
    place: String,
    /// What tells its directory from others,
    served: String,
    /// and itself from others that served it: its words, and its program.
    print: String,
}

/// What came of looking for a guest.
pub(crate) enum Found {
    /// It runs, by this name.
    Runs(String),
    /// There is none.
    None,
}

impl<'a> Visit<'a> {
    /// The guest of this directory, with these words, of this program on this machine.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where there is no such program.
    pub(crate) fn new(
        envd: &'a Envd,
        (directory, words): (&'a str, &'a [String]),
        program: &Path,
    ) -> Result<Self> {
        let content = read(program)?;
        let mut hash = blake3::Hasher::new();
        for word in words {
            hash.update(word.as_bytes()).update(b"\0");
        }
        hash.update(&content);
        Ok(Self {
            envd,
            directory,
            words,
            place: format!("{PLACE}/guest-{}", short(blake3::hash(&content))),
            served: short(blake3::hash(directory.as_bytes())),
            print: short(hash.finalize()),
            content,
        })
    }

    /// Looks for the guest, and ends pipes to it that others left. Others that serve the
    /// same directory are ended, and so is one of which an earlier pipe heard nothing.
    pub(crate) async fn find(&self, last: Option<&(String, Arc<Spoke>)>) -> Result<Found> {
        let mut found = Found::None;
        for process in self.envd.tagged().await? {
            let Some(kind) = self.kind(&process.tag) else { continue };
            if let (Kind::Guest(name), Found::None) = (kind, &found)
                && !last.is_some_and(|(last, spoke)| last == name && !spoke.ever())
            {
                found = Found::Runs(name.to_owned());
            } else {
                self.envd.kill(process.pid).await?;
            }
        }
        Ok(found)
    }

    /// Ends the guest with all that it runs.
    pub(crate) async fn end(&self) -> Result<()> {
        for process in self.envd.tagged().await? {
            if self.kind(&process.tag).is_some() {
                self.envd.kill(process.pid).await?;
            }
        }
        Ok(())
    }

    /// Starts a guest, which counts its processes from `first`, and gives a pipe to it with
    /// its name.
    pub(crate) async fn start(&self, first: u64, spoke: Arc<Spoke>) -> Result<(String, Pipe)> {
        self.put().await?;
        let name = fresh_name()?;
        let mut words = vec![self.directory.to_owned(), "--listen".into(), socket(&name)];
        words.extend(["--first-process".into(), first.to_string()]);
        words.extend(self.words.iter().cloned());
        let tag = self.tag("guest", &name);
        let started = process(START, (&self.place, &words), (&tag, json!(false)));
        let (pid, stream) = self.envd.start(&started).await?;
        let mut guest = Running { envd: self.envd.clone(), pid, stream };
        let pipe = tokio::select! {
            pipe = self.relay(&name, spoke) => pipe,
            error = early_end(&mut guest) => Err(error),
        };
        if pipe.is_err() {
            let _ = self.envd.kill(pid).await;
        }
        // Nobody listens to it any more, and it goes on.
        Ok((name, pipe?))
    }

    /// Makes a pipe to the guest of this name, which runs.
    pub(crate) async fn reach(&self, name: &str, spoke: Arc<Spoke>) -> Result<Pipe> {
        self.put().await?;
        self.relay(name, spoke).await
    }

    async fn relay(&self, name: &str, spoke: Arc<Spoke>) -> Result<Pipe> {
        let words = [socket(name)];
        let tag = self.tag("relay", name);
        let relay = process(RELAY, (&self.place, &words), (&tag, json!(true)));
        let (pid, stream) = self.envd.start(&relay).await?;
        let mut relay = Running { envd: self.envd.clone(), pid, stream };
        match time::timeout(UNTIL_IT_LISTENS, ready(&mut relay)).await {
            Ok(Ok(())) => Ok(relay.into_pipe(spoke)),
            Ok(Err(error)) => Err(error),
            Err(_) => {
                let _ = self.envd.kill(pid).await;
                Err(unavailable(
                    "the guest in the E2B sandbox does not listen in time",
                    "The sandbox may be too busy; try again.",
                ))
            }
        }
    }

    /// Puts the guest's program there, if it is not.
    async fn put(&self) -> Result<()> {
        if !self.envd.has(&self.place, self.content.len() as u64).await? {
            self.envd.put(&self.place, &self.content).await?;
        }
        Ok(())
    }

    /// What a process is known by.
    fn tag(&self, kind: &str, name: &str) -> String {
        format!("garth-{kind}.{}.{}.{name}", self.served, self.print)
    }

    /// What a process with this tag is, where it belongs to this directory.
    fn kind<'t>(&self, tag: &'t str) -> Option<Kind<'t>> {
        let mut parts = tag.split('.');
        let (kind, served) = (parts.next()?, parts.next()?);
        let (print, name) = (parts.next()?, parts.next()?);
        if served != self.served {
            return None;
        }
        match kind {
            "garth-guest" if print == self.print => Some(Kind::Guest(name)),
            "garth-guest" | "garth-relay" => Some(Kind::Other),
            _ => None,
        }
    }
}

/// A process that belongs to a guest.
enum Kind<'t> {
    /// The guest itself, by its name.
    Guest(&'t str),
    /// A relay, or a guest that is no longer wanted as it is.
    Other,
}

fn short(hash: blake3::Hash) -> String {
    hash.to_hex().chars().take(16).collect()
}

fn read(program: &Path) -> Result<Vec<u8>> {
    let read = || -> std::io::Result<Vec<u8>> {
        let file = openat(CWD, program, OFlags::CLOEXEC, Mode::empty())?;
        let mut content = Vec::new();
        File::from(file).take(MOST_PROGRAM).read_to_end(&mut content)?;
        Ok(content)
    };
    read().map_err(|_| no_guest())
}

/// There is no guest to put into a sandbox.
pub(crate) fn no_guest() -> Error {
    unavailable(
        "the guest's program is not there",
        "Install garth-guest beside garth, or name it as containers.guest.",
    )
}

fn socket(name: &str) -> String {
    format!("{PLACE}/{name}")
}

/// A process that is a script with a program and its words.
fn process(
    script: &str,
    (program, words): (&str, &[String]),
    (tag, stdin): (&str, Value),
) -> Value {
    let mut arguments = vec!["-c".to_owned(), script.to_owned(), program.to_owned()];
    arguments.extend(words.iter().cloned());
    json!({
        "process": { "cmd": "/bin/sh", "args": arguments, "envs": {}, "cwd": "/" },
        "stdin": stdin,
        "tag": tag,
    })
}

/// Waits until a relay says that it is one.
async fn ready(relay: &mut Running) -> Result<()> {
    loop {
        match relay.told().await? {
            Told::Complaint(bytes) if bytes.starts_with(b"ready") => return Ok(()),
            Told::Complaint(_) | Told::Sign => {}
            Told::Out(_) | Told::Ended(_) | Told::Cut => {
                return Err(unavailable(
                    "the guest in the E2B sandbox cannot be reached",
                    "The sandbox may have ended; try again.",
                ));
            }
        }
    }
}

/// Waits for a guest to end, which it should not, and says why it did.
async fn early_end(guest: &mut Running) -> Error {
    let mut words = Vec::new();
    loop {
        match guest.told().await {
            Ok(Told::Complaint(bytes)) => {
                let room = MOST_WORDS.saturating_sub(words.len());
                words.extend(bytes.into_iter().take(room));
            }
            Ok(Told::Out(_) | Told::Sign) => {}
            Ok(Told::Ended(code)) => {
                let words = String::from_utf8_lossy(&words);
                return unavailable(
                    format!("the guest ended in the E2B sandbox ({code}): {}", said(&words)),
                    "It may be built for another processor, or the template have no /bin/sh.",
                );
            }
            // It may run on; who reaches for it finds out.
            Ok(Told::Cut) | Err(_) => std::future::pending().await,
        }
    }
}

/// A name that no other guest has, and that a path can hold.
fn fresh_name() -> Result<String> {
    let mut bytes = [0; 8];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(count) if count == bytes.len() => Ok(format!("{:016x}", u64::from_be_bytes(bytes))),
        Ok(_) | Err(_) => Err(Error::new(Code::Internal, "the system has no random numbers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_is_known_by_its_directory_words_and_program() {
        let url = crate::e2b::Url::parse("http://127.0.0.1:1").unwrap();
        let envd = Envd::new(Arc::default(), url, "i1".into(), None);
        let own = Path::new("/proc/self/stat");
        let words = ["--fast".to_owned()];
        let visit = |directory, words| Visit::new(&envd, (directory, words), own).unwrap();
        let (one, other) = (visit("/a", &[]), visit("/a", &words));
        let tag = one.tag("guest", "n");
        assert!(matches!(one.kind(&tag), Some(Kind::Guest("n"))));
        assert!(matches!(other.kind(&tag), Some(Kind::Other)));
        assert!(matches!(one.kind(&one.tag("relay", "n")), Some(Kind::Other)));
        assert!(visit("/b", &[]).kind(&tag).is_none());
        assert!(one.kind("somebody.else").is_none());
        assert!(Visit::new(&envd, ("/a", &[]), Path::new("/nowhere")).is_err());
    }
}
