//! What was packed, and what went wrong on the way.

use garth_contract::{Kind, WsPath};

/// How many mishaps are named; the others are only counted.
pub const MOST_NAMED: usize = 100;

/// What went into an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// How many files.
    pub files: u64,
    /// How many directories.
    pub dirs: u64,
    /// How many links, kept as links.
    pub links: u64,
    /// How many bytes of content.
    pub bytes: u64,
    /// How many pipes, sockets and devices were left out.
    pub special: u64,
    /// How many entries could not be read, or went away, and were left out.
    pub unreadable: u64,
    /// How many files changed while they were read: what is missing of one is filled
    /// up with zeros, what came to it is cut off.
    pub changed: u64,
    /// How many files a sieve left out, or were too large for it.
    pub withheld: u64,
    /// How many files went in with something else than their content, by a sieve.
    pub sifted: u64,
    /// The first that were unreadable, changed or withheld, by path, at most
    /// [`MOST_NAMED`].
    pub mishaps: Vec<Mishap>,
}

/// One file that did not go into an archive as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mishap {
    /// Which.
    pub path: WsPath,
    /// What happened to it.
    pub what: What,
}

/// What happened to a file that was to be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It changed while it was read.
    Changed,
    /// It could not be read, and was left out.
    Unreadable,
    /// A sieve left it out, or it was too large for that.
    Withheld,
}

impl Packed {
    /// Counts an entry that went in, with so many bytes of content.
    pub(super) fn count(&mut self, kind: Kind, size: u64) {
        match kind {
            Kind::Dir => self.dirs += 1,
            Kind::Symlink => self.links += 1,
            Kind::File | Kind::Fifo | Kind::Socket | Kind::Device => {
                self.files += 1;
                self.bytes += size;
            }
        }
    }

    pub(super) fn note(&mut self, path: &WsPath, what: What) {
        match what {
            What::Changed => self.changed += 1,
            What::Unreadable => self.unreadable += 1,
            What::Withheld => self.withheld += 1,
        }
        if self.mishaps.len() < MOST_NAMED {
            self.mishaps.push(Mishap { path: path.clone(), what });
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        let Self {
            files,
            dirs,
            links,
            bytes,
            special,
            unreadable,
            changed,
            withheld,
            sifted,
            mishaps,
        } = other;
        self.withheld += withheld;
        self.sifted += sifted;
        self.files += files;
        self.dirs += dirs;
        self.links += links;
        self.bytes += bytes;
        self.special += special;
        self.unreadable += unreadable;
        self.changed += changed;
        let room = MOST_NAMED.saturating_sub(self.mishaps.len());
        self.mishaps.extend(mishaps.into_iter().take(room));
    }
}
