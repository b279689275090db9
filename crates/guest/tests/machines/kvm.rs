//! Whether KVM can be used is found out in time, whatever the kernel does.

use std::{os::unix::fs::PermissionsExt, path::Path, time::Duration};

use garth_remote::machine::kvm::{Trial, detect, tried, try_out};
use tokio::time;

use crate::scene::DEADLINE;

/// Tells this program to be the one that makes the trial.
const TOLD: &str = "GARTH_MACHINES_TRY_KVM";

/// A program of a few lines.
pub(crate) fn program(at: &Path, text: &str) {
    std::fs::write(at, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The trial itself, in a process of its own.
#[test]
fn trial() {
    if std::env::var_os(TOLD).is_some() {
        println!("\n{}", try_out());
    }
}

#[tokio::test]
async fn kvm_is_usable_or_it_is_said_why_not() {
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("trial");
    let own = std::env::current_exe().unwrap();
    let text = format!("{TOLD}=1 exec {} --exact kvm::trial --nocapture -q", own.display());
    program(&made, &text);
    let trial = Trial { program: made, arguments: Vec::new() };
    let found = time::timeout(DEADLINE, detect(&trial)).await.expect("it hangs");
    println!("KVM: {found:?}");
    if let Err(why) = found {
        assert!(!why.is_empty() && why.lines().count() == 1, "{why}");
    }
}

#[tokio::test]
async fn a_trial_that_never_ends_is_an_answer_too() {
    let dir = tempfile::tempdir().unwrap();
    let (made, mark) = (dir.path().join("trial"), dir.path().join("pid"));
    program(&made, &format!("echo $$ > {}; exec sleep 86400", mark.display()));
    let trial = Trial { program: made, arguments: Vec::new() };
    let found = time::timeout(DEADLINE, tried(&trial)).await.expect("it hangs");
    assert!(found.unwrap_err().contains("does not come to its end"));
    let Ok(pid) = std::fs::read_to_string(mark) else { return };
    let alive = || {
        let words = std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
        words.starts_with(b"sleep")
    };
    let gone = async {
        while alive() {
            time::sleep(Duration::from_millis(20)).await;
        }
    };
    time::timeout(DEADLINE, gone).await.expect("the trial was left behind");
}
