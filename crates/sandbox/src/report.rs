//! What a new process says before it is the program: a few bytes on a pipe.

use rustix::io::Errno;

use crate::{
    Refusal,
    act::{Act, Failed},
};

/// The length of one report.
const LENGTH: usize = 8;

const LACKING: u8 = 1;
const FAILED: u8 = 2;

/// One thing that it says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Report {
    /// All layers are on, but for these.
    Lacking(u16),
    /// It could not go on.
    Failed(Failed),
}

impl Report {
    /// As bytes.
    pub(crate) fn to_bytes(self) -> [u8; LENGTH] {
        match self {
            Self::Lacking(layers) => {
                let [low, high] = layers.to_le_bytes();
                [LACKING, 0, low, high, 0, 0, 0, 0]
            }
            Self::Failed(failed) => {
                let [a, b, c, d] = failed.errno.raw_os_error().to_le_bytes();
                [FAILED, failed.act as u8, 0, 0, a, b, c, d]
            }
        }
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let [kind, act, low, high, a, b, c, d] = *bytes else { return None };
        match kind {
            LACKING => Some(Self::Lacking(u16::from_le_bytes([low, high]))),
            FAILED => {
                let errno = Errno::from_raw_os_error(i32::from_le_bytes([a, b, c, d]));
                Some(Self::Failed(Failed { act: Act::from_number(act)?, errno }))
            }
            _ => None,
        }
    }
}

/// What came of it: the layers that are lacking, or why there is no sandbox.
pub(crate) fn outcome(bytes: &[u8]) -> Result<u16, Refusal> {
    let vanished = Refusal::of(Act::Vanished, "it ended before its program ran");
    let mut reports = bytes.chunks(LENGTH).map(Report::from_bytes);
    let last = reports.next_back().flatten().ok_or(vanished)?;
    match last {
        Report::Lacking(layers) => Ok(layers),
        Report::Failed(failed) => Err(failed.into()),
    }
}

/// Room for all that it can say.
pub(crate) const ROOM: usize = 2 * LENGTH;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let fine = Report::Lacking(0x102).to_bytes();
        let failed = Failed { act: Act::Exec, errno: Errno::NOENT };
        let failed = Report::Failed(failed).to_bytes();
        assert_eq!(outcome(&fine), Ok(0x102));
        assert_eq!(outcome(&[fine, failed].concat()), Err(Refusal::at(Act::Exec, Errno::NOENT)));
        assert!(outcome(&[]).is_err());
        assert!(outcome(&fine[..3]).is_err());
    }
}
