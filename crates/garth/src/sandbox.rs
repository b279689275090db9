//! Where the commands of the command line's workspaces run: in a sandbox of this
//! machine, made when the first command comes.

use std::path::PathBuf;

use garth_contract::{Access, Code, Error, Policy, Result};
use garth_egress::Rules;
use garth_remote::{Lazy, Patience, providers::Local};
use garth_sandbox::{Limits, Needs, Network, Root, Spec, base_environment};
use garth_workspace::Commands;
use rustix::fs::{CWD, Mode, OFlags, openat};

/// A directory of the workspace, and its name in it; none for the workspace itself.
pub(crate) type Placed = (PathBuf, String);

/// Where commands run that work on these directories under this policy, and reach
/// what is listed.
///
/// Rules about single paths bind tools, and nothing inside a sandbox knows them; so a
/// workspace that has such rules runs no commands.
///
/// # Errors
/// `INVALID_PARAMS` for an address that cannot be allowed, `WORKSPACE_NOT_FOUND` for
/// a directory that is gone.
pub(crate) fn commands(roots: &[Placed], policy: &Policy, reach: &[String]) -> Result<Commands> {
    let rules = Rules::parse(reach.iter().map(String::as_str))?;
    let ruled =
        [&policy.allow, &policy.deny, &policy.protect].iter().any(|globs| !globs.is_empty());
    if ruled || roots.is_empty() {
        return Ok(Commands::None);
    }
    let access = match policy.access {
        Access::ReadWrite => garth_sandbox::Access::ReadWrite,
        Access::ReadOnly => garth_sandbox::Access::ReadOnly,
    };
    let mut opened = Vec::new();
    for (path, place) in roots {
        let root = Root::named(path, place, access);
        opened.push(root.map_err(|_| Error::of(Code::WorkspaceNotFound))?);
    }
    let spec = Spec {
        roots: opened,
        system: "/".into(),
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits::usual(),
        network: Network::None,
        needs: Needs::all(),
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let program = openat(CWD, "/proc/self/exe", flags, Mode::empty())
        .map_err(|_| Error::new(Code::ProviderUnavailable, "this program cannot open itself"))?;
    let mut arguments = vec!["garth".into(), "guest".into()];
    if let Some(bytes) = policy.quota {
        arguments.extend(["--quota".into(), bytes.to_string().into()]);
    }
    let local = if reach.is_empty() {
        Local::new(spec, program, arguments)
    } else {
        Local::reaching(spec, program, arguments, rules)?
    };
    Ok(Commands::Held(std::sync::Arc::new(Lazy::new(local, Patience::USUAL))))
}
