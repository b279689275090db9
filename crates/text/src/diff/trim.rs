//! What two texts have in common at their ends, skipped on line borders.

use memchr::{memchr, memchr_iter, memrchr, memrchr_iter};

use super::Ends;

/// How much is compared at once: long enough for a fast `memcmp`, short enough
/// to search byte by byte once it differs.
const BLOCK: usize = 1024;

/// Equal lines left on either side of the differing ones, so that a change
/// which could stand higher or lower can be put where it reads best.
const SLACK: usize = 16;

/// The part of two texts that differs; it begins and ends on line borders.
pub(super) struct Middle {
    /// Where it begins in both.
    pub(super) start: usize,
    /// Where it ends in the old text.
    pub(super) old_end: usize,
    /// Where it ends in the new text.
    pub(super) new_end: usize,
}

impl Middle {
    /// Finds it, or `None` when the texts are equal.
    pub(super) fn between(old: &[u8], new: &[u8], same: Ends) -> Option<Self> {
        let prefix = common_prefix(old, new, same.front);
        if prefix == old.len() && prefix == new.len() {
            return None;
        }
        let head = old.get(..prefix)?;
        let start = memrchr(b'\n', head).map_or(0, |at| at + 1);
        let (old_rest, new_rest) = (old.get(start..)?, new.get(start..)?);
        let suffix = whole_lines(old_rest, new_rest, common_suffix(old_rest, new_rest, same.back));
        let tail = old.get(old.len() - suffix..)?;
        let suffix = suffix - ahead(tail, SLACK);
        let start = back(head.get(..start)?, SLACK);
        Some(Self { start, old_end: old.len() - suffix, new_end: new.len() - suffix })
    }
}

/// Where the last `count` lines of a text begin that ends on a line border.
pub(super) fn back(text: &[u8], count: usize) -> usize {
    memrchr_iter(b'\n', text).nth(count).map_or(0, |at| at + 1)
}

/// Where the first `count` lines of a text end.
pub(super) fn ahead(text: &[u8], count: usize) -> usize {
    match count.checked_sub(1) {
        Some(last) => memchr_iter(b'\n', text).nth(last).map_or(text.len(), |at| at + 1),
        None => 0,
    }
}

/// How many bytes at the front are the same, of which some are known to be.
fn common_prefix(left: &[u8], right: &[u8], known: usize) -> usize {
    let known = known.min(left.len()).min(right.len());
    let (left, right) =
        (left.get(known..).unwrap_or_default(), right.get(known..).unwrap_or_default());
    let blocks = left.chunks_exact(BLOCK).zip(right.chunks_exact(BLOCK));
    let whole = blocks.take_while(|(left, right)| left == right).count() * BLOCK;
    let (left, right) = (left.iter().skip(whole), right.iter().skip(whole));
    known + whole + left.zip(right).take_while(|(left, right)| left == right).count()
}

fn common_suffix(left: &[u8], right: &[u8], known: usize) -> usize {
    let known = known.min(left.len()).min(right.len());
    let without = |text: &[u8]| text.len() - known;
    let (left, right) = (
        left.get(..without(left)).unwrap_or_default(),
        right.get(..without(right)).unwrap_or_default(),
    );
    let blocks = left.rchunks_exact(BLOCK).zip(right.rchunks_exact(BLOCK));
    let whole = blocks.take_while(|(left, right)| left == right).count() * BLOCK;
    let (left, right) = (left.iter().rev().skip(whole), right.iter().rev().skip(whole));
    known + whole + left.zip(right).take_while(|(left, right)| left == right).count()
}

/// Shortens a common suffix to one that begins a line in both texts.
fn whole_lines(old: &[u8], new: &[u8], suffix: usize) -> usize {
    let begins_line = |text: &[u8]| match (text.len() - suffix).checked_sub(1) {
        Some(before) => text.get(before) == Some(&b'\n'),
        None => true,
    };
    if begins_line(old) && begins_line(new) {
        return suffix;
    }
    let tail = old.get(old.len() - suffix..).unwrap_or_default();
    memchr(b'\n', tail).map_or(0, |at| suffix - at - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ends_are_measured_across_blocks() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let left = vec![b'a'; length];
            let prefix = [&left[..], b"x"].concat();
            let (one, other) = ([b"x", &left[..]].concat(), [b"y", &left[..]].concat());
            for known in [0, length / 2, length] {
                assert_eq!(common_prefix(&left, &prefix, known), length);
                assert_eq!(common_prefix(&prefix, &[&left[..], b"y"].concat(), known), length);
                assert_eq!(common_suffix(&one, &other, known), length);
            }
        }
    }

    #[test]
    fn a_common_suffix_begins_a_line_in_both_texts() {
        assert_eq!(whole_lines(b"ax\nb\n", b"cx\nb\n", 4), 2);
        assert_eq!(whole_lines(b"x\nb\n", b"cx\nb\n", 4), 2);
        assert_eq!(whole_lines(b"a\nx\n", b"b\nx\n", 2), 2);
        assert_eq!(whole_lines(b"a", b"ba", 1), 0);
    }

    #[test]
    fn lines_are_counted_from_either_end() {
        assert_eq!(back(b"a\nb\nc\n", 2), 2);
        assert_eq!(back(b"a\nb\n", 5), 0);
        assert_eq!(ahead(b"a\nb\nc", 2), 4);
        assert_eq!(ahead(b"a\nb", 5), 3);
        assert_eq!(ahead(b"a\nb", 0), 0);
    }
}
