//! Several allowed directories, each mounted under a name.

use garth_contract::Code;
use serde_json::json;

use crate::stage::{Ground, Setting, Stage};

const FILES: &[(&str, &str)] =
    &[("one/f", "1"), ("one/sub/g", "1g"), ("two/f", "2"), ("two/inner/h", "2h"), ("three/f", "3")];

fn stages() -> [Stage; 2] {
    [Ground::Memory, Ground::Host].map(|ground| {
        let setting = Setting { mounts: &["one", "two"], ..Setting::usual() };
        Stage::new(ground, FILES, setting)
    })
}

#[test]
fn each_directory_is_reached_and_told_by_its_absolute_path() {
    for stage in stages() {
        let (one, two) = (stage.at("one"), stage.at("two"));
        let text = stage.text("list_allowed_directories", json!({}));
        assert_eq!(text, format!("Allowed directories:\n{one}\n{two}"));
        assert_eq!(stage.text("read_text_file", json!({"path": stage.at("two/f")})), "2");
        let found = stage.text("search_files", json!({"path": two, "pattern": "**"}));
        let expected = ["f", "inner", "inner/h"].map(|name| format!("{two}/{name}"));
        assert_eq!(found, expected.join("\n"));
        stage.ok(
            "move_file",
            json!({"source": stage.at("one/f"), "destination": stage.at("two/x")}),
        );
        assert_eq!(stage.content("two/x"), "1");
    }
}

#[test]
fn nothing_beside_the_directories_is_reached() {
    for stage in stages() {
        let allowed = format!("{}, {}", stage.at("one"), stage.at("two"));
        for path in
            [stage.at("three/f"), stage.root.clone(), "/".into(), stage.at("one/../three/f")]
        {
            let error =
                stage.refused(Code::PathOutsideWorkspace, "read_text_file", json!({"path": path}));
            assert_eq!(
                error.message(),
                format!(
                    "Access denied - path outside allowed directories: {path} not in {allowed}"
                )
            );
        }
    }
}

#[test]
fn a_relative_path_starts_at_the_first_directory() {
    for stage in stages() {
        let read = |path: &str| stage.text("read_text_file", json!({"path": path}));
        assert_eq!(read("f"), "1");
        assert_eq!(read("sub/g"), "1g");
        assert_eq!(read("../two/inner/h"), "2h", "it leads into another allowed directory");
        assert_eq!(stage.text("list_directory", json!({"path": "."})), "[FILE] f\n[DIR] sub");
        stage.ok("write_file", json!({"path": "new", "content": "x"}));
        assert_eq!(stage.content("one/new"), "x");
        let missing = json!({"path": "inner/h"});
        stage.refused(Code::FileNotFound, "read_text_file", missing);
        for path in ["../three/f", "../../../../../..", "../one2/f"] {
            let params = json!({"path": path});
            stage.refused(Code::PathOutsideWorkspace, "read_text_file", params);
        }
    }
}
