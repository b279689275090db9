//! What an archive says of one entry before its content.

use std::time::SystemTime;

/// What an entry of an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Dir,
    Link,
}

/// One entry, as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) kind: Kind,
    /// Its path below the tree's top, without a slash at the end.
    pub(crate) name: &'a [u8],
    /// What a link says.
    pub(crate) target: &'a [u8],
    /// The bytes of a file.
    pub(crate) size: u64,
    /// Permission bits, none but `0o777`.
    pub(crate) mode: u32,
    pub(crate) modified: Option<SystemTime>,
}
