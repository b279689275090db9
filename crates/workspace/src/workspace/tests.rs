//! What a workspace tells of where it stands.

use super::*;
use crate::fixture;

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

fn absolute(workspace: &Workspace, text: &str) -> Option<String> {
    workspace.absolute(&path(text)).map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn no_absolute_path_is_told_unless_one_was_given() {
    assert_eq!(absolute(&fixture::workspace(), "a"), None);
}

#[test]
fn a_place_is_told_by_the_directory_that_it_stands_in() {
    let one = (b"/home/u/one".to_vec(), path("one"));
    let again = (b"/real/one".to_vec(), path("one"));
    let inner = (b"/srv/inner".to_vec(), path("one/inner"));
    let workspace = fixture::workspace().shown_as(vec![one, again, inner]);
    assert_eq!(absolute(&workspace, "one").as_deref(), Some("/home/u/one"));
    assert_eq!(absolute(&workspace, "one/a/b").as_deref(), Some("/home/u/one/a/b"));
    assert_eq!(absolute(&workspace, "one/inner/b").as_deref(), Some("/srv/inner/b"));
    assert_eq!(absolute(&workspace, "one/inner2").as_deref(), Some("/home/u/one/inner2"));
    assert_eq!(absolute(&workspace, "two"), None);
}

#[test]
fn the_file_systems_own_root_gets_no_second_slash() {
    let workspace = fixture::workspace().shown_as(vec![(b"/".to_vec(), WsPath::root())]);
    assert_eq!(absolute(&workspace, "etc").as_deref(), Some("/etc"));
    assert_eq!(workspace.absolute(&WsPath::root()).as_deref(), Some(b"/".as_slice()));
}
