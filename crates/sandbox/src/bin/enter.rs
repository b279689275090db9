//! Runs one command in a sandbox on a directory: `garth-enter --root DIR -- bash -c …`.
//!
//! For people who want to see what a workspace's commands see, and for the tests.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people says things")]

use std::{
    ffi::OsString,
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    process::ExitCode,
};

use garth_sandbox::{
    Access, Ended, Image, Layer, Limits, Needs, Network, Program, Root, Seat, Spec, State, Stdio,
    Tenure, base_environment, environment_of, probe, start, sudo,
};

const USAGE: &str = "\
usage: garth-enter --probe
       garth-enter --root [NAME=]DIR [--read-only] … [OPTION]… -- COMMAND [ARGUMENT]…
  --probe             try every layer on this machine, and say what it does
  --root [NAME=]DIR   a directory of the workspace; one without a name is /workspace
  --read-only         the directory named last cannot be written
  --system DIR        the system is in this directory, and not this machine's own
  --visible DIR       show this directory too, read-only, at its own path
  --own-system        the workspace is the home directory, and the system's directories can
                      be changed, by this sandbox for itself; it has a sudo
  --program FILE      run this file of the machine; COMMAND is what it is called
  --proxy SOCKET      let it reach this unix socket, at /run/garth/proxy
  --env NAME=VALUE    one more variable
  --memory BYTES      memory of everything inside; 0 for no bound
  --cpu PERCENT       hundredths of one processor
  --processes COUNT   processes at one time
  --file-size BYTES   length of one file
  --open-files COUNT  open files of one process
  --tmp BYTES         bytes in /tmp, the home directory and /dev/shm
  --without LAYER     go on where this layer cannot be had";

fn main() -> ExitCode {
    // As it is called inside, where the system is the sandbox's own.
    let mut words = std::env::args_os();
    if words.next().is_some_and(|name| Path::new(&name).file_name() == Some("sudo".as_ref())) {
        return sudo(words);
    }
    if std::env::args_os().nth(1).is_some_and(|argument| argument == "--probe") {
        return show_probe();
    }
    match run(std::env::args_os().skip(1)) {
        Ok(Ended::Exited(code)) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Ok(Ended::Killed(signal)) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX)),
        Ok(Ended::Unknown) => ExitCode::FAILURE,
        Err(Stopped::Usage(why)) => {
            eprintln!("garth-enter: {why}\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Stopped::Failed(why)) => {
            eprintln!("garth-enter: {why}");
            ExitCode::from(125)
        }
    }
}

fn show_probe() -> ExitCode {
    let found = probe();
    for row in &found {
        println!("{}: {:?}: {}", row.layer, row.state, row.how);
        if let Some(advice) = row.advice {
            println!("  {advice}");
        }
    }
    ExitCode::from(u8::from(found.iter().any(|row| row.state != State::Holds)))
}

enum Stopped {
    Usage(String),
    Failed(String),
}

fn run(arguments: impl Iterator<Item = OsString>) -> Result<Ended, Stopped> {
    let (spec, image, command) = parse(arguments)?;
    let failed = |error: io::Error| Stopped::Failed(error.to_string());
    let stdio = Stdio {
        input: own(io::stdin()).map_err(failed)?,
        output: own(io::stdout()).map_err(failed)?,
        error: own(io::stderr()).map_err(failed)?,
    };
    let image = match image {
        Some(path) => Image::Open(File::open(path).map_err(failed)?.into()),
        None => Image::Inside(command.first().map(find).unwrap_or_default()),
    };
    let program = Program { image, arguments: command };
    let started = start(&spec, &program, stdio);
    let running =
        started.map_err(|refusal| Stopped::Failed(format!("{refusal}\n{}", refusal.advice())))?;
    let lacking: Vec<_> = running.lacking().iter().map(|layer| layer.name()).collect();
    if !lacking.is_empty() {
        eprintln!("garth-enter: without {}", lacking.join(", "));
    }
    Ok(running.wait())
}

