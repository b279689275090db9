//! `RawPath → WsPath`: a path is checked once, where it enters, and is a type after.
//!
//! A [`RawPath`] is text from a wire and can be looked at by nobody. Resolving it
//! against the [`Aliases`] of a workspace gives a [`WsPath`]: a normal form that
//! cannot hold `..`, a NUL, an empty component or one too long. The rest of the
//! program takes `&WsPath` and has nothing left to check.

use std::{cmp::Ordering, fmt, sync::Arc};

use crate::{
    Code, Error, Result,
    escape::{escape, unescape},
};

/// The longest path that is accepted, in bytes of its text.
pub const MAX_PATH: usize = 4096;
/// The longest name of one component, in bytes; what Linux file systems allow.
pub const MAX_NAME: usize = 255;

/// A path as a caller sent it: text that nothing is known of.
#[derive(Clone, Debug)]
pub struct RawPath(String);

/// The absolute paths under which places of a workspace are also known.
///
/// The mount alias (`/workspace`) leads to the root; a program that a person
/// started on their own machine adds the root's own host path, or those of several
/// directories, each of which leads to where it is mounted.
#[derive(Clone, Debug, Default)]
pub struct Aliases(Vec<Alias>);

#[derive(Clone, Debug)]
struct Alias {
    names: Vec<Vec<u8>>,
    leads_to: WsPath,
}

/// A path inside a workspace, in normal form, relative to its root.
///
/// Ordered by component, so that everything below a directory stands together.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WsPath(Arc<[u8]>);

impl Aliases {
    /// No alias: every absolute path but `/` is outside.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds an absolute path that leads to the root, compared by whole components.
    ///
    /// `/` itself is no alias, since it would re-root every absolute path.
    #[must_use]
    pub fn with(self, absolute: &[u8]) -> Self {
        if normal(absolute).is_empty() {
            return self;
        }
        self.with_at(absolute, WsPath::root())
    }

    /// Adds an absolute path that leads to a place of the workspace.
    ///
    /// `.` and `..` in it are resolved as text. Where one alias stands within
    /// another, the longer counts. `/` is taken, for a workspace that has the whole
    /// file system there.
    #[must_use]
    pub fn with_at(mut self, absolute: &[u8], leads_to: WsPath) -> Self {
        if absolute.starts_with(b"/") && !absolute.contains(&0) {
            self.0.push(Alias { names: normal(absolute), leads_to });
        }
        self
    }

    /// Finds the longest alias that `absolute` begins with: where it leads, and
    /// what follows it.
    #[must_use]
    pub fn find<'a>(&self, absolute: &'a [u8]) -> Option<(&WsPath, &'a [u8])> {
        let mut rest = absolute;
        let mut best = None;
        let mut seen: Vec<&[u8]> = Vec::new();
        loop {
            if let Some(leads_to) = self.of(&seen) {
                best = Some((leads_to, rest));
            }
            rest = rest.trim_prefix_slashes();
            let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return best;
            }
            match name {
                b"." => {}
                b".." => return best,
                name => seen.push(name),
            }
            rest = after;
        }
    }

    /// Strips the alias that `absolute` begins with, where it leads to the root.
    ///
    /// A backend uses it for the targets of absolute links.
    #[must_use]
    pub fn strip<'a>(&self, absolute: &'a [u8]) -> Option<&'a [u8]> {
        self.find(absolute).filter(|(leads_to, _)| leads_to.is_root()).map(|(_, rest)| rest)
    }

    /// Where the alias of exactly these names leads.
    fn of<N: AsRef<[u8]>>(&self, names: &[N]) -> Option<&WsPath> {
        let same = |alias: &&Alias| {
            alias.names.iter().map(Vec::as_slice).eq(names.iter().map(AsRef::as_ref))
        };
        self.0.iter().find(same).map(|alias| &alias.leads_to)
    }
}

/// The names of an absolute path, `.` and `..` resolved as text.
fn normal(absolute: &[u8]) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    for name in components(absolute) {
        if name == b".." {
            names.pop();
        } else {
            names.push(name.to_vec());
        }
    }
    names
}

