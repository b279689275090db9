//! Both sides of `garth acp` in the hands of a test: what the client says and hears, and
//! what the agent does.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::scene::Scene;

/// How long anything may take on a machine that is busy with other things.
pub(crate) const LONGEST: Duration = Duration::from_secs(90);

/// A program between two sides that a test plays.
pub(crate) struct Between {
    pub(crate) scene: Scene,
    child: Child,
    client: Option<ChildStdin>,
    /// What the client hears.
    heard: Receiver<Vec<u8>>,
    agent: Option<File>,
    /// What the agent is told.
    told: Receiver<Vec<u8>>,
}

impl Between {
    /// Starts it with these options; the agent is two pipes that the test holds.
    pub(crate) fn start(options: &[&str]) -> Self {
        let scene = Scene::new();
        let place = scene.root.parent().unwrap().to_str().unwrap().to_owned();
        Self::through(scene, options, (&place, &place))
    }

    /// The same in front of an agent in a sandbox; the pipes lie in the workspace, which
    /// both see.
    pub(crate) fn inside(options: &[&str]) -> Self {
        let scene = Scene::new();
        let place = scene.root.to_str().unwrap().to_owned();
        Self::through(scene, options, (&place, "/workspace"))
    }

    /// Starts it with pipes at a place of this machine, which the agent may know as another.
    fn through(scene: Scene, options: &[&str], (outside, inside): (&str, &str)) -> Self {
        let [from, to] = ["from-agent", "to-agent"].map(|name| {
            let path = Path::new(outside).join(name);
            let made = Command::new("mkfifo").arg(&path).status().unwrap();
            assert!(made.success());
            path
        });
        let script = "cat \"$1/from-agent\" & exec cat > \"$1/to-agent\"";
        let words = ["sh", "-c", script, "sh", inside].map(str::to_owned);
        let mut started = started(&scene, options, &words);
        let agent = File::options().write(true).open(&from).unwrap();
        let told = lines(File::open(&to).unwrap());
        let heard = lines(started.stdout.take().unwrap());
        let client = started.stdin.take();
        Self { scene, child: started, client, heard, agent: Some(agent), told }
    }

    /// Starts it in front of an agent that does as it likes.
    pub(crate) fn with_agent(agent: &[&str]) -> Self {
        let agent: Vec<_> = agent.iter().map(|word| (*word).to_owned()).collect();
        Self::on(Scene::new(), &[], &agent)
    }

    /// The same on a scene that is set, with these options.
    pub(crate) fn on(scene: Scene, options: &[&str], agent: &[String]) -> Self {
        let mut started = started(&scene, options, agent);
        let heard = lines(started.stdout.take().unwrap());
        let client = started.stdin.take();
        let (_, told) = channel();
        Self { scene, child: started, client, heard, agent: None, told }
    }

    /// The same, of whose words nothing is read yet.
    pub(crate) fn with_agent_unheard(agent: &[&str]) -> (Self, impl Read + Send + 'static) {
        let scene = Scene::new();
        let agent: Vec<_> = agent.iter().map(|word| (*word).to_owned()).collect();
        let mut started = started(&scene, &[], &agent);
        let stdout = started.stdout.take().unwrap();
        let client = started.stdin.take();
        let ((_, heard), (_, told)) = (channel(), channel());
        (Self { scene, child: started, client, heard, agent: None, told }, stdout)
    }

    /// The client says a line.
    pub(crate) fn client_says(&mut self, line: impl AsRef<[u8]>) {
        self.client.as_mut().unwrap().write_all(line.as_ref()).unwrap();
    }

    /// The agent says a line.
    pub(crate) fn agent_says(&mut self, line: impl AsRef<[u8]>) {
        self.agent.as_mut().unwrap().write_all(line.as_ref()).unwrap();
    }

    /// Another handle to what the agent says, for one that says much.
    pub(crate) fn agent_mouth(&self) -> File {
        self.agent.as_ref().unwrap().try_clone().unwrap()
    }