fn own(stream: impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// Where a command is that was named without a path: as a shell would find it.
fn find(command: &OsString) -> PathBuf {
    let name = Path::new(command);
    if name.components().count() > 1 || name.is_absolute() {
        return name.to_owned();
    }
    let places = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
    let mut candidates = places.iter().map(|place| Path::new(place).join(name));
    candidates.find(|path| path.exists()).unwrap_or_else(|| name.to_owned())
}

/// What the sandbox is to be, a program of this machine if one was named, and the command.
type Asked = (Spec, Option<PathBuf>, Vec<OsString>);

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Asked, Stopped> {
    let mut image = None;
    let mut spec = Spec {
        roots: Vec::new(),
        seat: Seat::Workspace,
        system: "/".into(),
        tenure: Tenure::Shown,
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits::usual(),
        network: Network::None,
        needs: Needs::all(),
    };
    while let Some(argument) = arguments.next() {
        let usage = |why: &str| Stopped::Usage(format!("{}: {why}", argument.display()));
        if argument == "--" {
            break;
        }
        if argument == "--own-system" {
            let itself = File::open("/proc/self/exe").map_err(|error| usage(&error.to_string()))?;
            spec.tenure = Tenure::Own { sudo: itself.into() };
            spec.seat = Seat::Home;
            spec.environment = environment_of(spec.seat);
            continue;
        }
        if argument == "--read-only" {
            let last = spec.roots.last_mut().ok_or(usage("comes after a --root"))?;
            last.access = Access::ReadOnly;
            continue;
        }
        let known = argument.to_str().filter(|name| name.starts_with("--"));
        let name = known.ok_or(usage("is no option"))?;
        let value = arguments.next().ok_or(usage("needs a value"))?;
        let value = value.to_str().ok_or(usage("needs a value in UTF-8"))?;
        if name == "--program" {
            image = Some(PathBuf::from(value));
            continue;
        }
        set(&mut spec, name, value).map_err(|why| usage(&why))?;
    }
    let command: Vec<_> = arguments.collect();
    if spec.roots.is_empty() || command.is_empty() {
        return Err(Stopped::Usage("a --root and a command are needed".to_owned()));
    }
    Ok((spec, image, command))
}

fn set(spec: &mut Spec, name: &str, value: &str) -> Result<(), String> {
    let number = || value.parse::<u64>().map_err(|error| error.to_string());
    let pair = || value.split_once('=').ok_or("needs NAME=VALUE".to_owned());
    match name {
        "--root" => {
            let (place, path) = value.split_once('=').unwrap_or(("", value));
            let root = Root::named(Path::new(path), place, Access::ReadWrite);
            spec.roots.push(root.map_err(|error| error.to_string())?);
        }
        "--proxy" => spec.network = Network::Through(value.into()),
        "--system" => spec.system = value.into(),
        "--visible" => spec.visible.push(value.into()),
        "--env" => {
            let (name, value) = pair()?;
            spec.environment.retain(|(known, _)| known != name);
            spec.environment.push((name.into(), value.into()));
        }
        "--memory" => spec.limits.memory = Some(number()?).filter(|bytes| *bytes > 0),
        "--cpu" => {
            spec.limits.cpu_percent = Some(value.parse().map_err(|_| "needs a number".to_owned())?);
        }
        "--processes" => spec.limits.processes = number()?,
        "--file-size" => spec.limits.file_size = number()?,
        "--open-files" => spec.limits.open_files = number()?,
        "--tmp" => spec.limits.tmp_bytes = number()?,
        "--without" => {
            let layer = Layer::from_name(value).filter(|layer| layer.can_be_spared());
            spec.needs = spec.needs.but(layer.ok_or("this layer cannot be spared".to_owned())?);
        }
        _ => return Err("is no option".to_owned()),
    }
    Ok(())
}
