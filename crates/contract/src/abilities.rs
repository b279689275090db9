//! What a backend can do, so that a caller asks before it calls.

/// What one backend can do beyond reading, writing and listing plain files.
///
/// An operation that a backend lacks answers `UNSUPPORTED`; the conformance suite
/// holds it to what it says here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Accepts writes at all.
    pub write: bool,
    /// Renames a file or a whole directory in one step.
    pub rename: bool,
    /// Keeps directories that hold nothing.
    pub empty_dirs: bool,
    /// Follows and lists symbolic links.
    pub symlinks: bool,
    /// Lists FIFOs, sockets and devices.
    pub special_files: bool,
    /// Keeps permission bits.
    pub modes: bool,
    /// Carries names that are not UTF-8.
    pub any_names: bool,
    /// Reports changes as they happen.
    pub watch: bool,
    /// Searches next to the files.
    pub find: bool,
    /// Gives and takes whole trees: `read_link` and `stage`.
    pub trees: bool,
    /// Keeps what was acknowledged when the machine loses power.
    pub durable: bool,
}
