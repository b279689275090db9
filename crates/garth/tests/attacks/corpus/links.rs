//! Attacks by links, and by what else may stand under a name.

use std::fs;

use serde_json::{Value, json};

use super::{outside, refused};
use crate::{outside::SECRET, yard::Yard};

pub(super) fn link_to_a_directory(yard: &mut Yard) {
    yard.link(&yard.out, "linkdir");
    yard.link("../OUT", "relative");
    yard.link("../../OUT/sub", "a/deeper");
    for path in [
        "linkdir",
        "linkdir/secret",
        "linkdir/sub",
        "linkdir/sub/secret",
        "relative",
        "relative/secret",
        "a/deeper",
        "a/deeper/secret",
        "linkdir/missing",
        "relative/missing/x",
    ] {
        yard.assert_outside(path);
        yard.assert_outside(&yard.at(path));
    }
    // Beside them, nothing of what is behind them is found or counted.
    let tree = yard.call("directory_tree", &json!({"path": "."})).unwrap();
    let tree: Value = serde_json::from_str(&tree).unwrap();
    let names: Vec<_> = tree.as_array().unwrap().iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, ["a", "linkdir", "relative"]);
    let found = yard.call("search_files", &json!({"path": ".", "pattern": "**/secret"}));
    assert_eq!(found, Ok("No matches found".to_owned()));
}

pub(super) fn dangling_link(yard: &mut Yard) {
    yard.link(yard.out.join("new.txt"), "dang");
    yard.link("../OUT/new.txt", "dang2");
    for path in ["dang", "dang2"] {
        assert_eq!(yard.write(path, "x"), outside());
        yard.assert_outside(path);
        // Its own name can be moved; the file it names is not made by that.
        let moved = json!({"source": path, "destination": format!("{path}.moved")});
        yard.call("move_file", &moved).unwrap();
        assert_eq!(yard.write(&format!("{path}.moved"), "x"), outside());
    }
    assert!(!yard.out.join("new.txt").exists());
}

pub(super) fn link_then_dots(yard: &mut Yard) {
    fs::create_dir(yard.root.join("sub")).unwrap();
    yard.link("..", "sub/up");
    yard.link("../..", "sub/upup");
    fs::create_dir(yard.root.join("outside")).unwrap();
    fs::write(yard.root.join("outside/secret.txt"), "inside after all").unwrap();
    // As text this is `sub/outside/secret.txt`, which is not there.
    assert_eq!(yard.read("sub/up/../outside/secret.txt"), refused("FILE_NOT_FOUND"));
    assert_eq!(yard.read("sub/up/outside/secret.txt"), Ok("inside after all".to_owned()));
    yard.assert_outside("sub/upup/OUT/secret");
    yard.assert_outside("sub/upup/OUT");
}

pub(super) fn swap_between_dry_run_and_edit(yard: &mut Yard) {
    fs::create_dir(yard.root.join("approved")).unwrap();
    fs::write(yard.root.join("approved/secret"), SECRET).unwrap();
    let edits = json!([{"oldText": "outside", "newText": "changed"}]);
    let path = yard.at("approved/secret");
    // Until the swap the secret stands inside, and may be shown.
    fs::write(yard.root.join("approved/secret"), "outside, before the swap").unwrap();
    let seen =
        yard.call("edit_file", &json!({"path": path, "edits": edits, "dryRun": true})).unwrap();
    assert!(seen.contains("+changed, before the swap"), "{seen}");
    fs::rename(yard.root.join("approved"), yard.root.join("aside")).unwrap();
    yard.link(&yard.out, "approved");
    assert_eq!(yard.call("edit_file", &json!({"path": path, "edits": edits})), outside());
    let aside = fs::read_to_string(yard.root.join("aside/secret")).unwrap();
    assert_eq!(aside, "outside, before the swap");
}

pub(super) fn hard_links(yard: &mut Yard) {
    // A link that exists already may be read; a change breaks it and goes nowhere else.
    for name in ["written", "edited"] {
        fs::hard_link(yard.out.join("secret"), yard.root.join(name)).unwrap();
    }
    yard.write("written", "mine").unwrap();
    let edits = json!([{"oldText": SECRET, "newText": "mine"}]);
    let edited = yard.call("edit_file", &json!({"path": "edited", "edits": edits}));
    edited.unwrap();
    for name in ["written", "edited"] {
        assert_eq!(fs::read_to_string(yard.root.join(name)).unwrap(), "mine");
    }
    assert_eq!(fs::read_to_string(yard.out.join("secret")).unwrap(), SECRET);
}

