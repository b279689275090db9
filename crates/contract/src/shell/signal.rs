//! A signal by its name or number.

use std::fmt;

use crate::{Code, Error, Result};

/// A signal that can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signal(u8);

/// Linux's signals by number, from 1.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

impl Signal {
    /// Asks to end.
    pub const TERM: Self = Self(15);
    /// Ends at once.
    pub const KILL: Self = Self(9);
    /// What ^C sends.
    pub const INT: Self = Self(2);

    /// Reads a name, with or without `SIG`, in any case, or a number from 1 to 31.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub fn parse(text: &str) -> Result<Self> {
        let upper = text.to_ascii_uppercase();
        let name = upper.strip_prefix("SIG").unwrap_or(&upper);
        let by_name = NAMES.iter().position(|known| *known == name).map(|at| at + 1);
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = by_name.or_else(|| text.parse().ok().filter(|_| plain));
        number.and_then(Self::from_number).ok_or_else(|| {
            Error::new(Code::InvalidParams, format!("unknown signal: {text:?}"))
                .hint("Name one such as TERM, KILL, INT, HUP, USR1 or STOP, or its number.")
        })
    }

    /// The signal of a number, from 1 to 31.
    #[must_use]
    pub fn from_number(number: usize) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| (1..=31).contains(number)).map(Self)
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = usize::from(self.0).checked_sub(1).and_then(|at| NAMES.get(at));
        write!(f, "SIG{}", name.unwrap_or(&"?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read_and_others_refused() {
        for text in ["TERM", "SIGTERM", "sigterm", "15"] {
            assert_eq!(Signal::parse(text).unwrap(), Signal::TERM);
        }
        for wrong in ["", "SIG", "NOPE", "0", "32", "-9", "+9", "9 "] {
            assert_eq!(Signal::parse(wrong).unwrap_err().code(), Code::InvalidParams);
        }
        assert_eq!(Signal::KILL.to_string(), "SIGKILL");
        assert_eq!(Signal::parse("SYS").unwrap().number(), 31);
    }
}
