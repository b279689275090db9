//! One random call: how it is made up, what the model answers, what a backend does.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Clobber, Code, Collect, Depth, Error, Facts, Guard, Kind, Kinds, Links, Made, Move, Owned,
    Page, Parents, Put, Query, Removed, Renamed, Sink, Span, Version, WsPath,
};

use super::{Node, Refusal, Tree, random::Random, window};
use crate::{
    Subject,
    arrange::{ANY, everything},
};

/// One call.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Stat(WsPath, Links),
    List(WsPath, Page),
    Read(WsPath, Span),
    Write(WsPath, Bytes, Put),
    MakeDir(WsPath, Parents),
    Remove(WsPath, Depth),
    Rename(WsPath, WsPath, Move),
    Find(WsPath, Kinds, Facts),
    /// Made from outside, at a free place in a directory.
    Link(WsPath, Vec<u8>),
}

/// What a call answers, without what the model cannot know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Entry(Kind, u64),
    Names(Vec<Vec<u8>>, u64),
    Content(Vec<u8>, u64, Option<Version>),
    Written(Version, bool),
    Made(Made),
    Removed(Removed),
    Renamed(Renamed),
    /// The size only where all facts were asked for.
    Found(Vec<(WsPath, Kind, Option<u64>)>),
    Linked,
}

const NAMES: [&str; 5] = ["a", "ab", "b", "c", "é"];

impl Step {
    /// Makes up a call that often hits something.
    pub(crate) fn random(random: &mut Random, tree: &Tree) -> Self {
        let parents = random.either(Parents::Create, Parents::Require);
        let span = [
            Span::Whole { at_most: 100 },
            Span::Bytes { offset: random.below(20), length: random.below(20) },
            Span::Lines { skip: random.below(4), take: random.below(4), at_most: random.below(40) },
            Span::LastLines { take: random.below(4), at_most: random.below(40) },
        ];
        let page = Page { skip: random.below(3), take: random.below(5) };
        match random.below(20) {
            0 => Self::Stat(path(random), random.either(Links::Keep, Links::Follow)),
            1 => Self::List(path(random), page),
            2 | 3 => {
                Self::Read(path(random), random.one_of(&span).unwrap_or(Span::Whole { at_most: 9 }))
            }
            4..=8 => write(random, tree, parents),
            9 | 10 => Self::MakeDir(path(random), parents),
            11 | 12 => Self::Remove(path(random), random.either(Depth::One, Depth::All)),
            13..=16 => {
                let clobber = random.either(Clobber::Refuse, Clobber::Replace);
                let from = path(random);
                let to = if random.once_in(10) { from.clone() } else { path(random) };
                Self::Rename(from, to, Move { clobber, parents })
            }
            17 => {
                let kinds = random.either(Kinds::All, Kinds::Files);
                Self::Find(path(random), kinds, random.either(Facts::All, Facts::Names))
            }
            _ => Self::Link(path(random), target(random)),
        }
    }

    /// What the model answers; a change is made in it.
    pub(crate) fn model(&self, tree: &mut Tree) -> Result<Answer, Refusal> {
        match self {
            Self::Stat(path, links) => {
                let node = found(tree, path, *links)?;
                Ok(Answer::Entry(node.kind(), size(&node)))
            }
            Self::List(path, page) => list(tree, path, *page),
            Self::Read(path, span) => read(tree, path, *span),
            Self::Write(path, content, put) => {
                let created = tree.write(path, content, put)?;
                Ok(Answer::Written(Version::of(content), created))
            }
            Self::MakeDir(path, parents) => Ok(Answer::Made(tree.make_dir(path, *parents)?)),
            Self::Remove(path, depth) => Ok(Answer::Removed(tree.remove(path, *depth)?)),
            Self::Rename(from, to, how) => Ok(Answer::Renamed(tree.rename(from, to, *how)?)),
            Self::Find(base, kinds, facts) => find(tree, base, *kinds, *facts),
            Self::Link(path, target) => {
                let real = tree.resolve(path, Links::Keep).map_err(|_| Refusal::Open)?;
                if real != *path || tree.get(&real).is_some() {
                    return Err(Refusal::Open);
                }
                tree.nodes.insert(real, Node::Link(target.clone()));
                Ok(Answer::Linked)
            }
        }
    }

    /// What the backend answers.
    pub(crate) async fn run(&self, ws: &Subject) -> Result<Answer, Error> {
        match self {
            Self::Stat(path, links) => {
                let entry = ws.fs.stat(path, *links).await?;
                Ok(Answer::Entry(entry.kind, entry.size))
            }
            Self::List(path, page) => {
                let listing = ws.fs.list(path, *page).await?;
                let names = listing
                    .entries
                    .iter()
                    .map(|entry| entry.path.name().unwrap_or_default().to_vec());
                Ok(Answer::Names(names.collect(), listing.total))
            }
            Self::Read(path, span) => {
                let content = ws.fs.read(path, *span).await?;
                Ok(Answer::Content(content.bytes.to_vec(), content.size, content.version()))
            }
            Self::Write(path, content, put) => {
                let written = ws.fs.write(path, content.clone(), put.clone()).await?;
                Ok(Answer::Written(written.version, written.created))
            }
            Self::MakeDir(path, parents) => Ok(Answer::Made(ws.fs.make_dir(path, *parents).await?)),
            Self::Remove(path, depth) => Ok(Answer::Removed(ws.fs.remove(path, *depth).await?)),
            Self::Rename(from, to, how) => Ok(Answer::Renamed(ws.fs.rename(from, to, *how).await?)),
            Self::Find(base, kinds, facts) => {
                let query =
                    Query { base: base.clone(), kinds: *kinds, facts: *facts, ..everything() };
                let sink = Arc::new(Collect::default());
                ws.fs.find(&query, Arc::clone(&sink) as Arc<dyn Sink>).await?;
                Ok(Answer::Found(sink.take().into_iter().filter_map(told).collect()))
            }
            Self::Link(path, target) => match ws.outside.symlink(path, target) {
                Ok(()) => Ok(Answer::Linked),
                Err(cannot) => Err(Error::new(Code::Internal, cannot.0)),
            },
        }
    }
}

