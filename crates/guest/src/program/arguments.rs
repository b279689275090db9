//! The arguments of the program. Programs start it, so there is one spelling of each.

use std::{
    ffi::OsString,
    net::SocketAddr,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
    time::Duration,
};

use garth_contract::{Access, Durability, HardLinks, Policy, ProcessId};
use garth_host::{Bounds, Settings, Strays, Trees};

/// What the program prints when asked, or asked wrongly.
pub(super) const USAGE: &str = "\
garth-guest --root DIR [OPTIONS]     serves a client on the standard streams
garth-guest --root DIR --listen SOCKET [OPTIONS]
                                     serves one client after the other
garth-guest --root DIR --listen-vsock PORT [OPTIONS]
                                     the same for clients outside a virtual machine
garth-guest --root DIR --listen-tcp ADDR:PORT [OPTIONS]
                                     the same for whoever reaches the address, who
                                     then may do all that the guest can
garth-guest --root DIR --port NAME [OPTIONS]
                                     serves a client at a serial port of a virtual
                                     machine, and ends with it
garth-guest --relay SOCKET           passes the standard streams on to such a guest
garth-guest --meet SOCKET            waits at a socket, and passes the standard streams on
                                     to the first who comes
garth-guest --find SOCKET            the one who comes
garth-guest --init                   is the first process of a virtual machine, and
                                     starts a guest as the files in /garth say

  --alias PATH         an absolute path that leads to the root, for links
  --read-only          nothing can be changed
  --allow GLOB         only what matches is seen or touched
  --deny GLOB          nothing that matches is seen or touched
  --protect GLOB       nothing that matches is changed
  --refuse-hard-links  files with several names are not read
  --max-file BYTES     the largest file that can be written
  --quota BYTES        the most that all files may have together; commands whose
                       files outgrow it are killed
  --fast               writes do not wait for the disk
  --env NAME=VALUE     a variable of every command; there are no others
  --spool DIR          where the output of processes is kept; the directory for
                       temporary files unless given
  --spool-each BYTES   how much is kept of the output of one process
  --spool-all BYTES    how much of all of them
  --processes N        how many run at once
  --kept N             how many that ended are kept with their output
  --keep-for SECONDS   how long
  --trees WAY          how what a command starts is kept together: subreaper,
                       namespace, or detect
  --refuse-calls       keeps commands from calls of the kernel that no workspace
                       needs, where the sandbox around the guest does not
  --kill-strays        kills processes that fall to the guest, for a guest that is
                       the first process of its namespace
  --proxy ADDR:PORT=SOCKET
                       passes what connects to the port on to the socket
  --first-process N    the number of the first process
  --leave-after SECONDS
                       ends a guest that listens once no client has been there for
                       so long
";

/// What is asked for.
pub(super) enum Wish {
    Help,
    /// Being the first process of a machine.
    Init,
    /// Passing the streams on to a guest that listens.
    Relay(PathBuf),
    /// Passing them on to one who comes to a socket.
    Meet(PathBuf),
    /// Being the one who comes.
    Find(PathBuf),
    Serve(Box<Guest>),
}

/// How clients come.
pub(super) enum Way {
    /// There is one, at the standard streams.
    Streams,
    /// There is one, at the serial port of this name.
    Port(String),
    /// They come to this socket,
    Listen(PathBuf),
    /// this port of the machine, from outside it,
    Vsock(u32),
    /// or this address.
    Tcp(SocketAddr),
}

/// What is served, and how.
pub(super) struct Guest {
    pub(super) root: PathBuf,
    pub(super) aliases: Vec<Vec<u8>>,
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    pub(super) first: ProcessId,
    pub(super) way: Way,
    /// After how long without a client one that listens ends.
    pub(super) leave_after: Option<Duration>,
    /// What commands may ask of the kernel.
    pub(super) calls: Calls,
    /// A port inside that leads to a socket.
    pub(super) proxy: Option<(SocketAddr, PathBuf)>,
}

/// What commands may ask of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    /// What the sandbox around the guest lets through.
    All,
    /// Of that, what a local sandbox does.
    Needed,
}

