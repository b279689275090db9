//! The version that a caller expects a file to have.

use garth_contract::{Code, Content, Detail, Error, Result, Version, WsPath};
use garth_workspace::version_of;

/// Reads the version that a caller sent.
///
/// # Errors
/// `INVALID_PARAMS` for text that is no version.
pub(crate) fn expected(text: Option<&str>) -> Result<Option<Version>> {
    text.map(str::parse).transpose()
}

/// Holds a file to the version that the caller expects, if it expects one.
///
/// # Errors
/// `CONFLICT` with the version that the file has.
pub(crate) fn check(
    path: &WsPath,
    expected: Option<Version>,
    current: Option<&Content>,
) -> Result<()> {
    // Computing a version takes longer than most edits.
    if expected.is_none() {
        return Ok(());
    }
    let actual = current.map(version_of);
    if expected == actual {
        return Ok(());
    }
    let conflict = Error::at(Code::Conflict, path);
    Err(match actual {
        Some(actual) => conflict.with(Detail::Current(actual)),
        None => conflict,
    })
}
