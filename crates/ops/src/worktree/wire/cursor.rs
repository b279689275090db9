//! A part of many results: how many are wanted, and where the last part ended.

use garth_contract::Result;

use crate::{
    page::{Page, Place},
    params::{at_least_one, invalid},
};

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
        Some(text) => text
            .parse()
            .map_err(|_| invalid("cursor must be what an earlier reply gave as nextCursor"))?,
    };
    Ok(Page { skip, take })
}

/// What to send as `cursor` for the next part; `None` at the end.
pub(in crate::worktree) fn next(place: Place) -> Option<String> {
    place.next().map(|skip| skip.to_string())
}
