//! Names for roots, out of the directories they stand for.

use std::{collections::BTreeSet, os::unix::ffi::OsStrExt, path::Path};

use garth_contract::MAX_NAME;

/// What a directory is called whose path has no last component.
const NAMELESS: &[u8] = b"root";

/// Gives each directory a name of its own: the last component of its path.
///
/// The first that comes keeps the plain name, the others get `-2`, `-3` and so on,
/// never a name that another directory has by itself. No name is empty.
///
/// ```
/// use std::path::Path;
///
/// let paths = ["/src/app", "/old/app", "/"];
/// assert_eq!(garth_roots::names(paths.map(Path::new)), [&b"app"[..], b"app-2", b"root"]);
/// ```
#[must_use]
pub fn names<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<Vec<u8>> {
    let plain: Vec<&[u8]> = paths
        .into_iter()
        .map(|path| path.file_name().map_or(NAMELESS, OsStrExt::as_bytes))
        .map(|name| shortened(name, MAX_NAME))
        .collect();
    // All plain names are taken from the start, so that none is given away.
    let mut taken: BTreeSet<Vec<u8>> = plain.iter().map(|name| name.to_vec()).collect();
    let mut seen = BTreeSet::new();
    let mut own = |name: &&[u8]| {
        if seen.insert(name.to_vec()) {
            return name.to_vec();
        }
        let free =
            (2_u64..).map(|number| numbered(name, number)).find(|name| !taken.contains(name));
        let name = free.unwrap_or_default();
        taken.insert(name.clone());
        name
    };
    plain.iter().map(&mut own).collect()
}

fn numbered(name: &[u8], number: u64) -> Vec<u8> {
    let suffix = format!("-{number}");
    [shortened(name, MAX_NAME - suffix.len()), suffix.as_bytes()].concat()
}

/// The first bytes of a name, without half a character at the end.
fn shortened(name: &[u8], most: usize) -> &[u8] {
    if name.len() <= most {
        return name;
    }
    let continues = |at: usize| name.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let end = (most.saturating_sub(3)..=most).rev().find(|at| !continues(*at)).unwrap_or(most);
    name.get(..end).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Vec<String> {
        let names = names(paths.iter().map(Path::new));
        names.into_iter().map(|name| String::from_utf8(name).unwrap()).collect()
    }

    #[test]
    fn a_directory_is_called_by_its_last_component() {
        assert_eq!(named(&["/a/b", "c/", "d/."]), ["b", "c", "d"]);
    }

    #[test]
    fn a_directory_without_a_last_component_has_a_name_too() {
        assert_eq!(named(&["/", "..", ".", ""]), ["root", "root-2", "root-3", "root-4"]);
    }

    #[test]
    fn no_two_names_are_alike() {
        assert_eq!(named(&["/1/x", "/2/x", "/3/x-2", "/4/x"]), ["x", "x-3", "x-2", "x-4"]);
        assert_eq!(named(&["/x-2", "/y/x-2", "/x", "/z/x"]), ["x-2", "x-2-2", "x", "x-3"]);
    }

    #[test]
    fn a_number_does_not_make_a_name_too_long() {
        let long = "é".repeat(127) + "x";
        let names = named(&[&format!("/1/{long}"), &format!("/2/{long}")]);
        assert_eq!(names, [long, "é".repeat(126) + "-2"]);
    }
}
