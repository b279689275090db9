//! What the providers of virtual machines share: a machine as it was set up, and whether
//! the processor can run it.

use std::{path::PathBuf, sync::Arc};

use garth_contract::{Code, Error, Result};
use garth_remote::machine::{
    Image, Machine,
    kvm::{self, Trial},
};
use tokio::sync::OnceCell;

use super::{Config, Owner, Wanted, container::usual_guest};

/// Where a package puts what machines are made of.
const USUAL: &str = "/usr/lib/garth/machine";

/// How machines were set up, whichever provider runs them.
#[derive(Clone)]
pub(super) struct Machines {
    pub(super) config: Config,
    owner: Owner,
    pub(super) processor: Processor,
}

impl Machines {
    pub(super) fn new(config: &Config, owner: &Owner) -> Self {
        let processor = Processor::default();
        Self { config: config.clone(), owner: owner.clone(), processor }
    }

    /// The machine of a workspace, with the kernel as it comes.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what no machine can have.
    pub(super) fn machine(&self, wanted: &Wanted<'_>) -> Result<Machine> {
        machine(&self.config, &self.owner, wanted)
    }
}

fn machine(config: &Config, owner: &Owner, wanted: &Wanted<'_>) -> Result<Machine> {
    let wrong = |what: &'static str, hint: &'static str| {
        Err(Error::new(Code::InvalidParams, what).hint(hint))
    };
    if !wanted.reach.is_empty() {
        return wrong(
            "only provider local has a way out by address",
            "Leave --network out; virtual machines have no network.",
        );
    }
    if wanted.is_ruled() {
        return wrong(
            "rules about single paths cannot hold where commands run beside the files",
            "Leave allow, deny and protect out, or use provider local.",
        );
    }
    let [(directory, name)] = wanted.roots else {
        return wrong("a virtual machine has one directory", "Serve one directory.");
    };
    if !name.is_empty() {
        return wrong("a virtual machine has one directory", "Serve one directory.");
    }
    let directory = std::path::absolute(directory)
        .map_err(|_| Error::new(Code::WorkspaceNotFound, "the current directory is gone"))?;
    let set = &config.machines;
    let usual = |name: &str| PathBuf::from(USUAL).join(name);
    let image = Image {
        kernel: set.kernel.clone().unwrap_or_else(|| usual("kernel")),
        modules: Some(set.modules.clone().unwrap_or_else(|| usual("modules"))),
        root: set.root.clone().unwrap_or_else(|| usual("root.ext4")),
    };
    let guest = config.guest.clone().unwrap_or_else(usual_guest);
    Ok(Machine {
        owner: owner.name.clone(),
        run: owner.run.clone(),
        seed: Some(directory),
        policy: wanted.policy.clone(),
        user: config.user,
        memory: set.memory,
        processors: set.processors,
        disk: set.disk,
        ..Machine::new(wanted.workspace, image, guest)
    })
}

/// Whether the processor can run machines itself, found out once.
#[derive(Clone, Default)]
pub(crate) struct Processor(Arc<OnceCell<std::result::Result<(), String>>>);

impl Processor {
    /// Nothing where it can, or why not.
    pub(crate) async fn helps(&self) -> std::result::Result<(), String> {
        let find = || async {
            // This program itself makes the trial.
            let trial =
                Trial { program: "/proc/self/exe".into(), arguments: vec!["try-kvm".into()] };
            kvm::detect(&trial).await
        };
        self.0.get_or_init(find).await.clone()
    }
}
