//! What this machine has for these tests, and the engines that they start for
//! themselves.
//!
//! One keeper process holds everything: it starts two podman services on a storage
//! of their own, and when its input ends, which it does however this process does,
//! it ends them and removes every trace.

use std::{
    fs,
    io::Write,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, LazyLock, Mutex, Once},
    thread,
    time::{Duration, Instant},
};

use garth_remote::{
    container::{Container, Engine, Files, Limits, Options, Platform, Root, Runsc, Ulimit, User},
    machine::{Image, Machine as Virtual},
    providers::{Accelerator, Emulator, Local, Qemu},
};
use garth_sandbox::{Access, Needs, Network, Spec, base_environment};

/// What everything here needs.
pub(crate) struct Machine {
    /// Everything is made below it.
    pub(crate) dir: PathBuf,
    /// A Debian.
    pub(crate) root: PathBuf,
    /// The guest's static program.
    pub(crate) guest: PathBuf,
    /// An engine that runs containers with runc.
    pub(crate) runc: Arc<Engine>,
    /// An engine that runs them with gVisor.
    pub(crate) runsc: Arc<Engine>,
    _keeper: Mutex<Option<ChildStdin>>,
}

/// How long an engine may take to begin to listen.
const UNTIL_IT_LISTENS: Duration = Duration::from_secs(60);

static MACHINE: LazyLock<Result<Machine, String>> = LazyLock::new(Machine::make);

