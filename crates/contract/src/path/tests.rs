//! The path rules of the specification, one fact each.

use super::*;

fn resolve(text: &str) -> Result<String, Code> {
    let aliases = Aliases::none().with(b"/workspace").with(b"/home/u/project");
    let path = RawPath::new(text).resolve(&aliases).map_err(|error| error.code())?;
    assert_eq!(WsPath::from_bytes(path.as_bytes()).as_ref(), Ok(&path));
    Ok(path.to_string())
}

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

#[test]
fn the_root_has_three_names() {
    for name in ["", ".", "/", "//", "./", "a/..", "/workspace", "/workspace/", "/home/u/project"] {
        assert_eq!(resolve(name), Ok(".".into()), "{name:?}");
    }
}

#[test]
fn dots_are_resolved_as_text() {
    assert_eq!(resolve("a/../b"), Ok("b".into()));
    assert_eq!(resolve("./a//b/./c/"), Ok("a/b/c".into()));
    assert_eq!(resolve("/workspace/a/../b"), Ok("b".into()));
}

#[test]
fn climbing_past_the_root_is_outside() {
    for bad in [
        "..",
        "a/../..",
        "../workspace/a",
        "a//..//..//x",
        "/..",
        "/../workspace",
        "/workspace/..",
        "/workspace/../workspace/a",
        "/workspace/a/../../b",
    ] {
        assert_eq!(resolve(bad), Err(Code::PathOutsideWorkspace), "{bad:?}");
    }
}

#[test]
fn an_alias_counts_by_whole_components() {
    assert_eq!(resolve("/workspace/src"), Ok("src".into()));
    assert_eq!(resolve("/home/u/project/src"), Ok("src".into()));
    assert_eq!(resolve("/home/../workspace/src"), Ok("src".into()));
    for bad in ["/workspace-evil/x", "/workspacex", "/home/u/project2", "/home/u", "/etc/shadow"] {
        assert_eq!(resolve(bad), Err(Code::PathOutsideWorkspace), "{bad:?}");
    }
    assert_eq!(resolve("workspace/src"), Ok("workspace/src".into()));
}

#[test]
fn the_file_system_root_is_never_an_alias() {
    let aliases = Aliases::none().with(b"/");
    let code = RawPath::new("/etc").resolve(&aliases).map_err(|error| error.code());
    assert_eq!(code, Err(Code::PathOutsideWorkspace));
}

#[test]
fn odd_names_are_legal_and_exact() {
    for name in ["a..b", "sp ", " sp", "q'uote'", "~", "~root", "a:b", "-rf", "--help", "...", "*"]
    {
        assert_eq!(resolve(name), Ok(name.into()));
    }
}

#[test]
fn malformed_paths_are_invalid() {
    for bad in ["a\0b", "a.txt\0.png", r"a\x00b", &"x".repeat(256), &"x/".repeat(2049)] {
        assert_eq!(resolve(bad), Err(Code::InvalidPath), "{bad:.20}");
    }
    assert!(resolve(&"x".repeat(255)).is_ok());
    assert!(resolve(&"x/".repeat(2048)).is_ok());
}

#[test]
fn an_escaped_name_means_its_bytes() {
    let resolved = RawPath::new(r"d/caf\xe9").resolve(&Aliases::none()).unwrap();
    assert_eq!(resolved.as_bytes(), b"d/caf\xe9");
    assert_eq!(resolved.to_string(), r"d/caf\xe9");
}

