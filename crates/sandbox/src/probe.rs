//! Tries every layer on this machine, by the attacks that it is there to stop.
//!
//! A version number says what a kernel should do; a container, a security module or a
//! setting may have taken it away again. So the attacks are made, in sandboxes that are thrown
//! away: once without Landlock and the filter, which would hide a hole in what lies below them,
//! once with everything, and once with too much memory.

use std::{
    ffi::CString,
    fs::{self, DirBuilder, File},
    io,
    net::TcpListener,
    os::{
        fd::OwnedFd,
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            fs::{DirBuilderExt, PermissionsExt},
            net::{SocketAddr, UnixListener},
        },
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    io::read,
    pipe::{PipeFlags, pipe_with},
};

use crate::{
    Access, Ended, Layer, Limits, Needs, Network, Refusal, Root, Spec, Stdio, Tenure,
    attempt::{self, Bait},
    plan::Plan,
    program::Work,
    start::start_planned,
    trial::{Attempts, LEFT_OUT, MORE, SAID, Trial, WORKED},
};

/// What a layer does on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Every attack was refused.
    Holds,
    /// It is there, but does not stop all that it should.
    Degraded,
    /// It cannot be had.
    Missing,
}

/// What was found out about one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The layer.
    pub layer: Layer,
    /// What it does here.
    pub state: State,
    /// How that was found out, in a sentence.
    pub how: String,
    /// What an operator can do; nothing where it holds.
    pub advice: Option<&'static str>,
}

/// The layers below the two that would hide a hole in them.
const LOWER: &[Layer] = &[
    Layer::Namespaces,
    Layer::Ids,
    Layer::Mounts,
    Layer::Network,
    Layer::Privileges,
    Layer::Rlimits,
];

/// What everything together is tried on.
const WHOLE: &[Layer] = &[
    Layer::Namespaces,
    Layer::Ids,
    Layer::Mounts,
    Layer::Network,
    Layer::Privileges,
    Layer::Rlimits,
    Layer::Landlock,
    Layer::Seccomp,
];

/// Memory that the sandbox may use, and what it tries to.
const MEMORY: u64 = 64 << 20;
const TOO_MUCH_MEMORY: usize = 128 << 20;

/// Processes that it may have; more than the attempts need at one time.
const PROCESSES: u64 = 16;
const FILE_SIZE: u64 = 1 << 20;

/// Tries every layer on this machine.
///
/// It makes a few sandboxes, which takes some milliseconds each, and a directory of its own for
/// temporary files, which it removes.
#[must_use]
pub fn probe() -> Vec<Probed> {
    let mut findings = Findings::new();
    match Ground::new() {
        Ok(ground) => {
            findings.try_layers(&ground, LOWER, Upper::Off);
            findings.try_layers(&ground, WHOLE, Upper::On);
            findings.try_memory(&ground);
        }
        Err(error) => {
            findings.note(Layer::Mounts, State::Missing, &format!("no place to try in: {error}"));
        }
    }
    findings.conclude()
}

/// Whether the two upper layers are on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Upper {
    On,
    Off,
}

/// A place with something to reach, outside of the sandboxes.
struct Ground {
    directory: PathBuf,
    bait: Bait,
    _listener: TcpListener,
    _socket: UnixListener,
}

const SECRET: &str = "secret";

impl Ground {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("garth-probe-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(&name);
        DirBuilder::new().mode(0o755).create(&directory)?;
        DirBuilder::new().mode(0o755).create(directory.join("workspace"))?;
        let secret = directory.join(SECRET);
        fs::write(&secret, "a secret")?;
        // Everybody may read it, so that nothing but the sandbox keeps it.
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o644))?;
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        let bait = Bait {
            file: c_path(&secret)?,
            absent: c_path(&directory.join("absent"))?,
            process: i32::try_from(std::process::id()).unwrap_or(i32::MAX),
            port: listener.local_addr()?.port(),
            name: name.into_bytes(),
        };
        Ok(Self { directory, bait, _listener: listener, _socket: socket })
    }

    fn spec(&self, memory: Option<u64>) -> io::Result<Spec> {
        let limits = Limits {
            memory,
            cpu_percent: None,
            processes: PROCESSES,
            file_size: FILE_SIZE,
            open_files: 64,
            tmp_bytes: 1 << 20,
        };
        Ok(Spec {
            roots: vec![Root::whole(&self.directory.join("workspace"), Access::ReadWrite)?],
            seat: garth_contract::Seat::Workspace,
            system: "/".into(),
            tenure: Tenure::Shown,
            visible: Vec::new(),
            environment: Vec::new(),
            limits,
            network: Network::None,
            needs: Needs::all(),
        })
    }

    fn attempts(&self, layers: &'static [Layer]) -> io::Result<Trial> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Trial::Attempts(Attempts {
            bait: self.bait.clone(),
            directory: openat(CWD, &self.directory, flags, Mode::empty())?,
            name: c_path(Path::new(SECRET))?,
            layers,
            processes: PROCESSES,
            file_size: FILE_SIZE,
        }))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// What is known so far: the worst that was seen of each layer, and why.
struct Findings {
    rows: Vec<Finding>,
}

struct Finding {
    layer: Layer,
    state: Option<State>,
    refused: usize,
    notes: Vec<String>,
}

impl Findings {
    fn new() -> Self {
        let layers = Layer::ALL.into_iter().filter(|layer| *layer != Layer::Program);
        let rows =
            layers.map(|layer| Finding { layer, state: None, refused: 0, notes: Vec::new() });
        Self { rows: rows.collect() }
    }

