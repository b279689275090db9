//! How much an archive may hold: what is small can claim to be anything.

/// The most of everything that is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of the archive itself.
    pub archive: u64,
    /// Bytes of all files together.
    pub bytes: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Entries of every kind.
    pub entries: u64,
    /// Names in one path.
    pub depth: usize,
    /// Bytes of files per byte of the archive, once they are more than 64 MiB.
    pub ratio: u64,
}

impl Bounds {
    /// Room for a large project: 16 GiB in a million entries, files of 4 GiB.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            archive: 16 << 30,
            bytes: 16 << 30,
            file: 4 << 30,
            entries: 1_000_000,
            depth: 256,
            ratio: 250,
        }
    }
}

/// Below this, whatever the ratio, nothing is a bomb: zeros compress a thousandfold.
pub(crate) const HARMLESS: u64 = 64 << 20;