fn path(random: &mut Random) -> WsPath {
    let mut path = WsPath::root();
    if random.once_in(40) {
        return path;
    }
    for _ in 0..=random.below(4) {
        let name = random.one_of(&NAMES).unwrap_or("a");
        path = path.join(name.as_bytes()).unwrap_or(path);
    }
    path
}

fn target(random: &mut Random) -> Vec<u8> {
    let ways = ["", "../", "../../", "./", "a/", "b/../"];
    let way = random.one_of(&ways).unwrap_or_default();
    let name = random.one_of(&["a", "b", "c", "é", ".", "ab"]).unwrap_or("a");
    // A dot behind a name that may be a file has a check of its own.
    let name = if way == "a/" && name == "." { "a" } else { name };
    format!("{way}{name}").into_bytes()
}

fn write(random: &mut Random, tree: &Tree, parents: Parents) -> Step {
    let path = path(random);
    let letter = random.one_of(b"xyz\n").unwrap_or(b'x');
    let mut content = vec![letter; usize::try_from(random.below(30)).unwrap_or(0)];
    content.extend_from_slice(
        random.one_of(&["", "\n", "\r\n", "end"]).unwrap_or_default().as_bytes(),
    );
    let current =
        match tree.resolve(&path, Links::Follow).ok().and_then(|real| tree.get(&real).cloned()) {
            Some(Node::File { content, .. }) => content,
            Some(Node::Dir | Node::Link(_) | Node::Special(_)) | None => "another".into(),
        };
    let guards = [
        Guard::Any,
        Guard::Any,
        Guard::Absent,
        Guard::Unchanged(Version::of(&current)),
        Guard::Unchanged(Version::of(b"")),
        Guard::Holding(current),
        Guard::Holding(Bytes::new()),
    ];
    let guard = random.one_of(&guards).unwrap_or(Guard::Any);
    Step::Write(path, content.into(), Put { guard, parents, ..ANY })
}

fn found(tree: &Tree, path: &WsPath, links: Links) -> Result<Node, Refusal> {
    let real = tree.resolve(path, links)?;
    Ok(tree.get(&real).ok_or(Code::FileNotFound)?.clone())
}

fn size(node: &Node) -> u64 {
    match node {
        Node::File { content, .. } => content.len() as u64,
        Node::Dir | Node::Link(_) | Node::Special(_) => 0,
    }
}

fn list(tree: &Tree, path: &WsPath, page: Page) -> Result<Answer, Refusal> {
    let real = tree.resolve(path, Links::Follow)?;
    match tree.get(&real) {
        None => return Err(Code::FileNotFound.into()),
        Some(Node::Dir) => {}
        Some(Node::File { .. } | Node::Link(_) | Node::Special(_)) => {
            return Err(Code::NotADirectory.into());
        }
    }
    let names: Vec<_> =
        tree.children(&real).map(|(path, _)| path.name().unwrap_or_default().to_vec()).collect();
    let total = names.len() as u64;
    let (skip, take) =
        (usize::try_from(page.skip).unwrap_or(0), usize::try_from(page.take).unwrap_or(0));
    Ok(Answer::Names(names.into_iter().skip(skip).take(take).collect(), total))
}

fn read(tree: &Tree, path: &WsPath, span: Span) -> Result<Answer, Refusal> {
    let Node::File { content, .. } = found(tree, path, Links::Follow)? else {
        return Err(Code::NotAFile.into());
    };
    let (_, bytes) = window(&content, span).ok_or(Code::FileTooLarge)?;
    let whole = bytes.len() == content.len();
    Ok(Answer::Content(bytes.to_vec(), content.len() as u64, whole.then(|| Version::of(&content))))
}

fn find(tree: &Tree, base: &WsPath, kinds: Kinds, facts: Facts) -> Result<Answer, Refusal> {
    let real = tree.resolve(base, Links::Keep)?;
    if real != *base {
        // Which text of a path a result carries behind a link is left open.
        return Err(Refusal::Open);
    }
    let known = |path: &WsPath, node: &Node| match facts {
        Facts::Names => (path.clone(), node.kind(), None),
        Facts::All => (path.clone(), node.kind(), Some(size(node))),
    };
    match tree.get(&real).ok_or(Code::FileNotFound)? {
        Node::Link(_) => return Err(Refusal::Open),
        Node::Special(_) => return Err(Code::NotAFile.into()),
        file @ Node::File { .. } => return Ok(Answer::Found(vec![known(&real, file)])),
        Node::Dir => {}
    }
    let counted = tree.below(&real).filter(|(_, node)| kinds.has(node.kind()));
    Ok(Answer::Found(counted.map(|(path, node)| known(path, node)).collect()))
}

/// One result of a backend; a line cannot be one, since none was asked for.
fn told(found: Owned) -> Option<(WsPath, Kind, Option<u64>)> {
    match found {
        Owned::Entry(entry) => Some((entry.path, entry.kind, Some(entry.size))),
        Owned::Name(path, kind) => Some((path, kind, None)),
        Owned::Line(_) | Owned::File(_) | Owned::Count(..) => None,
    }
}
