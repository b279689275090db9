//! A workspace's container, as it was set up: what all providers of containers share.

use std::path::{Path, PathBuf};

use garth_contract::{Code, Error, Result};
use garth_remote::container::{Container, Files, Options, Root};

use super::{Config, Owner, Wanted};

/// The image that is taken where neither it nor a directory is named.
const IMAGE: &str = "debian";

/// Where a package puts the guest's static program.
const GUEST: &str = "/usr/lib/garth/garth-guest";

/// The guest beside this program: as it is installed, as a package has it, and where
/// `make guest` leaves it.
const BESIDE: [&str; 3] = ["garth-guest", "../lib/garth/garth-guest", "../guest/garth-guest"];

/// The container of a workspace.
///
/// # Errors
/// `INVALID_PARAMS` for what no container can have: several directories, or a way out
/// through the local sandbox's proxy.
pub(super) fn container(config: &Config, owner: &Owner, wanted: &Wanted<'_>) -> Result<Container> {
    if !wanted.reach.is_empty() {
        return Err(Error::new(
            Code::InvalidParams,
            "only provider local has a way out by address",
        )
        .hint("Leave --network out; containers.network names a network of the engine."));
    }
    if !wanted.visible.is_empty() {
        return Err(Error::new(Code::InvalidParams, "only provider local shows more directories")
            .hint("Leave --visible out; what a container has in it is its image's."));
    }
    let directory = match wanted.roots {
        [(path, name)] if name.is_empty() => path,
        _ => {
            return Err(Error::new(Code::InvalidParams, "a container has one directory")
                .hint("Serve one directory, or use provider local."));
        }
    };
    let directory = std::path::absolute(directory)
        .map_err(|_| Error::new(Code::WorkspaceNotFound, "the current directory is gone"))?;
    let root = match (wanted.system, &config.image, &config.root) {
        (Some(system), ..) => system_root(system),
        (None, Some(image), _) => Root::Image(image.clone()),
        (None, None, Some(directory)) => Root::Directory(directory.clone()),
        (None, None, None) => Root::Image(IMAGE.to_owned()),
    };
    Ok(Container {
        owner: owner.name.clone(),
        seat: wanted.seat,
        policy: wanted.policy.clone(),
        guest: config.guest.clone().unwrap_or_else(usual_guest),
        run: owner.run.clone(),
        user: config.user,
        limits: config.limits.clone(),
        network: config.network.clone(),
        options: Options {
            ulimits: config.ulimits.clone(),
            runtime: config.podman.runtime.clone(),
        },
        ..Container::new(wanted.workspace, root, Files::Directory(directory))
    })
}

/// What is named for one workspace: a directory by its path, or an image.
fn system_root(system: &str) -> Root {
    if system.starts_with('/') {
        Root::Directory(system.into())
    } else {
        Root::Image(system.to_owned())
    }
}

/// The guest beside this program, or where a package has it.
pub(super) fn usual_guest() -> PathBuf {
    let program = std::env::current_exe().ok();
    let directory = program.as_deref().and_then(Path::parent);
    let beside = directory.into_iter().flat_map(|at| BESIDE.map(|name| at.join(name)));
    beside.into_iter().find(|path| path.is_file()).unwrap_or_else(|| GUEST.into())
}
