//! The provider `qemu`: virtual machines, by the processor where it helps, and emulated
//! where that is allowed.

use std::sync::Arc;

use garth_contract::{BoxFuture, Code, Error, ProcessId, Result};
use garth_remote::{
    Connect, Left, Patience,
    machine::Machine,
    providers::{Accelerator, Emulator, Qemu},
};
use tokio::sync::OnceCell;

use super::{
    Files, Kept, Opened, Wanted,
    machines::{Machines, Processor},
};

/// It runs the machines that were set up.
pub(super) struct Provider(pub(super) Machines);

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        "qemu"
    }

    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened> {
        let machine = self.0.machine(wanted)?;
        let set = &self.0.config.qemu;
        let emulator = Emulator {
            program: set.program.clone(),
            accelerator: Accelerator::Software,
            flags: set.flags.clone(),
        };
        let inside = Inside {
            looked: Qemu::new(emulator.clone(), machine.clone())?,
            emulator,
            machine,
            software: set.software,
            processor: self.0.processor.clone(),
            run: OnceCell::new(),
        };
        Ok(Opened::whole(Sandbox(Arc::new(inside)), Patience::MACHINE))
    }

    fn files(&self) -> Files {
        Files::Inside
    }

    fn ready<'a>(&'a self, wanted: &'a Wanted<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.open(wanted)?.ready().await })
    }
}

/// Whether a processor may be emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Software {
    /// It is many times slower, and whoever wants it says so.
    Refused,
    /// The operator said so.
    Allowed,
}

/// A workspace's machine; clones are the same.
#[derive(Clone)]
struct Sandbox(Arc<Inside>);

struct Inside {
    emulator: Emulator,
    machine: Machine,
    software: Software,
    processor: Processor,
    /// The machine as it can be looked at before it runs.
    looked: Qemu,
    /// The machine as it runs.
    run: OnceCell<Qemu>,
}

impl Inside {
    async fn running(&self) -> Result<&Qemu> {
        let make = || async {
            let accelerator = self.accelerator().await?;
            if accelerator == Accelerator::Software {
                tracing::warn!(
                    "A virtual machine's processor is EMULATED: it is many times slower."
                );
            }
            Qemu::new(Emulator { accelerator, ..self.emulator.clone() }, self.machine.clone())
        };
        self.run.get_or_try_init(make).await
    }

    async fn accelerator(&self) -> Result<Accelerator> {
        match (self.processor.helps().await, self.software) {
            (Ok(()), _) => Ok(Accelerator::Kvm),
            (Err(_), Software::Allowed) => Ok(Accelerator::Software),
            (Err(why), Software::Refused) => {
                let message =
                    format!("KVM cannot be used: {why}; and to emulate a processor is not allowed");
                Err(Error::new(Code::ProviderUnavailable, message).hint(
                    "Use a machine with KVM; or set qemu.software, and virtual machines run many \
                     times slower.",
                ))
            }
        }
    }

    fn known(&self) -> &Qemu {
        self.run.get().unwrap_or(&self.looked)
    }
}

impl Connect for Sandbox {
    type Pipe = <Qemu as Connect>::Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.0.running().await?.connect(first).await
    }

    async fn left(&self) -> Result<Left> {
        self.0.known().left().await
    }
}

impl Kept for Sandbox {
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async {
            self.0.looked.ready()?;
            self.0.accelerator().await.map(drop)
        })
    }

    fn stop(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.known().stop())
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.known().remove())
    }
}
