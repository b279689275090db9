//! Firecracker's stand-in: takes only requests that its description has, and runs the
//! guest of this package beside it, behind a socket like the one that leads into a
//! machine.
//!
//! It is this program once more, started by a script in Firecracker's place. What it is
//! asked is written down; the "disk" is a directory, and a machine that sleeps is a
//! guest that is stopped.

use std::{
    fs::{self, OpenOptions},
    io::{BufRead, BufReader, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{description::Description, kvm::program};

/// The words that the stand-in was started with.
const WORDS: &str = "GARTH_STAND_IN";
/// Where it keeps what it must remember.
const KEEP: &str = "GARTH_STAND_IN_KEEP";

/// A stand-in for Firecracker, and one for its jailer.
pub(crate) struct StandIn {
    pub(crate) firecracker: PathBuf,
    pub(crate) jailer: PathBuf,
    keep: PathBuf,
}

impl StandIn {
    pub(crate) fn make(dir: &Path) -> Self {
        let keep = dir.join("stand-in");
        fs::create_dir_all(keep.join("disk")).unwrap();
        let own = std::env::current_exe().unwrap();
        let text = |words: &str| {
            format!(
                "{KEEP}='{}' {WORDS}=\"{words}\" exec {} --exact stand_in::runs --nocapture -q",
                keep.display(),
                own.display()
            )
        };
        let (firecracker, jailer) = (dir.join("firecracker"), dir.join("jailer"));
        program(&firecracker, &text("$*"));
        program(&jailer, &text("$*"));
        Self { firecracker, jailer, keep }
    }

    /// What was asked: the verb and the path, a space, the body.
    pub(crate) fn asked(&self) -> Vec<String> {
        let text = fs::read_to_string(self.keep.join("asked")).unwrap_or_default();
        text.lines().map(ToOwned::to_owned).collect()
    }

    /// What should not have been asked.
    pub(crate) fn wrong(&self) -> String {
        fs::read_to_string(self.keep.join("wrong")).unwrap_or_default()
    }

    /// The number of the process that is Firecracker.
    pub(crate) fn pid(&self) -> Pid {
        read_pid(&self.keep.join("pid")).unwrap()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        for name in ["pid", "guest"] {
            if let Some(pid) = read_pid(&self.keep.join(name)) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

fn read_pid(file: &Path) -> Option<Pid> {
    Pid::from_raw(fs::read_to_string(file).ok()?.trim().parse().ok()?)
}

/// The stand-in itself, which ends only when it is told to.
#[test]
fn runs() {
    let Ok(words) = std::env::var(WORDS) else { return };
    let keep = PathBuf::from(std::env::var_os(KEEP).unwrap());
    let words: Vec<&str> = words.split(' ').collect();
    let after = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1).copied()
    };
    // A jailer gives Firecracker a root of its own.
    let root = after("--chroot-base-dir").map_or_else(PathBuf::new, |base| {
        let called = Path::new(after("--exec-file").unwrap()).file_name().unwrap();
        Path::new(base).join(called).join(after("--id").unwrap()).join("root")
    });
    fs::write(keep.join("pid"), std::process::id().to_string()).unwrap();
    let api = resolve(&root, after("--api-sock").unwrap());
    let listener = UnixListener::bind(&api).unwrap();
    let state = Arc::new(Mutex::new(State { root, keep, ..State::default() }));
    let description = Description::read();
    for client in listener.incoming() {
        answer(&client.unwrap(), &description, &state);
    }
}

/// A path as Firecracker means it.
fn resolve(root: &Path, path: &str) -> PathBuf {
    if root.as_os_str().is_empty() { path.into() } else { root.join(path.trim_start_matches('/')) }
}

#[derive(Default)]
struct State {
    root: PathBuf,
    keep: PathBuf,
    first_files: Option<PathBuf>,
    vsock: Option<PathBuf>,
    drives: Vec<String>,
    memory: Option<u64>,
    paused: bool,
}

fn answer(client: &UnixStream, description: &Description, state: &Mutex<State>) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let (verb, path) = line.split_once(' ').unwrap();
    let (verb, path) = (verb.to_owned(), path.split(' ').next().unwrap().to_owned());
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let Some((name, value)) = header.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let mut state = state.lock().unwrap();
    append(&state.keep.join("asked"), &format!("{verb} {path} {body}"));
    let done = description.check(&verb, &path, &body).and_then(|()| state.act(&verb, &path, &body));
    let reply = match &done {
        Ok(None) => "HTTP/1.1 204 \r\nConnection: keep-alive\r\n\r\n".to_owned(),
        Ok(Some(told)) => {
            format!("HTTP/1.1 200 \r\nContent-Length: {}\r\n\r\n{told}", told.len())
        }
        Err(why) => {
            append(&state.keep.join("wrong"), &format!("{verb} {path} {body}: {why}"));
            let told = serde_json::json!({"fault_message": why}).to_string();
            format!("HTTP/1.1 400 \r\nContent-Length: {}\r\n\r\n{told}", told.len())
        }
    };
    (&mut &*client).write_all(reply.as_bytes()).unwrap();
    if body.contains("SendCtrlAltDel") {
        state.signal(Signal::TERM);
        std::process::exit(0);
    }
}

fn append(file: &Path, line: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
    writeln!(file, "{line}").unwrap();
}

impl State {
    /// Does what is asked, as far as a stand-in can.
    fn act(&mut self, verb: &str, path: &str, body: &str) -> Result<Option<String>, String> {
        let body: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        let text = |name: &str| body[name].as_str().unwrap_or_default();
        let there = |path: PathBuf| {
            if path.exists() { Ok(path) } else { Err(format!("{} is not there", path.display())) }
        };
        match (verb, path) {
            ("GET", "/version") => return Ok(Some(r#"{"firecracker_version":"1.17.0"}"#.into())),
            ("PUT", "/machine-config") => self.memory = body["mem_size_mib"].as_u64(),
            ("PUT", "/boot-source") => {
                there(resolve(&self.root, text("kernel_image_path")))?;
                self.first_files = Some(there(resolve(&self.root, text("initrd_path")))?);
            }
            ("PUT", "/vsock") => self.vsock = Some(resolve(&self.root, text("uds_path"))),
            ("PUT", drive) if drive.starts_with("/drives/") => {
                there(resolve(&self.root, text("path_on_host")))?;
                self.drives.push(text("drive_id").to_owned());
            }
            ("PUT", "/actions") if text("action_type") == "InstanceStart" => self.start()?,
            ("PATCH", "/vm") => {
                self.paused = text("state") == "Paused";
                self.signal(if self.paused { Signal::STOP } else { Signal::CONT });
            }
            ("PUT", "/snapshot/create") => {
                if !self.paused {
                    return Err("the machine is not paused".into());
                }
                let guest = fs::read(self.keep.join("guest")).unwrap();
                fs::write(resolve(&self.root, text("snapshot_path")), guest).unwrap();
                let vsock = self.vsock.as_ref().unwrap().to_str().unwrap();
                fs::write(resolve(&self.root, text("mem_file_path")), vsock).unwrap();
            }
            ("PUT", "/snapshot/load") => {
                there(resolve(&self.root, text("snapshot_path")))?;
                let memory = there(resolve(
                    &self.root,
                    body["mem_backend"]["backend_path"].as_str().unwrap(),
                ))?;
                self.vsock = Some(fs::read_to_string(memory).unwrap().into());
                self.signal(Signal::CONT);
                self.attend();
            }
            _ => {}
        }
        Ok(None)
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = read_pid(&self.keep.join("guest")) {
            let _ = kill_process(pid, signal);
        }
    }

    /// Starts the guest as the first files say, with this machine's own directory for a
    /// disk.
    fn start(&mut self) -> Result<(), String> {
        if self.memory.is_none() || self.drives != ["root", "files"] {
            return Err(format!("a machine with the drives {:?}", self.drives));
        }
        let archive = fs::read(self.first_files.as_ref().ok_or("no first files")?).unwrap();
        let told = member(&archive, "garth/arguments").ok_or("no arguments")?;
        let told = String::from_utf8(told).unwrap();
        let mut words = told.split_terminator('\0');
        // A session of its own: one that is stopped when its parent goes would be hung up.
        let mut command = Command::new("setsid");
        command.arg(env!("CARGO_BIN_EXE_garth-guest"));
        while let Some(word) = words.next() {
            let socket = self.keep.join("socket");
            let here = match word {
                "--listen-vsock" => Some(("--listen", socket)),
                "--root" => Some(("--root", self.keep.join("disk"))),
                "--spool" => Some(("--spool", self.keep.join("spool"))),
                "--refuse-calls" => continue,
                // It must not outlive a test that was killed for long.
                "--leave-after" => Some(("--leave-after", "60".into())),
                _ => None,
            };
            match here {
                Some((word, value)) => {
                    words.next();
                    command.arg(word).arg(value);
                }
                None => drop(command.arg(word)),
            }
        }
        let log = fs::File::create(self.keep.join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let mut guest = command.spawn().unwrap();
        fs::write(self.keep.join("guest"), guest.id().to_string()).unwrap();
        thread::spawn(move || guest.wait());
        self.attend();
        Ok(())
    }

    /// Passes on whoever wants to be connected to the guest's port.
    fn attend(&self) {
        let listener = UnixListener::bind(self.vsock.as_ref().unwrap()).unwrap();
        let socket = self.keep.join("socket");
        thread::spawn(move || {
            for client in listener.incoming() {
                let socket = socket.clone();
                thread::spawn(move || drop(pass_on(client.unwrap(), &socket)));
            }
        });
    }
}

fn pass_on(mut client: UnixStream, socket: &Path) -> std::io::Result<()> {
    let mut wish = Vec::new();
    while wish.last() != Some(&b'\n') {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        wish.push(byte[0]);
    }
    assert_eq!(wish, b"CONNECT 7717\n");
    // Nobody who listens is a connection that is closed.
    let mut guest = UnixStream::connect(socket)?;
    client.write_all(b"OK 1073741824\n")?;
    let (mut from_guest, mut to_client) = (guest.try_clone()?, client.try_clone()?);
    let back = thread::spawn(move || {
        let _ = std::io::copy(&mut from_guest, &mut to_client);
        let _ = to_client.shutdown(std::net::Shutdown::Both);
    });
    let _ = std::io::copy(&mut client, &mut guest);
    let _ = guest.shutdown(std::net::Shutdown::Both);
    let _ = back.join();
    Ok(())
}

/// A file of an archive as kernels read it.
fn member(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    let mut at = 0;
    loop {
        let header = archive.get(at..at + 110)?;
        let number = |index: usize| {
            let text = std::str::from_utf8(&header[6 + index * 8..14 + index * 8]).unwrap();
            usize::from_str_radix(text, 16).unwrap()
        };
        let (size, length) = (number(6), number(11));
        let found = archive.get(at + 110..at + 110 + length - 1)?;
        let content = (at + 110 + length).next_multiple_of(4);
        if found == name.as_bytes() {
            return archive.get(content..content + size).map(<[u8]>::to_vec);
        }
        at = (content + size).next_multiple_of(4);
    }
}
