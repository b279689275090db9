//! Whether any of a few strings may stand in a value, by the three bytes that each begins with.
//!
//! All are looked for at once, one bit of a number for each byte of each beginning: it costs the
//! same however many there are, and needs neither a branch nor the memory of the step before.

/// So many bytes of a string are looked for.
const LEN: usize = 3;

/// What strings begin with.
pub(in crate::judge) struct Beginnings {
    /// The bits that each byte leaves.
    masks: [u64; 256],
    /// The bits of the first bytes.
    first: u64,
}

impl Beginnings {
    /// The beginnings of these strings, in any case; strings that begin alike share one.
    #[expect(
        clippy::indexing_slicing,
        reason = "a string that does not fit fails when it is built"
    )]
    pub(in crate::judge) const fn of(lists: &[&[&str]]) -> Self {
        let mut beginnings = Self { masks: [0; 256], first: 0 };
        let mut bit = 0;
        let mut list = 0;
        while list < lists.len() {
            let mut rest = lists[list];
            while let [text, others @ ..] = rest {
                let bytes = text.as_bytes();
                if !beginnings.may_begin(bytes[0], bytes[1], bytes[2]) {
                    beginnings.first |= 1 << bit;
                    let mut at = 0;
                    while at < LEN {
                        beginnings.masks[bytes[at].to_ascii_lowercase() as usize] |= 1 << bit;
                        beginnings.masks[bytes[at].to_ascii_uppercase() as usize] |= 1 << bit;
                        at += 1;
                        bit += 1;
                    }
                }
                rest = others;
            }
            list += 1;
        }
        assert!(bit <= u64::BITS as usize, "too many beginnings");
        beginnings
    }

    #[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
    const fn may_begin(&self, one: u8, two: u8, three: u8) -> bool {
        let masks = &self.masks;
        let two = masks[two as usize] >> 1;
        self.first & masks[one as usize] & two & masks[three as usize] >> 2 != 0
    }

    /// Whether one of them may stand in a value.
    pub(in crate::judge) fn may_be_in(&self, value: &[u8]) -> bool {
        let (mut state, mut whole) = (0, 0);
        for &byte in value {
            state = self.step(state, byte);
            whole |= state;
        }
        self.is_whole(whole)
    }

    /// What has begun, now that a byte follows.
    #[inline(always)]
    pub(in crate::judge) fn step(&self, state: u64, byte: u8) -> u64 {
        let mask = self.masks.get(usize::from(byte)).copied().unwrap_or_default();
        (state << 1 | self.first) & mask
    }

    /// Whether the last byte of a beginning is among what was met.
    pub(in crate::judge) fn is_whole(&self, states: u64) -> bool {
        states & self.first << (LEN - 1) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static BEGINNINGS: Beginnings =
        Beginnings::of(&[&["change", "xxxx", "CHAT"], &["_here", "not"]]);

    #[test]
    fn every_string_is_seen_wherever_it_stands_and_in_any_case() {
        for text in ["change", "xxxx", "chat", "_here", "not"] {
            for text in [text.to_owned(), text.to_uppercase(), format!("ab{text}yz")] {
                assert!(BEGINNINGS.may_be_in(text.as_bytes()), "{text}");
            }
        }
        for text in ["", "c", "ch", "cxa", "no", "xx", "_h", "abcdehfa", "Kp4Qx7Rm2Sn5"] {
            assert!(!BEGINNINGS.may_be_in(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn strings_that_begin_alike_share_their_bits() {
        assert_eq!(BEGINNINGS.first.count_ones(), 4);
    }
}
