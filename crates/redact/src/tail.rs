//! How a secret goes on behind the part that proved it to be one.
//!
//! A rule looks at a bounded window; the secret it finds there may be longer than any window: a
//! token of a megabyte, a key of many lines. A tail follows it byte by byte and keeps only what it
//! needs to go on, so that a text in pieces and the same text in one end at the same byte.

mod pem;

pub(crate) use pem::{Pem, is_base64};

/// Whether more text may follow the part that is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// More may come.
    Open,
    /// The text ends here.
    Final,
}

/// The way a secret continues.
#[derive(Debug, Clone)]
pub(crate) enum Tail {
    /// It ends where the rule says.
    Closed,
    /// It goes on as long as bytes of a class follow.
    Run(fn(u8) -> bool),
    /// It goes on to the quote that opened it or to the end of the line.
    Quoted(Quoted),
    /// It goes on like the body of a PEM block.
    Pem(Pem),
}

/// The inside of a quoted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quoted {
    pub(crate) quote: u8,
    /// The last byte was a backslash, so the next one does not close the value.
    pub(crate) escaped: bool,
}

/// How far a tail came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// So many bytes belong to the secret.
    pub(crate) taken: usize,
    /// Whether it may go on; then what was not taken has to be shown again, with more behind it.
    pub(crate) open: bool,
}

impl Tail {
    /// Whether it goes on like another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Closed, Self::Closed) => true,
            (Self::Run(one), Self::Run(other)) => std::ptr::fn_addr_eq(*one, *other),
            (Self::Quoted(one), Self::Quoted(other)) => one == other,
            (Self::Pem(one), Self::Pem(other)) => one == other,
            (Self::Closed | Self::Run(_) | Self::Quoted(_) | Self::Pem(_), _) => false,
        }
    }

    /// Follows the secret into `rest`, the text right behind what was taken so far.
    pub(crate) fn advance(&mut self, rest: &[u8], ending: Ending) -> Step {
        let taken = match self {
            Self::Closed => return Step { taken: 0, open: false },
            Self::Pem(pem) => return pem.advance(rest, ending),
            Self::Run(class) => rest.iter().take_while(|&&byte| class(byte)).count(),
            Self::Quoted(quoted) => quoted.advance(rest),
        };
        Step { taken, open: taken == rest.len() && ending == Ending::Open }
    }
}

impl Quoted {
    pub(crate) fn advance(&mut self, rest: &[u8]) -> usize {
        for (index, &byte) in rest.iter().enumerate() {
            if byte == b'\n' || (byte == self.quote && !self.escaped) {
                return index;
            }
            self.escaped = byte == b'\\' && !self.escaped;
        }
        rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_the_first_other_byte() {
        let mut tail = Tail::Run(|byte| byte.is_ascii_digit());
        assert_eq!(tail.advance(b"12", Ending::Open), Step { taken: 2, open: true });
        assert_eq!(tail.advance(b"34;", Ending::Open), Step { taken: 2, open: false });
        assert_eq!(tail.advance(b"56", Ending::Final), Step { taken: 2, open: false });
    }

    #[test]
    fn an_escaped_quote_does_not_close_even_across_pieces() {
        let mut tail = Tail::Quoted(Quoted { quote: b'"', escaped: false });
        assert_eq!(tail.advance(b"a\\", Ending::Open), Step { taken: 2, open: true });
        assert_eq!(tail.advance(b"\"b\" c", Ending::Open), Step { taken: 2, open: false });
    }
}
