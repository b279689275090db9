//! Times as archives write them: whole seconds of the epoch, and parts of one.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::digits;

/// Nanoseconds of a second.
const SECOND: u32 = 1_000_000_000;
/// The longest decimal number of seconds: a sign, nineteen digits, a point, and nine.
const MOST_DECIMAL: usize = 30;

/// A moment: seconds of the epoch, rounded down, and the nanoseconds after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
}

impl Moment {
    pub(crate) fn of(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self {
                seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                nanos: after.subsec_nanos(),
            },
            Err(before) => {
                let before = before.duration();
                let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
                match before.subsec_nanos() {
                    0 => Self { seconds: -seconds, nanos: 0 },
                    nanos => Self { seconds: -seconds - 1, nanos: SECOND - nanos },
                }
            }
        }
    }

    /// The moment as a time; `None` where the system has no such time.
    pub(crate) fn time(self) -> Option<SystemTime> {
        let whole = Duration::from_secs(self.seconds.unsigned_abs());
        let start = if self.seconds < 0 {
            UNIX_EPOCH.checked_sub(whole)
        } else {
            UNIX_EPOCH.checked_add(whole)
        };
        start?.checked_add(Duration::from_nanos(self.nanos.into()))
    }

    /// A decimal number of seconds.
    pub(crate) fn decimal(self) -> Vec<u8> {
        let (sign, seconds, nanos) = match (self.seconds < 0, self.nanos) {
            (false, nanos) => ("", self.seconds.unsigned_abs(), nanos),
            (true, 0) => ("-", self.seconds.unsigned_abs(), 0),
            (true, nanos) => ("-", (self.seconds + 1).unsigned_abs(), SECOND - nanos),
        };
        let mut text = Vec::with_capacity(MOST_DECIMAL);
        text.extend_from_slice(sign.as_bytes());
        digits::push(&mut text, seconds, 0);
        if nanos != 0 {
            text.push(b'.');
            digits::push(&mut text, nanos.into(), 9);
            let zeros = text.iter().rev().take_while(|digit| **digit == b'0').count();
            text.truncate(text.len() - zeros);
        }
        text
    }

    /// Reads a decimal number of seconds; digits beyond nanoseconds do not count.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !plain(whole) || !plain(part) {
            return None;
        }
        let seconds: i64 = whole.parse().ok()?;
        let part: String = part.chars().chain("000000000".chars()).take(9).collect();
        let nanos: u32 = part.parse().ok()?;
        Some(match (negative, nanos) {
            (false, nanos) => Self { seconds, nanos },
            (true, 0) => Self { seconds: -seconds, nanos: 0 },
            (true, nanos) => Self { seconds: -seconds - 1, nanos: SECOND - nanos },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_is_written() {
        for (seconds, nanos, text) in [
            (0, 0, "0"),
            (5, 0, "5"),
            (5, 500_000_000, "5.5"),
            (5, 1, "5.000000001"),
            (-2, 500_000_000, "-1.5"),
            (-1, 900_000_000, "-0.1"),
            (-3, 0, "-3"),
        ] {
            let moment = Moment { seconds, nanos };
            assert_eq!(moment.decimal(), text.as_bytes());
            assert_eq!(Moment::parse(text.as_bytes()), Some(moment));
            assert_eq!(moment.time().map(Moment::of), Some(moment));
        }
        assert_eq!(Moment::parse(b"1.0000000019"), Some(Moment { seconds: 1, nanos: 1 }));
        for wrong in ["", "-", ".5", "1.x", "+1", "1e3", "99999999999999999999", " 1"] {
            assert_eq!(Moment::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
