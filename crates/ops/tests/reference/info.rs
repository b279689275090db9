//! `get_file_info` and `list_allowed_directories`.

use garth_contract::Code;
use serde_json::json;

use crate::stage::everywhere;

#[test]
fn what_is_known_of_a_file_stands_in_lines() {
    everywhere(&[("f.txt", "12345"), ("d/", "")], |stage| {
        let text = stage.text("get_file_info", json!({"path": stage.at("f.txt")}));
        let lines: Vec<(&str, &str)> =
            text.lines().map(|line| line.split_once(": ").unwrap()).collect();
        let keys: Vec<&str> = lines.iter().map(|(key, _)| *key).collect();
        assert_eq!(
            keys,
            ["size", "created", "modified", "accessed", "isDirectory", "isFile", "permissions"]
        );
        assert_eq!(lines[0].1, "5");
        assert!(lines[2].1.ends_with("GMT+0000 (Coordinated Universal Time)"), "{text}");
        assert_eq!((lines[4].1, lines[5].1), ("false", "true"));
        assert!(lines[6].1.len() == 3 && lines[6].1.parse::<u32>().is_ok(), "{text}");
        let text = stage.text("get_file_info", json!({"path": stage.at("d")}));
        assert!(text.contains("isDirectory: true\nisFile: false\n"), "{text}");
        let missing = json!({"path": stage.at("missing")});
        let error = stage.refused(Code::FileNotFound, "get_file_info", missing);
        assert!(error.message().starts_with("ENOENT"));
    });
}

#[test]
fn the_allowed_directories_are_named() {
    everywhere(&[], |stage| {
        let text = stage.text("list_allowed_directories", json!({}));
        assert_eq!(text, format!("Allowed directories:\n{}", stage.root));
    });
}
