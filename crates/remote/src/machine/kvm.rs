//! Whether the processor can run machines itself: tried, in under a second, with a
//! machine of one instruction.
//!
//! That `/dev/kvm` is there says little: where this machine is itself a virtual one, it
//! may open and then run nothing, or never come back. So the trial is made by another
//! process, which is killed when its time is over.

use std::{ffi::OsString, path::PathBuf, process::Stdio, time::Duration};

use rustix::fs::{Access, access, stat};
use tokio::{io::AsyncReadExt, process::Command, time};

/// How long the trial may take; it takes a few milliseconds where it works.
const PATIENCE: Duration = Duration::from_millis(800);

/// The most bytes that are read of why it does not.
const MOST_SAID: u64 = 1 << 10;

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
