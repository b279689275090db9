//! What is refused, with which code, and that nothing was run by then.

use garth_contract::{Access, Code, Policy};
use garth_memory::Memory;
use garth_ops::{Allows, find, workspace::TOOLS};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};

use crate::place::{Setting, place, place_with};

#[test]
fn wrong_parameters_are_refused_before_anything_runs() {
    let place = place();
    place.ok("write", json!({"path": "file", "content": "x"}));
    place.bash("ln -s /etc out; ln -s nowhere broken");
    let run = |with: Value| {
        let mut params = json!({"command": "touch ran"});
        params.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        params
    };
    let large = "x".repeat(64 << 10);
    for (code, params) in [
        (Code::FileNotFound, run(json!({"workdir": "missing"}))),
        (Code::FileNotFound, run(json!({"workdir": "broken"}))),
        (Code::NotADirectory, run(json!({"workdir": "file"}))),
        (Code::NotADirectory, run(json!({"workdir": "file/below"}))),
        (Code::PathOutsideWorkspace, run(json!({"workdir": ".."}))),
        (Code::PathOutsideWorkspace, run(json!({"workdir": "/etc"}))),
        (Code::PathOutsideWorkspace, run(json!({"workdir": "out"}))),
        (Code::InvalidPath, run(json!({"workdir": "a\0b"}))),
        (Code::InvalidParams, json!({"command": ""})),
        (Code::InvalidParams, json!({"command": " \n"})),
        (Code::InvalidParams, json!({"command": "touch ran\0"})),
        (Code::InvalidParams, json!({"command": format!("touch ran #{}", "x".repeat(128 << 10))})),
        (Code::InvalidParams, json!({})),
        (Code::InvalidParams, run(json!({"timeout_ms": 0}))),
        (Code::InvalidParams, run(json!({"timeout_ms": 3_600_001}))),
        (Code::InvalidParams, run(json!({"timeout_ms": u64::MAX}))),
        (Code::InvalidParams, run(json!({"env": {"A": large}}))),
        (Code::InvalidParams, run(json!({"env": {"": "x"}}))),
        (Code::InvalidParams, run(json!({"env": {"A=B": "x"}}))),
        (Code::InvalidParams, run(json!({"env": {"A": "x\0"}}))),
        (Code::InvalidParams, run(json!({"stdin": "x".repeat((16 << 20) + 1)}))),
        (Code::InvalidParams, run(json!({"timeout": 5}))),
    ] {
        for background in [false, true] {
            let mut params = params.clone();
            params["background"] = background.into();
            place.refused(code, "bash", params);
        }
    }
    let refused = place.refused(Code::NotADirectory, "bash", run(json!({"workdir": "file"})));
    assert!(refused.error.advice().starts_with("workdir is a directory"), "{refused:?}");
    let refused = place.refused(Code::InvalidParams, "bash", run(json!({"timeout": 5})));
    assert!(refused.error.message().contains("but timeout_ms"), "{refused:?}");
    assert_eq!(place.ok("ps", json!({})).payload["total"], 1, "only the links were made");
    assert!(!place.root().join("ran").is_file());
}

#[test]
fn a_process_that_there_is_not_is_refused_by_every_tool() {
    let place = place();
    place.bash("true");
    for id in ["p2", "p99", "0", "18446744073709551615", "", "p", "x1", "p-1", "p1 "] {
        for (tool, params) in [
            ("output", json!({"id": id})),
            ("output", json!({"id": id, "tail": 5})),
            ("input", json!({"id": id, "text": "x"})),
            ("kill", json!({"id": id})),
            ("kill", json!({"id": id, "signal": "TERM"})),
        ] {
            place.refused(Code::InvalidParams, tool, params);
        }
    }
}

#[test]
fn wrong_questions_about_a_process_are_refused_at_once() {
    let place = place();
    let id = place.start("cat");
    for (tool, params) in [
        ("output", json!({"id": id, "position": 1})),
        ("output", json!({"id": id, "position": u64::MAX})),
        ("output", json!({"id": id, "limit": 0})),
        ("output", json!({"id": id, "tail": 0})),
        ("output", json!({"id": id, "tail": 5, "position": 0})),
        ("output", json!({"id": id, "stream": "stdin"})),
        ("input", json!({"id": id})),
        ("input", json!({"id": id, "close": false})),
        ("input", json!({"id": id, "text": "x".repeat((16 << 20) + 1)})),
        ("kill", json!({"id": id, "signal": "SIGNOPE"})),
        ("kill", json!({"id": id, "signal": 0})),
        ("kill", json!({"id": id, "signal": 64})),
        ("ps", json!({"limit": 0})),
    ] {
        place.refused(Code::InvalidParams, tool, params);
    }
    let large = json!({"id": id, "limit": u64::MAX, "wait_ms": 0, "tail": u64::MAX});
    assert_eq!(place.ok("output", large).payload["running"], true);
    place.ok("kill", json!({"id": id}));
}

#[test]
fn what_is_hidden_is_no_place_to_run_in() {
    let policy = Policy { deny: vec!["secret".into()], ..Policy::open() };
    let place = place_with(Setting { policy, ..Setting::usual() });
    place.bash("mkdir secret");
    let params = json!({"command": "true", "workdir": "secret"});
    place.refused(Code::PermissionDenied, "bash", params);
}

#[test]
fn a_read_only_workspace_runs_nothing() {
    let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
    let place = place_with(Setting { policy, ..Setting::usual() });
    for (tool, params) in [
        ("bash", json!({"command": "touch ran"})),
        ("ps", json!({})),
        ("output", json!({"id": "p1"})),
    ] {
        place.refused(Code::ReadOnly, tool, params);
    }
    assert!(!place.root().join("ran").is_file());
    assert_eq!(Allows::of(&place.workspace), Allows { write: false, run: false, git: false });
}

#[test]
fn a_workspace_without_commands_says_so() {
    let parts = Parts {
        fs: std::sync::Arc::new(Memory::new(Policy::open()).unwrap()),
        commands: Commands::None,
        aliases: garth_contract::Aliases::none(),
        redaction: Config::standard(),
        limits: Limits::standard(),
    };
    let workspace = Workspace::new(parts).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (tool, params) in [
        ("bash", json!({"command": "true"})),
        ("output", json!({"id": "p1"})),
        ("input", json!({"id": "p1", "text": "x"})),
        ("kill", json!({"id": "p1"})),
        ("ps", json!({})),
    ] {
        let run = (find(TOOLS, tool).unwrap().run)(&workspace, params.into());
        let failure = runtime.block_on(run).unwrap_err();
        assert_eq!(failure.code(), Code::Unsupported, "{tool}");
        assert_eq!(failure.error.message(), "this workspace runs no commands");
    }
    for tool in TOOLS {
        let commands = ["bash", "output", "input", "kill", "ps", "git"].contains(&tool.name);
        assert_eq!(tool.needs.met(Allows::of(&workspace)), !commands, "{}", tool.name);
    }
}