trait TrimSlashes {
    fn trim_prefix_slashes(&self) -> &Self;
}

impl TrimSlashes for [u8] {
    fn trim_prefix_slashes(&self) -> &Self {
        let start = self.iter().position(|byte| *byte != b'/').unwrap_or(self.len());
        self.split_at(start).1
    }
}

fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty() && *name != b".")
}

impl RawPath {
    /// Takes a path from a wire.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Turns the text into a path of the workspace.
    ///
    /// `.` and `..` are resolved as text; escapes of odd names are undone.
    ///
    /// # Errors
    /// `INVALID_PATH` for NUL, more than [`MAX_PATH`] bytes or a component of more
    /// than [`MAX_NAME`]; `PATH_OUTSIDE_WORKSPACE` for a path that climbs past the
    /// root or an absolute one under no alias.
    pub fn resolve(&self, aliases: &Aliases) -> Result<WsPath> {
        Self::resolve_text(&self.0, aliases)
    }

    /// The same for a text that somebody else has.
    ///
    /// # Errors
    /// As for [`resolve`](Self::resolve).
    pub fn resolve_text(text: &str, aliases: &Aliases) -> Result<WsPath> {
        let bytes = unescape(text);
        check_length(text.len())?;
        // Most are in normal form already.
        if bytes.is_empty() || bytes.split(|byte| *byte == b'/').all(is_normal) {
            return Ok(WsPath(bytes.into()));
        }
        let outside = || Self(text.to_owned()).outside();
        let root = WsPath::root();
        let mut stack: Vec<Vec<u8>> = Vec::new();
        // The places on the way that are known, each with the number of names that
        // lead to it: the root for a relative path, aliases for an absolute one.
        let absolute = bytes.starts_with(b"/");
        let start = if absolute { aliases.of(&stack) } else { Some(&root) };
        let mut places: Vec<(usize, &WsPath)> = start.map(|place| (0, place)).into_iter().collect();
        for name in components(&bytes) {
            check_name(name)?;
            if name == b".." {
                if places.last().is_some_and(|(length, _)| *length == stack.len()) {
                    places.pop();
                    if places.is_empty() {
                        return Err(outside());
                    }
                }
                if stack.pop().is_none() {
                    return Err(outside());
                }
                continue;
            }
            stack.push(name.to_vec());
            if absolute && let Some(place) = aliases.of(&stack) {
                places.push((stack.len(), place));
            }
        }
        match places.last() {
            Some((length, place)) => {
                let rest = stack.iter().skip(*length).map(Vec::as_slice);
                Ok(WsPath::from_names(place.components().chain(rest)))
            }
            None if stack.is_empty() => Ok(root),
            None => Err(outside()),
        }
    }

    fn outside(&self) -> Error {
        let code = Code::PathOutsideWorkspace;
        Error::new(code, format!("{}: {self}", code.row().phrase))
    }
}

/// Repeats what was sent, on one line.
impl fmt::Display for RawPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&unescape(&self.0)))
    }
}

fn check_length(length: usize) -> Result<()> {
    if length <= MAX_PATH {
        return Ok(());
    }
    Err(Error::new(Code::InvalidPath, format!("the path is longer than {MAX_PATH} bytes")))
}

/// Checks bytes that are to be a path in normal form.
fn check_whole(bytes: &[u8]) -> Result<()> {
    check_length(bytes.len())?;
    if bytes.is_empty() {
        return Ok(());
    }
    bytes.split(|byte| *byte == b'/').try_for_each(check_normal)
}

fn check_name(name: &[u8]) -> Result<()> {
    if name.contains(&0) {
        return Err(Error::new(Code::InvalidPath, "the path holds a NUL byte"));
    }
    if name.len() > MAX_NAME {
        let message = format!("a component of the path is longer than {MAX_NAME} bytes");
        return Err(Error::new(Code::InvalidPath, message));
    }
    Ok(())
}

impl WsPath {
    /// The workspace's root.
    #[must_use]
    pub fn root() -> Self {
        Self(Arc::from([]))
    }

