//! Which paths are inside, as a client sees it.

use garth_contract::{Aliases, Code, Policy, WsPath};
use garth_memory::Memory;
use garth_ops::{find, reference::TOOLS};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};

use crate::stage::{Stage, everywhere, wait};

fn refusal(stage: &Stage, path: &str) -> String {
    let params = json!({"path": path});
    let error = stage.refused(Code::PathOutsideWorkspace, "read_text_file", params);
    error.message().to_owned()
}

#[test]
fn a_path_outside_is_denied_with_the_directories_that_are_allowed() {
    everywhere(&[("f", "x")], |stage| {
        let root = &stage.root;
        for path in [
            "/etc/passwd".to_owned(),
            "/".to_owned(),
            "//.".to_owned(),
            "../escape.txt".to_owned(),
            format!("{root}-evil/f"),
            format!("{root}/../elsewhere/f"),
            format!("{root}/.."),
            "~/x.txt".to_owned(),
            "~".to_owned(),
            r"C:\Users\me\notes.md".to_owned(),
            "c:/Users".to_owned(),
        ] {
            assert_eq!(
                refusal(stage, &path),
                format!("Access denied - path outside allowed directories: {path} not in {root}")
            );
        }
        let write = json!({"path": r"C:\Users\me\notes.md", "content": "x"});
        stage.refused(Code::PathOutsideWorkspace, "write_file", write);
        let make = json!({"path": "~/notes"});
        stage.refused(Code::PathOutsideWorkspace, "create_directory", make);
        assert_eq!(stage.text("list_directory", json!({"path": root})), "[FILE] f");
    });
}

#[test]
fn the_allowed_directory_and_relative_paths_are_inside() {
    everywhere(&[("f", "x"), ("d/g", "y")], |stage| {
        for path in [stage.root.clone(), format!("{}/", stage.root), String::new(), ".".to_owned()]
        {
            let listed = stage.text("list_directory", json!({"path": path}));
            assert_eq!(listed, "[DIR] d\n[FILE] f", "{path:?}");
        }
        for path in ["d/g", "./d//g", "d/../d/g", "f/../d/g"] {
            assert_eq!(stage.text("read_text_file", json!({"path": path})), "y", "{path}");
            let at = stage.at(path);
            assert_eq!(stage.text("read_text_file", json!({"path": at})), "y", "{path}");
        }
    });
}

#[test]
fn a_malformed_path_is_refused() {
    everywhere(&[], |stage| {
        for path in [format!("{}/a\0b", stage.root), stage.at(&"x".repeat(300))] {
            stage.refused(Code::InvalidPath, "read_text_file", json!({"path": path}));
        }
    });
}

#[test]
fn a_path_that_is_repeated_stays_on_one_line() {
    everywhere(&[], |stage| {
        let text = stage.text("write_file", json!({"path": "a\nb", "content": ""}));
        assert_eq!(text, "Successfully wrote to a\\x0ab");
        assert!(!refusal(stage, "/a\nb").contains('\n'));
    });
}

#[test]
fn without_absolute_names_paths_are_told_from_the_root() {
    let memory = Memory::new(Policy::open()).unwrap();
    let parts = Parts {
        fs: std::sync::Arc::new(memory),
        commands: Commands::None,
        aliases: Aliases::none().with(b"/workspace"),
        redaction: Config::standard(),
        limits: Limits::standard(),
    };
    let workspace = Workspace::new(parts).unwrap();
    let call = |tool: &str, params: Value| {
        wait((find(TOOLS, tool).unwrap().run)(&workspace, params.into()))
    };
    call("write_file", json!({"path": "/workspace/a", "content": "x"})).unwrap();
    let found = call("search_files", json!({"path": ".", "pattern": "*"})).unwrap();
    assert_eq!(&*found.text, "a");
    let allowed = call("list_allowed_directories", json!({})).unwrap();
    assert_eq!(&*allowed.text, "Allowed directories:\n.");
    let error = call("read_text_file", json!({"path": "/etc/passwd"})).unwrap_err();
    let said = error.error.message();
    assert_eq!(said, "Access denied - path outside allowed directories: /etc/passwd");
    assert_eq!(workspace.absolute(&WsPath::root()), None);
}
