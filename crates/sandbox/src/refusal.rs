//! Why a sandbox was not started.

use std::fmt;

use garth_contract::{Code, Error};
use rustix::io::Errno;

use crate::{Layer, act::Act};

/// A sandbox that was refused: which layer, at what, and what to do about it.
///
/// Nothing runs after one. It holds no path of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    layer: Layer,
    doing: &'static str,
    cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Kernel(Errno),
    Spec(&'static str),
}

impl Refusal {
    /// What the kernel answered to one act.
    pub(crate) fn at(act: Act, errno: Errno) -> Self {
        Self { layer: act.layer(), doing: act.phrase(), cause: Cause::Kernel(errno) }
    }

    /// What is wrong about the spec itself, or about this machine.
    pub(crate) fn of(act: Act, why: &'static str) -> Self {
        Self { layer: act.layer(), doing: act.phrase(), cause: Cause::Spec(why) }
    }

    /// What this machine refused before a sandbox was asked for.
    pub(crate) fn from_io(error: &std::io::Error) -> Self {
        Self::at(Act::Channel, Errno::from_io_error(error).unwrap_or(Errno::IO))
    }

    /// The layer that could not be had.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// What the kernel answered, where it was the kernel that refused.
    #[must_use]
    pub fn errno(&self) -> Option<i32> {
        match self.cause {
            Cause::Kernel(errno) => Some(errno.raw_os_error()),
            Cause::Spec(_) => None,
        }
    }

    /// What an operator can do about it.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        self.layer.advice()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no sandbox: layer {}: cannot {}: ", self.layer, self.doing)?;
        match self.cause {
            Cause::Kernel(errno) => write!(f, "{errno}"),
            Cause::Spec(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(Code::ProviderUnavailable, refusal.to_string()).hint(refusal.advice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_its_layer_and_what_to_do() {
        let refusal = Refusal::at(Act::MountProc, Errno::PERM);
        assert_eq!(refusal.layer(), Layer::Mounts);
        let error = Error::from(refusal);
        assert_eq!(error.code(), Code::ProviderUnavailable);
        assert!(error.message().starts_with("no sandbox: layer mounts: cannot "), "{error}");
        assert_eq!(error.advice(), Layer::Mounts.advice());
    }
}
