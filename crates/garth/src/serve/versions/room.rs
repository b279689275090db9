//! The shelves of all workspaces, and the bound on all of them together.
//!
//! Of a workspace whose shelf is not open nothing is known but how much it holds and how
//! old the oldest of it is, which is enough to tell where the oldest of all lies.

#![allow(
    clippy::disallowed_methods,
    reason = "these files are the gateway's own and lie in no workspace"
)]

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use garth_contract::{Version, WsPath};
use garth_gateway::AgentId;

use super::{
    Key,
    shelf::{self, Holds, Shelf},
};

/// Workspaces whose contents are known by heart; others are read anew.
const MOST_SHELVES: usize = 256;

/// Where everything is kept.
pub(super) struct Room {
    place: PathBuf,
    most_bytes: u64,
    shelves: HashMap<Key, Shelf>,
    /// What each workspace holds that holds anything.
    holds: HashMap<Key, Holds>,
    bytes: u64,
}

impl Room {
    /// What is kept below a directory, at most so many bytes of it.
    pub(super) fn open(place: PathBuf, most_bytes: u64) -> Self {
        let (shelves, holds) = (HashMap::new(), HashMap::new());
        let mut room = Self { place, most_bytes, shelves, holds, bytes: 0 };
        for (key, directory) in found(&room.place) {
            room.set(&key, shelf::look(&directory));
        }
        room.give_up();
        room
    }

    /// Keeps a content, if it is text; the oldest of all go for it.
    pub(super) fn keep(
        &mut self,
        of: &Key,
        path: &WsPath,
        bytes: &Bytes,
        version: Option<Version>,
    ) {
        let shelf = self.shelf(of);
        shelf.keep(path, bytes, version);
        let holds = shelf.holds();
        self.set(of, holds);
        self.give_up();
    }

    /// A content that is kept, whole.
    pub(super) fn find(&mut self, of: &Key, path: &WsPath, version: Version) -> Option<Bytes> {
        self.shelf(of).find(path, version)
    }

    /// Forgets what is kept of an agent.
    pub(super) fn forget(&mut self, agent: &AgentId) {
        self.shelves.retain(|key, _| key.agent != *agent);
        shelf::remove(&self.place.join(agent.as_str()));
        self.forget_all_but(agent, None);
    }

    fn forget_all_but(&mut self, agent: &AgentId, but: Option<&Key>) {
        self.holds.retain(|key, _| key.agent != *agent || Some(key) == but);
        self.bytes = self.holds.values().map(|holds| holds.bytes).sum();
    }

    fn shelf(&mut self, of: &Key) -> &mut Shelf {
        if !self.shelves.contains_key(of) {
            if self.shelves.len() >= MOST_SHELVES {
                self.shelves.clear();
            }
            // What is left of an agent of the same name goes when this one's is opened.
            self.forget_all_but(&of.agent, Some(of));
        }
        let place = &self.place;
        self.shelves.entry(of.clone()).or_insert_with(|| {
            Shelf::open(&place.join(of.agent.as_str()), &of.created_ms.to_string())
        })
    }

    fn set(&mut self, of: &Key, holds: Option<Holds>) {
        let before = match holds {
            Some(holds) => {
                self.bytes = self.bytes.saturating_add(holds.bytes);
                self.holds.insert(of.clone(), holds)
            }
            None => self.holds.remove(of),
        };
        self.bytes = self.bytes.saturating_sub(before.map_or(0, |before| before.bytes));
    }

    /// Lets the oldest of all go until the rest fits.
    fn give_up(&mut self) {
        while self.bytes > self.most_bytes {
            let oldest = self.holds.iter().min_by_key(|(_, holds)| holds.oldest);
            let Some(of) = oldest.map(|(key, _)| key.clone()) else { return };
            let shelf = self.shelf(&of);
            shelf.give_up_oldest();
            let holds = shelf.holds();
            self.set(&of, holds);
        }
    }
}

/// The workspaces of which something is kept.
fn found(place: &Path) -> Vec<(Key, PathBuf)> {
    let mut all = Vec::new();
    for agent in fs::read_dir(place).into_iter().flatten().flatten() {
        let Some(id) = agent.file_name().to_str().and_then(|name| AgentId::parse(name).ok()) else {
            continue;
        };
        for made in fs::read_dir(agent.path()).into_iter().flatten().flatten() {
            let name = made.file_name();
            let Some(created_ms) = name.to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            all.push((Key { agent: id.clone(), created_ms }, made.path()));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Room for three contents, of which each takes a block.
    const MOST: u64 = 3 * shelf::BLOCK;

    fn key(agent: &str) -> Key {
        Key { agent: AgentId::parse(agent).unwrap(), created_ms: 1 }
    }

    fn path() -> WsPath {
        WsPath::from_bytes(b"f").unwrap()
    }

    fn keep(room: &mut Room, agent: &str, text: &'static str) {
        room.keep(&key(agent), &path(), &Bytes::from_static(text.as_bytes()), None);
    }

    /// Which of these are kept, by the name of their agent and their text.
    fn kept(room: &mut Room, all: &[(&'static str, &'static str)]) -> Vec<&'static str> {
        let mut found = all.to_vec();
        found.retain(|(agent, text)| {
            room.find(&key(agent), &path(), Version::of(text.as_bytes())).is_some()
        });
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn the_oldest_of_all_workspaces_goes_first() {
        let place = tempfile::tempdir().unwrap();
        let mut room = Room::open(place.path().to_owned(), MOST);
        let all = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("b", "5")];
        for (agent, text) in all {
            keep(&mut room, agent, text);
        }
        assert_eq!(kept(&mut room, &all), ["3", "4", "5"]);
        // Seen again, and so the youngest.
        keep(&mut room, "a", "3");
        keep(&mut room, "c", "6");
        assert_eq!(kept(&mut room, &all), ["3", "5"]);
        // One that takes all the room there is.
        let long = "x".repeat(usize::try_from(MOST).unwrap()).leak();
        keep(&mut room, "b", long);
        assert_eq!(kept(&mut room, &[("b", long), ("a", "3"), ("b", "5"), ("c", "6")]), [&*long]);
    }

    #[test]
    fn the_bound_holds_for_what_an_earlier_start_left_and_for_shelves_that_are_closed() {
        let place = tempfile::tempdir().unwrap();
        let all = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")];
        let mut room = Room::open(place.path().to_owned(), u64::MAX);
        for (agent, text) in all {
            keep(&mut room, agent, text);
            room.shelves.clear();
        }
        assert_eq!(room.bytes, 4 * shelf::BLOCK);
        let mut room = Room::open(place.path().to_owned(), MOST);
        assert_eq!((room.bytes, room.holds.len()), (MOST, 3));
        assert_eq!(kept(&mut room, &all), ["2", "3", "4"]);
        room.forget(&key("c").agent);
        assert_eq!(room.bytes, 2 * shelf::BLOCK);
        keep(&mut room, "a", "5");
        assert_eq!(kept(&mut room, &all), ["2", "4"]);
        // An agent that was made anew has nothing of the one before it.
        let anew = Key { created_ms: 2, ..key("b") };
        assert_eq!(room.find(&anew, &path(), Version::of(b"2")), None);
        assert_eq!(room.bytes, 2 * shelf::BLOCK);
        let mut room = Room::open(place.path().to_owned(), 0);
        assert_eq!((room.bytes, kept(&mut room, &all)), (0, Vec::new()));
    }
}