pub(super) fn pipe(yard: &mut Yard) {
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    rustix::fs::mkfifoat(rustix::fs::CWD, yard.root.join("fifo"), mode).unwrap();
    assert_eq!(yard.read("fifo"), refused("NOT_A_FILE"));
    assert_eq!(yard.write("fifo", "x"), refused("NOT_A_FILE"));
    yard.every_tool("fifo");
}

pub(super) fn magic_links(yard: &mut Yard) {
    for (target, name) in [
        ("/proc/self/root", "root_link"),
        ("/proc/self/fd/0", "fd"),
        ("/proc/self/cwd", "cwd"),
        ("/proc/self/environ", "environ"),
        ("/dev/fd/1", "dev_fd"),
    ] {
        yard.link(target, name);
    }
    for path in ["root_link", "root_link/etc/passwd", "fd", "cwd/Cargo.toml", "environ", "dev_fd"] {
        yard.assert_outside(path);
    }
}

pub(super) fn planted_link_to_a_home(yard: &mut Yard) {
    yard.link(yard.out.join(".ssh"), "x");
    assert_eq!(yard.write("x/authorized_keys", "k"), outside());
    assert!(fs::read_dir(yard.out.join(".ssh")).unwrap().next().is_none());
}

pub(super) fn link_loops(yard: &mut Yard) {
    yard.link("loop2", "loop1");
    yard.link("loop1", "loop2");
    yard.link("self/x", "self");
    yard.link(".", "a/dot");
    for path in ["loop1", "loop2/x", "self", "self/y"] {
        assert_eq!(yard.read(path), refused("INVALID_PATH"), "{path}");
        assert_eq!(yard.write(path, "x"), refused("INVALID_PATH"), "{path}");
        yard.every_tool(path);
    }
    let tree = yard.call("directory_tree", &json!({"path": "."})).unwrap();
    assert_eq!(tree.matches("\"dot\"").count(), 1, "{tree}");
}

pub(super) fn denied_by_a_link(yard: &mut Yard) {
    fs::write(yard.root.join("a/key.pem"), SECRET).unwrap();
    yard.link("a/key.pem", "innocent");
    yard.link("a", "door");
    let denied = refused("PERMISSION_DENIED");
    for path in ["a/key.pem", "innocent", "door/key.pem"] {
        assert_eq!(yard.read(path), denied, "{path}");
        assert_eq!(yard.write(path, "x"), denied, "{path}");
        assert_eq!(yard.call("get_file_info", &json!({"path": path})), denied, "{path}");
        assert_eq!(yard.call("read_media_file", &json!({"path": path})), denied, "{path}");
    }
    // A directory that holds something denied cannot be moved away.
    let moved = json!({"source": "a", "destination": "b"});
    assert_eq!(yard.call("move_file", &moved), denied);
    assert_eq!(fs::read_to_string(yard.root.join("a/key.pem")).unwrap(), SECRET);
}

pub(super) fn outside_reveals_nothing(yard: &mut Yard) {
    yard.link(yard.out.join("secret"), "there");
    yard.link(yard.out.join("absent"), "empty");
    yard.link("../OUT", "relay");
    let pairs = [
        ("there", "empty"),
        ("relay/secret", "relay/absent"),
        ("../OUT/secret", "../OUT/absent"),
        ("/etc/passwd", "/etc/absent"),
    ];
    for (there, absent) in pairs {
        for ((one, one_said), (other, other_said)) in
            calls_said(yard, there).into_iter().zip(calls_said(yard, absent))
        {
            assert_eq!(one_said.replace(there, "PATH"), other_said.replace(absent, "PATH"));
            assert_eq!(one.replace(there, "PATH"), other.replace(absent, "PATH"));
        }
    }
}

/// Each call on a path with all that was answered.
fn calls_said(yard: &mut Yard, path: &str) -> Vec<(String, String)> {
    yard.every_answer(path).into_iter().map(|(call, said)| (call, said.to_string())).collect()
}

pub(super) fn resources(yard: &mut Yard) {
    yard.link(&yard.out, "linkdir");
    yard.link(yard.out.join("secret"), "leaf");
    let base = "workspace:///";
    for path in ["linkdir", "linkdir/secret", "leaf", "../OUT/secret", "%2e%2e/OUT/secret"] {
        let read = yard.resource(&format!("{base}{path}"));
        assert!(read.is_err(), "{path}: {read:?}");
    }
    for uri in ["file:///etc/passwd", "workspace://etc/passwd", "workspace:////etc/passwd"] {
        assert!(yard.resource(uri).is_err(), "{uri}");
    }
    assert!(yard.resource("workspace:///a/in.txt").unwrap().contains("inside"));
    for typed in ["linkdir/", "../OUT/", "/etc/", "../", "~/"] {
        let values = yard.completions(typed);
        assert!(values.as_array().is_none_or(Vec::is_empty), "{typed}: {values}");
    }
}
