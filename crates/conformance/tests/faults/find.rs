//! How the naive backend finds: everything is looked at, then cut and pushed.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path, sync::Arc};

use garth_conformance::model::{Node, Tree};
use garth_contract::{
    Code, Detail, Entry, Error, Facts, Flow, Found, Glob, Hidden, Ignored, Kind, Links, Order,
    Owned, Query, Reach, Result, Sink, Summary, Total, WsPath,
};
use globset::{GlobBuilder, GlobMatcher};
use ignore::gitignore::GitignoreBuilder;
use tokio::task::yield_now;

use crate::{
    fault::Fault,
    grep::{Hits, Matcher},
    look::{entry, index},
    naive::{Naive, as_path},
};

impl Naive {
    pub(crate) async fn search(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let (results, mut summary) = self.results(query)?;
        let all = results.iter().filter(|result| counts(result)).count() as u64;
        summary.total = Total::Exact(all);
        let wanted = cut(results, query, self.has(Fault::TakesTooMuch));
        if self.has(Fault::CallsAfterItsDrop) {
            let task = tokio::spawn(async move {
                for result in &wanted {
                    yield_now().await;
                    push(&*sink, result);
                }
            });
            task.await.unwrap();
            return Ok(summary);
        }
        for result in &wanted {
            yield_now().await;
            summary.given += u64::from(counts(result) || self.has(Fault::CountsContext));
            if push(&*sink, result) == Flow::Stop && !self.has(Fault::CallsAfterStop) {
                summary.total = Total::AtLeast(summary.given);
                break;
            }
        }
        Ok(summary)
    }

    /// The path behind which results begin.
    fn behind<'q>(&self, query: &'q Query, entries: &[Entry]) -> Option<&'q WsPath> {
        let there = |after: &&WsPath| entries.iter().any(|entry| entry.path == **after);
        let after = query.after.as_ref().filter(|_| !self.has(Fault::BeginsAnew))?;
        Some(after).filter(|after| !self.has(Fault::BeginsAnewWhereItWent) || there(after))
    }

    /// Everything that matches, in order, and what was met on the way.
    fn results(&self, query: &Query) -> Result<(Vec<Owned>, Summary)> {
        let include = self.globs(&query.include)?;
        let exclude = self.globs(&query.exclude)?;
        let matcher = match &query.grep {
            Some(_) if self.has(Fault::NamesInsteadOfLines) && query.facts == Facts::Names => None,
            Some(grep) => Some(Matcher::new(grep, self.fault)?),
            None => None,
        };
        let tree = self.tree();
        let mut entries = self.visited(&tree, query)?;
        entries.retain(|entry| {
            let below = entry.path.below(&query.base).unwrap_or_default();
            let below =
                if below.is_empty() { entry.path.name().unwrap_or_default() } else { below };
            let out = !exclude.is_empty()
                && ways(below).iter().any(|way| {
                    (*way == below || !self.has(Fault::ExcludesFilesOnly))
                        && exclude.iter().any(|glob| glob.matches(way))
                });
            let kind = if query.grep.is_some() {
                entry.kind == Kind::File
            } else {
                query.kinds.has(entry.kind)
            };
            kind && !out && (include.is_empty() || include.iter().any(|glob| glob.matches(below)))
        });
        if let Some(after) = self.behind(query, &entries) {
            entries.retain(|entry| entry.path > *after);
        }
        match query.order {
            Order::Path => entries.sort_by(|one, other| one.path.cmp(&other.path)),
            Order::Newest => entries.sort_by(|one, other| {
                other.modified.cmp(&one.modified).then_with(|| one.path.cmp(&other.path))
            }),
        }
        if self.has(Fault::FindsUnordered) || self.has(Fault::OldestFirst) {
            entries.reverse();
        }
        let mut summary =
            Summary { given: 0, total: Total::Exact(0), searched: 0, binary: 0, unreadable: 0 };
        let Some(matcher) = matcher else {
            let told = entries.into_iter().map(|entry| self.told(&tree, entry, query.facts));
            return Ok((told.collect(), summary));
        };
        let mut results = Vec::new();
        for entry in entries {
            let real = tree.resolve(&entry.path, Links::Keep).unwrap_or(entry.path.clone());
            let Some(Node::File { content, .. }) = tree.get(&real) else { continue };
            match matcher.hits(&entry.path, content) {
                Hits::Binary => summary.binary += 1,
                Hits::Found(found) => {
                    summary.searched += 1;
                    results.extend(found);
                }
            }
        }
        Ok((results, summary))
    }

    /// What a query wants to know of an entry.
    fn told(&self, tree: &Tree, entry: Entry, facts: Facts) -> Owned {
        if facts == Facts::All || self.has(Fault::TellsTooMuch) {
            return Owned::Entry(entry);
        }
        let kind = match (entry.kind, self.fault) {
            (Kind::Symlink, Some(Fault::NamesLinkTargets)) => {
                let target = tree.resolve(&entry.path, Links::Follow).ok();
                target.and_then(|path| tree.get(&path)).map_or(Kind::Symlink, Node::kind)
            }
            (Kind::Fifo, Some(Fault::NamesPipesAsFiles)) => Kind::File,
            (kind, _) => kind,
        };
        Owned::Name(entry.path, kind)
    }

    /// Every entry that the walk comes by.
    fn visited(&self, tree: &Tree, query: &Query) -> Result<Vec<Entry>> {
        let base = self.taken(&query.base);
        let place = self.place(tree, &base, Links::Keep)?;
        match tree.get(&place.path).ok_or_else(|| Error::at(Code::FileNotFound, &base))? {
            node @ Node::File { .. } => return Ok(vec![entry(&base, node)]),
            Node::Dir => {}
            Node::Link(_) | Node::Special(_) => return Err(Error::at(Code::NotAFile, &base)),
        }
        let mut found = Vec::new();
        for (path, node) in tree.below(&place.path) {
            let rest = path.below(&place.path).unwrap_or_default();
            let hidden = rest.split(|byte| *byte == b'/').any(|name| name.starts_with(b"."));
            let deep = rest.contains(&b'/');
            let skip = (query.reach == Reach::Entries && deep)
                || (query.hidden == Hidden::Skip && hidden && !self.has(Fault::FindsHidden))
                || self.ignored(tree, path, query.ignored)
                || (self.veil.denies(path)
                    && !self.has(Fault::FindsDenied)
                    && !(self.has(Fault::NamesDenied) && query.facts == Facts::Names))
                || (!self.veil.denies(path)
                    && self.veil.covers(path, Some(node))
                    && !self.has(Fault::FindsUnallowed));
            if skip {
                continue;
            }
            found.push(entry(path, node));
            if let (Node::Link(_), true) = (node, self.has(Fault::FollowsLinksInFind))
                && let Ok(target) = tree.resolve(path, Links::Follow)
            {
                found.extend(tree.children(&target).map(|(child, node)| entry(child, node)));
            }
        }
        Ok(found)
    }

    /// Tells whether ignore files name a path or a directory on the way to it.
    pub(crate) fn ignored(&self, tree: &Tree, path: &WsPath, how: Ignored) -> bool {
        let mut names = path.components();
        match how {
            Ignored::Include => return false,
            Ignored::IncludeNoGit => {
                names.next_back();
                return names.any(|name| name == b".git");
            }
            Ignored::Skip if self.has(Fault::ForgetsIgnoreFiles) => return false,
            Ignored::Skip => {}
        }
        let mut way = WsPath::root();
        for name in path.components() {
            way = way.join(name).unwrap();
            let is_dir = tree.get(&way) == Some(&Node::Dir);
            if self.named(tree, &way, is_dir) {
                return true;
            }
        }
        false
    }

    /// Tells whether the nearest ignore file that has a word on a path ignores it.
    fn named(&self, tree: &Tree, path: &WsPath, is_dir: bool) -> bool {
        let mut dir = path.parent();
        while let Some(here) = dir {
            for name in [".ignore", ".gitignore"] {
                let file = here.join(name.as_bytes()).unwrap();
                let Some(Node::File { content, .. }) = tree.nodes.get(&file) else { continue };
                if self.has(Fault::ForgetsNestedIgnores) && !here.is_root() {
                    continue;
                }
                let mut builder = GitignoreBuilder::new("");
                for line in String::from_utf8_lossy(content).lines() {
                    builder.add_line(None, line).unwrap();
                }
                let rest = path.below(&here).unwrap_or_default();
                let matcher = builder.build().unwrap();
                let verdict = matcher.matched(as_path(rest), is_dir);
                if !verdict.is_none() {
                    return verdict.is_ignore();
                }
            }
            dir = here.parent();
        }
        false
    }

    fn globs(&self, globs: &[Glob]) -> Result<Vec<Pattern>> {
        globs.iter().map(|glob| Pattern::new(glob, self.fault)).collect()
    }
}

