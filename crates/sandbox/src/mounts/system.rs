//! What is seen of this machine: its programs and what they cannot start without.

use std::{
    fs,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

use super::{
    bind::Bind,
    layout::{Layout, Reach, c_string},
    own::Own,
};
use crate::{Refusal, Tenure, act::Act};

/// This machine's own system.
const OWN: &str = "/";

/// Directories of the root; where one is a link, as on most machines, so it is inside.
const TOP: &[&str] = &["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/// What programs need of `/etc`, and that holds no secret of anybody.
const ETC: &[&str] =
    &["alternatives", "crypto-policies", "ld.so.cache", "localtime", "os-release", "pki", "ssl"];

/// Java keeps its settings in a directory of its version.
const ETC_PREFIX: &str = "java-";

/// Where nothing of this machine can be shown, since the sandbox has its own there.
const RESERVED: &[&str] =
    &["dev", "etc", "home/garth", "home/user", "proc", "sys", "tmp", "workspace"];

/// Adds the links, and says what is to be bound, of a system and of this machine, and what
/// is to be the sandbox's own.
pub(crate) fn show(
    layout: &mut Layout,
    (system, tenure): (&Path, &Tenure),
    visible: &[PathBuf],
) -> Result<(Vec<Bind>, Vec<Own>), Refusal> {
    let (mut binds, mut owned) = (Vec::new(), Vec::new());
    for name in TOP {
        let path = system.join(name);
        let is_dir = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        match tenure {
            Tenure::Own { .. } if is_dir => {
                layout.directory(name);
                layout.reach(&format!("/{name}"), Reach::All);
                owned.push(Own::new(&path, name)?);
            }
            Tenure::Own { .. } | Tenure::Shown => show_one(layout, &mut binds, (system, name))?,
        }
    }
    for name in ETC {
        show_one(layout, &mut binds, (system, &format!("etc/{name}")))?;
    }
    let entries = fs::read_dir(system.join("etc")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    for name in names.filter(|name| name.starts_with(ETC_PREFIX)) {
        show_one(layout, &mut binds, (system, &format!("etc/{name}")))?;
    }
    for path in visible {
        let at = visible_place(path)?;
        if system == Path::new(OWN) && Path::new(&at).starts_with("usr") {
            continue;
        }
        if !path.is_dir() {
            return Err(Refusal::of(Act::System, "a directory that is to be visible is missing"));
        }
        show_directory(layout, &mut binds, (path, &at))?;
    }
    Ok((binds, owned))
}

/// Shows what is at a path of a system, if anything is.
fn show_one(
    layout: &mut Layout,
    binds: &mut Vec<Bind>,
    (system, at): (&Path, &str),
) -> Result<(), Refusal> {
    let path = system.join(at);
    let Ok(kind) = fs::symlink_metadata(&path).map(|meta| meta.file_type()) else { return Ok(()) };
    if kind.is_symlink() {
        if let Ok(target) = fs::read_link(&path) {
            layout.link(target.as_os_str().as_bytes(), at);
        }
        return Ok(());
    }
    if kind.is_dir() {
        return show_directory(layout, binds, (&path, at));
    }
    if kind.is_file() {
        layout.file(at, "");
        binds.push(bind(&path, at)?);
    }
    Ok(())
}

fn show_directory(
    layout: &mut Layout,
    binds: &mut Vec<Bind>,
    (path, at): (&Path, &str),
) -> Result<(), Refusal> {
    layout.directory(at);
    layout.reach(&format!("/{at}"), Reach::Run);
    binds.push(bind(path, at)?);
    Ok(())
}

fn bind(path: &Path, at: &str) -> Result<Bind, Refusal> {
    let source = c_string(path.as_os_str().as_bytes(), Act::System)?;
    Ok(Bind::system(source, c_string(at, Act::System)?))
}

/// Tells whether a directory of this machine could be visible in a sandbox.
#[must_use]
pub fn can_be_visible(path: &Path) -> bool {
    visible_place(path).is_ok() && path.is_dir()
}

/// Where a visible directory goes: its own path, without the first slash.
fn visible_place(path: &Path) -> Result<String, Refusal> {
    let refuse = |why| Refusal::of(Act::System, why);
    let text = path.to_str().ok_or(refuse("a visible directory's path must be UTF-8"))?;
    let mut parts = path.components();
    let plain = parts.next() == Some(Component::RootDir)
        && parts.clone().next().is_some()
        && parts.all(|part| matches!(part, Component::Normal(_)));
    if !plain {
        return Err(refuse("a visible directory's path must be absolute and plain"));
    }
    let at = text.trim_matches('/');
    let taken = RESERVED
        .iter()
        .any(|reserved| Path::new(at).starts_with(reserved) || Path::new(reserved).starts_with(at));
    if taken {
        return Err(refuse("a visible directory would cover one of the sandbox's own"));
    }
    Ok(at.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_beside_the_sandbox_s_own_can_be_visible() {
        assert_eq!(visible_place(Path::new("/opt/tools/")), Ok("opt/tools".into()));
        for bad in ["/", "opt", "/opt/../root", "/proc/self", "/home", "/tmp/x", "/workspace"] {
            assert!(visible_place(Path::new(bad)).is_err(), "{bad}");
        }
    }
}
