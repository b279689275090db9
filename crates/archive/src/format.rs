//! The forms of archives there are.

/// The form of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A tape archive, with extended headers (POSIX `pax`) where they are needed.
    Tar,
    /// The same, compressed by zstd.
    TarZst,
    /// A zip file.
    Zip,
}

impl Format {
    /// Recognises an archive by its first bytes; 512 are enough.
    #[must_use]
    pub fn of(first: &[u8]) -> Option<Self> {
        const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
        // A zip file begins with its first entry, or, without any, with its end.
        const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
        if first.starts_with(ZSTD) {
            return Some(Self::TarZst);
        }
        if ZIP.iter().any(|magic| first.starts_with(magic)) {
            return Some(Self::Zip);
        }
        let block = first.get(..512)?;
        let empty = block.iter().all(|byte| *byte == 0);
        let tar = block.get(257..262) == Some(b"ustar");
        (tar || empty).then_some(Self::Tar)
    }

    /// How the names of such files end.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Tar => "tar",
            Self::TarZst => "tar.zst",
            Self::Zip => "zip",
        }
    }
}
