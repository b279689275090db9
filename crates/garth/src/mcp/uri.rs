//! Names of files as addresses: `workspace:///src/main.rs`.

use garth_contract::{Code, Error, Result, WsPath};

/// What every address begins with.
pub(crate) const SCHEME: &str = "workspace:///";

/// The address of a path.
pub(crate) fn of(path: &WsPath) -> String {
    use std::fmt::Write as _;
    let mut uri = String::from(SCHEME);
    for byte in path.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// The path of an address.
///
/// # Errors
/// `INVALID_PATH` for another scheme or a broken escape, `PATH_OUTSIDE_WORKSPACE`.
pub(crate) fn path(uri: &str) -> Result<WsPath> {
    let wrong = |what: &str| {
        Error::new(Code::InvalidPath, format!("{what}: {uri}"))
            .hint("Addresses look like workspace:///src/main.rs.")
    };
    let rest = uri.strip_prefix(SCHEME).ok_or_else(|| wrong("the address is none of ours"))?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut rest = rest.as_bytes().iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        let (high, low) = (digit(rest.next()), digit(rest.next()));
        let value = high.zip(low).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(value.ok_or_else(|| wrong("the address has a broken escape"))?);
    }
    let trimmed = bytes.strip_suffix(b"/").unwrap_or(&bytes);
    if trimmed.is_empty() {
        return Ok(WsPath::root());
    }
    WsPath::from_bytes(trimmed).map_err(|error| {
        let leaves = trimmed.split(|byte| *byte == b'/').any(|name| name == b"..");
        if !leaves {
            return error;
        }
        Error::new(Code::PathOutsideWorkspace, format!("the address leaves the workspace: {uri}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_its_address() {
        for name in [&b"a.txt"[..], b"d/e f", "é/世".as_bytes(), b"\xff\x01", b"100%", b"a?b#c"] {
            let name = WsPath::from_bytes(name).unwrap();
            assert_eq!(path(&of(&name)).unwrap(), name);
        }
        assert_eq!(path(SCHEME).unwrap(), WsPath::root());
        assert_eq!(of(&WsPath::root()), SCHEME);
    }

    #[test]
    fn an_address_that_is_none_of_ours_is_refused() {
        for uri in ["file:///a", "workspace://x/a", "workspace:///%", "workspace:///%2", "a"] {
            assert_eq!(path(uri).unwrap_err().code(), Code::InvalidPath, "{uri}");
        }
        for uri in ["workspace:///../a", "workspace:///a/%2e%2e/b"] {
            assert!(path(uri).is_err(), "{uri}");
        }
    }
}
