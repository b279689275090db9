//! The directory that a command works on, as a workspace.

use std::{os::unix::ffi::OsStrExt, path::Path, sync::Arc};

use garth_contract::{Access, Aliases, Policy, Result};
use garth_host::Host;
use garth_redact::Config;
use garth_workspace::{Limits, Parts, Workspace};

use crate::args::Tool;

/// The name under which every workspace's root is known.
const MOUNT: &[u8] = b"/workspace";

/// Opens the directory of a command line.
///
/// # Errors
/// `WORKSPACE_NOT_FOUND`, `NOT_A_DIRECTORY`, `INVALID_PATTERN` for a glob.
pub(crate) fn open(args: &Tool) -> Result<Workspace> {
    let aliases = aliases(&args.root);
    let policy = Policy {
        access: if args.read_only { Access::ReadOnly } else { Access::ReadWrite },
        deny: args.deny.clone(),
        protect: args.protect.clone(),
        ..Policy::open()
    };
    let host = Host::open(&args.root, policy, aliases.clone())?;
    let redaction = Config { enabled: !args.no_redact, ..Config::standard() };
    Workspace::new(Parts { fs: Arc::new(host), aliases, redaction, limits: Limits::standard() })
}

/// The absolute paths under which the caller may know the root.
///
/// Whoever starts the program knows the directory by the path they gave, and the
/// tools they use by the path it really has.
fn aliases(root: &Path) -> Aliases {
    let given = std::path::absolute(root).ok();
    #[allow(clippy::disallowed_methods, reason = "it only names the root; nothing is opened by it")]
    let real = root.canonicalize().ok();
    [given, real].into_iter().flatten().fold(Aliases::none().with(MOUNT), |aliases, path| {
        aliases.with(path.as_os_str().as_bytes())
    })
}
