//! Further guests in one machine, each at a serial port of its own.

use std::{
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use garth_contract::{
    Ask, Code, Command, Error, ProcessId, Program, Result, Shell, Signal, Timeout,
};
use garth_remote::{Connect, Remote, container::User, providers::Qemu};
use garth_wire::Handles;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
    sync::Mutex,
    time,
};

use crate::scene::{DEADLINE, Parts, Scene, link};

/// The runtime that everything in the machine lives on, whichever thread asks.
static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
});

/// Waits for something, from wherever.
pub(crate) fn run<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| scope.spawn(|| RUNTIME.block_on(work)).join().unwrap())
}

/// How long a guest may take to end without its client, on a busy machine.
const LEAVES: Duration = Duration::from_secs(60);

/// One machine for many guests.
pub(crate) struct Inside {
    pub(crate) first: Remote,
    qemu: Qemu,
    line: Mutex<BufReader<UnixStream>>,
    ports: PathBuf,
    number: AtomicUsize,
    _scene: Scene,
}

impl Inside {
    /// Starts it; it ends with this process, or when it is told to.
    pub(crate) async fn make(parts: &Parts) -> &'static Self {
        let mut scene = Scene::new(parts);
        // QEMU is nobody, and makes its sockets there.
        let open = |mode| std::fs::Permissions::from_mode(mode);
        let ports = scene.dir.path().join("ports");
        std::fs::set_permissions(scene.dir.path(), open(0o711)).unwrap();
        std::fs::create_dir(&ports).unwrap();
        std::fs::set_permissions(&ports, open(0o777)).unwrap();
        // The files begin with the guest's program, for more of them.
        let seed = scene.dir.path().join("seed");
        std::fs::create_dir(&seed).unwrap();
        std::fs::copy(&parts.guest, seed.join("garth-guest")).unwrap();
        std::fs::set_permissions(seed.join("garth-guest"), open(0o755)).unwrap();
        scene.machine.seed = Some(seed);
        scene.machine.user = Some(User { uid: 0, gid: 0 });
        (scene.machine.memory, scene.machine.disk) = (1 << 30, 4 << 30);
        let line = ports.join("line");
        scene.emulator.flags =
            vec!["-qmp".into(), format!("unix:{},server=on,wait=off", line.display())];
        let qemu = scene.qemu();
        let first = link(qemu.clone()).await.unwrap();
        let line = BufReader::new(UnixStream::connect(line).await.unwrap());
        let inside = Self {
            first,
            qemu,
            line: Mutex::new(line),
            ports,
            number: AtomicUsize::new(0),
            _scene: scene,
        };
        inside.tell("qmp_capabilities", json!({})).await;
        Box::leak(Box::new(inside))
    }

    /// A number that nobody else has.
    pub(crate) fn next(&self) -> usize {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the machine and removes what belongs to it.
    pub(crate) async fn end(&self) {
        self.qemu.remove().await.unwrap();
        let _ = std::fs::remove_dir_all(self._scene.dir.path());
    }

    /// Waits until a guest that was started has ended.
    async fn until_ended(&self, id: ProcessId) {
        let mut from = 0;
        loop {
            let ask = Ask { from, most: Ask::MOST, wait: Ask::LONGEST };
            match self.first.output(id, ask).await {
                Ok(printed) if printed.ended.is_none() => from = printed.next,
                Ok(_) | Err(_) => return,
            }
        }
    }

    async fn tell(&self, what: &str, arguments: Value) -> Option<Value> {
        let mut line = self.line.lock().await;
        let text = format!("{}\n", json!({"execute": what, "arguments": arguments}));
        line.get_mut().write_all(text.as_bytes()).await.ok()?;
        loop {
            let mut answer = String::new();
            line.read_line(&mut answer).await.ok()?;
            let answer: Value = serde_json::from_str(&answer).ok()?;
            if answer.get("return").is_some() || answer.get("error").is_some() {
                return Some(answer);
            }
        }
    }

    /// Another guest, with these arguments.
    pub(crate) async fn another(&'static self, arguments: Vec<String>) -> Result<Remote> {
        let work = self.start(arguments);
        let started = RUNTIME.spawn(work).await;
        started.map_err(|error| Error::new(Code::Internal, error.to_string()))?
    }

    async fn start(&'static self, arguments: Vec<String>) -> Result<Remote> {
        let name = format!("g{}", self.next());
        let socket = self.ports.join(&name);
        let backend = json!({"type": "socket", "data": {
            "addr": {"type": "unix", "data": {"path": socket}}, "server": true, "wait": false,
        }});
        self.tell("chardev-add", json!({"id": name, "backend": backend})).await;
        let port = json!({
            "driver": "virtserialport", "id": name, "chardev": name, "name": name,
        });
        let plugged = self.tell("device_add", port).await;
        assert!(plugged.as_ref().is_some_and(|told| told.get("return").is_some()), "{plugged:?}");
        let mut words: Vec<String> = vec!["/workspace/garth-guest".into(), "--port".into()];
        words.push(name.clone());
        words.extend(["--spool".into(), format!("/tmp/spool-{name}")]);
        words.extend(arguments);
        let program = Program::arguments(words.into_iter().map(String::into_bytes).collect())?;
        let mut command = Command::new(program);
        command.timeout = Timeout::MOST;
        let id = self.first.start(command).await?;
        let end = Arc::new(End { inside: self, id, name });
        let linked = link(Port { socket, _end: end }).await;
        if let Err(error) = &linked {
            let ask = Ask { from: 0, most: 10_000, wait: Duration::ZERO };
            println!(
                "a guest inside does not start: {error} {:?}",
                self.first.output(id, ask).await
            );
        }
        linked
    }
}

/// A guest at a port, which ends when its last link does.
#[derive(Clone)]
struct Port {
    socket: PathBuf,
    _end: Arc<End>,
}

impl Connect for Port {
    type Pipe = Handles;

    async fn connect(&self, _: ProcessId) -> Result<Handles> {
        let stream = UnixStream::connect(&self.socket).await.and_then(UnixStream::into_std);
        let handles = stream.and_then(|stream| Handles::both_ways(stream.into()));
        handles.map_err(|_| Error::new(Code::ProviderUnavailable, "the port is gone"))
    }
}

struct End {
    inside: &'static Inside,
    id: ProcessId,
    name: String,
}

impl Drop for End {
    fn drop(&mut self) {
        let (inside, id, name) = (self.inside, self.id, self.name.clone());
        RUNTIME.spawn(async move {
            let clean = async {
                // Without its client it ends by itself, with all that runs in it.
                let ended = time::timeout(LEAVES, inside.until_ended(id)).await;
                if ended.is_err() {
                    println!("a guest inside does not end without its client: {name}");
                    drop(inside.first.signal(id, Signal::KILL).await);
                }
                inside.tell("device_del", json!({"id": name})).await;
                // The port goes a little later, and what it stands on after that.
                for _ in 0..100 {
                    let gone = inside.tell("chardev-remove", json!({"id": name})).await;
                    if gone.is_none_or(|told| told.get("return").is_some()) {
                        break;
                    }
                    time::sleep(Duration::from_millis(50)).await;
                }
            };
            let _ = time::timeout(DEADLINE, clean).await;
        });
    }
}
