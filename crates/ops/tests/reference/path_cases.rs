//! The published cases of which paths are inside which directories.

use std::{path::Path, sync::Arc};

use garth_contract::{Aliases, Code, Policy, WsPath};
use garth_memory::Memory;
use garth_ops::{find, reference::TOOLS};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};

use crate::stage::wait;

/// Whether a path is inside, with these directories allowed, as a call tells it.
fn is_inside(path: &str, allowed: &[&str]) -> bool {
    let place = |index: usize| WsPath::from_bytes(format!("root{index}").as_bytes()).unwrap();
    let roots: Vec<(Vec<u8>, WsPath)> = allowed
        .iter()
        .enumerate()
        .filter(|(_, root)| root.starts_with('/'))
        .map(|(index, root)| (root.as_bytes().to_vec(), place(index)))
        .collect();
    let aliases = roots
        .iter()
        .fold(Aliases::none(), |aliases, (root, place)| aliases.with_at(root, place.clone()));
    let parts = Parts {
        fs: Arc::new(Memory::new(Policy::open()).unwrap()),
        commands: Commands::None,
        aliases,
        redaction: Config::standard(),
        limits: Limits::standard(),
    };
    let workspace = Workspace::new(parts).unwrap().shown_as(roots);
    let tool = find(TOOLS, "get_file_info").unwrap();
    // Nothing is there, so an inside path is one that is only missing.
    let error = wait((tool.run)(&workspace, json!({"path": path}).into())).unwrap_err().error;
    let code = error.code();
    let refused = [Code::PathOutsideWorkspace, Code::InvalidPath].contains(&code);
    assert!(refused || code == Code::FileNotFound, "{path:?} in {allowed:?}: {error:?}");
    !refused
}

#[test]
fn every_published_case_is_answered_as_published() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/cases/mcp_ref_path_validation.json");
    #[allow(clippy::disallowed_methods, reason = "test data beside the repository")]
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: the published path cases are not here");
        return;
    };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let mut run = 0;
    for case in cases["cases"].as_array().unwrap() {
        let (Some(path), Some(allowed)) = (case["path"].as_str(), case["allowed"].as_array())
        else {
            continue;
        };
        let allowed: Vec<&str> = allowed.iter().map(|root| root.as_str().unwrap()).collect();
        // A drive or a share of Windows can be no root here.
        if allowed.iter().any(|root| root.contains('\\')) {
            continue;
        }
        assert_eq!(Value::from(is_inside(path, &allowed)), case["expected"], "{case}");
        run += 1;
    }
    assert!(run > 40, "only {run} cases were run");
}

#[test]
fn longer_paths_than_these_are_inside_too() {
    let deep = format!("/home/user/project/{}", "a/".repeat(500));
    assert!(is_inside(&deep, &["/home/user/project"]));
    assert!(!is_inside(&deep, &["/home/user/project/a/b"]));
}