/// The machine, or a line that says what it lacks.
pub(crate) fn machine() -> Option<&'static Machine> {
    match &*MACHINE {
        Ok(machine) => Some(machine),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

/// What virtual machines are made of: a directory with a kernel, its modules and a Debian.
pub(crate) fn machine_parts() -> Option<PathBuf> {
    let installed = Command::new("qemu-system-x86_64").arg("--version").output();
    if !installed.is_ok_and(|output| output.status.success()) {
        println!("skipped: no QEMU");
        return None;
    }
    let place = repository().join(".cache/machine");
    if !place.join(".made-1").exists() {
        println!("skipped: no kernel and no system for virtual machines");
        return None;
    }
    Some(place)
}

/// Whether all is asked for of virtual machines, whose emulated processors take minutes.
pub(crate) fn machines_are_asked_for() -> bool {
    let asked = std::env::var_os("GARTH_MACHINE_SUITES").is_some();
    if !asked {
        println!("only with GARTH_MACHINE_SUITES, since an emulated processor takes minutes");
    }
    asked
}

/// Where the repository is.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The guest's static program: as it is named, or where `make guest` puts it.
pub(crate) fn guest() -> Option<PathBuf> {
    let named = std::env::var_os("GARTH_GUEST").map(PathBuf::from);
    // This program is in `debug/deps` or `release/examples` of the same directory.
    let program = std::env::current_exe().unwrap();
    let built = program.ancestors().nth(3).map(|target| target.join("guest/garth-guest"));
    let usual = repository().join("target/guest/garth-guest");
    [named, built, Some(usual)].into_iter().flatten().find(|path| path.exists())
}

impl Machine {
    fn make() -> Result<Self, String> {
        for program in ["podman", "runc", "runsc"] {
            let found = Command::new(program).arg("--version").output();
            if !found.is_ok_and(|output| output.status.success()) {
                return Err(format!("no {program}"));
            }
        }
        if !rustix::process::getuid().is_root() {
            return Err("only root can start engines of its own here".into());
        }
        let dir = std::env::temp_dir().join(format!("garth-engines-{}", std::process::id()));
        let machine = Self::of_another(&dir)?;
        sweep();
        fs::create_dir(&dir).map_err(|error| error.to_string())?;
        let machine = Self { _keeper: Mutex::new(keeper(&dir)?.stdin), ..machine };
        for socket in ["runc.sock", "runsc.sock"] {
            machine.until_there(&machine.dir.join(socket))?;
        }
        Ok(machine)
    }

    /// The machine of the process that made this directory, and keeps it.
    pub(crate) fn of_another(dir: &Path) -> Result<Self, String> {
        let root = repository().join(".cache/roots/debian");
        if !root.join("usr/bin/bash").exists() {
            return Err("no Debian to run containers from".into());
        }
        let Some(guest) = guest() else { return Err("no static guest".into()) };
        Ok(Self {
            dir: dir.to_owned(),
            root,
            guest,
            runc: Arc::new(Engine::at(&dir.join("runc.sock"))),
            runsc: Arc::new(Engine::at(&dir.join("runsc.sock"))),
            _keeper: Mutex::default(),
        })
    }

    fn until_there(&self, path: &Path) -> Result<(), String> {
        let begun = Instant::now();
        while !path.exists() {
            if begun.elapsed() > UNTIL_IT_LISTENS {
                let log = fs::read_to_string(self.dir.join("log")).unwrap_or_default();
                panic!("podman's service does not start: {log}");
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// A workspace's directory of its own, for a user who is not root.
    pub(crate) fn workspace(&self, name: &str) -> PathBuf {
        let path = self.dir.join("workspaces").join(name);
        fs::create_dir_all(&path).unwrap();
        std::os::unix::fs::chown(&path, Some(1000), Some(1000)).unwrap();
        path
    }

    /// A workspace's directory for the suites, which is also where they make theirs.
    pub(crate) fn suites(&self) -> PathBuf {
        static ONCE: Once = Once::new();
        let path = self.dir.join("workspaces/suites");
        ONCE.call_once(|| {
            fs::create_dir_all(&path).unwrap();
            tempfile::env::override_temp_dir(&path).unwrap();
        });
        path
    }

    /// A container of the Debian, as this machine can run it.
    pub(crate) fn container(&self, name: &str) -> Container {
        let files = Files::Directory(self.workspace(name));
        let limit = |name: &str, soft, hard| Ulimit { name: name.into(), soft, hard };
        Container {
            owner: "engines".into(),
            guest: self.guest.clone(),
            run: self.dir.join("run"),
            limits: Limits { memory: Some(1 << 30), ..Limits::USUAL },
            options: Options {
                // No process here may raise its limits, and podman would try to.
                ulimits: vec![limit("nofile", 1024, 4096), limit("nproc", 1000, 1000)],
                runtime: None,
            },
            ..Container::new(name, Root::Directory(self.root.clone()), files)
        }
    }

    /// A local sandbox whose system is the Debian.
    pub(crate) fn local(&self, files: &Path) -> Local {
        let spec = Spec {
            roots: vec![garth_sandbox::Root::whole(files, Access::ReadWrite).unwrap()],
            seat: garth_sandbox::Seat::Workspace,
            system: self.root.clone(),
            tenure: garth_sandbox::Tenure::Shown,
            visible: Vec::new(),
            environment: base_environment(),
            limits: garth_sandbox::Limits {
                memory: Some(1 << 30),
                ..garth_sandbox::Limits::usual()
            },
            network: Network::None,
            needs: Needs::all(),
        };
        let program = fs::File::open(&self.guest).unwrap();
        Local::new(spec, program.into(), vec!["garth-guest".into()])
    }

    /// gVisor without an engine, on the platform that works everywhere.
    pub(crate) fn gvisor(&self) -> Runsc {
        Runsc {
            program: "runsc".into(),
            platform: Platform::Ptrace,
            flags: vec!["--ignore-cgroups".into()],
        }
    }

    /// A virtual machine with the same Debian and the same user, whose processor is
    /// emulated; its files begin as those of the workspace's directory.
    pub(crate) fn qemu(&self, name: &str, parts: &Path) -> Qemu {
        let image = Image {
            kernel: parts.join("kernel"),
            modules: Some(parts.join("modules")),
            root: parts.join("root.ext4"),
        };
        let wanted = Virtual {
            run: self.dir.join("run"),
            seed: Some(self.workspace(name)),
            user: Some(User { uid: 1000, gid: 1000 }),
            disk: 1 << 30,
            ..Virtual::new(name, image, self.guest.clone())
        };
        let emulator = Emulator {
            program: "qemu-system-x86_64".into(),
            accelerator: Accelerator::Software,
            flags: Vec::new(),
        };
        Qemu::new(emulator, wanted).unwrap()
    }

    /// Runs podman on the storage of these tests.
    pub(crate) fn podman(&self, arguments: &[&str]) -> std::process::Output {
        Command::new("sh").arg(self.dir.join("podman")).args(arguments).output().unwrap()
    }
}

/// The runtime on which all tests run, so that they can share containers.
static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
});

/// Runs a test to its end.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    RUNTIME.block_on(test)
}

/// Lets something run beside the tests.
pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) {
    RUNTIME.spawn(work);
}

