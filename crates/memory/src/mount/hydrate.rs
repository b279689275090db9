//! Reads a source and builds the tree of what came.

use std::{sync::Arc, time::SystemTime};

use garth_contract::{
    Code, Collect, Content, Detail, DynFilesystem, Entry, Error, Facts, Glob, Hidden, Ignored,
    Kind, Kinds, Links, Order, Owned, Query, Reach, Result, Span, Version, WsPath,
};

use super::{Mount, Mounted, window};
use crate::{
    fence::{Fence, MAX_ENTRIES},
    tree::{DIR_MODE, Dir, FILE_MODE, File, Link, Node},
};

/// How many files are read at once; enough to keep a disk and its threads busy.
const WIDTH: usize = 16;

/// Copies what a mount names into a tree of its own.
pub(super) async fn hydrate(
    fence: &Fence,
    source: &dyn DynFilesystem,
    mount: &Mount,
    now: SystemTime,
) -> Result<(Arc<Dir>, Mounted)> {
    let mut hydration = Hydration {
        fence,
        source,
        mount,
        max_file: mount.max_file.min(fence.policy.max_file),
        now,
        tree: Arc::new(Dir::empty(now, DIR_MODE)),
        mounted: Mounted::default(),
    };
    let entries = hydration.survey().await?;
    hydration.make_dirs(&entries)?;
    hydration.read_files(&entries).await?;
    hydration.make_links(&entries).await?;
    hydration.stamp_dirs(&entries)?;
    Ok((hydration.top(), hydration.mounted))
}

struct Hydration<'a> {
    fence: &'a Fence,
    source: &'a dyn DynFilesystem,
    mount: &'a Mount,
    max_file: u64,
    now: SystemTime,
    /// What has come so far, from the workspace's root on.
    tree: Arc<Dir>,
    mounted: Mounted,
}

