//! `list_directory`, `list_directory_with_sizes` and `directory_tree`.

use garth_contract::Code;
use garth_workspace::Limits;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn a_directory_is_listed_by_name_with_marks() {
    everywhere(
        &[("sub/", ""), ("f.txt", ""), (".hidden", ""), (".gitignore", "f.txt\n")],
        |stage| {
            let text = stage.text("list_directory", json!({"path": stage.root}));
            assert_eq!(text, "[FILE] .gitignore\n[FILE] .hidden\n[FILE] f.txt\n[DIR] sub");
            assert_eq!(stage.text("list_directory", json!({"path": stage.at("sub")})), "");
            for tool in ["list_directory", "list_directory_with_sizes", "directory_tree"] {
                let error =
                    stage.refused(Code::NotADirectory, tool, json!({"path": stage.at("f.txt")}));
                assert!(error.message().starts_with("ENOTDIR"), "{error:?}");
            }
        },
    );
}

#[test]
fn a_name_cannot_forge_a_line() {
    everywhere(&[("a\n[DIR] b", "")], |stage| {
        let text = stage.text("list_directory", json!({"path": stage.root}));
        assert_eq!(text, "[FILE] a\\x0a[DIR] b");
        let read = json!({"path": stage.at("a\\x0a[DIR] b")});
        assert_eq!(stage.text("read_text_file", read), "");
    });
}

#[test]
fn sizes_stand_in_columns_above_their_sum() {
    let large = "x".repeat(2048);
    everywhere(&[("b.txt", &large), ("a.txt", "xy"), ("c/", "")], |stage| {
        let text = stage.text("list_directory_with_sizes", json!({"path": stage.root}));
        let lines = [
            format!("[FILE] {:<30} {:>10}", "a.txt", "2 B"),
            format!("[FILE] {:<30} {:>10}", "b.txt", "2.00 KB"),
            format!("[DIR] {:<30} ", "c"),
            String::new(),
            "Total: 2 files, 1 directories".to_owned(),
            "Combined size: 2.00 KB".to_owned(),
        ];
        assert_eq!(text, lines.join("\n"));
        let by_size = json!({"path": stage.root, "sortBy": "size"});
        let text = stage.text("list_directory_with_sizes", by_size);
        assert!(text.starts_with("[FILE] b.txt"), "{text}");
        let text = stage.text("list_directory_with_sizes", json!({"path": stage.at("c")}));
        assert_eq!(text, "\nTotal: 0 files, 0 directories\nCombined size: 0 B");
        let wrong = json!({"path": stage.root, "sortBy": "date"});
        stage.refused(Code::InvalidParams, "list_directory_with_sizes", wrong);
    });
}

const TREE: &[(&str, &str)] = &[
    (".env", ""),
    (".env.local", ""),
    (".git/", ""),
    ("nested/node_modules/d.js", ""),
    ("node_modules/m.js", ""),
    ("package.json", "{}"),
    ("src/index.js", ""),
];

fn tree(stage: &Stage, exclude: &[&str]) -> Value {
    let params = json!({"path": stage.root, "excludePatterns": exclude});
    serde_json::from_str(&stage.text("directory_tree", params)).unwrap()
}

fn names(entries: &Value) -> Vec<&str> {
    entries.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[test]
fn a_tree_is_json_in_which_directories_have_children() {
    everywhere(TREE, |stage| {
        let text = stage.text("directory_tree", json!({"path": stage.at("src")}));
        assert_eq!(text, "[\n  {\n    \"name\": \"index.js\",\n    \"type\": \"file\"\n  }\n]");
        let file = |name: &str| json!({"name": name, "type": "file"});
        let dir = |name: &str, children: &[Value]| json!({"name": name, "type": "directory", "children": children});
        let expected = json!([
            file(".env"),
            file(".env.local"),
            dir(".git", &[]),
            dir("nested", &[dir("node_modules", &[file("d.js")])]),
            dir("node_modules", &[file("m.js")]),
            file("package.json"),
            dir("src", &[file("index.js")]),
        ]);
        assert_eq!(tree(stage, &[]), expected);
        assert_eq!(stage.text("directory_tree", json!({"path": stage.at(".git")})), "[]");
    });
}

#[test]
fn a_bare_name_is_left_out_at_any_depth() {
    everywhere(TREE, |stage| {
        let left = tree(stage, &["node_modules", ".env", ""]);
        assert_eq!(names(&left), [".env.local", ".git", "nested", "package.json", "src"]);
        assert_eq!(left[2]["children"], json!([]));
        let left = tree(stage, &[".git"]);
        assert!(!names(&left).contains(&".git") && names(&left).contains(&".env"));
    });
}

#[test]
fn a_glob_is_held_against_the_path_below() {
    everywhere(TREE, |stage| {
        let left = tree(stage, &["*.env"]);
        assert!(!names(&left).contains(&".env") && names(&left).contains(&".env.local"));
        let left = tree(stage, &["*.js"]);
        assert_eq!(left[6]["children"], json!([{"name": "index.js", "type": "file"}]));
        let left = tree(stage, &["**/*.js"]);
        assert_eq!(left[6]["children"], json!([]));
        let bad = json!({"path": stage.root, "excludePatterns": ["[*"]});
        stage.refused(Code::InvalidPattern, "directory_tree", bad);
    });
}

#[test]
fn a_tree_of_many_entries_is_whole() {
    let names: Vec<String> =
        (0..3_000).map(|index| format!("d{}/e{}/f{index}", index % 7, index % 50)).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    everywhere(&files, |stage| {
        let text = stage.text("directory_tree", json!({"path": stage.root}));
        assert_eq!(text.matches("\"type\": \"file\"").count(), 3_000);
        serde_json::from_str::<Value>(&text).unwrap();
    });
}

#[test]
fn what_is_too_long_for_a_reply_is_cut_and_says_so_or_is_refused() {
    let names: Vec<String> = (10..30).map(|index| format!("f{index}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    for ground in [Ground::Memory, Ground::Host] {
        let limits = Limits { most_results: 1, ..Limits::standard() };
        let stage = Stage::new(ground, &files, Setting { limits, ..Setting::usual() });
        let note = "[only the first 10 entries are given]";
        for tool in ["list_directory", "list_directory_with_sizes"] {
            let text = stage.text(tool, json!({"path": stage.root}));
            assert!(text.ends_with(note), "{text}");
            assert_eq!(text.matches("[FILE]").count(), 10, "{text}");
        }
        let found = stage.text("search_files", json!({"path": stage.root, "pattern": "*"}));
        assert!(found.ends_with("f19\n[only the first 10 matches are given]"), "{found}");
        let error =
            stage.refused(Code::FileTooLarge, "directory_tree", json!({"path": stage.root}));
        assert_eq!(error.message(), "the tree has more than 10 entries");
        let some = json!({"path": stage.root, "excludePatterns": ["f2*"]});
        stage.ok("directory_tree", some);
    }
}
