//! The workspace as the client and the agent name it, and what lies in it.
//!
//! A path that is passed on is opened by somebody else, so it is judged more strictly
//! than one that we open: it must be absolute, plain, and lead nowhere out of the
//! workspace through links as they are now.

use std::sync::Arc;

use garth_contract::{Code, DynFilesystem, Error, Kind, Links, Result, WsPath};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What a path in a `file:` address has escaped.
const ESCAPED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// The workspace's names.
pub(super) struct Places {
    /// Its files, where no name but its own leads into it.
    fence: Arc<dyn DynFilesystem>,
    /// Its names on this machine, the one it is told by first.
    outside: Vec<String>,
    /// Its name for the agent, where that is another.
    inside: Option<String>,
}

/// Which side speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Agent,
}

/// A place in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: WsPath,
    /// The same as text, from the root.
    rest: String,
}

impl Places {
    /// The workspace of a directory with these absolute names; the agent may know it by
    /// another.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a directory whose name is no text.
    pub(super) fn new(
        fence: Arc<dyn DynFilesystem>,
        names: Vec<Vec<u8>>,
        inside: Option<String>,
    ) -> Result<Self> {
        let outside: Option<Vec<_>> =
            names.into_iter().map(|name| String::from_utf8(name).ok()).collect();
        // The last is the directory's real path.
        let mut outside = outside.filter(|names| !names.is_empty()).ok_or_else(|| {
            Error::new(Code::InvalidParams, "the path of the workspace is no UTF-8 text")
                .hint("The protocol has text for paths; use a directory whose path is text.")
        })?;
        outside.reverse();
        Ok(Self { fence, outside, inside })
    }

    /// Whether both sides have the same names for it.
    pub(super) fn is_shared(&self) -> bool {
        self.inside.is_none()
    }

    /// The workspace's own path, as the agent knows it.
    pub(super) fn root_for_agent(&self) -> &str {
        self.inside.as_deref().or(self.outside.first().map(String::as_str)).unwrap_or("/")
    }

    /// A place that a side names.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE`, `INVALID_PATH`.
    pub(super) fn named(&self, side: Side, text: &str) -> Result<Place> {
        if !text.starts_with('/') {
            return Err(Error::new(Code::InvalidPath, "the path is not absolute")
                .hint("Paths of this protocol are absolute."));
        }
        let own = self.inside.iter().filter(|_| side == Side::Agent);
        let mut names = own.chain(&self.outside);
        let rest = names.find_map(|name| below(text, name));
        let rest = rest.ok_or_else(|| Error::of(Code::PathOutsideWorkspace))?;
        let mut path = WsPath::root();
        let mut parts = Vec::new();
        for part in rest.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                return Err(Error::new(Code::PathOutsideWorkspace, "the path has .. in it")
                    .hint("Say where it leads instead."));
            }
            path = path.join(part.as_bytes())?;
            parts.push(part);
        }
        Ok(Place { path, rest: parts.join("/") })
    }

    /// The same, checked for links that lead out of the workspace.
    ///
    /// # Errors
    /// Those of [`named`](Self::named); `PERMISSION_DENIED` where it is hidden.
    pub(super) async fn checked(&self, side: Side, text: &str) -> Result<Place> {
        let place = self.named(side, text)?;
        match self.fence.stat(&place.path, Links::Follow).await {
            Ok(_) => Ok(place),
            // What is not there yet may be written, or is a buffer that was never saved.
            Err(error) if error.code() == Code::FileNotFound => Ok(place),
            Err(error) => Err(error),
        }
    }

    /// What is at a place.
    ///
    /// # Errors
    /// Those of looking at it.
    pub(super) async fn kind(&self, place: &Place) -> Result<Kind> {
        Ok(self.fence.stat(&place.path, Links::Follow).await?.kind)
    }

    /// What a place is called by a side.
    pub(super) fn for_side(&self, side: Side, place: &Place) -> String {
        let outside = self.outside.first().map_or("/", String::as_str);
        let root = match side {
            Side::Agent => self.root_for_agent(),
            Side::Client => outside,
        };
        if place.rest.is_empty() {
            return root.to_owned();
        }
        format!("{}/{}", root.trim_end_matches('/'), place.rest)
    }

    /// A path that one side named, as the other knows it; nothing where it is the same
    /// or outside.
    pub(super) fn translated(&self, from: Side, text: &str) -> Option<String> {
        self.inside.as_ref()?;
        let to = match from {
            Side::Client => Side::Agent,
            Side::Agent => Side::Client,
        };
        let told = match text.strip_prefix("file://") {
            Some(path) => {
                let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
                let told = self.for_side(to, &self.named(from, &path).ok()?);
                format!("file://{}", utf8_percent_encode(&told, ESCAPED))
            }
            None => self.for_side(to, &self.named(from, text).ok()?),
        };
        (told != text).then_some(told)
    }
}

/// What follows the name of a directory, by whole components.
fn below<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(name.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use garth_contract::{Aliases, Policy};

    use super::*;

    fn places(root: &Path, inside: Option<&str>) -> Places {
        let host = garth_host::Host::open(root, Policy::open(), Aliases::none()).unwrap();
        let names = vec![root.to_str().unwrap().as_bytes().to_vec()];
        Places::new(Arc::new(host), names, inside.map(str::to_owned)).unwrap()
    }

    #[tokio::test]
    async fn a_path_lies_inside_by_components_and_through_links() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("out")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", root.path().join("dangling")).unwrap();
        let places = places(root.path(), None);
        let at = |rest: &str| format!("{}{rest}", root.path().display());
        for inside in ["", "/", "/a", "//a/./b/"] {
            assert!(places.checked(Side::Agent, &at(inside)).await.is_ok(), "{inside}");
        }
        let outside = ["-evil", "/..", "/a/../b", "/out/passwd", "/out", "/dangling"];
        for outside in outside.map(at).iter().map(String::as_str).chain(["/", "/etc"]) {
            let error = places.checked(Side::Agent, outside).await.unwrap_err();
            assert_eq!(error.code(), Code::PathOutsideWorkspace, "{outside}");
        }
        let error = places.checked(Side::Agent, "a").await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidPath);
    }

    #[test]
    fn an_agent_elsewhere_has_other_names() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path(), Some("/workspace"));
        let at = |rest: &str| format!("{}{rest}", root.path().display());
        let to_agent = |text: &str| places.translated(Side::Client, text);
        let to_client = |text: &str| places.translated(Side::Agent, text);
        assert_eq!(to_agent(&at("/a b")).unwrap(), "/workspace/a b");
        assert_eq!(
            to_agent(&format!("file://{}", at("/a%20b"))).unwrap(),
            "file:///workspace/a%20b"
        );
        assert_eq!(to_client("/workspace/x").unwrap(), at("/x"));
        assert_eq!(to_client("file:///workspace").unwrap(), format!("file://{}", at("")));
        assert_eq!(to_client("/etc/passwd"), None);
        assert_eq!(to_agent("/workspace/x"), None);
    }
}
