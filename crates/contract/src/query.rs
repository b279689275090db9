//! One question to a tree: recursive list, glob and grep are the same walk.

use crate::{Kind, WsPath};

/// What is looked for, where, and how much of it.
#[derive(Clone, Debug)]
pub struct Query {
    /// The directory (or the one file) to look at.
    pub base: WsPath,
    /// How deep to look.
    pub reach: Reach,
    /// Patterns of which a path must match one; none given means all match.
    pub include: Vec<Glob>,
    /// Patterns of which a path, or a directory on the way to it, must match none.
    pub exclude: Vec<Glob>,
    /// Which kinds of entries count.
    pub kinds: Kinds,
    /// Whether names that begin with a dot count.
    pub hidden: Hidden,
    /// Whether ignore files are respected.
    pub ignored: Ignored,
    /// What must be found inside the files, if anything.
    pub grep: Option<Grep>,
    /// What is told of an entry whose path matches; with `grep` it says nothing.
    pub facts: Facts,
    /// The order of the results.
    pub order: Order,
    /// How many results are passed over.
    pub skip: u64,
    /// How many results are wanted at most.
    pub take: u64,
    /// The path behind which results begin, by the order of paths; nothing need be there.
    pub after: Option<WsPath>,
}

/// How deep a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The direct entries of a directory.
    Entries,
    /// Everything below it.
    Tree,
}

/// A glob pattern, relative to the query's base.
///
/// `*` and `?` never cross a `/`, `**` does; `[…]` and `{a,b}` work as usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Glob {
    /// Matches the whole path below the base: `*.rs` finds nothing in a subfolder.
    Path(String),
    /// A filter: a pattern without `/` matches names at any depth, one with `/`
    /// matches the whole path below the base.
    Filter(String),
}

/// Which kinds of entries count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// Regular files.
    Files,
    /// Directories.
    Dirs,
    /// Everything there is.
    All,
}

impl Kinds {
    /// Tells whether entries of this kind count.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        match self {
            Self::Files => kind == Kind::File,
            Self::Dirs => kind == Kind::Dir,
            Self::All => true,
        }
    }
}

/// Whether names that begin with a dot count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// They are passed over, and what is below them too.
    Skip,
    /// They count like all others.
    Include,
}

/// Whether ignore files are respected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// What `.gitignore` and `.ignore` files of the workspace name is passed over.
    Skip,
    /// Everything counts, except the inside of a directory named `.git`.
    IncludeNoGit,
    /// Everything counts.
    Include,
}

/// What is told of an entry whose path matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facts {
    /// Its path and kind ([`Found::Name`](crate::Found::Name)), which a walk knows
    /// without a look at the entry itself.
    Names,
    /// All that [`Entry`](crate::Entry) holds ([`Found::Entry`](crate::Found::Entry)).
    All,
}

/// The order in which results come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By path, component by component, then by line.
    Path,
    /// By time of modification, newest first; equal times by path.
    Newest,
}

/// What must be found inside a file.
#[derive(Clone, Debug)]
pub struct Grep {
    /// The pattern.
    pub pattern: String,
    /// How the pattern reads.
    pub syntax: Syntax,
    /// How letters compare.
    pub case: Case,
    /// What a match may span.
    pub lines: Lines,
    /// What a result is.
    pub output: Output,
    /// How many lines before a match come with it.
    pub before: u64,
    /// How many lines after a match come with it.
    pub after: u64,
}

/// How a pattern reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A regular expression of the `regex` crate: linear time.
    Regex,
    /// A regular expression that must match whole words.
    Word,
    /// The text itself.
    Fixed,
}

/// How letters compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Exactly.
    Sensitive,
    /// Without regard to case, by Unicode's simple folding.
    Insensitive,
    /// Insensitive unless the pattern has an upper-case letter.
    Smart,
}

/// What a match may span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// One line.
    Single,
    /// Several lines; `.` matches a line's end too.
    Multi,
}

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Each matching line.
    Content,
    /// Each file that matches.
    Files,
    /// Each file that matches, with its number of matching lines.
    Count,
}
