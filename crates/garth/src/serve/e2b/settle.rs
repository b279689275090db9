//! Gives the workspace of a new sandbox to whoever will run in it.

use std::path::Path;

use garth_contract::{Code, Error, Result};
use garth_gateway::Settings;
use rustix::fs::{Gid, Uid};

use crate::providers::USUAL;

/// Who owns it where it is a container's: whoever runs inside has the number of the owner, and
/// E2B's user has this one. A local sandbox turns ids, and has it in any case.
const RESIDENT: u32 = 1000;

/// Gives a new workspace to whoever will run in its container.
///
/// # Errors
/// `INTERNAL` where it cannot be given.
pub(super) fn settle(settings: &Settings, directory: &Path) -> Result<()> {
    if settings.provider == USUAL || !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let (uid, gid) = (Uid::from_raw(RESIDENT), Gid::from_raw(RESIDENT));
    rustix::fs::chown(directory, Some(uid), Some(gid))
        .map_err(|_| Error::new(Code::Internal, "the workspace cannot be given to its user"))
}
