//! What is known of buffers: those that were read or written through here.
//!
//! A client tells nothing by itself, so nobody knows all of its unsaved buffers. Of
//! those that passed by it is noted what the client held and how the file beneath
//! looked, in a bounded number of notes; the one that was not looked at for longest
//! goes first.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use bytes::Bytes;
use garth_contract::{Content, Entry, Version};

/// The most buffers that are known at once. Each is asked for again by a search, so
/// it is also a bound on what a search costs a client.
const MOST: usize = 256;
/// The most bytes of texts that are kept because a client cannot be asked for them.
const MOST_KEPT: usize = 32 << 20;

/// What is known of a session's buffers, by the absolute path the client has.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    by_path: HashMap<String, Dated>,
    clock: u64,
}

#[derive(Debug)]
struct Dated {
    note: Note,
    at: u64,
}

/// What is known of one buffer.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    /// How the file beneath looked; `None` when there was none.
    pub(crate) disk: Option<Look>,
    /// The text as the client gave or got it.
    pub(crate) held: Version,
    /// How many bytes of it are shown, where another text than the file's is.
    pub(crate) unsaved: Option<u64>,
    /// Whose text it is.
    pub(crate) whose: Whose,
    /// The text, where the client cannot be asked for it.
    pub(crate) kept: Option<Bytes>,
}

/// Whose text a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A person's, or that of the file.
    Theirs,
    /// It was written through here, and is shown to the byte.
    Ours,
    /// Nobody's any more: its file was removed, moved away or replaced beneath.
    Left,
}

/// How a file beneath looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    size: u64,
    modified: Option<SystemTime>,
}

impl Look {
    pub(crate) fn of(content: &Content) -> Self {
        Self { size: content.size, modified: content.modified }
    }

    pub(crate) fn at(entry: &Entry) -> Self {
        Self { size: entry.size, modified: entry.modified }
    }
}

impl Known {
    /// Notes what is known of a buffer now.
    pub(crate) fn note(&self, path: String, note: Note) {
        let mut notes = self.notes();
        notes.clock += 1;
        let at = notes.clock;
        notes.by_path.insert(path, Dated { note, at });
        while notes.by_path.len() > MOST || notes.kept() > MOST_KEPT {
            let oldest = notes.by_path.iter().min_by_key(|(_, dated)| dated.at);
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else { break };
            notes.by_path.remove(&oldest);
        }
    }

    /// Tells whether nothing is known of any buffer.
    pub(crate) fn is_empty(&self) -> bool {
        self.notes().by_path.is_empty()
    }

    pub(crate) fn get(&self, path: &str) -> Option<Note> {
        self.notes().by_path.get(path).map(|dated| dated.note.clone())
    }

    pub(crate) fn forget(&self, path: &str) {
        self.notes().by_path.remove(path);
    }

    /// The paths of all buffers that are known and not left.
    pub(crate) fn paths(&self) -> Vec<String> {
        let notes = self.notes();
        let open = notes.by_path.iter().filter(|(_, dated)| dated.note.whose != Whose::Left);
        open.map(|(path, _)| path.clone()).collect()
    }

    /// Leaves a buffer: what it holds now no longer stands for a file.
    pub(crate) fn leave(&self, path: String, held: Version) {
        let note = Note { disk: None, held, unsaved: None, whose: Whose::Left, kept: None };
        self.note(path, note);
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notes {
    fn kept(&self) -> usize {
        self.by_path.values().filter_map(|dated| dated.note.kept.as_ref()).map(Bytes::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kept: Option<usize>) -> Note {
        let kept = kept.map(|length| Bytes::from(vec![b'x'; length]));
        let held = Version::of(b"x");
        Note { disk: None, held, unsaved: None, whose: Whose::Theirs, kept }
    }

    #[test]
    fn the_oldest_note_goes_first() {
        let known = Known::default();
        for number in 0..=MOST {
            known.note(format!("/{number}"), note(None));
        }
        assert_eq!(known.paths().len(), MOST);
        assert!(known.get("/0").is_none());
        assert!(known.get("/1").is_some());
    }

    #[test]
    fn texts_that_are_kept_are_bounded_together() {
        let known = Known::default();
        for number in 0..10 {
            known.note(format!("/{number}"), note(Some(MOST_KEPT / 4)));
        }
        assert_eq!(known.paths().len(), 4);
    }

    #[test]
    fn a_buffer_that_was_left_is_not_searched() {
        let known = Known::default();
        known.note("/a".to_owned(), note(None));
        known.leave("/a".to_owned(), Version::of(b"x"));
        assert_eq!(known.paths(), [""; 0]);
        assert!(known.get("/a").is_some());
        known.forget("/a");
        assert!(known.get("/a").is_none());
    }
}