    fn note(&mut self, layer: Layer, state: State, why: &str) {
        for row in self.rows.iter_mut().filter(|row| row.layer == layer) {
            if row.state != Some(State::Missing) {
                row.state = Some(state);
            }
            if !row.notes.iter().any(|note| note == why) {
                row.notes.push(why.to_owned());
            }
        }
    }

    /// Makes the attempts of some layers in a sandbox; where a layer is refused that
    /// can be spared, once more without it.
    fn try_layers(&mut self, ground: &Ground, layers: &'static [Layer], upper: Upper) {
        let mut needs = Needs::all();
        for _ in Layer::ALL {
            match try_once(ground, layers, (upper, needs)) {
                Ok((said, lacking)) => return self.hear(&said, &lacking),
                Err(refusal) => {
                    self.note(refusal.layer(), State::Missing, &refusal.to_string());
                    if !refusal.layer().can_be_spared() {
                        return;
                    }
                    needs = needs.but(refusal.layer());
                }
            }
        }
    }

    fn hear(&mut self, said: &[u8], lacking: &[Layer]) {
        let table = attempt::ALL.iter().map(|attempt| (attempt.name, attempt.layer));
        let more = MORE.iter().map(|(name, layer, _)| (*name, *layer));
        for ((name, layer), answer) in table.chain(more).zip(said) {
            let Some(row) = self.rows.iter_mut().find(|row| row.layer == layer) else { continue };
            if *answer == LEFT_OUT || lacking.contains(&layer) {
                continue;
            }
            if *answer == WORKED {
                self.note(layer, State::Degraded, &format!("{name} was allowed"));
            } else {
                row.refused += 1;
                row.state = row.state.or(Some(State::Holds));
            }
        }
    }

    fn try_memory(&mut self, ground: &Ground) {
        let trial = || Trial::Memory(TOO_MUCH_MEMORY);
        match run(ground, Some(MEMORY), (trial(), Upper::On, Needs::all())) {
            Ok((_, Ended::Killed(_), _)) => {
                self.note(Layer::Cgroup, State::Holds, "who used too much memory was killed");
            }
            Ok((_, Ended::Exited(_) | Ended::Unknown, _)) => {
                self.note(Layer::Cgroup, State::Degraded, "too much memory could be used");
            }
            Err(refusal) => self.note(Layer::Cgroup, State::Missing, &refusal.to_string()),
        }
    }

    fn conclude(self) -> Vec<Probed> {
        let rows = self.rows.into_iter();
        rows.map(|row| {
            let state = row.state.unwrap_or(State::Missing);
            let mut how = row.notes;
            if row.refused > 0 {
                how.insert(0, format!("{} attempts were refused", row.refused));
            }
            if how.is_empty() {
                how.push("a sandbox could not be made to try it in".to_owned());
            }
            let advice = (state != State::Holds).then(|| row.layer.advice());
            Probed { layer: row.layer, state, how: how.join("; "), advice }
        })
        .collect()
    }
}

/// What the attempts said, and which layers the sandbox lacked.
fn try_once(
    ground: &Ground,
    layers: &'static [Layer],
    (upper, needs): (Upper, Needs),
) -> Result<([u8; SAID], Vec<Layer>), Refusal> {
    let trial = ground.attempts(layers).map_err(|error| Refusal::from_io(&error))?;
    let (said, _, lacking) = run(ground, None, (trial, upper, needs))?;
    Ok((said, lacking))
}

/// Makes a trial in a sandbox of its own, to its end.
fn run(
    ground: &Ground,
    memory: Option<u64>,
    (trial, upper, needs): (Trial, Upper, Needs),
) -> Result<([u8; SAID], Ended, Vec<Layer>), Refusal> {
    let failed = |error: io::Error| Refusal::from_io(&error);
    let spec = Spec { needs, ..ground.spec(memory).map_err(failed)? };
    let pipe = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK);
    let (ours, output) = pipe.map_err(|errno| failed(errno.into()))?;
    let null = || File::options().read(true).write(true).open("/dev/null").map(OwnedFd::from);
    let stdio = Stdio { input: null().map_err(failed)?, output, error: null().map_err(failed)? };
    let mut plan = Plan::prepare(&spec, Work::Trial(trial), &stdio)?;
    drop(stdio);
    if upper == Upper::Off {
        plan.landlock = None;
        plan.seccomp = None;
    }
    let running = start_planned(plan)?;
    let ended = running.wait();
    let mut said = [LEFT_OUT; SAID];
    // A trial that was killed has said nothing.
    let _ = read(ours, &mut said);
    Ok((said, ended, running.lacking()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worked(layers: &'static [Layer], upper: Upper) -> Vec<&'static str> {
        let ground = Ground::new().unwrap();
        let (said, lacking) = try_once(&ground, layers, (upper, Needs::all())).unwrap();
        assert!(lacking.is_empty());
        let names = attempt::ALL.iter().map(|attempt| attempt.name);
        let names = names.chain(MORE.iter().map(|(name, ..)| *name));
        names.zip(said).filter(|(_, answer)| *answer == WORKED).map(|(name, _)| name).collect()
    }

    const UPPER: &[Layer] = &[Layer::Landlock, Layer::Seccomp];

    #[test]
    fn without_the_upper_layers_their_attacks_work() {
        let worked = worked(UPPER, Upper::Off);
        for name in ["forgotten-handle", "new-user-namespace", "clone3", "steal-handle"] {
            assert!(worked.contains(&name), "{name}: {worked:?}");
        }
    }

    #[test]
    fn with_them_none_does() {
        assert_eq!(worked(UPPER, Upper::On), [""; 0]);
    }

    #[test]
    fn the_lower_layers_hold_alone() {
        assert_eq!(worked(LOWER, Upper::Off), [""; 0]);
    }
}
