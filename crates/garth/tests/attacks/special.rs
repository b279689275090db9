//! Pipes, sockets, devices and links into `/proc`: refused at once, and the next
//! call works.

use std::{fs, os::unix::net::UnixListener};

use rustix::fs::{CWD, FileType, Mode, makedev, mkfifoat, mknodat};
use serde_json::{Value, json};

use crate::yard::Yard;

/// A yard with one of each; gives the names of those that could be made.
fn arranged() -> (Yard, Vec<&'static str>) {
    let yard = Yard::new();
    mkfifoat(CWD, yard.root.join("fifo"), Mode::from_raw_mode(0o666)).unwrap();
    // The name of a socket stays when nobody listens any more.
    drop(UnixListener::bind(yard.root.join("socket")).unwrap());
    yard.link("fifo", "to_fifo");
    yard.link("socket", "to_socket");
    let mut names = vec!["fifo", "socket", "to_fifo", "to_socket"];
    for (name, major, minor) in [("zero", 1, 5), ("terminal", 5, 0)] {
        let mode = Mode::from_raw_mode(0o666);
        let device = makedev(major, minor);
        if mknodat(CWD, yard.root.join(name), FileType::CharacterDevice, mode, device).is_ok() {
            names.push(name);
        }
    }
    (yard, names)
}

/// The calls that need a regular file.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let edits = json!([{"oldText": "a", "newText": "b"}]);
    vec![
        ("read_file", json!({"path": path})),
        ("read_text_file", json!({"path": path})),
        ("read_text_file", json!({"path": path, "head": 1})),
        ("read_text_file", json!({"path": path, "tail": 1})),
        ("read_media_file", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("edit_file", json!({"path": path, "edits": edits})),
        ("edit_file", json!({"path": path, "edits": edits, "dryRun": true})),
    ]
}

fn works(yard: &mut Yard) {
    assert_eq!(yard.read("a/in.txt"), Ok("inside\n".to_owned()));
}

#[test]
fn what_is_no_regular_file_is_refused_and_the_next_call_works() {
    let (mut yard, names) = arranged();
    for name in names {
        let before = fs::symlink_metadata(yard.root.join(name)).unwrap();
        for (tool, arguments) in calls(name) {
            let outcome = yard.call(tool, &arguments);
            assert_eq!(outcome, Err("NOT_A_FILE".to_owned()), "{tool} {arguments}");
            works(&mut yard);
        }
        let directories =
            ["list_directory", "list_directory_with_sizes", "directory_tree", "search_files"];
        for tool in directories {
            let mut arguments = json!({"path": name});
            if tool == "search_files" {
                arguments["pattern"] = json!("**");
            }
            let outcome = yard.call(tool, &arguments);
            assert_eq!(outcome, Err("NOT_A_DIRECTORY".to_owned()), "{tool} {arguments}");
        }
        let info = yard.call("get_file_info", &json!({"path": name})).unwrap();
        assert!(info.contains("isDirectory: false\nisFile: false"), "{name}: {info}");
        assert!(yard.resource(&format!("workspace:///{name}")).is_err(), "{name}");
        let after = fs::symlink_metadata(yard.root.join(name)).unwrap();
        assert_eq!(after.file_type(), before.file_type(), "{name} is something else now");
    }
    yard.leave("pipes, sockets and devices");
}

#[test]
fn a_pipe_among_files_stops_nothing() {
    let (mut yard, names) = arranged();
    let paths = [&names[..], &["a/in.txt"]].concat();
    let text = yard.call("read_multiple_files", &json!({"paths": paths})).unwrap();
    assert_eq!(text.matches(": Error - not a regular file").count(), names.len(), "{text}");
    assert!(
        text.ends_with("a/in.txt:\ninside\n\n") || text.contains("a/in.txt:\ninside"),
        "{text}"
    );
    let listed = yard.call("list_directory", &json!({"path": "."})).unwrap();
    for name in &names {
        assert!(listed.contains(&format!("[FILE] {name}")), "{listed}");
    }
    for tool in ["list_directory_with_sizes", "directory_tree"] {
        assert!(yard.call(tool, &json!({"path": "."})).unwrap().contains("fifo"), "{tool}");
    }
    let found = yard.call("search_files", &json!({"path": ".", "pattern": "**/*"})).unwrap();
    assert!(found.contains("/a/in.txt"), "{found}");
    // It can be moved like anything that has a name.
    yard.call("move_file", &json!({"source": "fifo", "destination": "a/fifo"})).unwrap();
    yard.leave("a pipe among files");
}

#[test]
fn a_link_to_something_special_outside_is_a_link_outside() {
    let mut yard = Yard::new();
    let targets = [
        "/dev/zero",
        "/dev/tty",
        "/dev/stdin",
        "/dev/stdout",
        "/proc/self/fd/0",
        "/proc/self/fd/1",
        "/proc/self/mem",
        "/proc/self/root",
        "/proc/1/environ",
        "/proc/thread-self/cwd",
        "/sys/kernel",
    ];
    for (index, target) in targets.iter().enumerate() {
        let name = format!("special{index}");
        yard.link(target, &name);
        yard.assert_outside(&name);
        works(&mut yard);
    }
    let sizes = yard.call("list_directory_with_sizes", &json!({"path": "."})).unwrap();
    assert_eq!(sizes.matches("[FILE] special").count(), targets.len(), "{sizes}");
    yard.assert_outside_is_untouched("links to something special");
    yard.leave("links to something special");
}
