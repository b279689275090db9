//! Small files that are read again as they were, and what was answered then.
//!
//! Whether a file is text, which version it is, whether it holds a secret and how all that is
//! written down takes longer than to read it, and is the same as long as its bytes are. So an
//! answer without secrets is kept beside the bytes it was made of, and given again to whoever reads
//! the same ones: the file itself is read each time, and its bytes are compared, not their hash or
//! its time. What is read only once takes no room but for its version.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use bytes::Bytes;
use garth_contract::{Content, Version, WsPath};

/// So many files are remembered; the one that was read first goes first.
const MOST_FILES: usize = 16;

/// The longest file whose answer is kept. With all of them it is half a megabyte.
const MOST_BYTES: usize = 16 << 10;

/// What was answered to whoever read a file as a whole, in the usual way.
#[derive(Debug, Default)]
pub struct Again(Mutex<VecDeque<(WsPath, Read)>>);

/// How a file was read.
#[derive(Debug)]
enum Read {
    Once(Version),
    Again(Arc<Answered>),
}

#[derive(Debug)]
struct Answered {
    bytes: Bytes,
    modified: Option<SystemTime>,
    answer: String,
}

impl Again {
    /// The answer of before, where the file is what it was.
    #[must_use]
    pub fn answer(&self, path: &WsPath, content: &Content) -> Option<String> {
        let files = self.lock();
        let (_, read) = files.iter().find(|(known, _)| known == path)?;
        let Read::Again(answered) = read else { return None };
        let answered = Arc::clone(answered);
        drop(files);
        let same = answered.modified == content.modified && answered.bytes == content.bytes;
        (same && is_whole(content)).then(|| answered.answer.clone())
    }

    /// Takes note of an answer that holds no secret, and keeps it where the same file was
    /// answered before.
    pub fn answered(&self, path: &WsPath, (content, version): (&Content, Version), answer: &str) {
        if !is_whole(content) || content.bytes.len() > MOST_BYTES {
            return;
        }
        let mut files = self.lock();
        let known = files.iter().position(|(known, _)| known == path);
        let before = known.and_then(|at| files.remove(at));
        if before.is_none() && files.len() >= MOST_FILES {
            files.pop_front();
        }
        let read = match before {
            Some((_, Read::Once(before))) if before == version => {
                Read::Again(Arc::new(Answered {
                    // Copied: what was read lies in room for more.
                    bytes: Bytes::copy_from_slice(&content.bytes),
                    modified: content.modified,
                    answer: answer.to_owned(),
                }))
            }
            Some(_) | None => Read::Once(version),
        };
        files.push_back((path.clone(), read));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(WsPath, Read)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_whole(content: &Content) -> bool {
    content.offset == 0 && content.bytes.len() as u64 == content.size
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn path(name: &str) -> WsPath {
        WsPath::from_bytes(name.as_bytes()).unwrap()
    }

    fn content(text: &str) -> Content {
        Content {
            bytes: Bytes::copy_from_slice(text.as_bytes()),
            offset: 0,
            size: text.len() as u64,
            known: None,
            lines: None,
            modified: Some(SystemTime::UNIX_EPOCH),
            mode: None,
        }
    }

    fn tell(again: &Again, name: &str, content: &Content, answer: &str) {
        again.answered(&path(name), (content, Version::of(&content.bytes)), answer);
    }

    #[test]
    fn an_answer_that_was_given_twice_is_given_again() {
        let (again, text) = (Again::default(), content("text"));
        assert_eq!(again.answer(&path("a"), &text), None);
        tell(&again, "a", &text, "{}");
        assert_eq!(again.answer(&path("a"), &text), None, "it was read once");
        tell(&again, "a", &text, "{}");
        assert_eq!(again.answer(&path("a"), &text).as_deref(), Some("{}"));
        assert_eq!(again.answer(&path("b"), &text), None, "that is another file");
    }

    #[test]
    fn only_the_same_whole_file_has_the_answer_of_before() {
        let (again, text) = (Again::default(), content("text"));
        tell(&again, "a", &text, "{}");
        tell(&again, "a", &text, "{}");
        let later = text.modified.map(|time| time + Duration::from_nanos(1));
        for (what, other) in [
            ("other bytes", content("texT")),
            ("fewer bytes", content("tex")),
            ("another time", Content { modified: later, ..text.clone() }),
            ("no time", Content { modified: None, ..text.clone() }),
            ("a part", Content { size: 5, ..text.clone() }),
            ("another part", Content { offset: 1, size: 5, ..text.clone() }),
        ] {
            assert_eq!(again.answer(&path("a"), &other), None, "{what}");
        }
        tell(&again, "a", &content("other"), "{1}");
        assert_eq!(again.answer(&path("a"), &text), None, "it was something else since");
    }

    #[test]
    fn it_is_bounded_in_files_and_in_bytes() {
        let again = Again::default();
        let large = content(&"x".repeat(MOST_BYTES + 1));
        for _ in 0..3 {
            tell(&again, "large", &large, "{}");
        }
        assert_eq!(again.answer(&path("large"), &large), None);
        for number in 0..=MOST_FILES {
            for _ in 0..2 {
                tell(&again, &number.to_string(), &content("text"), "{}");
            }
        }
        assert_eq!(again.lock().len(), MOST_FILES);
        assert_eq!(again.answer(&path("0"), &content("text")), None, "the first one went");
        assert!(again.answer(&path("1"), &content("text")).is_some());
    }
}
