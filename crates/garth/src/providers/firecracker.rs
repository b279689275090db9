//! The provider `firecracker`: microVMs, which need KVM.

use garth_contract::{BoxFuture, Code, Error, ProcessId, Result};
use garth_remote::{
    Connect, Left, Patience,
    providers::{Firecracker, Monitors},
};

use super::{
    Files, Kept, Opened, Wanted,
    machines::{Machines, Processor},
};

/// It runs the machines that were set up.
pub(super) struct Provider(pub(super) Machines);

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        "firecracker"
    }

    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened> {
        let mut machine = self.0.machine(wanted)?;
        let set = &self.0.config.firecracker;
        // It takes a kernel that is not packed, which lies beside the other.
        let beside = machine.image.kernel.with_file_name("kernel-plain");
        machine.image.kernel = set.kernel.clone().unwrap_or(beside);
        let monitors = Monitors {
            jailer: set.jailer.clone(),
            interface: set.interface.clone(),
            balloon: set.balloon,
            disk_rate: set.disk_rate,
            network_rate: set.network_rate,
            ..Monitors::plain(set.program.clone())
        };
        let inside = Firecracker::new(monitors, machine)?;
        Ok(Opened::whole(
            Sandbox { inside, processor: self.0.processor.clone() },
            Patience::MACHINE,
        ))
    }

    fn files(&self) -> Files {
        Files::Inside
    }

    fn ready<'a>(&'a self, wanted: &'a Wanted<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.open(wanted)?.ready().await })
    }
}

/// A workspace's machine; clones are the same.
#[derive(Clone)]
struct Sandbox {
    inside: Firecracker,
    processor: Processor,
}

impl Sandbox {
    async fn check(&self) -> Result<()> {
        self.processor.helps().await.map_err(|why| {
            let message = format!("Firecracker needs KVM, which cannot be used: {why}");
            Error::new(Code::ProviderUnavailable, message)
                .hint("Use a machine with KVM, or provider qemu with qemu.software.")
        })
    }
}

impl Connect for Sandbox {
    type Pipe = <Firecracker as Connect>::Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.check().await?;
        self.inside.connect(first).await
    }

    async fn left(&self) -> Result<Left> {
        self.inside.left().await
    }
}

impl Kept for Sandbox {
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async {
            self.inside.ready()?;
            self.check().await
        })
    }

    fn stop(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.inside.stop())
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.inside.remove())
    }
}
