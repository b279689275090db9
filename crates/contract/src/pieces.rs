//! The version of a content by its pieces, each of which can be told alone.
//!
//! A version is the root of a tree of hashes, and pieces of this length are whole
//! branches of it. So their marks cost nothing beside the version, and whoever has
//! them knows of one piece whether it belongs to that content without the others.

use blake3::{
    Hasher,
    hazmat::{ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root},
};

use crate::Version;

/// The length of a piece in bytes; the last one may be shorter. A power of two, so
/// that pieces are branches of the tree.
pub const PIECE: usize = 1 << 20;

/// The marks of a content's pieces, in order: 32 bytes for each.
///
/// ```
/// use garth_contract::{PIECE, Pieces, Version};
///
/// let content = vec![7; 2 * PIECE + 1];
/// let mut pieces = Pieces::default();
/// for piece in content.chunks(PIECE) {
///     pieces.add(piece);
/// }
/// assert_eq!(pieces.version(), Version::of(&content));
/// assert!(pieces.has(1, &content[..PIECE]) && !pieces.has(2, &content[..PIECE]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    marks: Vec<ChainingValue>,
    length: u64,
    /// What the whole is, while it is no longer than one piece.
    whole: Option<Version>,
}

impl Pieces {
    /// Takes the next piece: [`PIECE`] bytes, fewer only at the end, never none.
    pub fn add(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        self.whole = self.marks.is_empty().then(|| Version::of(piece));
        self.marks.push(mark(self.marks.len(), piece));
        self.length += piece.len() as u64;
    }

    /// The length of all pieces together, in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The version of all pieces together.
    #[must_use]
    pub fn version(&self) -> Version {
        if let Some(whole) = self.whole {
            return whole;
        }
        let Some((left, right)) = split(&self.marks) else { return Version::of(b"") };
        let root = merge_subtrees_root(&branch(left), &branch(right), Mode::Hash);
        Version::from_parts(*root.as_bytes(), self.length)
    }

    /// Tells whether bytes are the piece of this number, counted from 0.
    #[must_use]
    pub fn has(&self, number: usize, piece: &[u8]) -> bool {
        !piece.is_empty() && self.marks.get(number) == Some(&mark(number, piece))
    }
}

fn mark(number: usize, piece: &[u8]) -> ChainingValue {
    let mut hasher = Hasher::new();
    hasher.set_input_offset(number as u64 * PIECE as u64);
    hasher.update(piece);
    hasher.finalize_non_root()
}

/// The two branches that a node of the tree has: as many pieces on the left as the
/// largest power of two that leaves some on the right.
fn split(marks: &[ChainingValue]) -> Option<(&[ChainingValue], &[ChainingValue])> {
    let left = marks.len().checked_sub(1)?.checked_ilog2()?;
    marks.split_at_checked(1 << left)
}

fn branch(marks: &[ChainingValue]) -> ChainingValue {
    match split(marks) {
        Some((left, right)) => merge_subtrees_non_root(&branch(left), &branch(right), Mode::Hash),
        None => marks.first().copied().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(length: usize) -> Vec<u8> {
        // No two pieces are the same.
        (0..length).map(|at| (at.wrapping_mul(0x9e37_79b1) >> 20).to_le_bytes()[0]).collect()
    }

    #[test]
    fn pieces_have_the_version_of_the_whole() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 7 * PIECE + 1025] {
            let content = content(length);
            let mut pieces = Pieces::default();
            content.chunks(PIECE).for_each(|piece| pieces.add(piece));
            assert_eq!(pieces.version(), Version::of(&content), "{length}");
            assert_eq!(pieces.length(), length as u64);
        }
    }

    #[test]
    fn a_piece_is_known_by_its_bytes_and_its_place() {
        let mut content = content(3 * PIECE + 5);
        let mut pieces = Pieces::default();
        content.chunks(PIECE).for_each(|piece| pieces.add(piece));
        for (number, piece) in content.chunks(PIECE).enumerate() {
            assert!(pieces.has(number, piece));
            assert!(!pieces.has(number + 1, piece) && !pieces.has(number, &piece[1..]));
        }
        assert!(!pieces.has(4, b"") && !pieces.has(9, b"x"));
        content[PIECE + 7] ^= 1;
        assert!(!pieces.has(1, &content[PIECE..2 * PIECE]));
    }
}
