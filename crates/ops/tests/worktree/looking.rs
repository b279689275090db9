//! `worktree.list`, `worktree.stat` and `worktree.usage`: fields, defaults, pages and refusals.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::{
    asking::{Asking, everywhere},
    stage::Ground,
};

const FILES: &[(&str, &str)] = &[
    ("b.txt", "four"),
    ("a/x", ""),
    ("a/.env", "hidden"),
    ("a/deep/er/y", "1"),
    (".git/config", ""),
    (".gitignore", "b.txt\n"),
    ("Z", ""),
];

fn paths(reply: &Value) -> Vec<&str> {
    reply["entries"].as_array().unwrap().iter().map(|e| e["path"].as_str().unwrap()).collect()
}

#[test]
fn a_listing_has_the_fields_of_its_entries() {
    everywhere(FILES, |asking| {
        let reply = asking.ok("list", json!({}));
        assert_eq!(reply["path"], "/");
        assert_eq!((&reply["truncated"], &reply["total"]), (&json!(false), &json!(3)));
        assert_eq!(reply.get("nextCursor"), None);
        assert_eq!(paths(&reply), ["Z", "a", "b.txt"]);
        let [_, dir, file] = reply["entries"].as_array().unwrap().as_slice() else { panic!() };
        assert_eq!((&dir["name"], &dir["kind"]), (&json!("a"), &json!("dir")));
        assert_eq!((dir.get("sizeBytes"), dir.get("type")), (None, None));
        assert_eq!((&file["name"], &file["kind"]), (&json!("b.txt"), &json!("file")));
        assert_eq!(file["sizeBytes"], 4);
        let modified = file["modifiedAt"].as_str().unwrap();
        assert!(modified.len() == 24 && modified.starts_with("20") && modified.ends_with('Z'));
        let permissions = file["permissions"].as_str().unwrap();
        assert!(permissions.len() == 9 && permissions.starts_with("rw-"), "{permissions}");
    });
}

#[test]
fn a_listing_hides_dotfiles_and_nothing_else() {
    everywhere(FILES, |asking| {
        for (params, expected) in [
            (json!({"path": "/"}), &["Z", "a", "b.txt"][..]),
            (json!({"path": ""}), &["Z", "a", "b.txt"]),
            (json!({"path": "."}), &["Z", "a", "b.txt"]),
            (json!({"path": "/workspace/a"}), &["a/deep", "a/x"]),
            (json!({"path": "a", "includeHidden": true}), &["a/.env", "a/deep", "a/x"]),
            (json!({"path": "a/../a/./", "recursive": false}), &["a/deep", "a/x"]),
            (
                json!({"path": "a", "recursive": true}),
                &["a/deep", "a/deep/er", "a/deep/er/y", "a/x"],
            ),
            (
                json!({"recursive": true}),
                &["Z", "a", "a/deep", "a/deep/er", "a/deep/er/y", "a/x", "b.txt"],
            ),
            (
                json!({"recursive": true, "includeHidden": true}),
                &[
                    ".git",
                    ".git/config",
                    ".gitignore",
                    "Z",
                    "a",
                    "a/.env",
                    "a/deep",
                    "a/deep/er",
                    "a/deep/er/y",
                    "a/x",
                    "b.txt",
                ],
            ),
        ] {
            assert_eq!(paths(&asking.ok("list", params.clone())), expected, "{params}");
        }
    });
}

#[test]
fn a_listing_comes_in_pages_that_join_without_a_gap() {
    everywhere(FILES, |asking| {
        for all in [
            json!({"recursive": true, "includeHidden": true}),
            json!({"includeHidden": true}),
            json!({}),
        ] {
            let whole = asking.ok("list", all.clone());
            for limit in 1..=3 {
                let (mut seen, mut params) = (Vec::new(), all.clone());
                params["limit"] = limit.into();
                loop {
                    let reply = asking.ok("list", params.clone());
                    seen.extend(reply["entries"].as_array().unwrap().iter().cloned());
                    assert_eq!(reply["truncated"], reply.get("nextCursor").is_some());
                    let Some(next) = reply.get("nextCursor") else { break };
                    assert_ne!(params.get("cursor"), Some(next), "it comes no further");
                    params["cursor"] = next.clone();
                }
                assert_eq!(&seen, whole["entries"].as_array().unwrap(), "{params}");
            }
        }
    });
}

