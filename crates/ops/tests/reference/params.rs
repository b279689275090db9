//! Near misses that can mean one thing only are taken as that.

use garth_contract::Code;
use serde_json::json;

use crate::stage::everywhere;

#[test]
fn other_spellings_of_a_parameter_are_understood() {
    everywhere(&[("a", "one\ntwo\n"), ("sub/b", "x")], |stage| {
        let at = stage.at("a");
        for params in [
            json!({"file_path": at, "head": "1"}),
            json!({"filePath": at, "head": 1.0}),
            json!({"path": at, "head": 1, "tail": null}),
        ] {
            assert_eq!(stage.text("read_text_file", params), "one");
        }
        for params in [
            json!({"path": at, "edits": "[{\"oldText\": \"two\", \"newText\": \"2\"}]", "dryRun": true}),
            json!({"path": at, "edits": [{"old_string": "two", "new_string": "2"}], "dry_run": "true"}),
            json!({"path": at, "edits": [{"old_text": "two", "new_text": "2"}], "dry-run": true}),
        ] {
            assert!(stage.text("edit_file", params).contains("\n-two\n+2\n"));
        }
        let several = json!({"paths": format!("[\"{at}\"]")});
        assert_eq!(stage.text("read_multiple_files", several), format!("{at}:\none\ntwo\n\n"));
        let one = json!({"files": at});
        assert_eq!(stage.text("read_multiple_files", one), format!("{at}:\none\ntwo\n\n"));
        let tree = json!({"path": stage.root, "exclude_patterns": "sub"});
        assert!(!stage.text("directory_tree", tree).contains("sub"));
        stage.ok("move_file", json!({"from": "a", "to": "c"}));
    });
}

#[test]
fn a_wrong_parameter_is_named() {
    everywhere(&[("a", "")], |stage| {
        for (tool, params, part) in [
            ("read_text_file", json!({"path": 42}), "path must be text"),
            ("read_text_file", json!({}), "the parameter path is missing"),
            ("read_text_file", json!({"path": "a", "lines": 1}), "\"lines\""),
            ("edit_file", json!({"path": "a", "edits": [{"oldText": "x"}]}), "newText is missing"),
            ("list_allowed_directories", json!({"path": "a"}), "\"path\""),
            ("read_text_file", json!({"path": "a", "head": -1}), "head must be"),
        ] {
            let error = stage.refused(Code::InvalidParams, tool, params);
            assert!(error.message().contains(part), "{error:?}");
        }
    });
}
