//! A part of many results: how many are wanted, and where the last part ended.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use garth_contract::{Error, Result, WsPath};

use crate::{
    page::{Page, Place},
    params::{at_least_one, invalid},
};

/// Stands between how many came before and the path of the last.
const BEHIND: char = '.';

/// Where a part of a tree begins: behind the last entry of the part before, so that
/// nothing is told twice or left out when entries come and go in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::worktree) struct Behind {
    /// How many entries came before.
    pub(in crate::worktree) count: u64,
    /// The path of the last of them.
    pub(in crate::worktree) path: Option<WsPath>,
}

impl Behind {
    /// Reads a cursor; none is the beginning.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that no reply gave.
    pub(in crate::worktree) fn read(cursor: Option<&str>) -> Result<Self> {
        let Some(text) = cursor else { return Ok(Self::default()) };
        let (count, path) = text.split_once(BEHIND).ok_or_else(wrong)?;
        let path = URL_SAFE_NO_PAD.decode(path).map_err(|_| wrong())?;
        let path = WsPath::from_bytes(&path).map_err(|_| wrong())?;
        Ok(Self { count: count.parse().map_err(|_| wrong())?, path: Some(path) })
    }

    /// The cursor, where something came before.
    pub(in crate::worktree) fn written(&self) -> Option<String> {
        let path = URL_SAFE_NO_PAD.encode(self.path.as_ref()?.as_bytes());
        Some(format!("{}{BEHIND}{path}", self.count))
    }
}

fn wrong() -> Error {
    invalid("cursor must be what an earlier reply gave as nextCursor")
}

/// The part that a caller asks for: at most `most` results, from where `cursor` says.
///
/// # Errors
/// `INVALID_PARAMS` for a limit of 0, and for a cursor that no reply gave.
pub(in crate::worktree) fn page(
    (limit, cursor): (Option<u64>, Option<&str>),
    (usual, most): (u64, u64),
) -> Result<Page> {
    let take = at_least_one("limit", limit)?.unwrap_or(usual).min(most);
    let skip = match cursor {
        None => 0,
        Some(text) => text.parse().map_err(|_| wrong())?,
    };
    Ok(Page { skip, take })
}

/// What to send as `cursor` for the next part; `None` at the end.
pub(in crate::worktree) fn next(place: Place) -> Option<String> {
    place.next().map(|skip| skip.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for path in ["a/b", "\u{1}\n.\u{e9}"] {
            let path = WsPath::from_bytes(path.as_bytes()).ok();
            let behind = Behind { count: 7, path };
            assert_eq!(Behind::read(behind.written().as_deref()), Ok(behind));
        }
        assert_eq!(Behind::read(None), Ok(Behind::default()));
        let up = format!("1.{}", URL_SAFE_NO_PAD.encode("../a"));
        for text in ["", "1", "x.YQ", "-1.YQ", "1.?", &up] {
            assert!(Behind::read(Some(text)).is_err(), "{text}");
        }
    }
}
