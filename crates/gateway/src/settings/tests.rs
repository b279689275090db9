//! What is stored can be used, and what cannot be used is not stored.

use std::path::Path;

use garth_contract::{Access, Code, Detail};
use serde_json::json;

use super::*;

fn settings(json: serde_json::Value) -> Settings {
    serde_json::from_value(json).unwrap()
}

fn refused(json: serde_json::Value) -> Code {
    let shown = json.to_string();
    let error = settings(json).to_json().expect_err(&shown);
    error.code()
}

#[test]
fn what_was_stored_is_what_is_read() {
    let whole = settings(json!({
        "provider": "local",
        "directory": "/srv/project",
        "readOnly": true,
        "quotaBytes": 1000,
        "maxFileBytes": 10,
        "deny": [".env", "secrets/**"],
        "protect": [".github"],
        "limits": {"requestsPerMinute": 5, "bytesPerMinute": 7_000_000_000_u64},
        "redaction": {
            "defaultBehavior": "block",
            "customPatterns": [{"name": "TICKET", "regex": "T-\\d+"}],
            "excludePaths": ["docs/**"],
        },
        "approvals": {
            "otherwise": "ask",
            "rules": [{"operation": "bash", "command": "^git push", "then": "deny"}],
            "waitMs": 1000,
        },
        "git": {
            "url": "https://example.org/a/b.git", "branch": "main",
            "branches": ["agent/*"], "workflows": "refuse",
        },
    }));
    assert_eq!(Settings::from_json(&whole.to_json().unwrap()).unwrap(), whole);
    let plain = Settings::new("local");
    assert_eq!(Settings::from_json(&plain.to_json().unwrap()).unwrap(), plain);
    assert_eq!(settings(json!({"provider": "local"})), plain);
}

#[test]
fn what_is_wrong_is_refused_before_it_is_stored() {
    for wrong in [
        json!({"provider": ""}),
        json!({"provider": "a/b"}),
        json!({"provider": "local", "directory": "relative"}),
        json!({"provider": "local", "directory": "/"}),
        json!({"provider": "local", "directory": "/a/../b"}),
        json!({"provider": "local", "directory": "/a\u{0}b"}),
        json!({"provider": "local", "maxFileBytes": 0}),
        json!({"provider": "local", "limits": {"watches": 0}}),
        json!({"provider": "local", "limits": {"bytesPerMinute": 0}}),
        json!({"provider": "local", "approvals": {"waitMs": 0}}),
        json!({"provider": "local", "git": {"url": "https://user:token@example.org/a"}}),
        json!({"provider": "local", "git": {"url": "https://token@example.org/a"}}),
        json!({"provider": "local", "git": {"url": "ssh://git:pw@example.org/a"}}),
        json!({"provider": "local", "git": {"url": "ext::sh -c x"}}),
        json!({"provider": "local", "git": {"url": "ext://sh"}}),
        json!({"provider": "local", "git": {"url": "--upload-pack=x"}}),
        json!({"provider": "local", "git": {"url": "ssh://-oProxyCommand=x/a"}}),
        json!({"provider": "local", "git": {"url": "https://example.org/a", "branch": "-x"}}),
    ] {
        assert_eq!(refused(wrong.clone()), Code::InvalidParams, "{wrong}");
    }
    for wrong in [
        json!({"provider": "local", "deny": ["["]}),
        json!({"provider": "local", "git": {"url": "https://example.org/a", "branches": ["["]}}),
        json!({"provider": "local", "redaction": {"customPatterns": [{"name": "A", "regex": "("}]}}),
        json!({"provider": "local", "redaction": {"excludePaths": ["["]}}),
        json!({"provider": "local", "approvals": {"rules": [{"operation": "[", "then": "ask"}]}}),
        json!({"provider": "local", "approvals": {"rules": [{"operation": "*", "path": "{", "then": "ask"}]}}),
        json!({"provider": "local", "approvals": {"rules": [{"operation": "*", "command": "(", "then": "ask"}]}}),
    ] {
        assert_eq!(refused(wrong.clone()), Code::InvalidPattern, "{wrong}");
    }
}

#[test]
fn an_unknown_field_is_refused() {
    for wrong in [
        json!({"provider": "local", "readonly": true}),
        json!({"provider": "local", "redaction": {"enable": false}}),
        json!({"provider": "local", "git": {"url": "https://example.org/a", "workflows": "x"}}),
        json!({"provider": "local", "approvals": {"rules": [{"operation": "*", "paths": "x", "then": "deny"}]}}),
    ] {
        assert!(serde_json::from_value::<Settings>(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn a_bad_pattern_is_refused_with_its_place() {
    let settings = settings(json!({
        "provider": "local",
        "redaction": {"customPatterns": [{"name": "A", "regex": "ab("}]},
    }));
    let error = settings.check().unwrap_err();
    assert_eq!(error.details(), [Detail::Position(2)]);
}

#[test]
fn an_agent_has_a_directory_of_its_own_unless_it_adopted_one() {
    let id = AgentId::parse("coder-1").unwrap();
    let mut settings = Settings::new("local");
    let own = settings.directory(Path::new("/data"), &id);
    assert_eq!(own, Path::new("/data/agents/coder-1/workspace"));
    settings.directory = Some("/srv/project".to_owned());
    assert_eq!(settings.directory(Path::new("/data"), &id), Path::new("/srv/project"));
}

#[test]
fn a_backend_is_told_what_to_forbid() {
    let mut settings = Settings::new("local");
    settings.read_only = true;
    settings.quota_bytes = Some(5);
    settings.deny = vec![".env".to_owned()];
    let policy = settings.policy();
    assert_eq!(policy.access, Access::ReadOnly);
    assert_eq!(policy.quota, Some(5));
    assert_eq!(policy.deny, [".env"]);
}
