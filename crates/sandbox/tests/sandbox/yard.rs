//! A workspace, something outside to reach, and ways to run the same thing in and out.

use std::{
    fs::{self, File, Permissions},
    io::Read,
    net::TcpListener,
    os::{
        fd::AsRawFd,
        linux::net::SocketAddrExt,
        unix::{
            fs::{PermissionsExt, chown},
            net::{SocketAddr, UnixListener},
            process::CommandExt,
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Longer than anything takes on a machine that is busy.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// Nobody's id, which an ordinary user has here.
pub(crate) const NOBODY: u32 = 65534;

/// Who starts the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Root,
    User,
}

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A yard for everybody that the tests can be.
pub(crate) fn yards() -> Vec<Yard> {
    if is_root() {
        return vec![Yard::new(Who::Root), Yard::new(Who::User)];
    }
    println!("skipped: only root can be root");
    vec![Yard::new(Who::User)]
}

/// A workspace and something outside.
pub(crate) struct Yard {
    pub(crate) who: Who,
    pub(crate) dir: TempDir,
    victim: Child,
    listener: TcpListener,
    name: String,
    _socket: UnixListener,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Yard {
    pub(crate) fn new(who: Who) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        for (name, mode) in [("ws", 0o755), ("open", 0o777), ("said", 0o777)] {
            fs::create_dir(dir.path().join(name)).unwrap();
            fs::set_permissions(dir.path().join(name), Permissions::from_mode(mode)).unwrap();
        }
        fs::write(dir.path().join("secret"), "the secret").unwrap();
        fs::set_permissions(dir.path().join("secret"), Permissions::from_mode(0o644)).unwrap();
        if who == Who::User && is_root() {
            chown(dir.path().join("ws"), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let name = dir.path().file_name().unwrap().to_str().unwrap().to_owned();
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let mut victim = Command::new("sleep");
        victim.arg("1000").stdin(Stdio::null()).env("SECRET", "the secret");
        let victim = become_who(victim, who).spawn().unwrap();
        Self {
            who,
            victim,
            listener: TcpListener::bind(("127.0.0.1", 0)).unwrap(),
            _socket: UnixListener::bind_addr(&address).unwrap(),
            name,
            dir,
        }
    }

    pub(crate) fn ws(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    pub(crate) fn secret(&self) -> String {
        self.dir.path().join("secret").display().to_string()
    }

    pub(crate) fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    pub(crate) fn victim(&self) -> u32 {
        self.victim.id()
    }

    /// What the attempts are made on.
    pub(crate) fn bait(&self) -> [String; 5] {
        [
            self.secret(),
            self.dir.path().join("open/absent").display().to_string(),
            self.victim.id().to_string(),
            self.port().to_string(),
            self.name.clone(),
        ]
    }

    /// `garth-enter` with these options before its own `--`, and no bound on memory, since
    /// not everybody has a cgroup.
    pub(crate) fn enter(&self, options: &[&str]) -> Command {
        let mut command = self.enter_bare();
        command.arg("--root").arg(self.ws()).args(["--memory", "0"]).args(options);
        command
    }

    /// `garth-enter` without any argument.
    pub(crate) fn enter_bare(&self) -> Command {
        static ENTER: OnceLock<File> = OnceLock::new();
        self.program(&ENTER, env!("CARGO_BIN_EXE_garth-enter"))
    }

    /// `garth-attempt`, outside.
    pub(crate) fn attempt(&self) -> Command {
        static ATTEMPT: OnceLock<File> = OnceLock::new();
        self.program(&ATTEMPT, env!("CARGO_BIN_EXE_garth-attempt"))
    }

    /// One of ours, through an open file, since the directory that it is in need not be
    /// open to everybody.
    fn program(&self, file: &'static OnceLock<File>, path: &str) -> Command {
        let file = file.get_or_init(|| File::open(path).unwrap());
        become_who(Command::new(format!("/proc/self/fd/{}", file.as_raw_fd())), self.who)
    }

    /// Runs a script inside.
    pub(crate) fn inside(&self, script: &str) -> Said {
        self.inside_with(&[], script)
    }

    /// Runs a script inside a sandbox with these options.
    pub(crate) fn inside_with(&self, options: &[&str], script: &str) -> Said {
        let mut command = self.enter(options);
        command.args(["--", "bash", "-c", script]);
        self.run(command)
    }

    /// Runs `garth-attempt` inside a sandbox with these options.
    pub(crate) fn attempt_inside(&self, options: &[&str], arguments: &[&str]) -> Said {
        self.run(self.attempt_entering(options, arguments))
    }

    /// The command that does so.
    pub(crate) fn attempt_entering(&self, options: &[&str], arguments: &[&str]) -> Command {
        let mut command = self.enter(options);
        command.args(["--program", "/proc/self/fd/0", "--", "attempt"]).args(arguments);
        command.stdin(File::open(env!("CARGO_BIN_EXE_garth-attempt")).unwrap());
        command
    }

    /// Runs the same script where there is no sandbox, as the same user.
    pub(crate) fn outside(&self, script: &str) -> Said {
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(self.ws());
        self.run(become_who(command, self.who))
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, mut command: Command) -> Said {
        let said = tempfile::tempdir_in(self.dir.path().join("said")).unwrap();
        let file = |name: &str| File::create(said.path().join(name)).unwrap();
        command.stdout(file("out")).stderr(file("err"));
        let mut child = command.spawn().unwrap();
        // The child's copies are its own.
        drop(command);
        let code = await_end(&mut child);
        let read = |name: &str| {
            let mut bytes = Vec::new();
            File::open(said.path().join(name)).unwrap().read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Said { code, out: read("out"), err: read("err") }
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// The same command, as somebody else where the tests are root.
fn become_who(mut command: Command, who: Who) -> Command {
    if who == Who::User && is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Waits for a child of ours; kills it when it takes too long.
pub(crate) fn await_end(child: &mut Child) -> Option<i32> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if begin.elapsed() > DEADLINE {
            child.kill().unwrap();
            panic!("it did not end: {:?}", child.wait());
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until something is so.
pub(crate) fn await_that(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < DEADLINE, "not within a minute: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The processes in the pid namespace with this number.
pub(crate) fn processes_in(namespace: &Path) -> Vec<u32> {
    numbered("/proc")
        .filter(|pid| {
            let link = fs::read_link(format!("/proc/{pid}/ns/pid"));
            link.is_ok_and(|link| link == namespace)
        })
        .collect()
}

/// The numbers among the names in a directory.
pub(crate) fn numbered(directory: &str) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The first process of the sandbox that a process of ours has started, and its pid
/// namespace.
pub(crate) fn below(parent: u32) -> (u32, PathBuf) {
    let own = fs::read_link("/proc/self/ns/pid").unwrap();
    let mut found = None;
    await_that("a process in a namespace of its own", || {
        let children = numbered(&format!("/proc/{parent}/task")).flat_map(|thread| {
            let path = format!("/proc/{parent}/task/{thread}/children");
            let text = fs::read_to_string(path).unwrap_or_default();
            text.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()).collect::<Vec<_>>()
        });
        let mut namespaces = children.filter_map(|pid| {
            let namespace = fs::read_link(format!("/proc/{pid}/ns/pid")).ok()?;
            (namespace != own).then_some((pid, namespace))
        });
        found = namespaces.next();
        found.is_some()
    });
    found.unwrap()
}
