//! A gateway of these tests, on a machine that has engines; it can be ended, killed and
//! started again on the same data.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::Client,
    http::{Reply, Request},
    machine::{self, Machine},
};

/// Longer than anything takes on a busy machine, also where a processor is emulated.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The image of the machine's Debian in its engine.
pub(crate) const IMAGE: &str = "localhost/garth-debian";

/// The machine with an image of its Debian in its engine, or a line that says what it
/// lacks.
pub(crate) fn machine() -> Option<&'static Machine> {
    static READY: LazyLock<()> = LazyLock::new(|| {
        let machine = machine::machine().unwrap();
        let mut tar = Command::new("tar");
        tar.arg("-C").arg(&machine.root).args(["-c", "."]).stdout(Stdio::piped());
        let mut tar = tar.spawn().unwrap();
        let mut import = Command::new("sh");
        import.arg(machine.dir.join("podman")).args(["import", "-", IMAGE]);
        let imported = import.stdin(tar.stdout.take().unwrap()).output().unwrap();
        assert!(tar.wait().unwrap().success() && imported.status.success(), "{imported:?}");
    });
    let machine = machine::machine()?;
    LazyLock::force(&READY);
    Some(machine)
}

/// What this machine needs, and nothing of it is a default.
pub(crate) fn configuration(machine: &Machine) -> String {
    format!(
        "[containers]\nimage = {IMAGE:?}\nroot = {root:?}\nguest = {guest:?}\nmemory = \"1GiB\"\n\
         ulimits = [\"nofile=1024:4096\", \"nproc=1000\"]\n\
         [podman]\nsocket = {socket:?}\nruntime = \"runc\"\nanswer_within = \"60s\"\n\
         [gvisor]\nplatform = \"ptrace\"\nflags = [\"--ignore-cgroups\"]\n{LIMITS}",
        root = machine.root,
        guest = machine.guest,
        socket = machine.dir.join("runc.sock"),
    )
}

/// Limits that no test reaches.
pub(crate) const LIMITS: &str = "\
    [limits.programs.caller]\nworktree_per_minute = 100_000\ntools_per_minute = 100_000\n\
    [limits.programs.workspace]\nworktree_per_minute = 100_000\ntools_per_minute = 100_000\n";

/// A data directory with a configuration, for one gateway after the other.
pub(crate) struct Data(TempDir);

impl Data {
    pub(crate) fn new(configuration: &str) -> Self {
        let data = Self(tempfile::tempdir().unwrap());
        data.configure(configuration);
        data
    }

    pub(crate) fn configure(&self, configuration: &str) {
        fs::write(self.path().join("garth.toml"), configuration).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// What the gateway's containers are labelled with.
    pub(crate) fn label(&self) -> String {
        format!("label=garth.owner=gateway {}", self.path().display())
    }

    /// The program, on this data.
    pub(crate) fn garth(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
        command.args(arguments);
        // Nothing of who runs the tests is to matter.
        command.env_remove("GARTH_CONFIG").env_remove("GARTH_PROVIDER");
        command.env("GARTH_DATA", self.path());
        command
    }

    /// Starts a gateway.
    pub(crate) fn start(&self) -> Gateway<'_> {
        let mut command = self.garth(&["serve", "--listen", "127.0.0.1:0"]);
        let log = fs::File::options().create(true).append(true).open(self.path().join("log"));
        let mut child = command.stdout(Stdio::piped()).stderr(log.unwrap()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = loop {
            let Some(Ok(line)) = lines.next() else { panic!("it does not start: {}", self.log()) };
            if let Some((_, rest)) = line.split_once("listens on http://") {
                break rest.trim().to_owned();
            }
        };
        // Nobody may wait because nobody reads.
        thread::spawn(move || lines.for_each(drop));
        let operator = fs::read_to_string(self.path().join("operator.token")).unwrap();
        Gateway { data: self, child, address, operator: operator.trim().to_owned() }
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.path().join("log")).unwrap_or_default()
    }
}

/// What a test that failed left in gVisor ends with its data; the engine's containers end
/// with the engine.
impl Drop for Data {
    fn drop(&mut self) {
        for run in ["run/runsc", "command-line/runsc"] {
            let state = self.path().join(run);
            for name in names(&state) {
                let mut runsc = Command::new("runsc");
                runsc.arg("--root").arg(&state).args(["delete", "--force", &name]);
                let _ = runsc.output();
            }
        }
    }
}

