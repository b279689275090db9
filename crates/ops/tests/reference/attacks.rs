//! Ways out of the allowed directory, tried through every tool.

use std::{fs, os::unix::fs::symlink, path::Path};

use garth_contract::Code;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::{Ground, Setting, Stage};

const SECRET: &str = "outside and secret";

struct Arena {
    stage: Stage,
    outside: TempDir,
}

impl Arena {
    #[allow(clippy::disallowed_methods, reason = "the test lays out what is outside")]
    fn new() -> Self {
        let files = [("in/a", "inside\n"), ("real.txt", "real")];
        let stage = Stage::new(Ground::Host, &files, Setting::usual());
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), SECRET).unwrap();
        let root = stage.dir.path();
        symlink(outside.path(), root.join("dir")).unwrap();
        symlink(outside.path().join("secret"), root.join("leaf")).unwrap();
        symlink(outside.path().join("new"), root.join("dangling")).unwrap();
        symlink("/proc/self/root", root.join("magic")).unwrap();
        symlink(root.join("real.txt"), root.join("alias.txt")).unwrap();
        symlink("in", root.join("indir")).unwrap();
        symlink("gone", root.join("gone-link")).unwrap();
        Self { stage, outside }
    }

    fn ways_out(&self) -> Vec<String> {
        let outside = self.outside.path().to_str().unwrap();
        let name = self.outside.path().file_name().unwrap().to_str().unwrap();
        let root = &self.stage.root;
        vec![
            format!("{outside}/secret"),
            format!("{root}/../{name}/secret"),
            format!("{root}/in/../../{name}/secret"),
            format!("{root}//in//..//..//{name}/secret"),
            format!("../{name}/secret"),
            format!("{root}/dir/secret"),
            format!("{root}/dir/new"),
            format!("{root}/leaf"),
            format!("{root}/dangling"),
            format!("{root}/magic{outside}/secret"),
        ]
    }

    #[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
    fn assert_untouched(&self, what: &str) {
        let names = |dir: &Path| fs::read_dir(dir).unwrap().count();
        assert_eq!(names(self.outside.path()), 1, "{what}");
        let content = fs::read_to_string(self.outside.path().join("secret")).unwrap();
        assert_eq!(content, SECRET, "{what}");
    }
}

fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": path})),
        ("read_text_file", json!({"path": path})),
        ("read_text_file", json!({"path": path, "tail": 1})),
        ("read_media_file", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("edit_file", json!({"path": path, "edits": [{"oldText": "outside", "newText": "x"}]})),
        ("create_directory", json!({"path": format!("{path}/below")})),
        ("list_directory", json!({"path": path})),
        ("list_directory_with_sizes", json!({"path": path})),
        ("directory_tree", json!({"path": path})),
        ("search_files", json!({"path": path, "pattern": "**"})),
        ("get_file_info", json!({"path": path})),
        ("move_file", json!({"source": "in/a", "destination": format!("{path}/below")})),
    ]
}

#[test]
fn no_tool_reads_or_changes_anything_outside() {
    let arena = Arena::new();
    for path in arena.ways_out() {
        for (tool, params) in calls(&path) {
            let what = format!("{tool} {params}");
            match arena.stage.call(tool, params) {
                Ok(reply) => panic!("{what}: {} {}", reply.text, Value::Object(reply.payload)),
                Err(error) => {
                    assert_eq!(error.code(), Code::PathOutsideWorkspace, "{what}");
                    assert!(error.message().starts_with("Access denied - "), "{what} {error:?}");
                    let seen = Value::Object(garth_ops::failure(&error)).to_string();
                    assert!(!seen.contains(SECRET), "{what}: {seen}");
                }
            }
            arena.assert_untouched(&what);
        }
    }
    let paths = json!({"paths": arena.ways_out()});
    let text = arena.stage.text("read_multiple_files", paths);
    assert_eq!(text.matches("Error - Access denied").count(), arena.ways_out().len(), "{text}");
}

#[test]
fn a_refusal_does_not_tell_where_a_link_leads() {
    let arena = Arena::new();
    let outside = arena.outside.path().to_str().unwrap();
    for name in ["leaf", "dangling", "dir/secret", "dir/absent"] {
        let at = arena.stage.at(name);
        let params = json!({"path": at});
        let error = arena.stage.refused(Code::PathOutsideWorkspace, "read_text_file", params);
        assert!(!error.message().contains(outside), "{error:?}");
        assert!(error.message().contains(&at), "{error:?}");
    }
}

#[test]
fn links_inside_are_followed_and_stay() {
    let arena = Arena::new();
    let stage = &arena.stage;
    assert_eq!(stage.text("read_text_file", json!({"path": stage.at("alias.txt")})), "real");
    stage.ok("write_file", json!({"path": stage.at("alias.txt"), "content": "after"}));
    assert_eq!(stage.content("real.txt"), "after");
    assert!(stage.dir.path().join("alias.txt").is_symlink());
    let info = stage.text("get_file_info", json!({"path": stage.at("alias.txt")}));
    assert!(info.starts_with("size: 5\n") && info.contains("isFile: true"), "{info}");
    assert_eq!(stage.text("list_directory", json!({"path": stage.at("indir")})), "[FILE] a");
    let tree = stage.text("directory_tree", json!({"path": stage.at("indir")}));
    assert!(tree.contains("\"name\": \"a\""), "{tree}");
}

#[test]
fn a_link_is_listed_as_a_file_and_not_entered() {
    let arena = Arena::new();
    let stage = &arena.stage;
    let text = stage.text("list_directory", json!({"path": stage.root}));
    assert!(text.contains("[FILE] dir\n") && text.contains("[FILE] indir\n"), "{text}");
    let tree: Value =
        serde_json::from_str(&stage.text("directory_tree", json!({"path": stage.root}))).unwrap();
    let link = tree.as_array().unwrap().iter().find(|entry| entry["name"] == "indir").unwrap();
    assert_eq!(*link, json!({"name": "indir", "type": "file"}));
    let sizes = stage.text("list_directory_with_sizes", json!({"path": stage.root}));
    for (name, size) in [("gone-link", "0 B"), ("leaf", "0 B"), ("alias.txt", "4 B")] {
        let line = format!("[FILE] {name:<30} {size:>10}\n");
        assert!(sizes.contains(&line), "{line} in {sizes}");
    }
}

#[test]
fn a_search_leaves_out_links_that_lead_nowhere_inside() {
    let arena = Arena::new();
    let stage = &arena.stage;
    let text = stage.text("search_files", json!({"path": stage.root, "pattern": "**/*"}));
    let expected = ["alias.txt", "in", "in/a", "indir", "real.txt"].map(|name| stage.at(name));
    assert_eq!(text, expected.join("\n"));
}

#[test]
fn a_pipe_is_refused_at_once() {
    let arena = Arena::new();
    let stage = &arena.stage;
    let fifo = stage.dir.path().join("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    for (tool, params) in calls(&stage.at("fifo")).into_iter().take(6) {
        let error = stage.refused(Code::NotAFile, tool, params);
        assert!(error.message().starts_with("not a regular file: "), "{error:?}");
    }
    let info = stage.text("get_file_info", json!({"path": "fifo"}));
    assert!(info.contains("isDirectory: false\nisFile: false"), "{info}");
}
