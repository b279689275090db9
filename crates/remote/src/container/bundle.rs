//! A container as an OCI bundle: a `config.json` and the bare frame of a root
//! filesystem.
//!
//! The frame has one empty directory for each top directory of the given root,
//! and the root's own are laid over them read-only. So nothing is copied, and
//! nothing, not even a place to mount on, is ever made in a root that others use.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write as _},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use garth_contract::{Access, Code, Error, ProcessId, Result};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, mkdir, openat, readlinkat, stat, statat, symlink,
};
use serde_json::{Value, json};

use super::{
    Container, Files, Network, Place, Root, User, body, identity, refuse,
    wanted::{GUEST, HOST_NAME, MEETING, variables},
};

/// Top directories that are laid out anew and not taken from the root.
const OURS: [&str; 5] = ["dev", "proc", "run", "sys", "tmp"];

/// The name of a bundle in a container's place.
pub(super) const BUNDLE: &str = "bundle";

/// Writes the bundle of a container into its place and says where it is.
///
/// # Errors
/// `UNSUPPORTED` for what only an engine can do; `PROVIDER_UNAVAILABLE` where the root
/// filesystem cannot be read or the place not be written.
pub(super) fn write(
    container: &Container,
    place: &Place,
    (user, first): (User, ProcessId),
) -> Result<PathBuf> {
    let (root, files) = check(container)?;
    let bundle = place.part(BUNDLE);
    let write = || -> io::Result<()> {
        let mut mounts = frame(root, &bundle)?;
        mounts.extend(kernel_mounts());
        mounts.extend(memory_mounts(container));
        let may_change = match container.policy.access {
            Access::ReadWrite => "rw",
            Access::ReadOnly => "ro",
        };
        mounts.push(bind(files, container.seat.workspace(), may_change));
        mounts.push(bind(&place.meeting(), MEETING, "rw"));
        mounts.push(bind(&container.guest, GUEST, "ro"));
        for name in identity::files(container) {
            let path = root.join("etc").join(name);
            let found = statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW);
            // There must be something to lay it over, and through a link it would lie
            // somewhere else.
            if found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_file()) {
                mounts.push(bind(&place.part(name), &format!("/etc/{name}"), "ro"));
            }
        }
        let config = config(container, (user, first), &mounts);
        save(&bundle.join("config.json"), config.to_string().as_bytes())
    };
    write().map_err(|_| {
        refuse::unavailable(
            "the sandbox cannot be laid out from the root filesystem's directory",
            "See whether it is there and can be read, and whether the disk is full.",
        )
    })?;
    Ok(bundle)
}

/// Looks whether a container can be laid out as a bundle, and from what: its root
/// filesystem and the workspace's files.
///
/// # Errors
/// As [`write`].
pub(super) fn check(container: &Container) -> Result<(&Path, &Path)> {
    let Root::Directory(root) = &container.root else {
        return Err(only_with_an_engine("an image"));
    };
    let Files::Directory(files) = &container.files else {
        return Err(only_with_an_engine("a volume"));
    };
    if container.network != Network::None {
        return Err(only_with_an_engine("a network"));
    }
    if stat(root).is_err() {
        return Err(refuse::no_root());
    }
    Ok((root, files))
}

fn only_with_an_engine(what: &str) -> Error {
    Error::new(Code::Unsupported, format!("runsc alone knows no such thing as {what}")).hint(
        "Give a root filesystem's directory, a workspace's directory and no network, or an \
               engine whose runtime is runsc.",
    )
}

