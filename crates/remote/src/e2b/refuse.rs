//! What went wrong at whoever speaks E2B's wire, in the words of the contract.

use std::time::Duration;

use garth_contract::{Code, Detail, Error};

use super::http::Answer;
use crate::container::said;

/// The sandbox cannot be had, for a reason and with something to do about it.
pub(crate) fn unavailable(what: impl Into<String>, hint: &'static str) -> Error {
    Error::new(Code::ProviderUnavailable, what.into()).hint(hint)
}

/// Nobody answers.
pub(super) fn unreachable(what: &'static str) -> Error {
    unavailable(what, "See whether the address is right, and whether E2B answers at it.")
}

/// A refusal of something that was asked for.
///
/// What is said with it is repeated in one line, but never where a key was refused: it
/// may be that key.
pub(super) fn refused(what: &str, answer: &Answer) -> Error {
    match answer.status {
        401 | 403 => unavailable(
            format!("E2B refuses the key, when asked to {what}"),
            "See whether e2b_provider.key_file or key_env names the right key.",
        ),
        429 => too_often(what, answer.wait),
        status => unavailable(
            format!("E2B refuses to {what} ({status}): {}", said(&answer.message())),
            "Read what it says; its own log may have more.",
        ),
    }
}

fn too_often(what: &str, wait: Option<Duration>) -> Error {
    let error = unavailable(
        format!("E2B is asked too often, at last to {what}"),
        "Try again later, or ask for a larger share of it.",
    );
    match wait {
        Some(wait) => error.with(Detail::RetryAfter(wait)),
        None => error,
    }
}

/// What came is nothing that belongs to this wire.
pub(super) fn unruly(what: &str) -> Error {
    unavailable(
        format!("what answers does not speak E2B's wire: {what}"),
        "See whether the address is that of E2B's interface.",
    )
}
