//! Says where a long run of letters and digits begins.
//!
//! Of a run of [`LEAST`] two neighbours of every eight bytes hold nothing else, wherever it begins;
//! so a text is looked at by eights, and only what stands before two such is read byte by byte.

use super::fold::{ALPHANUMERIC, BLOCK, Block, RUN};
use crate::prefixed;

const EIGHT: usize = 8;

/// Every run of so many letters and digits is seen, and some that are shorter.
const LEAST: usize = prefixed::RANDOM;

const _: () = assert!(LEAST >= 3 * EIGHT - 1 && BLOCK.is_multiple_of(EIGHT));

/// How many eights of letters and digits stand before the next block.
#[derive(Debug, Default)]
pub(super) struct Runs {
    eights: usize,
}

impl Runs {
    /// Gives `take` where the runs begin that are found out in a block, but for one at the very
    /// beginning of the text.
    pub(super) fn begins(&mut self, block: &Block<'_>, bytes: &[u8], mut take: impl FnMut(usize)) {
        const ALL: u64 = u64::from_le_bytes([ALPHANUMERIC; EIGHT]);
        let own = block.folded.len().saturating_sub(RUN);
        let (eights, _) = block.folded.get(..own).unwrap_or_default().as_chunks::<EIGHT>();
        for (index, eight) in eights.iter().enumerate() {
            let full = u64::from_le_bytes(*eight) & ALL == ALL;
            self.eights = if full { self.eights + 1 } else { 0 };
            if self.eights == 2 {
                // The eight before the two is not full, or is not there.
                let first = block.from + index * EIGHT - EIGHT;
                let before = bytes.get(first.saturating_sub(EIGHT)..first).unwrap_or_default();
                let joined = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric());
                let begin = first - joined.count();
                if begin > 0 {
                    take(begin);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fold;
    use super::*;

    #[test]
    fn a_long_run_is_seen_wherever_it_stands() {
        for before in (1..60).chain(BLOCK - 40..BLOCK + 40) {
            for behind in ["", "-", "-and more of it"] {
                let text = format!("{}{}{behind}", "#".repeat(before), "a1".repeat(LEAST / 2));
                let mut found = Vec::new();
                let mut runs = Runs::default();
                fold::blocks(text.as_bytes(), |block| {
                    runs.begins(block, text.as_bytes(), |begin| found.push(begin));
                });
                assert_eq!(found, [before], "{text}");
            }
        }
    }
}
