//! Runs another program to its end, and not for ever.

use std::{
    ffi::OsStr,
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use garth_contract::Result;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    time,
};

use super::refuse;

/// The most bytes that are read of what a program prints.
const MOST_PRINTED: u64 = 1 << 20;

/// What came of a program.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Runs a program whose streams end with it.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where it is not installed or takes too long; then it is
/// killed.
pub(super) async fn run(
    program: &Path,
    arguments: &[impl AsRef<OsStr> + Sync],
    patience: Duration,
) -> Result<Done> {
    let work = async {
        let mut child =
            command(program, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (stdout, stderr, status) =
            futures::future::join3(printed(stdout), printed(stderr), child.wait()).await;
        Ok(Done { status: status?, stdout: stdout?, stderr: stderr? })
    };
    within(patience, work).await
}

/// A program with nothing to read that dies with whoever waits for it.
pub(super) fn command(program: &Path, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Waits for a program, and says why there is no use in waiting.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE`.
pub(super) async fn within<T>(
    patience: Duration,
    work: impl Future<Output = io::Result<T>>,
) -> Result<T> {
    match time::timeout(patience, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => Err(not_installed()),
        Ok(Err(_)) => Err(refuse::unavailable(
            "runsc cannot be run",
            "See whether it may be executed by the gateway.",
        )),
        Err(_) => Err(refuse::unavailable(
            "runsc does not come to an end",
            "The machine may be too busy, or the platform not work here; try another.",
        )),
    }
}

fn not_installed() -> garth_contract::Error {
    refuse::unavailable(
        "runsc is not installed",
        "Install gVisor (on Debian: `apt-get install runsc`), or name its program in the \
         configuration.",
    )
}

async fn printed(stream: Option<impl AsyncRead + Unpin>) -> io::Result<String> {
    let Some(mut stream) = stream else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    (&mut stream).take(MOST_PRINTED).read_to_end(&mut bytes).await?;
    // What is beyond the bound must not block it.
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