    fn from_names<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut bytes = Vec::new();
        for name in names {
            if !bytes.is_empty() {
                bytes.push(b'/');
            }
            bytes.extend_from_slice(name);
        }
        Self(bytes.into())
    }

    /// Takes a path that a backend or a guest made, and checks it like any other.
    ///
    /// # Errors
    /// `INVALID_PATH` unless the bytes are already in normal form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        check_whole(bytes)?;
        Ok(Self(bytes.into()))
    }

    /// Becomes another path, as [`from_bytes`](Self::from_bytes) makes it; in the same memory
    /// where it fits exactly and nobody else has this one. A directory's names are often of
    /// one length.
    ///
    /// # Errors
    /// `INVALID_PATH` unless the bytes are already in normal form; then it stays as it is.
    pub fn become_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        check_whole(bytes)?;
        match Arc::get_mut(&mut self.0).filter(|own| own.len() == bytes.len()) {
            Some(own) => own.copy_from_slice(bytes),
            None => self.0 = bytes.into(),
        }
        Ok(())
    }

    /// The path of an entry in this directory.
    ///
    /// # Errors
    /// `INVALID_PATH` when `name` is not one component or the path gets too long.
    pub fn join(&self, name: &[u8]) -> Result<Self> {
        check_component(name)?;
        check_length(self.0.len() + 1 + name.len())?;
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + name.len());
        if !self.is_root() {
            bytes.extend_from_slice(&self.0);
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name);
        Ok(Self(bytes.into()))
    }

    /// The path that this one has in a tree that holds its root at `base`.
    ///
    /// # Errors
    /// `INVALID_PATH` when the path gets too long.
    pub fn under(&self, base: &Self) -> Result<Self> {
        if self.is_root() || base.is_root() {
            return Ok(if self.is_root() { base.clone() } else { self.clone() });
        }
        check_length(base.0.len() + 1 + self.0.len())?;
        Ok(Self([base.as_bytes(), b"/", self.as_bytes()].concat().into()))
    }

    /// Tells whether this is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path as the bytes of its components between slashes; empty for the root.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The names on the way from the root to here.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
    }

    /// The last component; the root has none.
    #[must_use]
    pub fn name(&self) -> Option<&[u8]> {
        self.components().next_back()
    }

    /// The directory that holds this; the root has none.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        Some(self.split()?.0)
    }

    /// The directory that holds this, and its name there; the root has neither.
    #[must_use]
    pub fn split(&self) -> Option<(Self, &[u8])> {
        let name = self.name()?;
        let parent = self.0.get(..self.0.len() - name.len()).unwrap_or_default();
        Some((Self(parent.strip_suffix(b"/").unwrap_or(parent).into()), name))
    }

    /// What is left of this path below `base`; `None` when it is not below it.
    #[must_use]
    pub fn below(&self, base: &Self) -> Option<&[u8]> {
        if base.is_root() {
            return Some(&self.0);
        }
        let rest = self.0.strip_prefix(base.as_bytes())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
    }
}

fn check_component(name: &[u8]) -> Result<()> {
    if name.contains(&b'/') {
        return Err(not_one_component());
    }
    check_normal(name)
}

/// Tells whether this can stand between two slashes of a path in normal form.
fn is_normal(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && name.len() <= MAX_NAME && !name.contains(&0)
}

/// Checks what stands between two slashes.
fn check_normal(name: &[u8]) -> Result<()> {
    if is_normal(name) {
        return Ok(());
    }
    check_name(name)?;
    if matches!(name, b"" | b"." | b"..") {
        return Err(not_one_component());
    }
    Ok(())
}

fn not_one_component() -> Error {
    Error::new(Code::InvalidPath, "a name must be one component of a path")
}

/// Writes the path on one line, odd names escaped; the root is `.`.
impl fmt::Display for WsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str(".");
        }
        f.write_str(&escape(&self.0))
    }
}

impl fmt::Debug for WsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl Ord for WsPath {
    fn cmp(&self, other: &Self) -> Ordering {
        // The separator sorts before every byte a name can hold.
        let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
        self.0.iter().map(key).cmp(other.0.iter().map(key))
    }
}

impl PartialOrd for WsPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