impl Hydration<'_> {
    /// Lists what is wanted, and refuses too much of it before any of it is read.
    async fn survey(&mut self) -> Result<Vec<Entry>> {
        let collect = Arc::new(Collect::default());
        let filters = |globs: &[String]| globs.iter().cloned().map(Glob::Filter).collect();
        let query = Query {
            include: filters(&self.mount.include),
            exclude: filters(&self.mount.exclude),
            ..everything_below(WsPath::root(), Reach::Tree, MAX_ENTRIES + 1)
        };
        let summary = self.source.find(&query, Arc::clone(&collect) as _).await?;
        if summary.given > MAX_ENTRIES {
            return Err(self.too_much(MAX_ENTRIES, summary.given));
        }
        self.mounted.skipped.unreadable += summary.unreadable;
        let mut bytes: u64 = 0;
        let mut wanted = Vec::new();
        for entry in entries(&collect) {
            let place = self.place_of(&entry.path)?;
            if self.fence.denies(place.as_bytes(), entry.kind.into()) {
                self.mounted.skipped.denied += 1;
                continue;
            }
            if entry.size > self.max_file {
                return Err(self.too_large(&entry.path, entry.size));
            }
            bytes = bytes.saturating_add(entry.size);
            wanted.push(entry);
        }
        self.check_bytes(bytes)?;
        Ok(wanted)
    }

    fn make_dirs(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in of_kind(entries, Kind::Dir) {
            let dir = Dir::empty(self.now, DIR_MODE);
            self.plant(&entry.path, Node::Dir(Arc::new(dir)))?;
        }
        Ok(())
    }

    async fn read_files(&mut self, entries: &[Entry]) -> Result<()> {
        let span = Span::Whole { at_most: self.max_file };
        let source = self.source;
        let reads = of_kind(entries, Kind::File).map(|entry| {
            Box::pin(async move { (entry, source.read(&entry.path, span).await) }) as _
        });
        window::run(WIDTH, reads, |(entry, read)| self.take_file(entry, read)).await
    }

    fn take_file(&mut self, entry: &Entry, read: Result<Content>) -> Result<()> {
        let content = match read {
            Ok(content) => content,
            Err(error) => return self.pass_over(entry, error),
        };
        let file = File {
            version: content.known.unwrap_or_else(|| Version::of(&content.bytes)),
            modified: content.modified.or(entry.modified).unwrap_or(self.now),
            mode: content.mode.or(entry.mode).unwrap_or(FILE_MODE),
            content: content.bytes,
        };
        // The file may have grown since it was listed.
        self.check_bytes(self.tree.below.bytes.saturating_add(content.size))?;
        self.plant(&entry.path, Node::File(Arc::new(file)))?;
        self.mounted.files += 1;
        Ok(())
    }

    /// A file that cannot be read is counted; any other failure ends the mount.
    fn pass_over(&mut self, entry: &Entry, error: Error) -> Result<()> {
        let gone = [
            Code::FileNotFound,
            Code::NotADirectory,
            Code::NotAFile,
            Code::PathOutsideWorkspace,
            Code::PermissionDenied,
        ];
        if error.code() == Code::FileTooLarge {
            let actual = error.details().iter().find_map(|detail| {
                if let Detail::Limit { actual, .. } = detail { Some(*actual) } else { None }
            });
            return Err(self.too_large(&entry.path, actual.unwrap_or(entry.size)));
        }
        if !gone.contains(&error.code()) {
            return Err(error);
        }
        self.mounted.skipped.unreadable += 1;
        Ok(())
    }

    /// Makes the links whose targets came too, and counts everything else.
    async fn make_links(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in entries {
            match entry.kind {
                Kind::File | Kind::Dir => {}
                Kind::Fifo | Kind::Socket | Kind::Device => self.mounted.skipped.special += 1,
                Kind::Symlink => match self.target_of(&entry.path).await {
                    Some(target) if self.has(&target) => {
                        let link = Link {
                            target: relative(&entry.path, &target).into(),
                            modified: entry.modified.unwrap_or(self.now),
                        };
                        self.plant(&entry.path, Node::Link(Arc::new(link)))?;
                        self.mounted.links += 1;
                    }
                    Some(_) | None => self.mounted.skipped.links += 1,
                },
            }
        }
        Ok(())
    }

    /// Where a link of the source leads to, as a real path.
    ///
    /// The contract shows no link's text, but a walk reports what it meets by real
    /// paths: what stands in the link's target, or the target itself, tells.
    async fn target_of(&self, link: &WsPath) -> Option<WsPath> {
        let kind = self.source.stat(link, Links::Follow).await.ok()?.kind;
        let collect = Arc::new(Collect::default());
        let query = everything_below(link.clone(), Reach::Entries, 1);
        self.source.find(&query, Arc::clone(&collect) as _).await.ok()?;
        let met = entries(&collect).next()?.path;
        let target = match kind {
            Kind::Dir => met.parent()?,
            Kind::File => met,
            Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => return None,
        };
        (target != *link).then_some(target)
    }

    /// Gives directories their own times and modes back, which filling them changed.
    fn stamp_dirs(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in of_kind(entries, Kind::Dir) {
            let at = self.place_of(&entry.path)?;
            let modified = entry.modified.unwrap_or(self.now);
            self.tree.stamp(&at, modified, entry.mode.unwrap_or(DIR_MODE));
        }
        Ok(())
    }

    fn plant(&mut self, path: &WsPath, node: Node) -> Result<()> {
        let at = self.place_of(path)?;
        self.tree.plant(&at, node, self.now).map(drop)
    }

    /// Tells whether something of the source has come.
    fn has(&self, path: &WsPath) -> bool {
        let there = |at: &WsPath| at.is_root() || self.tree.get(at).is_some();
        self.place_of(path).is_ok_and(|at| there(&at))
    }

    /// The directory that stands for the source's root.
    fn top(&self) -> Arc<Dir> {
        match self.tree.get(&self.mount.at) {
            Some(Node::Dir(dir)) => Arc::clone(dir),
            Some(Node::File(_) | Node::Link(_)) | None => Arc::clone(&self.tree),
        }
    }

    /// The path in the workspace of something in the source.
    fn place_of(&self, path: &WsPath) -> Result<WsPath> {
        let names = [self.mount.at.as_bytes(), path.as_bytes()];
        let given: Vec<&[u8]> = names.into_iter().filter(|name| !name.is_empty()).collect();
        WsPath::from_bytes(&given.join(&b'/'))
    }

    fn check_bytes(&self, bytes: u64) -> Result<()> {
        if bytes > self.mount.max_bytes {
            return Err(self.too_much(self.mount.max_bytes, bytes));
        }
        Ok(())
    }

    fn too_much(&self, limit: u64, actual: u64) -> Error {
        Error::at(Code::QuotaExceeded, &self.mount.at)
            .with(Detail::Limit { limit, actual })
            .hint("Exclude what is not needed from the mount, or raise its limit.")
    }

    fn too_large(&self, path: &WsPath, actual: u64) -> Error {
        let path = self.place_of(path).unwrap_or_else(|_| path.clone());
        Error::at(Code::FileTooLarge, &path)
            .with(Detail::Limit { limit: self.max_file, actual })
            .hint("Exclude the file from the mount, or raise the mount's limit.")
    }
}

fn everything_below(base: WsPath, reach: Reach, take: u64) -> Query {
    Query {
        base,
        reach,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take,
        after: None,
    }
}

fn entries(collect: &Collect) -> impl Iterator<Item = Entry> {
    collect.take().into_iter().filter_map(|found| match found {
        Owned::Entry(entry) => Some(entry),
        Owned::Name(..) | Owned::Line(_) | Owned::File(_) | Owned::Count(..) => None,
    })
}

fn of_kind(entries: &[Entry], kind: Kind) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(move |entry| entry.kind == kind)
}

/// A link's text: the way from the directory that holds it to its target.
fn relative(link: &WsPath, target: &WsPath) -> Vec<u8> {
    let home = link.parent().unwrap_or_else(WsPath::root);
    let pairs = home.components().zip(target.components());
    let shared = pairs.take_while(|(left, right)| left == right).count();
    let up = home.components().skip(shared).map(|_| b"..".as_slice());
    let way: Vec<&[u8]> = up.chain(target.components().skip(shared)).collect();
    if way.is_empty() { b".".to_vec() } else { way.join(&b'/') }
}
