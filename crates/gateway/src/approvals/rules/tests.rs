//! The strictest rule that matches counts.

use serde_json::json;

use super::*;

fn rules(json: serde_json::Value) -> Rules {
    Rules::compile(&serde_json::from_value(json).unwrap()).unwrap()
}

fn this(path: &str) -> Touched {
    Touched { path: WsPath::from_bytes(path.as_bytes()).unwrap(), reach: Reach::This }
}

fn tree(path: &str) -> Touched {
    Touched { reach: Reach::Tree, ..this(path) }
}

#[test]
fn without_rules_the_default_holds() {
    assert_eq!(rules(json!({})).judge("bash", &[], Some("rm -rf /")), Verdict::Allow);
    let asks = rules(json!({"otherwise": "ask"}));
    assert_eq!(asks.judge("read", &[this("a")], None), Verdict::Ask);
}

#[test]
fn the_strictest_rule_counts_whatever_the_order() {
    let mut list = vec![
        json!({"operation": "*", "then": "allow"}),
        json!({"operation": "worktree.*", "then": "ask"}),
        json!({"operation": "worktree.delete", "then": "deny"}),
    ];
    for _ in 0..3 {
        list.rotate_left(1);
        let rules = rules(json!({"otherwise": "ask", "rules": list}));
        assert_eq!(rules.judge("read", &[], None), Verdict::Allow);
        assert_eq!(rules.judge("worktree.read", &[], None), Verdict::Ask);
        assert_eq!(rules.judge("worktree.delete", &[], None), Verdict::Deny);
    }
}

#[test]
fn of_several_paths_the_strictest_verdict_counts() {
    let rules = rules(json!({
        "otherwise": "ask",
        "rules": [
            {"operation": "write", "path": "docs/**", "then": "allow"},
            {"operation": "write", "path": ".github", "then": "deny"},
        ],
    }));
    assert_eq!(rules.judge("write", &[this("docs/a.md")], None), Verdict::Allow);
    assert_eq!(rules.judge("write", &[this("docs/a.md"), this("src/a.rs")], None), Verdict::Ask);
    let both = [this("docs/a.md"), this(".github/workflows/ci.yml")];
    assert_eq!(rules.judge("write", &both, None), Verdict::Deny);
    assert_eq!(rules.judge("read", &[this(".github/x")], None), Verdict::Ask);
}

#[test]
fn what_reaches_below_a_path_meets_the_rules_of_what_is_there() {
    let rules = rules(json!({"rules": [
        {"operation": "*", "path": "src/secret/**", "then": "deny"},
    ]}));
    assert_eq!(rules.judge("delete", &[tree("src")], None), Verdict::Deny);
    assert_eq!(rules.judge("list", &[this("src")], None), Verdict::Allow);
    assert_eq!(rules.judge("delete", &[tree("docs")], None), Verdict::Allow);
}

#[test]
fn what_is_allowed_must_be_allowed_whole() {
    let rules = rules(json!({
        "otherwise": "ask",
        "rules": [
            {"operation": "*", "path": "docs/public/**", "then": "allow"},
            {"operation": "bash", "command": "git (status|log)", "then": "allow"},
        ],
    }));
    assert_eq!(rules.judge("delete", &[tree("docs")], None), Verdict::Ask);
    assert_eq!(rules.judge("bash", &[], Some("git status")), Verdict::Allow);
    for command in ["git status; rm -rf x", "git status\nrm x", "x=$(git log)", "git push"] {
        assert_eq!(rules.judge("bash", &[], Some(command)), Verdict::Ask, "{command}");
    }
}

#[test]
fn a_command_is_searched_for_what_is_asked_about_or_denied() {
    let rules = rules(json!({"rules": [
        {"operation": "bash", "command": r"\bgit\s+push\b", "then": "ask"},
        {"operation": "bash", "command": "sudo", "then": "deny"},
    ]}));
    assert_eq!(rules.judge("bash", &[], Some("cd x && git  push")), Verdict::Ask);
    assert_eq!(rules.judge("bash", &[], Some("git push; sudo x")), Verdict::Deny);
    assert_eq!(rules.judge("bash", &[], Some("ls")), Verdict::Allow);
    assert_eq!(rules.judge("read", &[], None), Verdict::Allow);
}

#[test]
fn a_pattern_cannot_leave_the_group_around_it() {
    let config = |command: &str| Config {
        rules: vec![Rule {
            operation: "*".to_owned(),
            path: None,
            command: Some(command.to_owned()),
            then: Verdict::Allow,
        }],
        ..Config::default()
    };
    for command in ["a)|(?:.*", "(", "(?x) a # b", ""] {
        let error = Rules::compile(&config(command)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidPattern, "{command}");
    }
}

#[test]
fn there_is_a_bound_of_rules_and_of_their_size() {
    let rule = |command: String| Rule {
        operation: "*".to_owned(),
        path: None,
        command: Some(command),
        then: Verdict::Ask,
    };
    let many = Config { rules: vec![rule("a".to_owned()); MOST_RULES + 1], ..Config::default() };
    assert_eq!(Rules::compile(&many).unwrap_err().code(), Code::InvalidParams);
    for large in ["a".repeat(MOST_PATTERN + 1), "a{1000}{1000}".to_owned()] {
        let config = Config { rules: vec![rule(large)], ..Config::default() };
        assert_eq!(Rules::compile(&config).unwrap_err().code(), Code::InvalidPattern);
    }
}
