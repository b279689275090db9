//! The errors of engines in the words of the contract.

use std::{future::Future, time::Duration};

use bollard::errors::Error as Fault;
use garth_contract::{Code, Error, Result};
use tokio::time;

/// The longest answer of an engine that is repeated to the operator.
const MOST_REPEATED: usize = 300;

/// The sandbox cannot be had, for a reason and with something to do about it.
pub(super) fn unavailable(what: impl Into<String>, hint: &'static str) -> Error {
    Error::new(Code::ProviderUnavailable, what.into()).hint(hint)
}

/// There is no guest to put into a container.
pub(super) fn no_guest() -> Error {
    unavailable(
        "the guest's program is not there",
        "Install garth-guest beside garth, or name it in the configuration.",
    )
}

/// There is no root filesystem.
pub(super) fn no_root() -> Error {
    unavailable(
        "the root filesystem's directory is not there",
        "Make it, for example with debootstrap, or name an image instead.",
    )
}

/// There is no engine.
pub(super) fn no_engine() -> Error {
    unavailable(
        "no container engine answers",
        "Install podman and start its service (`systemctl enable --now podman.socket`), or \
         install Docker; or name the engine's socket in the configuration.",
    )
}

/// Waits for an engine's answer, and not for ever.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE`: no engine, no answer in time, or a refusal of `what`.
pub(super) async fn asking<T>(
    what: &str,
    patience: Duration,
    answer: impl Future<Output = Result<T, Fault>>,
) -> Result<T> {
    match time::timeout(patience, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(fault)) => Err(translate(what, &fault)),
        Err(_) => Err(unavailable(
            format!("the container engine does not answer: {what}"),
            "Look at the engine's own log; restart it if it hangs.",
        )),
    }
}

/// The same, where it is no error that there is no such thing.
///
/// # Errors
/// As for [`asking`].
pub(super) async fn seeking<T>(
    what: &str,
    patience: Duration,
    answer: impl Future<Output = Result<T, Fault>>,
) -> Result<Option<T>> {
    let sought = async {
        match answer.await {
            Err(Fault::DockerResponseServerError { status_code: 404, .. }) => Ok(None),
            Ok(found) => Ok(Some(found)),
            Err(fault) => Err(fault),
        }
    };
    asking(what, patience, sought).await
}

/// A fault of the engine's client as an error.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enum is another crate's and grows with its features"
)]
pub(super) fn translate(what: &str, fault: &Fault) -> Error {
    match fault {
        Fault::DockerResponseServerError { message, .. }
        | Fault::DockerStreamError { error: message } => unavailable(
            format!("the container engine refuses to {what}: {}", said(message)),
            "Read what the engine says; its own log may have more.",
        ),
        Fault::SocketNotFoundError(_) | Fault::HyperLegacyError { .. } => no_engine(),
        _ => unavailable(
            format!("the container engine failed: {what}"),
            "Look at the engine's own log; restart it if it hangs.",
        ),
    }
}

/// What another program said, in one line and without the paths of this machine.
pub(crate) fn said(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        match word.find('/') {
            Some(at) => {
                line.push_str(word.get(..at).unwrap_or_default());
                line.push('…');
            }
            None => line.push_str(word),
        }
        if line.len() > MOST_REPEATED {
            break;
        }
    }
    line.chars().take(MOST_REPEATED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_says_is_repeated_without_paths() {
        let text = "runc: cannot open \"/var/lib/x/secret\":\n no such file";
        assert_eq!(said(text), "runc: cannot open \"… no such file");
        assert!(said(&"long ".repeat(1_000)).len() <= MOST_REPEATED);
    }
}
