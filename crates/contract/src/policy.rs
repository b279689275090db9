//! What a workspace forbids, as its operator set it up.
//!
//! Plain data: a backend compiles it once. Globs are judged on the object that a
//! path resolves to, never on the text that was sent, so a link is no way round.

/// The rules of one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether anything may be changed.
    pub access: Access,
    /// Globs of what can be seen and touched, and everything below it; none given
    /// means everything.
    ///
    /// Directories that can lead to such are seen too, and nothing else in them. What
    /// `deny` covers stays denied.
    pub allow: Vec<String>,
    /// Globs of what can be neither seen nor touched, and everything below it.
    ///
    /// A pattern without `/` matches a name at any depth. It holds for paths that
    /// do not exist yet, too.
    pub deny: Vec<String>,
    /// Globs of what can be read and not changed, made or removed.
    pub protect: Vec<String>,
    /// Whether a file with several names, some perhaps outside, can be read.
    pub hard_links: HardLinks,
    /// The largest file that can be written, in bytes.
    pub max_file: u64,
    /// The most bytes that all files together may have; `None` is no bound.
    pub quota: Option<u64>,
    /// Whether a write waits for the disk.
    pub durability: Durability,
}

/// Whether anything may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Files can be read and changed.
    ReadWrite,
    /// Every change is `READ_ONLY`.
    ReadOnly,
}

/// Whether a file with several hard links can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardLinks {
    /// It reads like any other; a write breaks the link and changes this name only.
    Allow,
    /// `PERMISSION_DENIED`.
    Refuse,
}

/// Whether a write waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// What was acknowledged survives a power loss.
    Synced,
    /// The system writes when it likes; still whole or not at all.
    Fast,
}

impl Policy {
    /// Everything allowed, writes synced, files of up to 1 GiB.
    #[must_use]
    pub fn open() -> Self {
        Self {
            access: Access::ReadWrite,
            allow: Vec::new(),
            deny: Vec::new(),
            protect: Vec::new(),
            hard_links: HardLinks::Allow,
            max_file: 1 << 30,
            quota: None,
            durability: Durability::Synced,
        }
    }
}
