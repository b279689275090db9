//! Guests of these tests: one of their own, or one in a container that several share.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use garth_contract::{
    Announce, Ask, Code, Command, Error, ProcessId, Program, Report, Result, Shell, Signal, WsPath,
};
use garth_remote::{
    Connect, Link, Patience, Remote,
    container::{Container, Files, User},
    providers::{Gvisor, Podman, Process, Socket},
};
use tokio::{
    sync::OnceCell,
    time::{self, Instant},
};

use crate::machine::{self, Machine};

/// Longer than anything takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// What is at the other end of a provider.
pub(crate) async fn link(connect: impl Connect) -> Result<Remote> {
    let patience = Patience { start: DEADLINE, hello: DEADLINE, silence: DEADLINE };
    Ok(Remote::new(Link::open(connect, ProcessId(1), patience).await?))
}

/// A container of its own.
pub(crate) async fn podman(machine: &Machine, name: &str) -> (Podman, Remote) {
    let podman = Podman::new(machine.runc.clone(), machine.container(name)).unwrap();
    podman.prepare().await.unwrap();
    let remote = link(podman.clone()).await.unwrap();
    (podman, remote)
}

/// A sandbox of its own in gVisor, without an engine.
pub(crate) async fn gvisor(machine: &Machine, name: &str) -> (Gvisor, Remote) {
    let gvisor = Gvisor::new(machine.gvisor(), machine.container(name)).unwrap();
    let remote = link(gvisor.clone()).await.unwrap();
    (gvisor, remote)
}

/// A place where several tests run commands, each in a directory of its own.
pub(crate) struct Shared {
    pub(crate) name: &'static str,
    pub(crate) remote: Remote,
    /// The workspace's directory on this machine.
    pub(crate) files: PathBuf,
}

