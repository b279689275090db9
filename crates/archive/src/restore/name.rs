//! From a name in an archive to a path, or a refusal: nothing is corrected.

use garth_contract::{Code, Error, MAX_NAME, MAX_PATH, Result, WsPath, escape, is_temporary};

/// The most bytes of a name that an error repeats.
const MOST_SHOWN: usize = 200;

/// How names are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    /// How many names at the front of a path are left off.
    pub(crate) strip: usize,
    /// The most names of a path.
    pub(crate) depth: usize,
}

impl Names {
    /// The path that a name means below the tree's top; `None` when nothing is left
    /// of it: the top itself, or what the stripping took away.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE` for an absolute name, or one with `..`;
    /// `INVALID_PATH` for what is too long, too deep, or no path.
    pub(crate) fn parse(self, name: &[u8]) -> Result<Option<WsPath>> {
        let invalid = |why| Err(refusal(Code::InvalidPath, name, why));
        if name.contains(&0) {
            return invalid("its name holds a NUL byte");
        }
        if name.len() > MAX_PATH {
            return invalid("its name is too long");
        }
        if name.starts_with(b"/") {
            let why = "its name is absolute";
            return Err(refusal(Code::PathOutsideWorkspace, name, why));
        }
        let mut kept: Vec<&[u8]> = Vec::new();
        let parts = name.split(|byte| *byte == b'/');
        for part in parts.filter(|part| !part.is_empty() && *part != b".") {
            if part == b".." {
                return Err(refusal(Code::PathOutsideWorkspace, name, "its name climbs by `..`"));
            }
            // A plain character here, and a slash to whoever may get the file next.
            if part.contains(&b'\\') && part.split(|byte| *byte == b'\\').any(|part| part == b"..")
            {
                return invalid(r"its name climbs by `..\`");
            }
            if part.len() > MAX_NAME {
                return invalid("a part of its name is too long");
            }
            if is_temporary(part) {
                return invalid("its name is that of a temporary file");
            }
            kept.push(part);
        }
        if kept.len() > self.depth {
            return invalid("it lies too deep");
        }
        let kept = kept.get(self.strip..).unwrap_or_default();
        if kept.is_empty() {
            return Ok(None);
        }
        let path = WsPath::from_bytes(&kept.join(&b'/'));
        path.map(Some).map_err(|error| refusal(error.code(), name, "its name is no path"))
    }
}

/// Refuses an entry of an archive, and says which and why.
pub(crate) fn refusal(code: Code, name: &[u8], why: &str) -> Error {
    Error::new(code, format!("the archive's entry {}: {why}", shown(name)))
}

/// A name on one line, cut where it is too long to be repeated.
pub(crate) fn shown(name: &[u8]) -> String {
    match name.get(..MOST_SHOWN) {
        Some(front) if front.len() < name.len() => format!("\"{}…\"", escape(front)),
        Some(_) | None => format!("\"{}\"", escape(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names = Names { strip: 0, depth: 4 };

    fn parsed(name: &[u8]) -> Result<Option<String>, Code> {
        let path = NAMES.parse(name).map_err(|error| error.code())?;
        Ok(path.map(|path| path.to_string()))
    }

    #[test]
    fn a_plain_name_is_a_path() {
        for (name, path) in [
            (&b"a"[..], "a"),
            (b"a/b/", "a/b"),
            (b"./a//b/./c", "a/b/c"),
            (b"a..b/..c/c..", "a..b/..c/c.."),
            (b"C:/x", "C:/x"),
            (b"caf\xe9", r"caf\xe9"),
            (br"a\b", r"a\b"),
        ] {
            assert_eq!(parsed(name), Ok(Some(path.into())), "{name:?}");
        }
        for top in [&b""[..], b".", b"./", b".//."] {
            assert_eq!(parsed(top), Ok(None), "{top:?}");
        }
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        for name in [&b"/a"[..], b"//a", b"..", b"a/..", b"a/../b", b"../a", b"./../a", b"/"] {
            assert_eq!(parsed(name), Err(Code::PathOutsideWorkspace), "{name:?}");
        }
        let long = [b'n'; 256];
        let deep = b"d/".repeat(5);
        let longest = b"d/".repeat(3000);
        for name in [
            &b"a\0b"[..],
            &long,
            &deep,
            &longest,
            br"..\a",
            br"a/b\..\..\c",
            b"d/.garth-0123456789abcdef.tmp/f",
        ] {
            assert_eq!(parsed(name), Err(Code::InvalidPath), "{name:?}");
        }
    }

    #[test]
    fn names_are_stripped_from_the_front() {
        let names = Names { strip: 2, depth: 9 };
        let parsed = |name: &[u8]| names.parse(name).unwrap().map(|path| path.to_string());
        assert_eq!(parsed(b"a/b/c/d"), Some("c/d".into()));
        assert_eq!(parsed(b"./a/b/c"), Some("c".into()));
        assert_eq!(parsed(b"a/b"), None);
        assert_eq!(parsed(b"a"), None);
    }

    #[test]
    fn a_refusal_repeats_a_long_or_odd_name_in_part_and_on_one_line() {
        let error = refusal(Code::InvalidPath, &[b'\n'; 5000], "it lies too deep");
        assert!(error.message().len() < 1200, "{error}");
        assert!(!error.message().contains('\n'), "{error}");
    }
}
