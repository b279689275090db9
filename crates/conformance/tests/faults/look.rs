//! How the naive backend looks at things: `stat`, `list` and `read`.

use std::future::pending;

use garth_conformance::{
    model::{Node, Tree, window},
    time,
};
use garth_contract::{
    Code, Content, Entry, Error, Kind, Links, Listing, Page, Result, Span, Version, WsPath,
};
use tokio::task::yield_now;

use crate::{fault::Fault, naive::Naive};

/// What a file without a mode of its own has.
const MODE: u32 = 0o644;

/// The entry of a node under a path.
pub(crate) fn entry(path: &WsPath, node: &Node) -> Entry {
    let (size, mode, modified) = match node {
        Node::File { content, mode, stamp } => (content.len() as u64, mode.unwrap_or(MODE), *stamp),
        Node::Dir | Node::Link(_) | Node::Special(_) => (0, 0o755, 0),
    };
    let modified = Some(time(modified));
    Entry { path: path.clone(), kind: node.kind(), size, modified, mode: Some(mode) }
}

impl Naive {
    pub(crate) fn look_at(&self, path: &WsPath, links: Links) -> Result<Entry> {
        let tree = self.tree();
        let links = if self.has(Fault::FollowsWhatItShouldKeep) { Links::Follow } else { links };
        let node = self.node(&tree, path, links)?;
        let mut entry = entry(path, &node);
        if self.has(Fault::SizesDirectories) && entry.kind == Kind::Dir {
            entry.size = 4096;
        }
        if entry.kind == Kind::Dir
            && let Some(stamp) = self.shared.dir_stamps.lock().unwrap().get(path)
        {
            entry.mode = stamp.mode.or(entry.mode);
            entry.modified = stamp.modified.or(entry.modified);
        }
        Ok(entry)
    }

    /// Nothing is told at once but by a fault, and that is wrong.
    pub(crate) fn look_at_once(&self, path: &WsPath, links: Links) -> Option<Entry> {
        let (tree, follows) = (self.tree(), self.has(Fault::FollowsAtOnce));
        let links = if follows { Links::Follow } else { links };
        let real = tree.place(path, links).ok()?.path;
        let mut told = entry(path, tree.get(&real)?);
        told.size += u64::from(self.has(Fault::TellsAtOnceWhatWas));
        let tells = [Fault::FollowsAtOnce, Fault::TellsAtOnceWhatWas, Fault::TellsDeniedAtOnce];
        tells.into_iter().any(|fault| self.has(fault)).then_some(told)
    }

    /// The same of a file, which is read whole whatever is wanted of it.
    pub(crate) fn read_at_once(&self, path: &WsPath, _: Span) -> Option<Content> {
        let tree = self.tree();
        let real = tree.place(path, Links::Follow).ok()?.path;
        let Node::File { content, mode, stamp } = tree.get(&real)? else { return None };
        let reads = [Fault::ReadsAtOnceTooMuch, Fault::ReadsDeniedAtOnce];
        reads.into_iter().any(|fault| self.has(fault)).then(|| Content {
            known: None,
            offset: 0,
            size: content.len() as u64,
            lines: None,
            modified: Some(time(*stamp)),
            mode: *mode,
            bytes: content.clone(),
        })
    }

    fn node(&self, tree: &Tree, path: &WsPath, links: Links) -> Result<Node> {
        let place = self.place(tree, path, links)?;
        tree.get(&place.path).cloned().ok_or_else(|| Error::at(Code::FileNotFound, path))
    }