/// Reads the arguments.
pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Wish, String> {
    let mut arguments = arguments.into_iter();
    // What serves nothing, and so has no root.
    let mut other = None;
    let mut root = None;
    let mut guest = Guest {
        root: PathBuf::new(),
        aliases: Vec::new(),
        policy: Policy::open(),
        settings: Settings {
            environment: Vec::new(),
            spool: std::env::temp_dir(),
            bounds: Bounds::usual(),
            trees: Trees::Detect,
            strays: Strays::Leave,
            first: 1,
        },
        first: ProcessId(1),
        way: Way::Streams,
        leave_after: None,
        calls: Calls::All,
        proxy: None,
    };
    while let Some(argument) = arguments.next() {
        let name = argument.to_str().unwrap_or("?").to_owned();
        let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--help" => return Ok(Wish::Help),
            "--relay" => other = Some(Wish::Relay(value()?.into())),
            "--meet" => other = Some(Wish::Meet(value()?.into())),
            "--find" => other = Some(Wish::Find(value()?.into())),
            "--root" => root = Some(PathBuf::from(value()?)),
            "--init" => return Ok(Wish::Init),
            "--listen" => guest.way = Way::Listen(value()?.into()),
            "--listen-vsock" => guest.way = Way::Vsock(vsock(value()?)?),
            "--listen-tcp" => guest.way = Way::Tcp(address(&text(value()?)?)?),
            "--port" => guest.way = Way::Port(text(value()?)?),
            "--leave-after" => {
                guest.leave_after = Some(Duration::from_secs(number(value()?)?));
            }
            "--alias" => guest.aliases.push(value()?.into_vec()),
            "--read-only" => guest.policy.access = Access::ReadOnly,
            "--allow" => guest.policy.allow.push(text(value()?)?),
            "--deny" => guest.policy.deny.push(text(value()?)?),
            "--protect" => guest.policy.protect.push(text(value()?)?),
            "--refuse-hard-links" => guest.policy.hard_links = HardLinks::Refuse,
            "--max-file" => guest.policy.max_file = number(value()?)?,
            "--quota" => {
                let bytes = number(value()?)?;
                guest.policy.quota = Some(bytes);
                guest.settings.bounds.files = Some(bytes);
            }
            "--fast" => guest.policy.durability = Durability::Fast,
            "--env" => guest.settings.environment.push(pair(&text(value()?)?)?),
            "--spool" => guest.settings.spool = value()?.into(),
            "--spool-each" => guest.settings.bounds.spool_each = number(value()?)?,
            "--spool-all" => guest.settings.bounds.spool_all = number(value()?)?,
            "--processes" => guest.settings.bounds.processes = count(value()?)?,
            "--kept" => guest.settings.bounds.kept = count(value()?)?,
            "--keep-for" => {
                guest.settings.bounds.keep_for = Duration::from_secs(number(value()?)?);
            }
            "--proxy" => guest.proxy = Some(proxy(&text(value()?)?)?),
            "--trees" => guest.settings.trees = trees(&text(value()?)?)?,
            "--refuse-calls" => guest.calls = Calls::Needed,
            "--kill-strays" => guest.settings.strays = Strays::Kill,
            "--first-process" => {
                guest.settings.first = number(value()?)?;
                guest.first = ProcessId(guest.settings.first);
            }
            _ => return Err(format!("unknown argument: {}", escape(&argument))),
        }
    }
    match (other, root) {
        (Some(other), None) => Ok(other),
        (None, Some(root)) => Ok(Wish::Serve(Box::new(Guest { root, ..guest }))),
        (Some(_), Some(_)) => Err("what serves nothing has no --root".to_owned()),
        (None, None) => Err("--root is missing".to_owned()),
    }
}

fn proxy(text: &str) -> Result<(SocketAddr, PathBuf), String> {
    let wrong = || "--proxy takes ADDRESS:PORT=SOCKET".to_owned();
    let (address, socket) = text.split_once('=').ok_or_else(wrong)?;
    Ok((address.parse().map_err(|_| wrong())?, socket.into()))
}

fn vsock(value: OsString) -> Result<u32, String> {
    u32::try_from(number(value)?)
        .map_err(|_| "--listen-vsock takes the number of a port".to_owned())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "--listen-tcp takes ADDRESS:PORT".to_owned())
}

fn text(value: OsString) -> Result<String, String> {
    value.into_string().map_err(|value| format!("not UTF-8: {}", escape(&value)))
}

fn number(value: OsString) -> Result<u64, String> {
    let text = text(value)?;
    text.parse().map_err(|_| format!("not a number: {text}"))
}

fn count(value: OsString) -> Result<usize, String> {
    usize::try_from(number(value)?).map_err(|_| "a number is too large".to_owned())
}

fn trees(text: &str) -> Result<Trees, String> {
    match text {
        "subreaper" => Ok(Trees::Subreaper),
        "namespace" => Ok(Trees::Namespace),
        "detect" => Ok(Trees::Detect),
        _ => Err(format!("--trees takes subreaper, namespace or detect, not {text}")),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("--env takes NAME=VALUE".to_owned()),
    }
}

fn escape(text: &OsString) -> String {
    garth_contract::escape(text.as_bytes())
}
