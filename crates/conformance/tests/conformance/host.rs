//! The suite on `host`, with the kernel's own view as the hand behind its back.

use std::{path::Path, sync::Arc};

use garth_conformance::{Backend, Directory, Subject, conform};
use garth_contract::{Aliases, Policy, Result};
use garth_host::{Host, Resolver};

conform!(by_the_kernel, OnHost { name: "host", resolver: Resolver::Kernel });
conform!(by_a_walk, OnHost { name: "host without openat2", resolver: Resolver::Walk });

pub(super) struct OnHost {
    pub(super) name: &'static str,
    pub(super) resolver: Resolver,
}

impl Backend for OnHost {
    fn name(&self) -> &str {
        self.name
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let resolver = self.resolver;
        let open = move |root: &Path, policy| {
            let aliases = Aliases::none().with(Directory::ALIAS);
            Ok(Host::open(root, policy, aliases)?.with_resolver(resolver))
        };
        let directory = Directory::new(move |root, policy| Ok(Arc::new(open(root, policy)?)));
        Ok(Subject::new(open(&directory.root(), policy)?).with(directory))
    }
}
