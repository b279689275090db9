//! Whoever starts a sandbox stays as readable, or as unreadable, as it was.
//!
//! In a program of its own, since what is said about a process's memory holds for all of it.

#![allow(clippy::unwrap_used, reason = "everything here is a test")]

use std::{fs::File, os::fd::OwnedFd};

use garth_sandbox::{
    Access, Ended, Image, Limits, Needs, Network, Program, Root, Spec, Stdio, base_environment,
    start,
};
use rustix::process::{DumpableBehavior, dumpable_behavior, set_dumpable_behavior};

#[test]
fn a_sandbox_starts_and_what_was_said_about_memory_stays() {
    let dir = tempfile::tempdir().unwrap();
    let spec = Spec {
        roots: vec![Root::whole(dir.path(), Access::ReadWrite).unwrap()],
        seat: garth_sandbox::Seat::Workspace,
        system: "/".into(),
        tenure: garth_sandbox::Tenure::Shown,
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits { memory: None, ..Limits::usual() },
        network: Network::None,
        needs: Needs::all(),
    };
    for readable in [DumpableBehavior::Dumpable, DumpableBehavior::NotDumpable] {
        set_dumpable_behavior(readable).unwrap();
        for _ in 0..3 {
            let null =
                || OwnedFd::from(File::options().read(true).write(true).open("/dev/null").unwrap());
            let program = Program {
                image: Image::Inside("/bin/sh".into()),
                arguments: ["sh", "-c", "touch made && test -r /proc/self/environ"]
                    .map(Into::into)
                    .to_vec(),
            };
            let stdio = Stdio { input: null(), output: null(), error: null() };
            let running = start(&spec, &program, stdio).unwrap();
            assert_eq!(running.wait(), Ended::Exited(0));
            assert_eq!(dumpable_behavior().unwrap(), readable);
        }
        std::fs::remove_file(dir.path().join("made")).unwrap();
    }
}
