//! Where a path leads beneath, links followed, before a client is told it.
//!
//! A client opens what it is told by name and follows links itself. So it is told
//! paths without links: each name on the way is looked at beneath, and what links
//! say is followed here, under the same rules as everywhere.

use garth_contract::{Code, Error, Kind, Links, Result, WsPath};

use crate::Editor;

/// How many links may be followed on one way; Linux has the same bound.
const MOST_LINKS: usize = 40;

/// Where a path leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To this path, on which there is no link.
    Real(WsPath),
    /// Through a link beneath that does not tell where it leads.
    Unknown,
}

impl Editor {
    /// Follows every link of a path; what is missing is taken as it is named.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE`, `INVALID_PATH` for a loop, `NOT_A_DIRECTORY`, and
    /// what beneath refuses to tell.
    pub(crate) async fn resolve(&self, path: &WsPath) -> Result<Place> {
        let mut left: Vec<Vec<u8>> = path.components().rev().map(<[u8]>::to_vec).collect();
        let mut real = WsPath::root();
        let mut kind = Kind::Dir;
        let mut links = 0;
        while let Some(name) = left.pop() {
            if matches!(name.as_slice(), b"" | b"." | b"..") {
                // The text of a link can say so, also of what is no directory.
                if kind != Kind::Dir {
                    return Err(Error::at(Code::NotADirectory, path));
                }
                if name == b".." {
                    let outside = || Error::at(Code::PathOutsideWorkspace, path);
                    real = real.parent().ok_or_else(outside)?;
                }
                continue;
            }
            let next = real.join(&name)?;
            let entry = match self.beneath.stat(&next, Links::Keep).await {
                Ok(entry) => entry,
                Err(error) if error.code() == Code::FileNotFound => {
                    return missing(next, left, path);
                }
                Err(error) => return Err(error),
            };
            if entry.kind != Kind::Symlink {
                (real, kind) = (next, entry.kind);
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(Error::at(Code::InvalidPath, path));
            }
            let target = match self.beneath.read_link(&next).await {
                Ok(target) => target,
                Err(error) if error.code() == Code::Unsupported => return Ok(Place::Unknown),
                Err(error) => return Err(error),
            };
            if target.starts_with(b"/") {
                return Err(Error::at(Code::PathOutsideWorkspace, path));
            }
            left.extend(target.split(|byte| *byte == b'/').rev().map(<[u8]>::to_vec));
        }
        Ok(Place::Real(real))
    }

    /// Follows the links on the way to an entry, and not the entry itself.
    ///
    /// # Errors
    /// Those of [`Editor::resolve`].
    pub(crate) async fn resolve_entry(&self, path: &WsPath) -> Result<Option<WsPath>> {
        let Some((parent, name)) = path.split() else { return Ok(None) };
        match self.resolve(&parent).await? {
            Place::Real(parent) => Ok(Some(parent.join(name)?)),
            Place::Unknown => Ok(None),
        }
    }
}

/// The rest of a path below something that is not there.
fn missing(first: WsPath, mut left: Vec<Vec<u8>>, path: &WsPath) -> Result<Place> {
    let mut real = first;
    while let Some(name) = left.pop() {
        match name.as_slice() {
            b"" | b"." => {}
            // Where something is missing there is no way up again.
            b".." => return Err(Error::at(Code::FileNotFound, path)),
            _ => real = real.join(&name)?,
        }
    }
    Ok(Place::Real(real))
}
