//! The zip file: entries one after the other, and a directory of them at the end.

mod directory;
mod extra;
mod read;
mod spool;
mod write;

pub(crate) use self::{
    read::read,
    write::{Ends, Record, deflate, deflate_part, descriptor, end, local},
};

/// How records begin.
pub(crate) mod sign {
    pub(crate) const LOCAL: u32 = 0x0403_4b50;
    pub(crate) const DESCRIPTOR: u32 = 0x0807_4b50;
    pub(crate) const CENTRAL: u32 = 0x0201_4b50;
    pub(crate) const END: u32 = 0x0605_4b50;
    pub(crate) const END_64: u32 = 0x0606_4b50;
    pub(crate) const LOCATOR_64: u32 = 0x0706_4b50;
}

/// How a content is kept.
pub(crate) mod method {
    pub(crate) const STORED: u16 = 0;
    pub(crate) const DEFLATED: u16 = 8;
}

/// What is special about an entry.
pub(crate) mod bit {
    pub(crate) const ENCRYPTED: u16 = 1;
    /// Sum and sizes stand behind the content.
    pub(crate) const DESCRIPTOR: u16 = 1 << 3;
    pub(crate) const STRONGLY_ENCRYPTED: u16 = 1 << 6;
    /// The name is UTF-8.
    pub(crate) const TEXT: u16 = 1 << 11;
}

/// File types as the mode of an entry has them.
pub(crate) mod mode {
    pub(crate) const TYPE: u32 = 0o170_000;
    pub(crate) const FILE: u32 = 0o100_000;
    pub(crate) const DIR: u32 = 0o040_000;
    pub(crate) const LINK: u32 = 0o120_000;
}

/// Kinds of extra fields.
pub(crate) mod field {
    /// Sizes and places that need 64 bits.
    pub(crate) const LARGE: u16 = 1;
    /// Times as seconds of the epoch.
    pub(crate) const TIMES: u16 = 0x5455;
}

/// What a field of 32 bits holds when the number stands elsewhere.
pub(crate) const ELSEWHERE: u32 = u32::MAX;
/// The same for 16 bits.
pub(crate) const ELSEWHERE_16: u16 = u16::MAX;
/// A program on a unix system made the entry, so its mode can be believed.
pub(crate) const UNIX: u8 = 3;
