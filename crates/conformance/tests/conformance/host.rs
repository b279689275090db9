//! The suite on `host`, with the kernel's own view as the hand behind its back.

use std::{path::Path, sync::Arc};

use garth_conformance::{Backend, Directory, Subject, conform};
use garth_contract::{Aliases, Policy, Result};
use garth_host::{Host, Lone, Resolver};

conform!(by_the_kernel, OnHost { name: "host", resolver: Resolver::Kernel, lone: false });
conform!(by_a_walk, OnHost { name: "host without openat2", resolver: Resolver::Walk, lone: false });
conform!(for_one, OnHost { name: "host for one client", resolver: Resolver::Kernel, lone: true });

pub(super) struct OnHost {
    pub(super) name: &'static str,
    pub(super) resolver: Resolver,
    /// Whether it is told that nobody else is served.
    pub(super) lone: bool,
}

impl Backend for OnHost {
    fn name(&self) -> &str {
        self.name
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let (resolver, lone) = (self.resolver, self.lone);
        let open = move |root: &Path, policy| {
            let aliases = Aliases::none().with(Directory::ALIAS);
            let host = Host::open(root, policy, aliases)?.with_resolver(resolver);
            if !lone {
                return Ok(host);
            }
            let calls = Arc::new(Lone::default());
            calls.serves(1);
            Ok(host.for_one(calls))
        };
        let directory = Directory::new(move |root, policy| Ok(Arc::new(open(root, policy)?)));
        Ok(Subject::new(open(&directory.root(), policy)?).with(directory))
    }
}
