//! What this machine has for these tests, and the machines that they start.

use std::{
    path::{Path, PathBuf},
    process::Command as Program,
    sync::LazyLock,
    time::Duration,
};

use garth_contract::{
    Announce, Command, Filesystem, Guard, Parents, ProcessId, Program as Words, Put, Report,
    Result, Shell, Span, WsPath,
};
use garth_remote::{
    Connect, Link, Patience, Remote,
    container::User,
    machine::{Image, Machine},
    providers::{Accelerator, Emulator, Qemu},
};
use tempfile::TempDir;
use tokio::time::{self, Instant};

/// Longer than anything takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(300);

/// What everything here needs.
pub(crate) struct Parts {
    pub(crate) image: Image,
    pub(crate) guest: PathBuf,
}

static PARTS: LazyLock<std::result::Result<Parts, &'static str>> = LazyLock::new(Parts::find);

/// What is needed, or a line that says what is missing.
pub(crate) fn parts() -> Option<&'static Parts> {
    match &*PARTS {
        Ok(parts) => Some(parts),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

impl Parts {
    fn find() -> std::result::Result<Self, &'static str> {
        let installed = Program::new("qemu-system-x86_64").arg("--version").output();
        if !installed.is_ok_and(|output| output.status.success()) {
            return Err("no QEMU");
        }
        let place = repository().join(".cache/machine");
        if !place.join(".made-1").exists() {
            return Err("no kernel and no system for virtual machines");
        }
        let Some(guest) = guest() else { return Err("no static guest") };
        let image = Image {
            kernel: place.join("kernel"),
            modules: Some(place.join("modules")),
            root: place.join("root.ext4"),
        };
        Ok(Self { image, guest })
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The guest's static program: as it is named, or where `make guest` puts it.
fn guest() -> Option<PathBuf> {
    let named = std::env::var_os("GARTH_GUEST").map(PathBuf::from);
    let program = std::env::current_exe().unwrap();
    let built = program.ancestors().nth(3).map(|target| target.join("guest/garth-guest"));
    let usual = repository().join("target/guest/garth-guest");
    [named, built, Some(usual)].into_iter().flatten().find(|path| path.exists())
}

/// A machine in a directory of its own, which goes with it.
pub(crate) struct Scene {
    pub(crate) dir: TempDir,
    pub(crate) machine: Machine,
    pub(crate) emulator: Emulator,
}

impl Scene {
    pub(crate) fn new(parts: &Parts) -> Self {
        let dir = TempDir::with_prefix("garth-machine-").unwrap();
        let machine = Machine {
            run: dir.path().join("run"),
            user: Some(User { uid: 1000, gid: 1000 }),
            memory: 256 << 20,
            disk: 256 << 20,
            ..Machine::new("tried", parts.image.clone(), parts.guest.clone())
        };
        let emulator = Emulator {
            program: "qemu-system-x86_64".into(),
            accelerator: Accelerator::Software,
            flags: Vec::new(),
        };
        Self { dir, machine, emulator }
    }

    pub(crate) fn qemu(&self) -> Qemu {
        Qemu::new(self.emulator.clone(), self.machine.clone()).unwrap()
    }

    /// The numbers of the processes that run this scene's machines.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let place = self.machine.run.to_str().unwrap().to_owned();
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let is_one = |pid: &i32| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            let files =
                std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            let mut targets = files.filter_map(|file| std::fs::read_link(file.path()).ok());
            name.starts_with("qemu") && targets.any(|path| path.starts_with(&place))
        };
        numbers.filter(is_one).collect()
    }
}

/// What is at the other end of a provider.
pub(crate) async fn link(connect: impl Connect) -> Result<Remote> {
    Ok(Remote::new(Link::open(connect, ProcessId(1), Patience::MACHINE).await?))
}

/// A path of a workspace.
pub(crate) fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// Writes a file.
pub(crate) async fn write(files: &Remote, at: &str, text: &str) -> Result<()> {
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    Filesystem::write(files, &path(at), text.as_bytes().to_vec().into(), put).await.map(drop)
}

/// Reads a file.
pub(crate) async fn read(files: &Remote, at: &str) -> Result<String> {
    let content = files.read(&path(at), Span::Whole { at_most: 1 << 20 }).await?;
    Ok(String::from_utf8(content.bytes.to_vec()).unwrap())
}

/// A script.
pub(crate) fn script(text: &str) -> Command {
    Command::new(Words::script(text).unwrap())
}

/// Runs a script to its end.
pub(crate) async fn try_run(shell: &Remote, text: &str) -> Result<Report> {
    let run = Shell::run(shell, script(text), Announce::nobody());
    time::timeout(DEADLINE, run).await.expect("it hangs")
}

/// What a script prints, which must end well.
pub(crate) async fn say(shell: &Remote, text: &str) -> String {
    let report = try_run(shell, text).await.unwrap();
    let stdout = String::from_utf8_lossy(&report.stdout.head).into_owned();
    let stderr = String::from_utf8_lossy(&report.stderr.head);
    assert_eq!(report.ended.exit.code(), 0, "{text}: {stdout} {stderr}");
    stdout
}

/// What a program with these words prints, or why it did not end well.
pub(crate) async fn say_bytes(
    shell: &Remote,
    words: Vec<Vec<u8>>,
) -> std::result::Result<Vec<u8>, String> {
    let program = Words::arguments(words).map_err(|error| error.to_string())?;
    let run = Shell::run(shell, Command::new(program), Announce::nobody());
    let report = time::timeout(DEADLINE, run).await.expect("it hangs");
    let report = report.map_err(|error| error.to_string())?;
    match report.ended.exit.code() {
        0 => Ok(report.stdout.head.to_vec()),
        _ => Err(String::from_utf8_lossy(&report.stderr.head).into_owned()),
    }
}

/// Tries something until it holds.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        time::sleep(Duration::from_millis(20)).await;
    }
}