#[test]
fn a_page_goes_on_where_the_last_ended_whatever_came_and_went_in_between() {
    const MANY: &[(&str, &str)] =
        &[("a/1", ""), ("a/3", ""), ("a/5", ""), ("b", ""), ("c/1", ""), ("c/2", "")];
    everywhere(MANY, |asking| {
        for (more, first, rest) in [
            (json!({"recursive": true}), &["a", "a/1", "a/3"][..], &["a/4", "c", "c/2"][..]),
            (
                json!({"recursive": true, "includeHidden": true}),
                &["a", "a/1", "a/3"],
                &["a/4", "c", "c/2"],
            ),
            (json!({"path": "a"}), &["a/1", "a/3"], &["a/4"]),
            (json!({"path": "a", "includeHidden": true}), &["a/1", "a/3"], &["a/4"]),
        ] {
            let mut params = more.clone();
            params["limit"] = first.len().into();
            let page = asking.ok("list", params.clone());
            assert_eq!(paths(&page), first, "{more}");
            // Before where it ended, it itself, and behind it.
            for gone in ["a/1", "a/3", "a/5", "b", "c/1"] {
                asking.ok("delete", json!({"path": gone}));
            }
            for new in ["a/2", "a/4"] {
                asking.ok("write", json!({"path": new, "content": ""}));
            }
            params["cursor"] = page["nextCursor"].clone();
            assert_eq!(paths(&asking.ok("list", params)), rest, "{more}");
            for new in ["a/2", "a/4"] {
                asking.ok("delete", json!({"path": new}));
            }
            for (path, content) in MANY {
                asking.ok("write", json!({"path": path, "content": content}));
            }
        }
    });
}

#[test]
fn what_cannot_be_listed_is_refused() {
    everywhere(FILES, |asking| {
        for (code, params) in [
            (Code::NotADirectory, json!({"path": "b.txt"})),
            (Code::NotADirectory, json!({"path": "b.txt", "recursive": true})),
            (Code::NotADirectory, json!({"path": "b.txt", "includeHidden": true})),
            (Code::FileNotFound, json!({"path": "nope"})),
            (Code::PathOutsideWorkspace, json!({"path": "../x"})),
            (Code::PathOutsideWorkspace, json!({"path": "/etc"})),
            (Code::InvalidPath, json!({"path": "a\0b"})),
            (Code::InvalidParams, json!({"limit": 0})),
            (Code::InvalidParams, json!({"cursor": "x"})),
            (Code::InvalidParams, json!({"cursor": "-1"})),
        ] {
            asking.refused(code, "list", params);
        }
    });
}

#[test]
fn an_entry_is_looked_at_without_its_neighbours() {
    everywhere(FILES, |asking| {
        let listed = asking.ok("list", json!({"recursive": true, "includeHidden": true}));
        for entry in listed["entries"].as_array().unwrap() {
            assert_eq!(&asking.ok("stat", json!({"path": entry["path"]})), entry);
        }
        let root = asking.ok("stat", json!({"path": "/"}));
        assert_eq!((&root["path"], &root["kind"]), (&json!("/"), &json!("dir")));
        asking.refused(Code::FileNotFound, "stat", json!({"path": "nope"}));
        asking.refused(Code::PathOutsideWorkspace, "stat", json!({"path": "a/../../x"}));
    });
}

#[test]
fn links_and_special_files_say_what_they_are() {
    let asking =
        Asking::on(crate::stage::Stage::new(Ground::Host, FILES, crate::stage::Setting::usual()));
    let root = asking.stage.root.path();
    for (target, link) in [("a", "to-dir"), ("b.txt", "to-file"), ("nope", "to-nothing")] {
        rustix::fs::symlink(target, root.join(link)).unwrap();
    }
    rustix::fs::symlink("/etc/passwd", root.join("out")).unwrap();
    rustix::fs::symlink("/etc", root.join("out-dir")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    for (name, kind, special, size) in [
        ("to-dir", "dir", "symlink", None),
        ("to-file", "file", "symlink", Some(4)),
        ("to-nothing", "file", "symlink", None),
        ("out", "file", "symlink", None),
        ("out-dir", "file", "symlink", None),
        ("pipe", "file", "fifo", None),
    ] {
        let entry = asking.ok("stat", json!({ "path": name }));
        assert_eq!((&entry["kind"], &entry["type"]), (&json!(kind), &json!(special)), "{name}");
        assert_eq!(entry.get("sizeBytes"), size.map(Value::from).as_ref(), "{name}");
        let listed = asking.ok("list", json!({}));
        let entries = listed["entries"].as_array().unwrap();
        assert!(entries.contains(&entry), "{name}: {listed}");
    }
}

#[test]
fn usage_counts_all_that_is_below() {
    everywhere(FILES, |asking| {
        for (params, path, files, directories, bytes) in [
            (json!({}), "/", 7, 4, 17),
            (json!({"path": "a"}), "a", 3, 2, 7),
            (json!({"path": "b.txt"}), "b.txt", 1, 0, 4),
        ] {
            let reply = asking.ok("usage", params);
            let expected = json!({"path": path, "files": files, "directories": directories,
                "sizeBytes": bytes, "truncated": false});
            assert_eq!(reply, expected);
        }
        asking.refused(Code::FileNotFound, "usage", json!({"path": "gone"}));
        asking.refused(Code::PathOutsideWorkspace, "usage", json!({"path": "../x"}));
    });
}
