//! The tape archive: blocks of 512 bytes, a header before each entry.

mod header;
mod pax;
mod read;
mod said;
mod write;

pub(crate) use self::{
    read::read,
    write::{end, padding, write_header},
};

/// Everything in a tape archive is a whole number of these.
pub(crate) const BLOCK: usize = 512;

/// What a header says its entry is.
pub(crate) mod flag {
    pub(crate) const OLD_FILE: u8 = 0;
    pub(crate) const FILE: u8 = b'0';
    pub(crate) const HARD_LINK: u8 = b'1';
    pub(crate) const LINK: u8 = b'2';
    pub(crate) const CHARACTER: u8 = b'3';
    pub(crate) const BLOCK_DEVICE: u8 = b'4';
    pub(crate) const DIR: u8 = b'5';
    pub(crate) const FIFO: u8 = b'6';
    pub(crate) const CONTIGUOUS: u8 = b'7';
    /// Extended records for the next entry.
    pub(crate) const PAX: u8 = b'x';
    /// Extended records for all entries that follow.
    pub(crate) const PAX_ALL: u8 = b'g';
    /// GNU: the next entry's name is the content.
    pub(crate) const LONG_NAME: u8 = b'L';
    /// GNU: the next entry's link target is the content.
    pub(crate) const LONG_LINK: u8 = b'K';
}
