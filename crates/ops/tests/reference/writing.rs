//! `write_file` and `create_directory`.

use garth_contract::{Access, Code, Policy};
use garth_redact::Config;
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn a_write_repeats_the_path_as_it_was_sent() {
    everywhere(&[], |stage| {
        let at = stage.at("new.txt");
        let text = stage.text("write_file", json!({"path": at, "content": "hello"}));
        assert_eq!(text, format!("Successfully wrote to {at}"));
        assert_eq!(stage.content("new.txt"), "hello");
        let text = stage.text("write_file", json!({"path": "relative.txt", "content": "x"}));
        assert_eq!(text, "Successfully wrote to relative.txt");
        assert_eq!(stage.content("relative.txt"), "x");
    });
}

#[test]
fn the_bytes_land_as_sent() {
    let files = [("crlf", "a\r\nb\r\n"), ("bom", "\u{feff}a\r\n"), ("long", "a much longer text")];
    everywhere(&files, |stage| {
        for (name, _) in files {
            stage.ok("write_file", json!({"path": stage.at(name), "content": "a\nb\n"}));
            assert_eq!(stage.content(name), "a\nb\n", "{name}");
        }
    });
}

#[test]
fn a_write_makes_no_directories_and_replaces_none() {
    everywhere(&[("d/f", "x")], |stage| {
        let params = json!({"path": stage.at("no/such/file"), "content": "x"});
        let error = stage.refused(Code::ParentNotFound, "write_file", params);
        assert!(error.message().starts_with("ENOENT: no such file or directory"), "{error:?}");
        assert!(error.message().contains("Parent directory does not exist"), "{error:?}");
        let params = json!({"path": stage.at("d"), "content": "x"});
        let error = stage.refused(Code::NotAFile, "write_file", params);
        assert!(error.message().starts_with("EISDIR"), "{error:?}");
        assert_eq!(stage.content("d/f"), "x");
    });
}

#[test]
fn a_directory_is_made_with_its_parents_as_often_as_asked() {
    everywhere(&[("file", "")], |stage| {
        let at = stage.at("a/b/c");
        for _ in 0..2 {
            let text = stage.text("create_directory", json!({"path": at}));
            assert_eq!(text, format!("Successfully created directory {at}"));
        }
        stage.ok("create_directory", json!({"path": stage.root}));
        assert_eq!(stage.text("list_directory", json!({"path": stage.at("a")})), "[DIR] b");
        let params = json!({"path": stage.at("file")});
        let error = stage.refused(Code::FileExists, "create_directory", params);
        assert!(error.message().starts_with("EEXIST"), "{error:?}");
    });
}

#[test]
fn rules_of_the_operator_hold() {
    for ground in [Ground::Memory, Ground::Host] {
        let policy = Policy { deny: vec!["*.env".into()], ..Policy::open() };
        let files = [("a.env", "secret"), ("free", "x")];
        let stage = Stage::new(ground, &files, Setting { policy, ..Setting::usual() });
        let at = stage.at("a.env");
        let calls = [
            ("write_file", json!({"path": at, "content": "x"})),
            ("edit_file", json!({"path": at, "edits": [{"oldText": "secret", "newText": "x"}]})),
            ("read_text_file", json!({"path": at})),
            ("read_media_file", json!({"path": at})),
            ("get_file_info", json!({"path": at})),
            ("move_file", json!({"source": at, "destination": stage.at("b")})),
            ("move_file", json!({"source": stage.at("free"), "destination": stage.at("b.env")})),
        ];
        for (tool, params) in calls {
            stage.refused(Code::PermissionDenied, tool, params);
        }
        assert_eq!(stage.text("list_directory", json!({"path": stage.root})), "[FILE] free");
        let all = json!({"path": stage.root, "pattern": "**"});
        assert_eq!(stage.text("search_files", all), stage.at("free"));

        let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
        let stage = Stage::new(ground, &files, Setting { policy, ..Setting::usual() });
        let write = json!({"path": stage.at("free"), "content": "y"});
        stage.refused(Code::ReadOnly, "write_file", write);
        stage.refused(Code::ReadOnly, "create_directory", json!({"path": stage.at("d")}));
    }
}

#[test]
fn where_secrets_are_hidden_a_placeholder_cannot_replace_one() {
    let token = format!("token = \"ghp_{}\"\n", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5");
    for ground in [Ground::Memory, Ground::Host] {
        let setting = Setting { redaction: Config::standard(), ..Setting::usual() };
        let stage = Stage::new(ground, &[("conf", &token)], setting);
        let shown = stage.text("read_text_file", json!({"path": stage.at("conf")}));
        assert!(shown.contains("[REDACTED: "), "{shown}");
        let params = json!({"path": stage.at("conf"), "content": shown});
        stage.refused(Code::RedactedContent, "write_file", params);
        let edits = json!([{"oldText": shown, "newText": "x"}]);
        let params = json!({"path": stage.at("conf"), "edits": edits});
        stage.refused(Code::RedactedContent, "edit_file", params);
        assert_eq!(stage.content("conf"), token);
        stage.ok("write_file", json!({"path": stage.at("conf"), "content": "plain"}));
    }
}