/// Removes what an earlier run left behind whose keeper was killed, too.
///
/// It is known by the number of its process, which may be another's by now; then the
/// next run finds it.
fn sweep() {
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.strip_prefix("garth-engines-")) else {
            continue;
        };
        let clean = entry.path().join("clean");
        // A keeper that still works removes the directory itself.
        if !Path::new("/proc").join(pid).exists() && !keeper_lives(&entry.path()) {
            println!("removing what process {pid} left behind");
            Command::new("sh").arg(clean).stdin(Stdio::null()).output().unwrap();
        }
    }
}

fn keeper_lives(dir: &Path) -> bool {
    let pid = fs::read_to_string(dir.join("keeper")).unwrap_or_default();
    let words = fs::read_to_string(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    words.contains(dir.to_str().unwrap())
}

fn keeper(dir: &Path) -> Result<Child, String> {
    let script = |name: &str, text: String| {
        let path = dir.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let at = dir.to_str().unwrap();
    let name = dir.file_name().unwrap().to_str().unwrap();
    let storage = storage(name);
    // A pattern that finds others and not whoever looks for it.
    let pattern = name.replacen('g', "[g]", 1);
    let fill = |text: &str| {
        let text = text.replace("STORAGE", storage.to_str().unwrap());
        text.replace("PATTERN", &pattern).replace("DIR", at)
    };
    // Debian's runsc takes no flags from an engine but these, and knows no cgroups here.
    script("runsc", format!("#!/bin/sh\nexec {}\n", RUNSC));
    script("podman", fill(PODMAN));
    script("clean", fill(CLEAN));
    script("keep", fill(KEEP));
    let log = fs::File::create(dir.join("log")).map_err(|error| error.to_string())?;
    let mut keeper = Command::new("sh")
        .arg(dir.join("keep"))
        .stdin(Stdio::piped())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .process_group(0)
        .spawn()
        .map_err(|error| error.to_string())?;
    keeper.stdin.as_mut().unwrap().flush().unwrap();
    Ok(keeper)
}

/// gVisor as podman's runtime.
const RUNSC: &str = "runsc --platform=ptrace --network=none --ignore-cgroups --host-uds=all \"$@\"";

/// Podman on the storage of these tests; the driver is the first that works.
const PODMAN: &str = r#"
driver=$(cat DIR/driver 2>/dev/null || echo vfs)
exec podman --root STORAGE/root --runroot STORAGE/run --storage-driver "$driver" \
    --cgroup-manager cgroupfs --runtime "${RUNTIME:-runc}" "$@"
"#;

/// Starts both services, waits until nobody needs them, and cleans.
const KEEP: &str = r#"
# Whatever an engine drops where it stands is removed with the rest.
cd DIR
echo $$ > DIR/keeper
echo overlay > DIR/driver
sh DIR/podman info > /dev/null 2>&1 || { rm -rf STORAGE/root; echo vfs > DIR/driver; }
sh DIR/podman system service --time 0 unix://DIR/runc.sock &
echo $! > DIR/runc.pid
RUNTIME=DIR/runsc sh DIR/podman system service --time 0 unix://DIR/runsc.sock &
echo $! > DIR/runsc.pid
while read -r _; do :; done
exec sh DIR/clean
"#;

/// Ends everything and removes it.
const CLEAN: &str = r#"
# Who works on the storage: containers that end still do for a moment.
busy() { grep -ls 'PATTERN' /proc/[0-9]*/cmdline | grep -v "^/proc/$$/"; }
sh DIR/podman rm --all --force --time 0
for name in $(ls DIR/run/runsc 2>/dev/null | sed -n 's/_sandbox:.*\.state$//p'); do
    runsc --root DIR/run/runsc delete --force "$name"
done
for pid in $(cat DIR/runc.pid DIR/runsc.pid); do
    grep -qs DIR "/proc/$pid/cmdline" && kill "$pid"
done
turns=300
while [ $turns -gt 0 ] && [ -n "$(busy)" ]; do sleep 0.1; turns=$((turns - 1)); done
# One that ends late may mount its storage once more.
for _ in 1 2 3 4 5; do
    grep -oE ' (STORAGE|DIR)/[^ ]*' /proc/mounts | sort -r | while read -r at; do umount -l "$at"; done
    rm -rf STORAGE DIR && break
    sleep 1
done
"#;

/// Where the images are: in memory if there is much of it, since a busy disk makes
/// the import of one take a minute.
fn storage(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let roomy =
        rustix::fs::statvfs(memory).is_ok_and(|there| there.f_bavail * there.f_frsize > 4 << 30);
    if roomy { memory.join(name) } else { std::env::temp_dir().join(format!("{name}-storage")) }
}
