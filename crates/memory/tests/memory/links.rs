//! Symbolic links: followed inside the tree, a wall at its edge.

use garth_contract::{Code, Depth, Kind, Links, Made, Parents, Removed, Renamed};

use crate::fixture::{ABSENT, REFUSE, REPLACE, path, workspace};

#[test]
fn a_link_inside_is_followed() {
    let ws = workspace(&[
        ("d/a", "1"),
        ("file", "-> d/a"),
        ("dir", "-> ./d/"),
        ("d/up", "-> ../d/a"),
        ("chain", "-> dir/up"),
        ("aliased", "-> /workspace/d"),
    ]);
    for name in ["file", "dir/a", "d/up", "dir/up", "chain", "aliased/a"] {
        assert_eq!(ws.read(name), Ok("1".into()), "{name}");
    }
    assert_eq!(ws.list("dir").unwrap(), ["dir/a", "dir/up"]);
    assert_eq!(ws.stat("file", Links::Follow).unwrap().kind, Kind::File);
    assert_eq!(ws.stat("file", Links::Keep).unwrap().kind, Kind::Symlink);
    assert_eq!(ws.stat("dir/up", Links::Keep).unwrap().kind, Kind::Symlink);
}

#[test]
fn a_link_that_leaves_is_refused_whatever_is_out_there() {
    let targets =
        ["..", "../x", "d/../../x", "/etc/passwd", "/", "/workspace/../etc", "/workspacex"];
    for target in targets {
        let ws = workspace(&[("d/", ""), ("l", &format!("-> {target}"))]);
        let outside = Err(Code::PathOutsideWorkspace);
        assert_eq!(ws.read("l"), outside.clone(), "{target}");
        assert_eq!(ws.read("l/x"), outside.clone(), "{target}");
        assert_eq!(ws.list("l").map(drop), Err(Code::PathOutsideWorkspace), "{target}");
        assert_eq!(ws.write("l", "x").map(drop), Err(Code::PathOutsideWorkspace), "{target}");
        let made = ws.make_dir("l/x", Parents::Create);
        assert_eq!(made, Err(Code::PathOutsideWorkspace), "{target}");
        assert_eq!(ws.rename("d", "l/x", REFUSE), Err(Code::PathOutsideWorkspace), "{target}");
        assert_eq!(ws.remove("l/x", Depth::All), Err(Code::PathOutsideWorkspace), "{target}");
        assert_eq!(ws.kind("l"), Ok(Kind::Symlink), "{target}");
    }
}

#[test]
fn a_loop_of_links_ends() {
    let ws = workspace(&[("a", "-> b"), ("b", "-> a"), ("self", "-> self/x")]);
    for name in ["a", "b/x", "self"] {
        assert_eq!(ws.read(name), Err(Code::InvalidPath), "{name}");
        assert_eq!(ws.write(name, "x"), Err(Code::InvalidPath), "{name}");
    }
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let names: Vec<String> = (0..=41).map(|number| format!("l{number}")).collect();
    let ws = workspace(&[("l0", "end")]);
    for pair in names.windows(2) {
        ws.0.symlink(&path(&pair[1]), pair[0].as_bytes()).unwrap();
    }
    assert_eq!(ws.read("l40"), Ok("end".into()));
    assert_eq!(ws.read("l41"), Err(Code::InvalidPath));
}

#[test]
fn a_write_through_a_link_changes_the_target_and_the_link_stays() {
    let ws = workspace(&[("d/a", "1"), ("l", "-> d/a"), ("new", "-> d/made"), ("deep", "-> n/m")]);
    ws.write("l", "2").unwrap();
    assert_eq!((ws.read("d/a"), ws.kind("l")), (Ok("2".into()), Ok(Kind::Symlink)));
    let exists = ws.put("l", "3", ABSENT).map_err(|error| error.code()).map(drop);
    assert_eq!(exists, Err(Code::FileExists));
    assert!(ws.write("new", "made").unwrap().created);
    assert_eq!((ws.read("d/made"), ws.kind("new")), (Ok("made".into()), Ok(Kind::Symlink)));
    ws.write("deep/x", "in a new directory").unwrap();
    assert_eq!(ws.read("n/m/x"), Ok("in a new directory".into()));
}

