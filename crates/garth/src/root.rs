//! The directories that a command works on, as a workspace.

use std::{
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use garth_contract::{
    Access, Aliases, Code, Durability, DynFilesystem, Error, Policy, RawPath, Result, WsPath,
};
use garth_host::{Host, Lone};
use garth_memory::{Memory, Mount};
use garth_redact::Config;
use garth_roots::Roots;
use garth_workspace::{Limits, Parts, Workspace};

use crate::{
    args::{Acp, Mcp, Provide, Rules, Tool},
    providers::{NONE, Own, Placed},
};

/// The name under which every workspace's root is known.
const MOUNT: &[u8] = b"/workspace";
/// How much one call may take or give.
const LIMITS: Limits = Limits::standard();
/// The most bytes that a directory may have that is shown in memory.
const MOST_MOUNTED: u64 = 1 << 30;

/// A workspace, and the sandbox that must be ended with it.
pub(crate) type Rooted = (Workspace, Own);

/// Opens the directory of `garth tool`.
///
/// # Errors
/// `WORKSPACE_NOT_FOUND`, `NOT_A_DIRECTORY`, `INVALID_PATTERN` for a glob,
/// `INVALID_PARAMS` for a provider that there is not.
pub(crate) fn of_tool(args: &Tool) -> Result<Rooted> {
    let policy = policy(&args.rules, Durability::Synced);
    let redaction = redaction(&args.dialect, args.rules.no_redact);
    let Served { fs, aliases, known, places } =
        Served::open(std::slice::from_ref(&args.root), |root, aliases| {
            Host::open(root, policy.clone(), aliases)
        })?;
    let provide = provide(&args.provide, args.no_exec);
    let (commands, own) = Own::open(&provide, &places, (&policy, &args.rules.network))?;
    let git = Own::for_git(&commands, (&places, &policy))?;
    let parts = Parts { fs, commands, aliases, redaction, limits: LIMITS };
    Ok((Workspace::new(parts)?.shown_as(known).with_git_in(git), own))
}

/// Opens what `garth mcp` serves.
///
/// # Errors
/// As for `garth tool`, and what keeps a directory from being mounted.
pub(crate) fn of_mcp(args: &Mcp, lone: &Arc<Lone>) -> Result<Rooted> {
    let policy = policy_of_mcp(args);
    let redaction = redaction(&args.dialect, args.rules.no_redact);
    let Served { fs, aliases, known, places } = if args.memory {
        let aliases = Aliases::none().with(MOUNT);
        let memory = Memory::new(policy.clone())?.with_aliases(aliases.clone());
        args.mount.iter().try_for_each(|mount| mounted(&memory, mount))?;
        let known = vec![(MOUNT.to_vec(), WsPath::root())];
        Served { fs: Arc::new(memory), aliases, known, places: Vec::new() }
    } else {
        let here = [PathBuf::from(".")];
        let roots = if args.roots.is_empty() { &here[..] } else { &args.roots };
        Served::open(roots, |root, aliases| {
            Ok(Host::open(root, policy.clone(), aliases)?.for_one(Arc::clone(lone)))
        })?
    };
    let provide = provide(&args.provide, args.no_exec);
    let (commands, own) = Own::open(&provide, &places, (&policy, &args.rules.network))?;
    let git = Own::for_git(&commands, (&places, &policy))?;
    let parts = Parts { fs, commands, aliases, redaction, limits: LIMITS };
    Ok((Workspace::new(parts)?.shown_as(known).with_git_in(git), own))
}

/// A workspace of which others open files too.
pub(crate) struct Fenced {
    pub(crate) workspace: Workspace,
    pub(crate) own: Own,
    /// Its files as others find them: no name leads into it but its own.
    pub(crate) fence: Arc<dyn DynFilesystem>,
    /// The absolute paths that the directory has.
    pub(crate) names: Vec<Vec<u8>>,
    /// What may be done with it.
    pub(crate) policy: Policy,
}

/// Opens the directory that `garth acp` keeps an agent in.
///
/// # Errors
/// As for `garth tool`.
pub(crate) fn of_acp(args: &Acp) -> Result<Fenced> {
    let policy = policy(&args.rules, args.disk.durability());
    let redaction = redaction("workspace", args.rules.no_redact);
    let Served { fs, aliases, known, places } =
        Served::open(std::slice::from_ref(&args.root), |root, aliases| {
            Host::open(root, policy.clone(), aliases)
        })?;
    let names = names(&args.root);
    let own_names = names.iter().fold(Aliases::none(), |aliases, name| aliases.with(name));
    let fence = Arc::new(Host::open(&args.root, policy.clone(), own_names)?);
    let provide = provide(&args.provide, args.no_exec);
    let visible = args.visible()?;
    let (commands, own) =
        Own::open_seeing(&provide, &places, (&policy, &args.rules.network, &visible))?;
    let parts = Parts { fs, commands, aliases, redaction, limits: LIMITS };
    let workspace = Workspace::new(parts)?.shown_as(known);
    Ok(Fenced { workspace, own, fence, names, policy })
}

/// What the command line of `garth mcp` allows.
pub(crate) fn policy_of_mcp(args: &Mcp) -> Policy {
    policy(&args.rules, args.disk.durability())
}

/// Directories of this machine as one tree.
struct Served {
    fs: Arc<dyn DynFilesystem>,
    aliases: Aliases,
    /// The absolute paths of each directory, and where it is in the tree.
    known: Vec<(Vec<u8>, WsPath)>,
    /// The directories themselves, and their names in the tree.
    places: Vec<Placed>,
}

impl Served {
    /// One directory is the tree; several stand in it, each under its name.
    fn open(roots: &[PathBuf], host: impl Fn(&Path, Aliases) -> Result<Host>) -> Result<Self> {
        if let [root] = roots {
            let aliases = aliases(root);
            let host = host(root, aliases.clone())?;
            let known = names(root).into_iter().map(|name| (name, WsPath::root())).collect();
            let places = vec![(root.clone(), String::new())];
            return Ok(Self { fs: Arc::new(host), aliases, known, places });
        }
        let mut named: Vec<(Vec<u8>, Arc<dyn DynFilesystem>)> = Vec::new();
        let mut known = Vec::new();
        let mut places = Vec::new();
        let mut all = Aliases::none().with(MOUNT);
        let short = garth_roots::names(roots.iter().map(PathBuf::as_path));
        for (root, name) in roots.iter().zip(short) {
            let place = WsPath::root().join(&name)?;
            for absolute in names(root) {
                all = all.with_at(&absolute, place.clone());
                known.push((absolute, place.clone()));
            }
            places.push(String::from_utf8(name.clone()).ok().map(|name| (root.clone(), name)));
            named.push((name, Arc::new(host(root, aliases(root))?)));
        }
        // A name that is no text cannot be a place in the sandbox, so there is none.
        let places = places.into_iter().collect::<Option<_>>().unwrap_or_default();
        Ok(Self { fs: Arc::new(Roots::new(named)?), aliases: all, known, places })
    }
}

/// What the person who starts the program allows.
fn policy(rules: &Rules, durability: Durability) -> Policy {
    Policy {
        access: if rules.read_only { Access::ReadOnly } else { Access::ReadWrite },
        allow: rules.allow.clone(),
        deny: rules.deny.clone(),
        protect: rules.protect.clone(),
        durability,
        ..Policy::open()
    }
}

/// How secrets are treated; clients of the reference server expect the bytes that
/// are there.
fn redaction(dialect: &str, off: bool) -> Config {
    Config { enabled: !off && dialect != "reference", ..Config::standard() }
}

/// Where commands are to run, as the command line has it.
fn provide(provide: &Provide, no_exec: bool) -> Provide {
    match no_exec {
        true => Provide { provider: Some(NONE.to_owned()), ..Provide::default() },
        false => provide.clone(),
    }
}

/// Copies a directory into memory: `HOST` to the top, `HOST:PATH` to a path.
fn mounted(memory: &Memory, mount: &str) -> Result<()> {
    let (host, at) = match mount.rsplit_once(':') {
        Some((host, at)) => (host, RawPath::new(at).resolve(&Aliases::none().with(MOUNT))?),
        None => (mount, WsPath::root()),
    };
    let source = Policy { access: Access::ReadOnly, ..Policy::open() };
    let source = Arc::new(Host::open(Path::new(host), source, Aliases::none())?);
    let mount = Mount {
        at,
        include: Vec::new(),
        exclude: Vec::new(),
        max_bytes: MOST_MOUNTED,
        max_file: MOST_MOUNTED,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|_| Error::new(Code::Internal, "the runtime could not be started"))?;
    runtime.block_on(memory.mount(source, &mount)).map(drop)
}

/// The absolute paths under which the caller may know the root.
fn aliases(root: &Path) -> Aliases {
    let names = names(root);
    names.iter().fold(Aliases::none().with(MOUNT), |aliases, name| aliases.with(name))
}

/// The absolute paths that a directory has.
///
/// Whoever starts the program knows the directory by the path they gave, and the
/// tools they use by the path it really has.
fn names(root: &Path) -> Vec<Vec<u8>> {
    let given = std::path::absolute(root).ok();
    #[allow(clippy::disallowed_methods, reason = "it only names the root; nothing is opened by it")]
    let real = root.canonicalize().ok();
    let plain = |path: &PathBuf| !path.components().any(|part| part == Component::ParentDir);
    let mut names: Vec<Vec<u8>> = Vec::new();
    for path in [given, real].into_iter().flatten().filter(plain) {
        let name: PathBuf = path.components().collect();
        let name = name.as_os_str().as_bytes().to_vec();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