    /// The next line that the client hears.
    pub(crate) fn client_hears(&self) -> Vec<u8> {
        let heard = self.heard.recv_timeout(LONGEST);
        heard.unwrap_or_else(|error| panic!("the client hears nothing: {error}"))
    }

    /// The next line that the agent is told.
    pub(crate) fn agent_hears(&self) -> Vec<u8> {
        let told = self.told.recv_timeout(LONGEST);
        told.unwrap_or_else(|error| panic!("the agent is told nothing: {error}"))
    }

    /// Whether the agent hears that nothing more comes.
    pub(crate) fn agent_hears_the_end(&self) -> bool {
        self.told.recv_timeout(LONGEST) == Err(RecvTimeoutError::Disconnected)
    }

    /// The same as JSON.
    pub(crate) fn client_hears_json(&self) -> Value {
        serde_json::from_slice(&self.client_hears()).unwrap()
    }

    pub(crate) fn agent_hears_json(&self) -> Value {
        serde_json::from_slice(&self.agent_hears()).unwrap()
    }

    /// Begins as a client that offers everything, or nothing.
    pub(crate) fn begin(&mut self, offers: bool) -> Value {
        let can = format!(
            r#"{{"fs":{{"readTextFile":{offers},"writeTextFile":{offers}}},"terminal":{offers}}}"#
        );
        self.client_says(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":1,\"clientCapabilities\":{can}}}}}\n"
        ));
        let told = self.agent_hears_json();
        self.agent_says("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}\n");
        assert_eq!(self.client_hears_json()["id"], 0);
        told
    }

    /// Shows that nothing more has come to the client: what the agent says next is the next.
    pub(crate) fn client_heard_nothing_else(&mut self) {
        let mark = "{\"jsonrpc\":\"2.0\",\"method\":\"_mark\"}\n";
        self.agent_says(mark);
        assert_eq!(String::from_utf8(self.client_hears()).unwrap(), mark);
    }

    /// The same of the agent.
    pub(crate) fn agent_heard_nothing_else(&mut self) {
        let mark = "{\"jsonrpc\":\"2.0\",\"method\":\"_mark\"}\n";
        self.client_says(mark);
        assert_eq!(String::from_utf8(self.agent_hears()).unwrap(), mark);
    }

    /// The client goes away.
    pub(crate) fn client_leaves(&mut self) {
        self.client = None;
    }

    /// The agent says nothing more.
    pub(crate) fn agent_leaves(&mut self) {
        self.agent = None;
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The most memory that the program has had, in bytes.
    pub(crate) fn most_memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
    }

    /// Waits for its end, and gives its code.
    pub(crate) fn ends(&mut self) -> i32 {
        let until = Instant::now() + LONGEST;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Between {
    fn drop(&mut self) {
        self.client = None;
        self.agent = None;
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn started(scene: &Scene, options: &[&str], agent: &[String]) -> Child {
    let words = scene.command(options, agent);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Nothing of who runs the tests is to matter.
    command.env_remove("GARTH_CONFIG").env_remove("GARTH_PROVIDER");
    command.env("GARTH_DATA", scene.data());
    command.spawn().unwrap()
}

fn lines(from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut from = BufReader::with_capacity(1 << 20, from);
        loop {
            let mut line = Vec::new();
            match from.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Waits until a process is gone.
pub(crate) fn is_gone(pid: u32) -> bool {
    let path = format!("/proc/{pid}/stat");
    let until = Instant::now() + LONGEST;
    while Instant::now() < until {
        // What nobody has waited for yet has ended all the same.
        match std::fs::read_to_string(Path::new(&path)) {
            Err(_) => return true,
            Ok(stat) if stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')) => {
                return true;
            }
            Ok(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    false
}

/// The processes that a process started, and those that these did.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let own: Vec<u32> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    own.iter().flat_map(|child| std::iter::once(*child).chain(descendants(*child))).collect()
}