#[test]
fn a_link_that_leads_nowhere_is_missing() {
    let ws = workspace(&[("l", "-> no/where"), ("back", "-> no/../a"), ("a", "1")]);
    assert_eq!(ws.read("l"), Err(Code::FileNotFound));
    assert_eq!(ws.read("back"), Err(Code::FileNotFound));
    assert_eq!(ws.write("back", "2"), Err(Code::FileNotFound));
    assert_eq!(ws.make_dir("l", Parents::Create), Err(Code::FileExists));
    assert_eq!(ws.tree(), ["a", "back", "l"]);
}

#[test]
fn a_link_that_ends_in_a_slash_or_a_dot_wants_a_directory() {
    for end in ["/", "/.", "/./", "//"] {
        let (to_file, to_dir) = (format!("-> f{end}"), format!("-> d{end}"));
        let nowhere = format!("-> no{end}");
        let ws = workspace(&[
            ("f", "1"),
            ("d/a", "2"),
            ("l", &to_file),
            ("m", &to_dir),
            ("n", &nowhere),
        ]);
        assert_eq!(ws.read("l"), Err(Code::NotADirectory), "{end}");
        assert_eq!(ws.write("l", "x"), Err(Code::NotADirectory), "{end}");
        assert_eq!(ws.read("m/a"), Ok("2".into()), "{end}");
        assert_eq!(ws.list("m").map(|names| names.len()), Ok(1), "{end}");
        assert_eq!(ws.write("n", "x"), Err(Code::FileNotFound), "{end}");
        assert!(ws.write("n/x", "x").is_ok(), "{end}");
    }
}

#[test]
fn a_link_to_a_directory_counts_as_made() {
    let ws = workspace(&[("d/", ""), ("l", "-> d"), ("f", ""), ("m", "-> f")]);
    assert_eq!(ws.make_dir("l", Parents::Require), Ok(Made::Existed));
    assert_eq!(ws.make_dir("m", Parents::Require), Err(Code::FileExists));
    assert_eq!(ws.make_dir("l/x", Parents::Require), Ok(Made::Created));
    assert_eq!(ws.kind("d/x"), Ok(Kind::Dir));
}

#[test]
fn removing_and_moving_act_on_the_link() {
    let ws = workspace(&[("d/a", "1"), ("l", "-> d"), ("m", "-> d/a"), ("f", "2")]);
    assert_eq!(ws.remove("l", Depth::All), Ok(Removed { kind: Kind::Symlink, count: 1 }));
    let moved = ws.rename("m", "n", REFUSE);
    assert_eq!(moved, Ok(Renamed { kind: Kind::Symlink, replaced: false }));
    assert_eq!(ws.read("n"), Ok("1".into()));
    let over = ws.rename("f", "n", REPLACE);
    assert_eq!(over, Ok(Renamed { kind: Kind::File, replaced: true }));
    assert_eq!(ws.tree(), ["d", "d/a", "n"]);
    assert_eq!(ws.read("d/a"), Ok("1".into()));
}

#[test]
fn a_link_is_made_where_nothing_is() {
    let ws = workspace(&[("f", "")]);
    let link =
        |name: &str, target: &[u8]| ws.0.symlink(&path(name), target).map_err(|error| error.code());
    assert_eq!(link("f", b"x"), Err(Code::FileExists));
    assert_eq!(link("no/l", b"x"), Err(Code::ParentNotFound));
    assert_eq!(link("l", b""), Err(Code::InvalidPath));
    assert_eq!(link("l", b"a\0b"), Err(Code::InvalidPath));
    assert_eq!(link("l", b"f"), Ok(()));
    assert_eq!(ws.tree(), ["f", "l"]);
}
