//! Where a path leads in the model: links are followed one name at a time.

use std::collections::VecDeque;

use garth_contract::{Code, Links, WsPath};

use super::{Node, Tree};

/// More links than this in one path are a loop, as on Linux.
const MAX_LINKS: usize = 40;

/// Why the model refuses a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Any of these codes is right.
    With(Vec<Code>),
    /// The contract does not say what happens.
    Open,
}

impl From<Code> for Refusal {
    fn from(code: Code) -> Self {
        Self::With(vec![code])
    }
}

/// A path with no link left in it, and the directories on the way to make.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path, whose last component may or may not be there.
    pub path: WsPath,
    /// The directories on the way that are not there, outermost first.
    pub missing: Vec<WsPath>,
}

/// Where a name on the way comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Caller,
    Link,
}

impl Tree {
    /// Resolves a path to what is there, or could be, in a directory that is there.
    ///
    /// # Errors
    /// The code that every call has for such a path.
    pub fn resolve(&self, path: &WsPath, links: Links) -> Result<WsPath, Code> {
        match self.place(path, links) {
            Ok(place) if place.missing.is_empty() => Ok(place.path),
            Ok(_) | Err(Refusal::Open) => Err(Code::FileNotFound),
            Err(Refusal::With(codes)) => Err(codes.first().copied().unwrap_or(Code::Internal)),
        }
    }

    /// Resolves a path whose parents may be missing.
    ///
    /// # Errors
    /// The code that every call has for such a path.
    pub fn place(&self, path: &WsPath, links: Links) -> Result<Place, Refusal> {
        let mut todo: VecDeque<(Origin, Vec<u8>)> =
            path.components().map(|name| (Origin::Caller, name.to_vec())).collect();
        let mut place = Place { path: WsPath::root(), missing: Vec::new() };
        let mut followed = 0;
        while let Some((origin, name)) = todo.pop_front() {
            if name == b"." {
                continue;
            }
            if name == b".." {
                place.path = place.path.parent().ok_or(Code::PathOutsideWorkspace)?;
                continue;
            }
            let next = place.path.join(&name).map_err(|error| error.code())?;
            match self.nodes.get(&next) {
                Some(Node::Link(target)) if !todo.is_empty() || links == Links::Follow => {
                    followed += 1;
                    if followed > MAX_LINKS {
                        return Err(Code::InvalidPath.into());
                    }
                    place.path = self.expand(target, place.path, &mut todo)?;
                    continue;
                }
                Some(Node::File { .. } | Node::Special(_)) if !todo.is_empty() => {
                    return Err(Code::NotADirectory.into());
                }
                Some(_) => {}
                // What is made behind a link to nothing is left open.
                None if !todo.is_empty() && origin == Origin::Link => return Err(Refusal::Open),
                None if !todo.is_empty() => place.missing.push(next.clone()),
                None if !place.missing.is_empty() && origin == Origin::Link => {
                    return Err(Refusal::Open);
                }
                None => {}
            }
            place.path = next;
        }
        Ok(place)
    }

    /// Puts a link's target before the names still to go; returns where they start.
    fn expand(
        &self,
        target: &[u8],
        from: WsPath,
        todo: &mut VecDeque<(Origin, Vec<u8>)>,
    ) -> Result<WsPath, Code> {
        let (start, rest) = if target.starts_with(b"/") {
            let inside = self.aliases.strip(target).ok_or(Code::PathOutsideWorkspace)?;
            (WsPath::root(), inside)
        } else {
            (from, target)
        };
        // A `.` stays, and the end behind a slash: a directory must stand before it.
        let slashed: &[u8] = if rest.ends_with(b"/") { b"." } else { b"" };
        let names =
            rest.split(|byte| *byte == b'/').chain([slashed]).filter(|name| !name.is_empty());
        for name in names.collect::<Vec<_>>().into_iter().rev() {
            todo.push_front((Origin::Link, name.to_vec()));
        }
        Ok(start)
    }
}
