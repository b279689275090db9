//! The whole suite through the guest's own program, over a pipe.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test sets its own scene")]

use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::Path, sync::Arc};

use garth_conformance::{Backend, Directory, Subject, conform};
use garth_contract::{Access, Aliases, Durability, HardLinks, Policy, ProcessId, Result};
use garth_host::Host;
use garth_remote::{Link, Patience, Remote, providers::Process};

conform!(guest, InGuest);

struct InGuest;

impl Backend for InGuest {
    fn name(&self) -> &str {
        "guest"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let directory = Directory::new(|root, policy| {
            Ok(Arc::new(Host::open(root, policy, Aliases::none().with(Directory::ALIAS))?))
        });
        let arguments = arguments(&directory.root(), &policy);
        let program = env!("CARGO_BIN_EXE_garth-guest").into();
        let guest = Process::new(program, arguments);
        let link = Link::open(guest, ProcessId(1), Patience::USUAL).await?;
        Ok(Subject::new(Remote::new(link)).with(directory))
    }
}

/// A root and its rules as the guest is told them.
fn arguments(root: &Path, policy: &Policy) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["--root".into(), root.into()];
    arguments.extend(["--alias".into(), OsString::from_vec(Directory::ALIAS.to_vec())]);
    let mut add = |name: &str, value: &str| arguments.extend([name.into(), value.into()]);
    policy.allow.iter().for_each(|glob| add("--allow", glob));
    policy.deny.iter().for_each(|glob| add("--deny", glob));
    policy.protect.iter().for_each(|glob| add("--protect", glob));
    add("--max-file", &policy.max_file.to_string());
    if let Some(quota) = policy.quota {
        add("--quota", &quota.to_string());
    }
    if policy.access == Access::ReadOnly {
        arguments.push("--read-only".into());
    }
    if policy.hard_links == HardLinks::Refuse {
        arguments.push("--refuse-hard-links".into());
    }
    if policy.durability == Durability::Fast {
        arguments.push("--fast".into());
    }
    arguments
}
