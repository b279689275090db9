//! What callers say of files they send (`X-Metadata-*`), kept beside the sandbox by path.
//!
//! It follows moves and removals that come over this wire, and not those of programs
//! inside; the documentation says so.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::http::HeaderMap;
use garth_contract::WsPath;

use super::refuse::{Result, Wrong};

/// What a header begins with that says something of a file.
const PREFIX: &str = "x-metadata-";
/// The longest name, in bytes, as the description of the wire has it.
const MOST_NAME: usize = 246;
/// The most bytes of all names and values of a file, and what each name counts beside.
const MOST_ALL: usize = 4_096;
const EACH_NAME: usize = "user.e2b.".len();
/// Files of which something is said; of more, the first by name are forgotten.
const MOST_FILES: usize = 10_000;

/// What is said of one file.
pub(super) type Said = BTreeMap<String, String>;

/// What is said of the files of one sandbox.
#[derive(Default)]
pub(super) struct Kept(Mutex<BTreeMap<Vec<u8>, Said>>);

impl Kept {
    /// Says this of a file, and nothing else any more.
    pub(super) fn put(&self, path: &WsPath, said: Said) {
        let mut all = self.lock();
        if said.is_empty() {
            all.remove(path.as_bytes());
            return;
        }
        all.insert(path.as_bytes().to_vec(), said);
        while all.len() > MOST_FILES {
            all.pop_first();
        }
    }

    /// What is said of a file.
    pub(super) fn of(&self, path: &WsPath) -> Option<Said> {
        self.lock().get(path.as_bytes()).cloned()
    }

    /// Forgets what lies at or below a path.
    pub(super) fn forget(&self, path: &WsPath) {
        self.lock().retain(|at, _| !is_below(at, path.as_bytes()));
    }

    /// Takes what is said along with a move.
    pub(super) fn moved(&self, from: &WsPath, to: &WsPath) {
        let mut all = self.lock();
        let names: Vec<_> =
            all.keys().filter(|at| is_below(at, from.as_bytes())).cloned().collect();
        for name in names {
            let Some(said) = all.remove(&name) else { continue };
            let rest = name.get(from.as_bytes().len()..).unwrap_or_default();
            let mut at = to.as_bytes().to_vec();
            at.extend_from_slice(rest);
            all.insert(at, said);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Said>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_below(at: &[u8], base: &[u8]) -> bool {
    at.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// What the head of a request says of the file that it brings.
///
/// # Errors
/// `invalid_argument` for what is not printable or too long.
pub(super) fn said(headers: &HeaderMap) -> Result<Said> {
    let mut said = Said::new();
    let mut size = 0;
    for (name, value) in headers {
        let Some(name) = name.as_str().strip_prefix(PREFIX) else { continue };
        if said.contains_key(name) {
            continue;
        }
        let value = value
            .to_str()
            .ok()
            .filter(|value| value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)));
        let Some(value) = value else {
            return Err(Wrong::invalid(format!("metadata {name:?} is not printable ASCII")));
        };
        if name.is_empty() || name.len() > MOST_NAME {
            return Err(Wrong::invalid(format!("a name of metadata has 1 to {MOST_NAME} bytes")));
        }
        size += EACH_NAME + name.len() + value.len();
        if size > MOST_ALL {
            return Err(Wrong::invalid(format!("metadata of a file has at most {MOST_ALL} bytes")));
        }
        said.insert(name.to_owned(), value.to_owned());
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use garth_contract::{Aliases, RawPath};

    use super::*;

    fn path(text: &str) -> WsPath {
        RawPath::new(text).resolve(&Aliases::none()).unwrap()
    }

    fn of(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        });
        pairs.collect()
    }

    #[test]
    fn what_is_said_goes_along_with_a_move_and_ends_with_a_removal() {
        let kept = Kept::default();
        let said = said(&of(&[("x-metadata-a", "1"), ("accept", "x")])).unwrap();
        kept.put(&path("d/f"), said.clone());
        kept.put(&path("dd"), said.clone());
        kept.moved(&path("d"), &path("e"));
        assert_eq!(kept.of(&path("d/f")), None);
        assert_eq!(kept.of(&path("e/f")), Some(said.clone()));
        kept.forget(&path("e"));
        assert_eq!(kept.of(&path("e/f")), None);
        assert_eq!(kept.of(&path("dd")), Some(said));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(said(&of(&[("x-metadata-a", &"x".repeat(5_000))])).is_err());
        assert!(said(&of(&[("x-metadata-", "x")])).is_err());
        assert_eq!(said(&of(&[])).unwrap(), Said::new());
    }
}
