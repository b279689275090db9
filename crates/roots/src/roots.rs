//! [`Roots`]: the names at the top, and which backend a path belongs to.

use std::{fmt, sync::Arc};

use garth_contract::{Abilities, Code, DynFilesystem, Entry, Error, Kind, Links, Result, WsPath};

/// How many roots an error names before it says that there are more.
const SHOWN: usize = 8;
/// The top can be listed and entered, and nothing can be made in it.
const TOP_MODE: u32 = 0o555;

/// Several filesystems as one, each under its name at the top.
///
/// The top is a directory that holds the roots and nothing else, for ever. A move
/// between two roots copies, gives the copy its name, and only then removes what
/// was copied; it keeps content and permission bits of files, and neither times
/// nor the permission bits of directories, which no backend can be asked to set.
#[derive(Clone, Debug)]
pub struct Roots {
    /// Sorted by name.
    pub(crate) roots: Arc<[Root]>,
}

/// One filesystem and the name it has.
#[derive(Clone)]
pub(crate) struct Root {
    /// Where it is: one component.
    pub(crate) path: WsPath,
    pub(crate) fs: Arc<dyn DynFilesystem>,
}

/// What a path means.
pub(crate) enum Place<'a> {
    /// The top itself.
    Top,
    /// A path of one root.
    In(&'a Root, WsPath),
    /// Something at the top, or below it, that is no root.
    Nowhere,
}

impl Roots {
    /// Shows each filesystem under its name.
    ///
    /// # Errors
    /// `INVALID_PATH` for a name that is not one component; `INVALID_PARAMS` for a
    /// name that is there twice, or no name at all.
    pub fn new(named: Vec<(Vec<u8>, Arc<dyn DynFilesystem>)>) -> Result<Self> {
        let root = |(name, fs): (Vec<u8>, _)| Ok(Root { path: WsPath::root().join(&name)?, fs });
        let mut roots = named.into_iter().map(root).collect::<Result<Vec<_>>>()?;
        roots.sort_by(|one, other| one.path.cmp(&other.path));
        if roots.is_empty() {
            return Err(Error::new(Code::InvalidParams, "there must be at least one root"));
        }
        let twice = roots.windows(2).find_map(|pair| match pair {
            [one, other] if one.path == other.path => Some(&one.path),
            _ => None,
        });
        if let Some(path) = twice {
            let message = format!("two roots have the name {path}");
            return Err(Error::new(Code::InvalidParams, message));
        }
        Ok(Self { roots: roots.into() })
    }

    /// Finds out which root a path belongs to, and what it is there.
    pub(crate) fn place(&self, path: &WsPath) -> Result<Place<'_>> {
        let Some(name) = path.components().next() else { return Ok(Place::Top) };
        let found = self.roots.binary_search_by(|root| root.path.as_bytes().cmp(name));
        let Some(root) = found.ok().and_then(|index| self.roots.get(index)) else {
            return Ok(Place::Nowhere);
        };
        let inner = WsPath::from_bytes(path.below(&root.path).unwrap_or_default())?;
        Ok(Place::In(root, inner))
    }

    /// What all roots can do.
    pub(crate) fn all_can(&self) -> Abilities {
        let each =
            |can: fn(&Abilities) -> bool| self.roots.iter().all(|root| can(&root.fs.abilities()));
        Abilities {
            write: each(|can| can.write),
            rename: each(|can| can.rename),
            empty_dirs: each(|can| can.empty_dirs),
            symlinks: each(|can| can.symlinks),
            special_files: each(|can| can.special_files),
            modes: each(|can| can.modes),
            any_names: each(|can| can.any_names),
            watch: each(|can| can.watch),
            find: each(|can| can.find),
            trees: each(|can| can.trees),
            durable: each(|can| can.durable),
        }
    }

    /// The top as an entry.
    pub(crate) fn top(&self) -> Entry {
        let mode = self.all_can().modes.then_some(TOP_MODE);
        Entry { path: WsPath::root(), kind: Kind::Dir, size: 0, modified: None, mode }
    }

    /// An error about a path that is in no root.
    pub(crate) fn nowhere(&self, code: Code, path: &WsPath) -> Error {
        let shown: Vec<String> =
            self.roots.iter().take(SHOWN).map(|root| root.path.to_string()).collect();
        let more = if self.roots.len() > SHOWN { ", …" } else { "" };
        let hint = format!("Use a path below one of the roots: {}{more}.", shown.join(", "));
        Error::at(code, path).hint(hint)
    }

    /// Refuses to make something beside the roots.
    pub(crate) fn fixed(&self, path: &WsPath) -> Error {
        self.nowhere(Code::PermissionDenied, path)
    }
}

impl Root {
    /// The root itself as an entry at the top.
    ///
    /// One that cannot be looked at is still there: whoever enters it is told why.
    pub(crate) async fn entry(&self) -> Entry {
        let path = self.path.clone();
        match self.fs.stat(&WsPath::root(), Links::Follow).await {
            Ok(entry) => Entry { path, ..entry },
            Err(_) => Entry { path, kind: Kind::Dir, size: 0, modified: None, mode: None },
        }
    }

    /// An entry of this root as the whole tree shows it.
    pub(crate) fn outer(&self, mut entry: Entry) -> Result<Entry> {
        entry.path = entry.path.under(&self.path)?;
        Ok(entry)
    }

    /// An answer of this root, its error told as the whole tree tells it.
    pub(crate) fn told<T>(&self, answer: Result<T>) -> Result<T> {
        answer.map_err(|error| error.under(&self.path))
    }
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.path)
    }
}
