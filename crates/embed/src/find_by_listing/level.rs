//! One directory of a walk: what is left of it, and the ignore rules inside it.

use bytes::Bytes;
use garth_contract::{DynFilesystem, Entry, Kind, Links, Page, Result, Span, WsPath};
use garth_search::{Filter, IgnoreFiles, Ignores, MAX_IGNORE_FILE};

/// How many entries are asked for at once.
const PAGE: u64 = 1_000;

/// One directory of a walk.
pub(super) struct Level {
    path: WsPath,
    ignores: Ignores,
    entries: std::vec::IntoIter<Entry>,
    /// How many entries have been given, and how many there are.
    asked: u64,
    total: u64,
    /// 1 when the rest could not be listed.
    lost: u64,
}

impl Level {
    /// Lists a directory and reads its ignore files, where they count.
    pub(super) async fn open(
        files: &dyn DynFilesystem,
        filter: &Filter,
        path: &WsPath,
        outside: &Ignores,
    ) -> Result<Self> {
        let listing = files.list(path, Page { skip: 0, take: PAGE }).await?;
        let ignores = if filter.reads_ignore_files() {
            inside(files, path, outside).await
        } else {
            outside.clone()
        };
        Ok(Self {
            path: path.clone(),
            ignores,
            asked: listing.entries.len() as u64,
            total: listing.total,
            entries: listing.entries.into_iter(),
            lost: 0,
        })
    }

    /// The next entry; `None` at the end.
    pub(super) async fn next(&mut self, files: &dyn DynFilesystem) -> Option<Entry> {
        if let Some(entry) = self.entries.next() {
            return Some(entry);
        }
        if self.asked >= self.total {
            return None;
        }
        let page = Page { skip: self.asked, take: PAGE };
        match files.list(&self.path, page).await {
            Ok(listing) => {
                // A place that gives nothing though it has more would never end.
                self.total = if listing.entries.is_empty() { 0 } else { listing.total };
                self.asked += listing.entries.len() as u64;
                self.entries = listing.entries.into_iter();
            }
            Err(_) => (self.total, self.lost) = (0, 1),
        }
        self.entries.next()
    }

    /// The ignore rules inside the directory.
    pub(super) fn ignores(&self) -> &Ignores {
        &self.ignores
    }

    /// How many directories could not be listed to their end.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }
}

/// The rules that hold around the directory at `path`, from the root on.
pub(super) async fn ignores_above(
    files: &dyn DynFilesystem,
    filter: &Filter,
    path: &WsPath,
) -> Ignores {
    let mut ignores = Ignores::none();
    if path.is_root() || !filter.reads_ignore_files() {
        return ignores;
    }
    let bytes = path.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    for end in std::iter::once(0).chain(ends) {
        let Ok(dir) = WsPath::from_bytes(bytes.get(..end).unwrap_or_default()) else { break };
        ignores = inside(files, &dir, &ignores).await;
    }
    ignores
}

/// The rules inside a directory, with those that hold around it.
async fn inside(files: &dyn DynFilesystem, dir: &WsPath, outside: &Ignores) -> Ignores {
    let ignore = file(files, dir, &[b".ignore"]).await;
    let gitignore = file(files, dir, &[b".gitignore"]).await;
    let exclude = file(files, dir, &[b".git", b"info", b"exclude"]).await;
    if ignore.is_none() && gitignore.is_none() && exclude.is_none() {
        return outside.clone();
    }
    let contents = IgnoreFiles {
        ignore: ignore.as_deref(),
        gitignore: gitignore.as_deref(),
        exclude: exclude.as_deref(),
    };
    outside.below(dir.as_bytes(), contents)
}

/// The content of a regular file; links are not followed, as git does not.
async fn file(files: &dyn DynFilesystem, dir: &WsPath, names: &[&[u8]]) -> Option<Bytes> {
    let mut path = dir.clone();
    for (index, name) in names.iter().enumerate() {
        path = path.join(name).ok()?;
        let wanted = if index + 1 == names.len() { Kind::File } else { Kind::Dir };
        if files.stat(&path, Links::Keep).await.ok()?.kind != wanted {
            return None;
        }
    }
    // One byte more tells a file that is cut from one that is not.
    let span = Span::Bytes { offset: 0, length: MAX_IGNORE_FILE as u64 + 1 };
    files.read(&path, span).await.ok().map(|content| content.bytes)
}
