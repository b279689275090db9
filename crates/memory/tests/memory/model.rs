//! Long random sequences of changes, forks and restores against a naive model.

use std::collections::BTreeMap;

use bytes::Bytes;
use garth_contract::{
    Clobber, Code, Depth, Filesystem, Guard, Kind, Move, Parents, Policy, Put, Version,
};
use garth_memory::{Memory, Snapshot};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::fixture::{Ws, now, path};

const QUOTA: u64 = 24;

/// Every path and what is there: a directory is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model(BTreeMap<String, Option<Vec<u8>>>);

#[derive(Clone, Debug)]
enum Act {
    Write(String, Vec<u8>, Expect, Parents),
    MakeDir(String, Parents),
    Remove(String, Depth),
    Rename(String, String, Move),
    Fork,
    Switch(usize),
    Keep,
    GoBack(usize),
}

/// Which guard a write carries.
#[derive(Clone, Copy, Debug)]
enum Expect {
    Anything,
    Nothing,
    WhatIsThere,
    SomethingElse,
}

fn paths() -> impl Strategy<Value = String> {
    vec(select(vec!["a", "b", "c-"]), 1..4).prop_map(|names| names.join("/"))
}

fn parents() -> impl Strategy<Value = Parents> {
    select(vec![Parents::Create, Parents::Require])
}

