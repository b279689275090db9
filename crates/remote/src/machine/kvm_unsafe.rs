//! A machine of one instruction, in memory that is lent to the kernel.

#![allow(unsafe_code, reason = "memory that is lent to a machine has no safe wrapper")]

use std::ptr;

use kvm_bindings::kvm_userspace_memory_region;
use kvm_ioctls::{Kvm, VcpuExit};

/// A page of memory is all that it has.
const PAGE: usize = 4096;

/// Where the page is in the machine: where a processor in its first mode can reach.
const AT: u64 = 0x1000;

/// `hlt`: the processor has nothing more to do.
const HALT: u8 = 0xf4;

/// The only version of the interface there ever was.
const VERSION: i32 = 12;

/// A page that is given back when it is dropped.
struct Page(*mut u8);

impl Page {
    fn new() -> Option<Self> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory at no particular place, of nobody else.
        let page = unsafe { libc::mmap(ptr::null_mut(), PAGE, protection, flags, -1, 0) };
        (page != libc::MAP_FAILED).then(|| Self(page.cast()))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and no machine is left that has it.
        unsafe { libc::munmap(self.0.cast(), PAGE) };
    }
}

/// Makes a machine and lets it run to its end.
pub(super) fn run_one_instruction() -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |errno: kvm_ioctls::Error| format!("{what} fails ({errno})")
    };
    let kvm = Kvm::new().map_err(failed("opening /dev/kvm"))?;
    if kvm.get_api_version() != VERSION {
        return Err("its interface has a version that nobody knows".to_owned());
    }
    let page = Page::new().ok_or("there is no memory")?;
    // SAFETY: the page is this process's, and at least one byte long.
    unsafe { page.0.write(HALT) };
    let machine = kvm.create_vm().map_err(failed("making a machine"))?;
    let region = kvm_userspace_memory_region {
        slot: 0,
        guest_phys_addr: AT,
        memory_size: PAGE as u64,
        userspace_addr: page.0 as u64,
        flags: 0,
    };
    // SAFETY: the page outlives the machine, which is dropped before it.
    unsafe { machine.set_user_memory_region(region) }.map_err(failed("giving it memory"))?;
    let mut processor = machine.create_vcpu(0).map_err(failed("giving it a processor"))?;
    let mut segments = processor.get_sregs().map_err(failed("looking at its processor"))?;
    (segments.cs.base, segments.cs.selector) = (0, 0);
    processor.set_sregs(&segments).map_err(failed("setting its processor up"))?;
    let mut registers = processor.get_regs().map_err(failed("looking at its processor"))?;
    (registers.rip, registers.rflags) = (AT, 2);
    processor.set_regs(&registers).map_err(failed("setting its processor up"))?;
    let ended = match processor.run() {
        Ok(VcpuExit::Hlt) => Ok(()),
        Ok(other) => Err(format!("a machine of one instruction ends oddly ({other:?})")),
        Err(errno) => Err(format!("running a machine fails ({errno})")),
    };
    drop(processor);
    drop(machine);
    ended
}
