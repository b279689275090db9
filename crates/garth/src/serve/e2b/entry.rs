//! Entries of a sandbox's tree, as the wire tells of them.

use garth_contract::{DynFilesystem, Entry, Kind, Links, Result, Seat, WsPath};
use serde_json::{Map, Value, json};

use super::{door::shown, metadata::Kept};

/// An entry of which is told, with what a link leads to.
pub(super) struct Told {
    entry: Entry,
    /// For a link: what it says, and what it leads to, if anything.
    link: Option<(String, Option<Kind>)>,
}

/// Looks at an entry.
///
/// # Errors
/// Those of `stat`.
pub(super) async fn look(files: &dyn DynFilesystem, path: &WsPath) -> Result<Told> {
    let entry = files.stat(path, Links::Keep).await?;
    complete(files, entry).await
}

/// Adds what is known of a link.
///
/// # Errors
/// Those of `read_link`.
pub(super) async fn complete(files: &dyn DynFilesystem, entry: Entry) -> Result<Told> {
    if entry.kind != Kind::Symlink {
        return Ok(Told { entry, link: None });
    }
    let says = files.read_link(&entry.path).await?;
    let says = garth_contract::escape(&says);
    // One that leads nowhere is told of as a link.
    let leads = files.stat(&entry.path, Links::Follow).await.ok().map(|target| target.kind);
    Ok(Told { entry, link: Some((says, leads)) })
}

impl Told {
    /// As calls of Connect tell it.
    pub(super) fn message(&self, metadata: &Kept) -> Value {
        let Entry { path, kind, size, modified, mode } = &self.entry;
        let seen = self.link.as_ref().map_or(Some(*kind), |(_, leads)| *leads);
        let mode = mode.unwrap_or(0);
        let mut told = Map::new();
        let mut put = |name: &str, value: Value| drop(told.insert(name.to_owned(), value));
        put("name", name(path).into());
        put("type", file_type(seen.unwrap_or(Kind::Symlink)).into());
        put("path", shown(path).into());
        put("size", size.to_string().into());
        put("mode", mode.into());
        put("permissions", permissions(*kind, mode).into());
        let owner = owner(path);
        put("owner", owner.into());
        put("group", owner.into());
        if let Some(modified) = modified {
            put("modifiedTime", garth_ops::rfc3339(*modified).into());
        }
        if let Some((says, _)) = &self.link {
            put("symlinkTarget", target(path, says).into());
            put("isSymlink", true.into());
        }
        if let Some(said) = metadata.of(path) {
            put("metadata", json!(said));
        }
        Value::Object(told)
    }

    /// Whether it is a link.
    pub(super) fn is_link(&self) -> bool {
        self.link.is_some()
    }

    /// Whether it is a directory, or a link to one.
    pub(super) fn is_dir(&self) -> bool {
        let seen = self.link.as_ref().map_or(Some(self.entry.kind), |(_, leads)| *leads);
        seen == Some(Kind::Dir)
    }
}

/// The last name of a path; the root has one too.
pub(super) fn name(path: &WsPath) -> String {
    path.name().map_or_else(|| "/".to_owned(), garth_contract::escape)
}

fn file_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Dir => "FILE_TYPE_DIRECTORY",
        Kind::File => "FILE_TYPE_FILE",
        Kind::Symlink => "FILE_TYPE_SYMLINK",
        Kind::Fifo | Kind::Socket | Kind::Device => "FILE_TYPE_UNSPECIFIED",
    }
}

/// What a link says, as a path from the root.
fn target(path: &WsPath, says: &str) -> String {
    if says.starts_with('/') {
        return says.to_owned();
    }
    let parent = path.parent().unwrap_or_else(WsPath::root);
    let mut names: Vec<String> = parent.components().map(garth_contract::escape).collect();
    for part in says.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            names.pop();
        } else {
            names.push(part.to_owned());
        }
    }
    format!("/{}", names.join("/"))
}

/// Who owns what lies there: the one user, where something can be written.
fn owner(path: &WsPath) -> &'static str {
    let text = shown(path);
    let below =
        |base: &str| text.strip_prefix(base).is_some_and(|r| r.is_empty() || r.starts_with('/'));
    if below(Seat::Home.home()) || below("/tmp") { Seat::Home.user() } else { "root" }
}

/// The mode as `ls` shows it.
fn permissions(kind: Kind, mode: u32) -> String {
    let first = match kind {
        Kind::Dir => 'd',
        Kind::Symlink => 'L',
        Kind::Fifo => 'p',
        Kind::Socket => 'S',
        Kind::Device => 'D',
        Kind::File => '-',
    };
    let bits = (0..9).rev().zip("rwxrwxrwx".chars());
    let shown = bits.map(|(bit, letter)| if mode & (1 << bit) == 0 { '-' } else { letter });
    std::iter::once(first).chain(shown).collect()
}

#[cfg(test)]
mod tests {
    use garth_contract::{Aliases, RawPath};

    use super::*;

    #[test]
    fn a_mode_reads_as_ls_shows_it() {
        assert_eq!(permissions(Kind::File, 0o644), "-rw-r--r--");
        assert_eq!(permissions(Kind::Dir, 0o755), "drwxr-xr-x");
    }

    #[test]
    fn a_link_is_told_from_the_root() {
        let path = RawPath::new("home/user/d/l").resolve(&Aliases::none()).unwrap();
        assert_eq!(target(&path, "../a"), "/home/user/a");
        assert_eq!(target(&path, "/tmp/x"), "/tmp/x");
        assert_eq!(owner(&path), "user");
        assert_eq!(name(&WsPath::root()), "/");
    }
}