/// Makes the frame, and gives what is laid over it.
fn frame(root: &Path, bundle: &Path) -> io::Result<Vec<Value>> {
    let frame = bundle.join("rootfs");
    make_dir(bundle)?;
    make_dir(&frame)?;
    for name in OURS.into_iter().chain(["workspace", "home", "home/garth", "home/user", "var"]) {
        make_dir(&frame.join(name))?;
    }
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = openat(CWD, root, flags, Mode::empty())?;
    let mut mounts = Vec::new();
    for entry in Dir::read_from(&top)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let Some(text) = name.to_str().filter(|name| !["", ".", ".."].contains(name)) else {
            continue;
        };
        if OURS.contains(&text) || text == "workspace" || text == "home" {
            continue;
        }
        let found = statat(&top, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let at = frame.join(name);
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => {
                let target = readlinkat(&top, name, Vec::new())?;
                match symlink(target, &at) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            FileType::Directory => {
                make_dir(&at)?;
                mounts.push(bind(&root.join(name), &format!("/{text}"), "ro"));
            }
            FileType::RegularFile
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => {}
        }
    }
    Ok(mounts)
}

fn kernel_mounts() -> Vec<Value> {
    vec![
        json!({ "destination": "/proc", "type": "proc", "source": "proc" }),
        json!({ "destination": "/dev", "type": "tmpfs", "source": "tmpfs",
                "options": ["nosuid", "mode=755", "size=65536k"] }),
        json!({ "destination": "/sys", "type": "sysfs", "source": "sysfs",
                "options": ["nosuid", "noexec", "nodev", "ro"] }),
    ]
}

fn memory_mounts(container: &Container) -> Vec<Value> {
    let memory = body::in_memory(&container.limits, container.seat);
    let mut memory: Vec<_> = memory.into_iter().collect();
    // A directory comes before what is in it.
    memory.sort();
    let mount = |(at, options): (String, String)| {
        let options: Vec<_> = options.split(',').collect();
        json!({ "destination": at, "type": "tmpfs", "source": "tmpfs", "options": options })
    };
    memory.into_iter().map(mount).collect()
}

fn bind(from: &Path, to: &str, may: &str) -> Value {
    let options = ["rbind", may, "nosuid", "nodev"];
    json!({ "destination": to, "type": "bind", "source": from, "options": options })
}

fn config(container: &Container, (user, first): (User, ProcessId), mounts: &[Value]) -> Value {
    let limits = &container.limits;
    let variables = variables(container.seat).map(|(name, value)| format!("{name}={value}"));
    let ulimits = container.options.ulimits.iter().map(|limit| {
        let name = format!("RLIMIT_{}", limit.name.to_ascii_uppercase());
        json!({ "type": name, "soft": limit.soft, "hard": limit.hard })
    });
    let mut resources = serde_json::Map::new();
    let mut limit = |name: &str, value| resources.insert(name.to_owned(), value);
    if let Some(bytes) = limits.memory {
        limit("memory", json!({ "limit": bytes, "swap": bytes }));
    }
    if let Some(count) = limits.processes {
        limit("pids", json!({ "limit": count }));
    }
    if let Some(thousandths) = limits.cpu {
        let quota = u64::from(thousandths) * 100;
        limit("cpu", json!({ "period": 100_000, "quota": quota }));
    }
    let namespaces = ["pid", "network", "ipc", "uts", "mount"].map(|kind| json!({ "type": kind }));
    json!({
        "ociVersion": "1.0.2",
        "process": {
            "terminal": false,
            "user": { "uid": user.uid, "gid": user.gid, "umask": 0o022 },
            "args": container.command(first.0),
            "env": variables,
            "cwd": "/",
            "capabilities": {
                "bounding": [], "effective": [], "permitted": [], "inheritable": [], "ambient": []
            },
            "rlimits": ulimits.collect::<Vec<_>>(),
            "noNewPrivileges": true,
        },
        "root": { "path": "rootfs", "readonly": true },
        "hostname": HOST_NAME,
        "mounts": mounts,
        "linux": {
            "namespaces": namespaces,
            "resources": resources,
            "cgroupsPath": format!("/garth/{}", container.name()),
        },
    })
}

/// Writes a file of a bundle.
pub(super) fn save(path: &Path, content: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    File::from(openat(CWD, path, flags, mode)?).write_all(content)
}

/// Makes a directory that whoever is inside can enter.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    match mkdir(path, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
