//! The directory of a session, as its client names it.
//!
//! A client is told absolute paths and nothing but. They are made here, from paths
//! of the workspace, so none of them can leave the directory; and a path that a
//! client tells comes in here, through the same rules as every other.

use std::path::Path;

use garth_contract::{Code, Error, MAX_PATH, Result, WsPath};

/// The absolute path that a client has for the workspace's root.
#[derive(Clone, Debug)]
pub struct Root {
    /// Without a slash at its end, so nothing for `/`.
    text: String,
}

impl Root {
    /// Takes the directory of a session, such as its `cwd`.
    ///
    /// It is compared and put together as text; whether it is a directory that the
    /// agent may have at all is decided by who opens the filesystem beneath.
    ///
    /// # Errors
    /// `INVALID_PATH` unless it is absolute, UTF-8, in normal form (no `.`, no `..`)
    /// and of at most 4,096 bytes.
    pub fn new(directory: &Path) -> Result<Self> {
        let wrong = |why: &str| {
            let message = format!("the directory of a session must be {why}");
            Err(Error::new(Code::InvalidPath, message))
        };
        let Some(text) = directory.to_str() else { return wrong("UTF-8") };
        let Some(below) = text.strip_prefix('/') else { return wrong("an absolute path") };
        if text.len() > MAX_PATH {
            return wrong("a path of at most 4,096 bytes");
        }
        if WsPath::from_bytes(below.as_bytes()).is_err() {
            return wrong("a path in normal form");
        }
        Ok(Self { text: text.trim_end_matches('/').to_owned() })
    }

    /// What a path that a client told means in the workspace.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE` for one that is not below the root, by whole
    /// components and after `.` and `..` are resolved; `INVALID_PATH` for what is no
    /// absolute path.
    pub fn inside(&self, told: &str) -> Result<WsPath> {
        if !told.starts_with('/') {
            return Err(Error::new(Code::InvalidPath, "a client must name absolute paths"));
        }
        // The escapes of odd names are ours; to a client a backslash is one.
        let outside = || Error::of(Code::PathOutsideWorkspace);
        let mut names: Vec<&str> = Vec::new();
        for name in told.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop().ok_or_else(outside)?),
                name => names.push(name),
            }
        }
        let mut names = names.into_iter();
        for name in self.text.split('/').filter(|name| !name.is_empty()) {
            names.next().filter(|told| *told == name).ok_or_else(outside)?;
        }
        WsPath::from_bytes(names.collect::<Vec<_>>().join("/").as_bytes())
    }

    /// The absolute path that a client is told; `None` for a name that is no UTF-8,
    /// or where the path gets longer than a path may be.
    pub(crate) fn absolute(&self, path: &WsPath) -> Option<String> {
        let below = str::from_utf8(path.as_bytes()).ok()?;
        let absolute =
            if below.is_empty() { self.text.clone() } else { format!("{}/{below}", self.text) };
        (absolute.len() < MAX_PATH).then_some(absolute)
    }

    /// The path of the workspace that an absolute path was made from.
    pub(crate) fn back(&self, absolute: &str) -> Option<WsPath> {
        let below = absolute.strip_prefix(&self.text)?.strip_prefix('/')?;
        WsPath::from_bytes(below.as_bytes()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Root {
        Root::new(Path::new("/home/me/project")).unwrap()
    }

    fn at(path: &str) -> WsPath {
        WsPath::from_bytes(path.as_bytes()).unwrap()
    }

    #[test]
    fn a_directory_must_be_absolute_and_normal() {
        for wrong in ["", "project", "./x", "/a/../b", "/a/./b", "/a//b", "/a\0b"] {
            let refused = Root::new(Path::new(wrong)).map(drop).map_err(|error| error.code());
            assert_eq!(refused, Err(Code::InvalidPath), "{wrong}");
        }
        assert!(Root::new(Path::new("/")).is_ok());
    }

    #[test]
    fn a_client_is_told_paths_below_the_root_and_no_others() {
        assert_eq!(root().absolute(&at("src/a.rs")).unwrap(), "/home/me/project/src/a.rs");
        assert_eq!(root().back("/home/me/project/src/a.rs"), Some(at("src/a.rs")));
        assert_eq!(root().back("/home/me/project-2/a"), None);
        let odd = WsPath::from_bytes(b"caf\xe9").unwrap();
        assert_eq!(root().absolute(&odd), None);
        assert_eq!(Root::new(Path::new("/")).unwrap().absolute(&at("a")).unwrap(), "/a");
    }

    #[test]
    fn a_path_that_a_client_tells_is_inside_or_refused() {
        assert_eq!(root().inside("/home/me/project/src/./x/../a.rs"), Ok(at("src/a.rs")));
        assert_eq!(root().inside("/home/me/project"), Ok(WsPath::root()));
        for outside in [
            "/",
            "/etc/passwd",
            "/home/me/project-2/a",
            "/home/me",
            "/home/me/project/../../you/x",
            "/home/me/project/src/../../../../etc/passwd",
            "/etc\\x",
        ] {
            let refused = root().inside(outside).map_err(|error| error.code());
            assert_eq!(refused, Err(Code::PathOutsideWorkspace), "{outside}");
        }
        for wrong in ["a.rs", "", "file:///home/me/project/a", "/home/me/project/a\0"] {
            let refused = root().inside(wrong).map_err(|error| error.code());
            assert_eq!(refused, Err(Code::InvalidPath), "{wrong:?}");
        }
    }

    #[test]
    fn a_backslash_of_a_client_is_no_escape() {
        assert_eq!(root().inside(r"/home/me/project/a\x0ab"), Ok(at(r"a\x0ab")));
        assert!(root().inside(r"/home/me/project/..\x5c/../../x").is_err());
    }
}