/// A gateway that runs; it is asked to stop when it is dropped.
pub(crate) struct Gateway<'a> {
    data: &'a Data,
    child: Child,
    address: String,
    operator: String,
}

impl Gateway<'_> {
    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The operator's token.
    pub(crate) fn operator(&self) -> &str {
        &self.operator
    }

    /// A connection of the operator.
    pub(crate) fn client(&self) -> Client {
        Client::with_token(&self.address, &self.operator)
    }

    /// A request by the operator.
    pub(crate) fn ask(&self, method: &'static str, path: &str) -> Request<'_> {
        Request::new(&self.address, method, path).token(&self.operator)
    }

    /// Runs a tool on the workspace of an agent.
    pub(crate) fn tool(&self, agent: &str, name: &str, params: &Value) -> Reply {
        self.ask("POST", &format!("/v1/workspaces/{agent}/{name}")).json(params).send()
    }

    /// The same for a call that must be answered.
    pub(crate) fn told(&self, agent: &str, name: &str, params: &Value) -> Value {
        let reply = self.tool(agent, name, params);
        assert_eq!(reply.status, 200, "{agent} {name}: {} {}", reply.text(), self.data.log());
        reply.value()
    }

    /// What a command prints, which must end well; its sandbox may take long to begin.
    pub(crate) fn say(&self, agent: &str, command: &str) -> String {
        let mut ran = Value::Null;
        eventually("the sandbox begins", || {
            let reply = self.tool(agent, "bash", &json!({ "command": command }));
            let known = reply.status == 200 || reply.refusal().1 == "PROVIDER_UNAVAILABLE";
            assert!(known, "{agent} {command}: {} {}", reply.text(), self.data.log());
            ran = reply.value();
            reply.status == 200
        });
        assert_eq!(ran["exit_code"], 0, "{command}: {ran}");
        ran["stdout"].as_str().unwrap().to_owned()
    }

    /// Asks for an agent.
    pub(crate) fn create(&self, settings: &Value) -> Reply {
        self.ask("POST", "/v1/workspaces").json(settings).send()
    }

    /// Makes an agent whose commands run in a provider's sandbox.
    pub(crate) fn made(&self, id: &str, provider: &str) {
        let reply = self.create(&json!({ "id": id, "provider": provider }));
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    /// Where the files of an agent are.
    pub(crate) fn files(&self, id: &str) -> PathBuf {
        self.data.path().join("agents").join(id).join("workspace")
    }

    /// The numbers of the processes that run its virtual machines.
    pub(crate) fn emulators(&self) -> Vec<Pid> {
        let parent = format!("\nPPid:\t{}\n", self.child.id());
        let is_one = |pid: &i32| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.starts_with("Name:\tqemu") && status.contains(&parent)
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(is_one).filter_map(Pid::from_raw).collect()
    }

    /// Kills it, as no gateway can notice.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(mut self) {
        assert_eq!(self.end(), Some(0), "{}", self.data.log());
    }

    fn end(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            if Instant::now() > until {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return None;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Gateway<'_> {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            self.end();
        }
    }
}

/// The containers of a gateway, by their names, that run or do not.
pub(crate) fn containers(machine: &Machine, data: &Data) -> Vec<String> {
    let arguments = ["ps", "--all", "--filter", &data.label(), "--format", "{{.Names}}"];
    let output = machine.podman(&arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned).collect()
}

/// The sandboxes of gVisor that a gateway has.
pub(crate) fn sandboxes(data: &Data) -> usize {
    names(&data.path().join("run/runsc")).len()
}

/// What `runsc` calls the sandboxes that it keeps in a directory.
fn names(state: &Path) -> Vec<String> {
    let entries = fs::read_dir(state).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter(|name| name.ends_with(".state"));
    names.filter_map(|name| Some(name.split_once('_')?.0.to_owned())).collect()
}

/// Looks again until something holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "not in time: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The numbers of the processes of this machine whose arguments hold a text.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let holds = |pid: u32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.windows(text.len()).any(|part| part == text.as_bytes())
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| holds(*pid)).collect()
}