/// The local sandbox that tests share: the system in it is that of the containers.
pub(crate) async fn in_local(machine: &'static Machine) -> &'static Shared {
    static SHARED: OnceCell<Shared> = OnceCell::const_new();
    let make = || async {
        let files = machine.workspace("shared-local");
        let remote = link(machine.local(&files)).await.unwrap();
        Shared { name: "local", remote, files }
    };
    SHARED.get_or_init(make).await
}

/// The container that tests share in podman.
pub(crate) async fn in_podman(machine: &'static Machine) -> &'static Shared {
    static SHARED: OnceCell<Shared> = OnceCell::const_new();
    let make = || async {
        let (_, remote) = podman(machine, "shared-podman").await;
        Shared { name: "podman", remote, files: machine.workspace("shared-podman") }
    };
    SHARED.get_or_init(make).await
}

/// The container that tests share in gVisor, which is podman's runtime there.
pub(crate) async fn in_gvisor(machine: &'static Machine) -> &'static Shared {
    static SHARED: OnceCell<Shared> = OnceCell::const_new();
    let make = || async {
        let mut container = machine.container("shared-gvisor");
        container.options.runtime = Some("runsc".into());
        // The image is the same and is made once, by the other engine.
        let other = Podman::new(machine.runc.clone(), container.clone()).unwrap();
        other.prepare().await.unwrap();
        let podman = Podman::new(machine.runsc.clone(), container).unwrap();
        let remote = link(podman).await.unwrap();
        Shared { name: "gvisor", remote, files: machine.workspace("shared-gvisor") }
    };
    SHARED.get_or_init(make).await
}

/// A virtual machine of its own, with the same Debian and the same user; these
/// directories are there when it begins.
pub(crate) async fn in_qemu(
    machine: &'static Machine,
    parts: &Path,
    directories: &[String],
) -> &'static Shared {
    let files = machine.workspace("alone-qemu");
    let there = Shared { name: "qemu", remote: in_local(machine).await.remote.clone(), files };
    for name in directories {
        there.directory(name);
    }
    let link = Link::open(machine.qemu("alone-qemu", parts), ProcessId(1), Patience::MACHINE)
        .await
        .unwrap();
    Box::leak(Box::new(Shared { remote: Remote::new(link), ..there }))
}

impl Shared {
    /// Makes a directory in the workspace, for the user inside.
    pub(crate) fn directory(&self, name: &str) -> WsPath {
        let path = self.files.join(name);
        fs::create_dir_all(&path).unwrap();
        std::os::unix::fs::chown(&path, Some(1000), Some(1000)).unwrap();
        path_of(name)
    }
}

/// A container for the suites, in which each check has a guest of its own.
pub(crate) struct Suites {
    pub(crate) name: &'static str,
    /// The workspace's directory on this machine.
    pub(crate) files: PathBuf,
    first: Remote,
    more: More,
}

/// How another guest is started in a container.
enum More {
    /// The first one starts it, and it is met in this directory.
    ByTheFirst(PathBuf),
    /// `runsc` does, with these words before the guest's own: what the first one starts
    /// there has a pid namespace of its own and no `/proc` that shows it, and a guest
    /// must see what it runs.
    ByRunsc(Vec<OsString>),
}

/// The container of the suites in podman.
pub(crate) async fn suites_in_podman(machine: &'static Machine) -> &'static Suites {
    static SUITES: OnceCell<Suites> = OnceCell::const_new();
    let make = || async {
        let container = for_suites(machine, "suites-podman");
        let podman = Podman::new(machine.runc.clone(), container.clone()).unwrap();
        podman.prepare().await.unwrap();
        let first = link(podman.clone()).await.unwrap();
        let more = More::ByTheFirst(container.run.join(podman.name()).join("guest"));
        Suites { name: "podman", files: machine.suites(), first, more }
    };
    SUITES.get_or_init(make).await
}

/// The sandbox of the suites in gVisor.
pub(crate) async fn suites_in_gvisor(machine: &'static Machine) -> &'static Suites {
    static SUITES: OnceCell<Suites> = OnceCell::const_new();
    let make = || async {
        let container = for_suites(machine, "suites-gvisor");
        let gvisor = Gvisor::new(machine.gvisor(), container.clone()).unwrap();
        let first = link(gvisor.clone()).await.unwrap();
        let mut words = vec!["--root".into(), container.run.join("runsc").into_os_string()];
        words.extend(["exec".into(), gvisor.name().into(), "/run/garth-guest".into()]);
        Suites { name: "gvisor", files: machine.suites(), first, more: More::ByRunsc(words) }
    };
    SUITES.get_or_init(make).await
}

/// Its user is this one, so that whatever the suites arrange from outside is the
/// guest's own.
fn for_suites(machine: &Machine, name: &str) -> Container {
    let user = Some(User { uid: 0, gid: 0 });
    // All have the same, since there is one place for temporary directories.
    let files = Files::Directory(machine.suites());
    Container { user, files, ..machine.container(name) }
}

impl Suites {
    /// Starts another guest inside, which ends when nobody needs what this gives any
    /// more.
    pub(crate) async fn another(&self, called: &str, arguments: Vec<String>) -> Result<Remote> {
        match &self.more {
            More::ByTheFirst(meeting) => self.listening(&meeting.join(called), arguments).await,
            More::ByRunsc(words) => {
                let arguments = arguments.into_iter().map(OsString::from);
                let words = words.iter().cloned().chain(arguments).collect();
                link(Process::new("runsc".into(), words)).await
            }
        }
    }

    /// Lets the first guest start another one, which listens.
    async fn listening(&self, socket: &Path, arguments: Vec<String>) -> Result<Remote> {
        let called = socket.file_name().unwrap().to_str().unwrap();
        let mut words = vec!["/run/garth-guest".into(), "--listen".into()];
        words.push(format!("/run/garth/{called}"));
        words.extend(arguments);
        let program = Program::arguments(words.into_iter().map(String::into_bytes).collect())?;
        let mut command = Command::new(program);
        command.timeout = garth_contract::Timeout::MOST;
        let id = self.first.start(command).await?;
        let end = Arc::new(End { shell: self.first.clone(), id });
        let another = Another { socket: Socket::new(socket.to_owned()), _end: end };
        let begun = Instant::now();
        loop {
            let error = match link(another.clone()).await {
                Ok(remote) => return Ok(remote),
                Err(error) => error,
            };
            let ask = Ask { from: 0, most: 10_000, wait: Duration::ZERO };
            let printed = self.first.output(id, ask).await?;
            let over = printed.ended.is_some() || begun.elapsed() > DEADLINE;
            assert!(!over, "a guest inside does not start: {error} {printed:?}");
            time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A guest beside the first one in a container, which ends when its last link does.
#[derive(Clone)]
struct Another {
    socket: Socket,
    _end: Arc<End>,
}

impl Connect for Another {
    type Pipe = <Socket as Connect>::Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.socket.connect(first).await
    }
}

/// Ends a process when it is dropped.
struct End {
    shell: Remote,
    id: ProcessId,
}

impl Drop for End {
    fn drop(&mut self) {
        let (shell, id) = (self.shell.clone(), self.id);
        // One that has ended by itself is as good.
        machine::spawn(async move { drop(shell.signal(id, Signal::KILL).await) });
    }
}

/// A path of a workspace.
pub(crate) fn path_of(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// A script.
pub(crate) fn script(text: &str) -> Command {
    Command::new(Program::script(text).unwrap())
}

/// Runs a script to its end.
pub(crate) async fn try_run(shell: &Remote, text: &str) -> Result<Report> {
    time::timeout(DEADLINE, Shell::run(shell, script(text), Announce::nobody()))
        .await
        .expect("it hangs")
}

/// What a script prints to standard output, which must end well.
pub(crate) async fn say(shell: &Remote, text: &str) -> String {
    let report = try_run(shell, text).await.unwrap();
    let stdout = String::from_utf8_lossy(&report.stdout.head).into_owned();
    let stderr = String::from_utf8_lossy(&report.stderr.head);
    assert_eq!(report.ended.exit.code(), 0, "{text}: {stdout} {stderr}");
    stdout
}

/// Tries something until it holds; how it holds is the caller's business.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether an error says that the sandbox is not there.
pub(crate) fn is_away(error: &Error) -> bool {
    error.code() == Code::ProviderUnavailable
}