    pub(crate) fn list_dir(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let tree = self.tree();
        let place = self.place(&tree, path, Links::Follow)?;
        match tree.get(&place.path) {
            None => return Err(Error::at(Code::FileNotFound, path)),
            Some(Node::Dir) => {}
            Some(_) if self.has(Fault::ListsFilesAsEmpty) => {}
            Some(_) => return Err(Error::at(Code::NotADirectory, path)),
        }
        let mut entries: Vec<_> = tree
            .children(&place.path)
            .filter(|(child, _)| self.has(Fault::ListsDenied) || !self.veil.denies(child))
            .filter(|(child, node)| {
                let hidden = self.veil.covers(child, Some(node)) && !self.veil.denies(child);
                !hidden || self.has(Fault::ListsUnallowed)
            })
            .filter(|(child, _)| {
                !self.has(Fault::HidesDotfiles) || !child.name().unwrap().starts_with(b".")
            })
            .map(|(child, node)| entry(&path.join(child.name().unwrap()).unwrap(), node))
            .collect();
        if self.has(Fault::ListsUnsorted) {
            entries.reverse();
        }
        let mut total = entries.len() as u64;
        let (skip, take) = (index(page.skip), index(page.take));
        let entries: Vec<_> = entries.into_iter().skip(skip).take(take).collect();
        if self.has(Fault::CountsThePage) {
            total = entries.len() as u64;
        }
        Ok(Listing { entries, total })
    }

    pub(crate) async fn read_span(&self, path: &WsPath, span: Span) -> Result<Content> {
        let found = self.find_to_read(path);
        if let Ok(Node::Special(_)) = found
            && self.has(Fault::BlocksOnPipes)
        {
            pending::<()>().await;
        }
        let Node::File { content, mode, stamp } = found? else {
            return Err(Error::at(Code::NotAFile, path));
        };
        let span = match span {
            Span::Whole { .. } if self.has(Fault::IgnoresTheBound) => {
                Span::Whole { at_most: u64::MAX }
            }
            Span::LastLines { take, at_most } if self.has(Fault::CutsTheTailInFront) => {
                let lines = content.split_inclusive(|byte| *byte == b'\n').count() as u64;
                Span::Lines { skip: lines.saturating_sub(take), take, at_most }
            }
            Span::Bytes { offset, length } if self.has(Fault::Panics) => {
                assert!(offset.checked_add(length).is_some(), "an overflow");
                span
            }
            Span::Bytes { offset, .. }
                if self.has(Fault::RefusesPastTheEnd) && offset > content.len() as u64 =>
            {
                return Err(Error::at(Code::InvalidParams, path));
            }
            Span::Whole { .. }
            | Span::Bytes { .. }
            | Span::Lines { .. }
            | Span::LastLines { .. } => span,
        };
        let (offset, bytes) =
            window(&content, span).ok_or_else(|| Error::at(Code::FileTooLarge, path))?;
        let mut bytes = bytes.to_vec();
        let whole = bytes.len() == content.len() || self.has(Fault::VersionsParts);
        if self.has(Fault::ReadsInTwoSteps) {
            // A writer always comes between, if there is one.
            for _ in 0..10_000 {
                yield_now().await;
                let Ok(Node::File { content: now, .. }) = self.find_to_read(path) else { break };
                if now != content {
                    let half = bytes.len() / 2;
                    bytes.splice(half.., now.iter().skip(half).copied());
                    break;
                }
            }
        }
        if self.has(Fault::DropsCarriageReturns) {
            bytes.retain(|byte| *byte != b'\r');
        }
        let count = content.split_inclusive(|byte| *byte == b'\n').count() as u64;
        Ok(Content {
            known: whole.then(|| match self.has(Fault::MistakesTheVersion) {
                true => Version::of(b"mistaken"),
                false => Version::of(&content),
            }),
            offset: offset as u64,
            size: content.len() as u64,
            lines: Some(count + u64::from(self.has(Fault::MiscountsLines))),
            modified: Some(time(stamp)),
            mode: Some(mode.unwrap_or(MODE)),
            bytes: bytes.into(),
        })
    }

    fn find_to_read(&self, path: &WsPath) -> Result<Node> {
        let tree = self.tree();
        match self.node(&tree, path, Links::Follow) {
            Err(error) if self.has(Fault::LeavesTheRoot) => {
                let name = self.outside(&tree, path).ok_or(error)?;
                let beyond = self.shared.beyond.lock().unwrap();
                let secret = beyond.get(&name).ok_or_else(|| Error::of(Code::FileNotFound))?;
                Ok(Node::File { content: secret.clone().into(), mode: None, stamp: 0 })
            }
            Ok(Node::Dir) if self.has(Fault::ReadsDirectories) => {
                Ok(Node::File { content: "".into(), mode: None, stamp: 0 })
            }
            answer => answer,
        }
    }
}

pub(crate) fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