/// One glob of a query, compiled.
struct Pattern {
    names: bool,
    glob: GlobMatcher,
}

impl Pattern {
    fn new(glob: &Glob, fault: Option<Fault>) -> Result<Self> {
        let (text, names) = match glob {
            Glob::Path(text) => (text, false),
            Glob::Filter(text) => {
                (text, !text.contains('/') && fault != Some(Fault::FiltersTheTopOnly))
            }
        };
        let separates = fault != Some(Fault::StarsCrossSlashes);
        let built = GlobBuilder::new(text).literal_separator(separates).build();
        let bad = |_| Error::of(Code::InvalidPattern).with(Detail::Position(0));
        Ok(Self { names, glob: built.map_err(bad)?.compile_matcher() })
    }

    fn matches(&self, path: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        let judged = if self.names { path.file_name().unwrap_or_default().as_ref() } else { path };
        self.glob.is_match(judged)
    }
}

/// A path and every directory on the way to it.
fn ways(path: &[u8]) -> Vec<&[u8]> {
    let mut ways: Vec<_> = path
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| path.split_at(at).0)
        .collect();
    ways.push(path);
    ways
}

fn counts(result: &Owned) -> bool {
    !matches!(result, Owned::Line(line) if line.kind == garth_contract::LineKind::Context)
}

/// The results that a query wants, with the context of those it keeps.
fn cut(results: Vec<Owned>, query: &Query, too_much: bool) -> Vec<Owned> {
    let (skip, take) = (index(query.skip), index(query.take).saturating_add(usize::from(too_much)));
    let mut seen = 0;
    let mut kept = Vec::new();
    for result in results {
        let number = seen;
        seen += usize::from(counts(&result));
        if number >= skip && number - skip < take {
            kept.push(result);
        }
    }
    kept
}

fn push(sink: &dyn Sink, result: &Owned) -> Flow {
    match result {
        Owned::Entry(entry) => sink.accept(Found::Entry(entry)),
        Owned::Name(path, kind) => sink.accept(Found::Name(path, *kind)),
        Owned::File(path) => sink.accept(Found::File(path)),
        Owned::Count(path, count) => sink.accept(Found::Count(path, *count)),
        Owned::Line(line) => sink.accept(Found::Line(garth_contract::Line {
            path: &line.path,
            number: line.number,
            kind: line.kind,
            text: &line.text,
            spans: &line.spans,
        })),
    }
}
