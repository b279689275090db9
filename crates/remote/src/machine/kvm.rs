//! Whether the processor can run machines itself: tried, in under a second, with a
//! machine of one instruction.
//!
//! That `/dev/kvm` is there says little: where this machine is itself a virtual one, it
//! may open and then run nothing, or never come back. So the trial is made by another
//! process, which is killed when its time is over.

use std::{ffi::OsString, fs::File, io::Read as _, path::PathBuf, process::Stdio, time::Duration};

use rustix::fs::{Access, CWD, Mode, OFlags, access, openat, stat};
use tokio::{io::AsyncReadExt as _, process::Command, time};

/// How long the trial may take; it takes a few milliseconds where it works.
const PATIENCE: Duration = Duration::from_millis(800);

/// The most bytes that are read of why it does not.
const MOST_SAID: u64 = 1 << 10;

/// The most bytes that are read of what the processor says of itself; the first one of
/// many is among them.
const MOST_FLAGS: u64 = 64 << 10;

/// What is said of a trial that came to a good end.
const WELL: &str = "runs";

/// A program that makes the trial: it calls [`try_out`] and prints what that says.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The program.
    pub program: PathBuf,
    /// Its words.
    pub arguments: Vec<OsString>,
}

/// Finds out whether machines can be run by the processor itself.
///
/// # Errors
/// Why not, as the end of a sentence that begins with "KVM cannot be used".
///
/// Cancel: the trial is killed.
pub async fn detect(trial: &Trial) -> Result<(), String> {
    stat("/dev/kvm").map_err(|_| "there is no /dev/kvm".to_owned())?;
    access("/dev/kvm", Access::READ_OK | Access::WRITE_OK)
        .map_err(|_| "this program may not open /dev/kvm".to_owned())?;
    has_help()?;
    tried(trial).await
}

/// Makes the trial alone, and does not wait for it for ever.
///
/// # Errors
/// As for [`detect`].
///
/// Cancel: the trial is killed.
pub async fn tried(trial: &Trial) -> Result<(), String> {
    let work = async {
        let mut child = Command::new(&trial.program)
            .args(&trial.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let mut said = String::new();
        if let Some(stdout) = child.stdout.take() {
            stdout.take(MOST_SAID).read_to_string(&mut said).await?;
        }
        Ok::<_, std::io::Error>(said)
    };
    match time::timeout(PATIENCE, work).await {
        Ok(Ok(said)) if said.lines().any(|line| line == WELL) => Ok(()),
        Ok(Ok(said)) => Err(said
            .lines()
            .find(|line| !line.is_empty())
            .map_or_else(|| "the trial ended without a word".to_owned(), ToOwned::to_owned)),
        Ok(Err(_)) => Err("the trial cannot be started".to_owned()),
        Err(_) => Err("a machine of one instruction does not come to its end".to_owned()),
    }
}

/// Whether the processor says that it can run machines. Where it does not, a kernel that
/// has `/dev/kvm` all the same runs only guests that were made for it.
fn has_help() -> Result<(), String> {
    let read = || -> std::io::Result<String> {
        let file = openat(CWD, "/proc/cpuinfo", OFlags::CLOEXEC, Mode::empty())?;
        let mut text = String::new();
        File::from(file).take(MOST_FLAGS).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = read().map_err(|_| "the processor cannot be looked at".to_owned())?;
    if !cfg!(target_arch = "x86_64") || helps(&text) {
        return Ok(());
    }
    Err("the processor has neither vmx nor svm, so no ordinary guest can run".to_owned())
}

fn helps(text: &str) -> bool {
    let mut flags = text.lines().filter(|line| line.starts_with("flags"));
    flags.any(|line| line.split(' ').any(|flag| ["vmx", "svm"].contains(&flag)))
}

/// Makes the trial in this process, which may hang for it; says how it ended, in one
/// line.
#[must_use]
pub fn try_out() -> String {
    #[cfg(target_arch = "x86_64")]
    let tried = super::kvm_unsafe::run_one_instruction();
    #[cfg(not(target_arch = "x86_64"))]
    let tried: Result<(), String> = Err("it is known for x86-64 alone".to_owned());
    match tried {
        Ok(()) => WELL.to_owned(),
        Err(why) => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_helps_when_its_flags_say_so() {
        assert!(helps("processor : 0\nflags\t\t: fpu vmx sse\n"));
        assert!(helps("flags\t\t: fpu svm\n"));
        assert!(!helps("vmx flags\t: vnmi\nflags\t\t: fpu hypervisor vmxx\n"));
    }
}