#[test]
fn a_refusal_never_shows_a_raw_control_character() {
    let error = RawPath::new("../a\nb").resolve(&Aliases::none()).unwrap_err();
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn what_was_sent_is_repeated_on_one_line() {
    for (sent, shown) in [("a b", "a b"), ("a\nb", r"a\x0ab"), (r"a\x0ab", r"a\x0ab")] {
        assert_eq!(RawPath::new(sent).to_string(), shown);
    }
}

#[test]
fn only_one_component_can_be_joined() {
    assert_eq!(path("a").join(b"b"), Ok(path("a/b")));
    assert_eq!(WsPath::root().join(b"b"), Ok(path("b")));
    for bad in [b"".as_slice(), b".", b"..", b"a/b", b"a\0"] {
        assert!(WsPath::root().join(bad).is_err());
    }
}

#[test]
fn a_path_comes_apart_where_it_was_joined() {
    assert_eq!(path("a/b/c").split(), Some((path("a/b"), b"c".as_slice())));
    assert_eq!(path("a").split(), Some((WsPath::root(), b"a".as_slice())));
    assert_eq!(WsPath::root().split(), None);
}

#[test]
fn below_goes_by_whole_components() {
    assert_eq!(path("a/b").below(&path("a")), Some(b"b".as_slice()));
    assert_eq!(path("a").below(&path("a")), Some(b"".as_slice()));
    assert_eq!(path("ab").below(&path("a")), None);
    assert_eq!(path("ab").below(&WsPath::root()), Some(b"ab".as_slice()));
}

/// Two directories mounted by name, one of them within the other.
fn resolve_mounted(text: &str) -> Result<String, Code> {
    let aliases = Aliases::none()
        .with_at(b"/home/u/one", path("one"))
        .with_at(b"/home/u/one/deep/two", path("two"))
        .with_at(b"/srv/./x/../three/", path("mnt/three"));
    let path = RawPath::new(text).resolve(&aliases).map_err(|error| error.code())?;
    Ok(path.to_string())
}

#[test]
fn an_alias_may_lead_to_a_place_below_the_root() {
    for (text, expected) in [
        ("/home/u/one", "one"),
        ("/home/u/one/a/../b", "one/b"),
        ("/home/u/one/deep", "one/deep"),
        ("/srv/three/a", "mnt/three/a"),
        ("one/a", "one/a"),
        ("/", "."),
    ] {
        assert_eq!(resolve_mounted(text), Ok(expected.into()), "{text}");
    }
    for bad in ["/home/u/one2/a", "/home/u", "/srv/x", "/srv/three/..", "/home/u/one/../one/a"] {
        assert_eq!(resolve_mounted(bad), Err(Code::PathOutsideWorkspace), "{bad}");
    }
}

#[test]
fn of_aliases_within_each_other_the_longest_counts() {
    assert_eq!(resolve_mounted("/home/u/one/deep/two/a"), Ok("two/a".into()));
    assert_eq!(resolve_mounted("/home/u/one/deep/two2/a"), Ok("one/deep/two2/a".into()));
    assert_eq!(resolve_mounted("/home/u/one/deep/two/../a"), Ok("one/deep/a".into()));
    let climbs = resolve_mounted("/home/u/one/deep/two/../../../a");
    assert_eq!(climbs, Err(Code::PathOutsideWorkspace));
}

#[test]
fn the_whole_file_system_is_an_alias_where_that_is_said() {
    let aliases = Aliases::none().with_at(b"/", path("all"));
    let resolve = |text| RawPath::new(text).resolve(&aliases).map_err(|error| error.code());
    assert_eq!(resolve("/"), Ok(path("all")));
    assert_eq!(resolve("/etc/hosts"), Ok(path("all/etc/hosts")));
    assert_eq!(resolve("/.."), Err(Code::PathOutsideWorkspace));
}

#[test]
fn an_alias_says_where_it_leads_and_what_follows() {
    let aliases = Aliases::none().with(b"/workspace").with_at(b"/workspace/sub", path("two"));
    assert_eq!(aliases.find(b"/workspace/a"), Some((&WsPath::root(), b"/a".as_slice())));
    assert_eq!(aliases.find(b"/workspace/sub/a"), Some((&path("two"), b"/a".as_slice())));
    assert_eq!(aliases.find(b"/workspaces"), None);
    assert_eq!(aliases.strip(b"/workspace/sub/a"), None, "a link goes by the root's names only");
}

#[test]
fn a_subtree_sorts_together() {
    let mut paths = [path("a-b"), path("a/z"), path("a"), path("b"), path("a/b/c")];
    paths.sort();
    assert_eq!(paths, [path("a"), path("a/b/c"), path("a/z"), path("a-b"), path("b")]);
}

#[test]
fn an_absolute_link_target_is_stripped_by_whole_components() {
    let aliases = Aliases::none().with(b"/workspace").with(b"/srv/ws");
    assert_eq!(aliases.strip(b"/srv/ws/a/b"), Some(b"/a/b".as_slice()));
    assert_eq!(aliases.strip(b"//srv/./ws"), Some(b"".as_slice()));
    assert_eq!(aliases.strip(b"/srv/wsx/a"), None);
    assert_eq!(aliases.strip(b"/srv/../srv/ws"), None);
}

#[test]
fn a_path_is_put_under_a_base_unless_it_gets_too_long() {
    assert_eq!(path("a/b").under(&path("r")), Ok(path("r/a/b")));
    assert_eq!(WsPath::root().under(&path("r")), Ok(path("r")));
    assert_eq!(path("a").under(&WsPath::root()), Ok(path("a")));
    let long = WsPath::from_bytes(&[b"a/".repeat(MAX_PATH / 2 - 1), b"bc".to_vec()].concat());
    assert_eq!(long.unwrap().under(&path("r")).map_err(|e| e.code()), Err(Code::InvalidPath));
}

#[test]
fn a_path_becomes_another_and_leaves_its_copies_alone() {
    let mut path = WsPath::from_bytes(b"a/one").unwrap();
    path.become_bytes(b"a/two").unwrap();
    let kept = path.clone();
    for next in [&b"b/two"[..], b"b/three", b"", b"x"] {
        path.become_bytes(next).unwrap();
        assert_eq!(path.as_bytes(), next);
        assert_eq!(kept.as_bytes(), b"a/two");
    }
    for wrong in [&b"a//b"[..], b"/", b"..", b"a\0b", &[b'x'; MAX_NAME + 1]] {
        assert_eq!(path.become_bytes(wrong).unwrap_err().code(), Code::InvalidPath);
        assert_eq!(path.as_bytes(), b"x");
    }
}
