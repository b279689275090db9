//! Behind which bytes a keyword counts, in bits: it is asked wherever one may stand.

use crate::rules::Rule;

/// The bytes behind which some rule takes a keyword.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Follows(u32);

impl Follows {
    /// What a rule says of every keyword it has.
    pub(super) fn by(rule: &Rule) -> Self {
        let mut bits = 0;
        for &before in KINDS.iter().filter_map(|kind| kind.first()) {
            for first in *b"xX" {
                let taken = rule.may_follow(before, first);
                bits |= u32::from(taken) << place(before, first);
            }
        }
        Self(bits)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a keyword that begins with `first` counts right behind `before`.
    pub(super) fn has(self, before: u8, first: u8) -> bool {
        self.0 >> place(before, first) & 1 == 1
    }
}

/// Bytes that no rule tells apart; what is not here is like the first.
const KINDS: [&[u8]; 10] = [
    b" ",
    b"abcdefghijklmnopqrstuvwxyz",
    b"ABCEFGHIJKLMNOPQRSTUVWXYZ",
    // The mark of a property may end in it.
    b"D",
    b"0123456789",
    b"_-",
    b"/",
    b"@",
    b"+",
    b"=",
];

fn place(before: u8, first: u8) -> u32 {
    let kind = OF_BYTE.get(usize::from(before)).copied().unwrap_or_default();
    u32::from(kind) << 1 | u32::from(first.is_ascii_uppercase())
}

static OF_BYTE: [u8; 256] = of_byte();

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn of_byte() -> [u8; 256] {
    let mut of_byte = [0; 256];
    let mut kind = 0_u8;
    while (kind as usize) < KINDS.len() {
        let mut bytes = KINDS[kind as usize];
        while let [byte, rest @ ..] = bytes {
            of_byte[*byte as usize] = kind;
            bytes = rest;
        }
        kind += 1;
    }
    of_byte
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    #[test]
    fn it_says_what_the_rule_says_of_every_byte() {
        for (_, rule) in rules::all() {
            let follows = Follows::by(rule);
            for (before, first) in (0..=u8::MAX).flat_map(|before| [(before, b'k'), (before, b'K')])
            {
                let taken = rule.may_follow(before, first);
                assert_eq!(follows.has(before, first), taken, "{} {before}", rule.name);
            }
        }
    }
}