fn acts() -> impl Strategy<Value = Act> {
    let guards = [
        Expect::Anything,
        Expect::Anything,
        Expect::Nothing,
        Expect::WhatIsThere,
        Expect::SomethingElse,
    ];
    let moves = (select(vec![Clobber::Refuse, Clobber::Replace]), parents())
        .prop_map(|(clobber, parents)| Move { clobber, parents });
    prop_oneof![
        8 => (paths(), vec(0..4_u8, 0..9), select(guards.to_vec()), parents())
            .prop_map(|(path, content, guard, parents)| Act::Write(path, content, guard, parents)),
        3 => (paths(), parents()).prop_map(|(path, parents)| Act::MakeDir(path, parents)),
        3 => (paths(), select(vec![Depth::One, Depth::All]))
            .prop_map(|(path, depth)| Act::Remove(path, depth)),
        6 => (paths(), paths(), moves).prop_map(|(from, to, how)| Act::Rename(from, to, how)),
        1 => Just(Act::Fork),
        2 => any::<usize>().prop_map(Act::Switch),
        1 => Just(Act::Keep),
        1 => any::<usize>().prop_map(Act::GoBack),
    ]
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

impl Model {
    fn is_dir(&self, path: &str) -> bool {
        path.is_empty() || self.0.get(path) == Some(&None)
    }

    fn below(&self, path: &str) -> Vec<String> {
        let prefix = format!("{path}/");
        self.0.keys().filter(|other| other.starts_with(&prefix)).cloned().collect()
    }

    fn bytes(&self) -> u64 {
        self.0.values().flatten().map(|content| content.len() as u64).sum()
    }

    /// Checks the way to a path and says which directories are missing.
    fn missing(&self, path: &str) -> Result<Vec<String>, Code> {
        let mut missing = Vec::new();
        let mut at = parent(path);
        while let Some(dir) = at {
            match self.0.get(dir) {
                Some(None) => {}
                Some(Some(_)) => return Err(Code::NotADirectory),
                None => missing.push(dir.to_owned()),
            }
            at = parent(dir);
        }
        Ok(missing)
    }

    fn make_way(&mut self, path: &str, parents: Parents) -> Result<(), Code> {
        let missing = self.missing(path)?;
        if parents == Parents::Require && !missing.is_empty() {
            return Err(Code::ParentNotFound);
        }
        self.0.extend(missing.into_iter().map(|dir| (dir, None)));
        Ok(())
    }

    fn write(
        &mut self,
        path: &str,
        content: &[u8],
        expect: Expect,
        parents: Parents,
    ) -> Result<bool, Code> {
        let before = self.bytes();
        let there = self.0.get(path).cloned();
        if there == Some(None) {
            return Err(Code::NotAFile);
        }
        self.make_way(path, parents)?;
        match (expect, &there) {
            (Expect::Nothing, Some(_)) => return Err(Code::FileExists),
            (Expect::WhatIsThere, None) | (Expect::SomethingElse, _) => return Err(Code::Conflict),
            _ => {}
        }
        self.0.insert(path.to_owned(), Some(content.to_vec()));
        if self.bytes() > QUOTA && self.bytes() > before {
            return Err(Code::QuotaExceeded);
        }
        Ok(there.is_none())
    }

    fn make_dir(&mut self, path: &str, parents: Parents) -> Result<bool, Code> {
        self.missing(path)?;
        match self.0.get(path) {
            Some(None) => return Ok(false),
            Some(Some(_)) => return Err(Code::FileExists),
            None => {}
        }
        self.make_way(path, parents)?;
        self.0.insert(path.to_owned(), None);
        Ok(true)
    }

    fn remove(&mut self, path: &str, depth: Depth) -> Result<u64, Code> {
        self.missing(path)?;
        self.0.get(path).ok_or(Code::FileNotFound)?;
        let below = self.below(path);
        if depth == Depth::One && !below.is_empty() {
            return Err(Code::DirectoryNotEmpty);
        }
        self.0.remove(path);
        below.iter().for_each(|path| drop(self.0.remove(path)));
        Ok(below.len() as u64 + 1)
    }

    fn rename(&mut self, from: &str, to: &str, how: Move) -> Result<bool, Code> {
        self.missing(from)?;
        let is_dir = self.0.get(from).ok_or(Code::SourceNotFound)?.is_none();
        self.missing(to)?;
        if from == to {
            return Ok(false);
        }
        if is_dir && to.starts_with(&format!("{from}/")) {
            return Err(Code::CannotMoveToSubdirectory);
        }
        let there = self.0.get(to).cloned();
        self.make_way(to, how.parents)?;
        match (&there, how.clobber) {
            (None, _) => {}
            (Some(_), Clobber::Refuse) => return Err(Code::DestinationExists),
            (Some(None), Clobber::Replace) if !is_dir => return Err(Code::NotAFile),
            (Some(Some(_)), Clobber::Replace) if is_dir => return Err(Code::NotADirectory),
            (Some(None), Clobber::Replace) if !self.below(to).is_empty() => {
                return Err(Code::DirectoryNotEmpty);
            }
            (Some(_), Clobber::Replace) => {}
        }
        for old in self.below(from).into_iter().chain([from.to_owned()]) {
            let content = self.0.remove(&old).unwrap();
            self.0.insert(format!("{to}{}", &old[from.len()..]), content);
        }
        Ok(there.is_some())
    }
}

/// One workspace and what it should be.
struct World {
    ws: Ws,
    model: Model,
}

impl World {
    fn act(&mut self, act: &Act) {
        let mut next = self.model.clone();
        let (expected, actual) = match act {
            Act::Write(path, content, expect, parents) => (
                next.write(path, content, *expect, *parents).map(u64::from),
                self.write(path, content, *expect, *parents).map(u64::from),
            ),
            Act::MakeDir(path, parents) => (
                next.make_dir(path, *parents).map(u64::from),
                self.ws
                    .make_dir(path, *parents)
                    .map(|made| u64::from(made == garth_contract::Made::Created)),
            ),
            Act::Remove(path, depth) => (
                next.remove(path, *depth),
                self.ws.remove(path, *depth).map(|removed| removed.count),
            ),
            Act::Rename(from, to, how) => (
                next.rename(from, to, *how).map(u64::from),
                self.ws.rename(from, to, *how).map(|renamed| u64::from(renamed.replaced)),
            ),
            Act::Fork | Act::Switch(_) | Act::Keep | Act::GoBack(_) => return,
        };
        assert_eq!(actual, expected, "{act:?} on {:?}", self.model);
        if expected.is_ok() {
            self.model = next;
        }
        self.check();
    }

    fn write(
        &self,
        name: &str,
        content: &[u8],
        expect: Expect,
        parents: Parents,
    ) -> Result<bool, Code> {
        let current = match self.model.0.get(name) {
            Some(Some(content)) => Version::of(content),
            Some(None) | None => Version::of(b"nothing"),
        };
        let guard = match expect {
            Expect::Anything => Guard::Any,
            Expect::Nothing => Guard::Absent,
            Expect::WhatIsThere => Guard::Unchanged(current),
            Expect::SomethingElse => Guard::Unchanged(Version::of(b"something else")),
        };
        let put = Put { guard, parents, mode: None };
        let written = now(self.ws.0.write(&path(name), Bytes::copy_from_slice(content), put));
        written.map(|written| written.created).map_err(|error| error.code())
    }

    /// Compares everything there is.
    fn check(&self) {
        let mut actual = Model::default();
        for name in self.ws.tree() {
            let content = match self.ws.kind(&name).unwrap() {
                Kind::Dir => None,
                Kind::File => Some(self.ws.read(&name).unwrap().into_bytes()),
                kind @ (Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device) => {
                    panic!("{name} is a {kind:?}, which nobody made")
                }
            };
            actual.0.insert(name, content);
        }
        assert_eq!(actual, self.model);
        let sums = format!("{:?}", self.ws.0);
        let expected = format!("entries: {}, bytes: {},", self.model.0.len(), self.model.bytes());
        assert!(sums.contains(&expected), "{sums} should say {expected}");
        for dir in self.model.0.keys().filter(|name| self.model.is_dir(name)) {
            let direct =
                self.model.below(dir).iter().filter(|name| parent(name) == Some(dir)).count();
            assert_eq!(self.ws.list(dir).unwrap().len(), direct);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sequence_does_what_the_model_does(acts in vec(acts(), 1..120)) {
        let policy = Policy { quota: Some(QUOTA), ..Policy::open() };
        let ws = Ws(Memory::new(policy).unwrap());
        let mut worlds = vec![World { ws, model: Model::default() }];
        let mut kept: Vec<(Snapshot, Model)> = Vec::new();
        let mut current = 0;
        for act in &acts {
            let world = &mut worlds[current];
            match act {
                Act::Fork => {
                    let fork = World { ws: Ws(world.ws.0.fork()), model: world.model.clone() };
                    worlds.push(fork);
                }
                Act::Switch(number) => current = number % worlds.len(),
                Act::Keep => kept.push((world.ws.0.snapshot(), world.model.clone())),
                Act::GoBack(number) => {
                    if let Some((snapshot, model)) = kept.get(number % kept.len().max(1)) {
                        world.ws.0.restore(snapshot).unwrap();
                        world.model = model.clone();
                        world.check();
                    }
                }
                Act::Write(..) | Act::MakeDir(..) | Act::Remove(..) | Act::Rename(..) => {
                    world.act(act);
                }
            }
        }
        worlds.iter().for_each(World::check);
    }
}
