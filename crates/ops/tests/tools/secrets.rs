//! No secret of a file is in a reply or an error, and none is destroyed.

use garth_contract::Code;
use garth_redact::{Behaviour, Config};
use garth_workspace::Limits;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
const BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";

fn env() -> String {
    format!("name = one\nstripe = \"{KEY}\"\nport = 80\n")
}

fn pem() -> String {
    let body: String = (0..20).map(|_| format!("{BODY}\n")).collect();
    format!("before\n-----BEGIN PRIVATE KEY-----\n{body}q0==\n-----END PRIVATE KEY-----\nafter\n")
}

/// Calls of every tool that shows something of these files.
fn showing() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": "env"})),
        ("read", json!({"path": "env", "offset": 2, "limit": 1})),
        ("read", json!({"path": "env", "tail": 2})),
        ("read", json!({"path": "env", "column": 12})),
        ("read", json!({"path": "pem"})),
        ("read", json!({"path": "pem", "offset": 5, "limit": 3})),
        ("read", json!({"path": "pem", "tail": 5})),
        ("grep", json!({"pattern": "stripe"})),
        ("grep", json!({"pattern": "sk_live.*"})),
        ("grep", json!({"pattern": "one.*port", "multiline": true})),
        ("grep", json!({"pattern": "MII"})),
        ("grep", json!({"pattern": "q0=="})),
        ("grep", json!({"pattern": "after", "before": 3})),
        ("diff", json!({"from": "env", "to": "pem"})),
        ("diff", json!({"from": "pem", "to": "env"})),
        ("diff", json!({"path": "env", "content": "name = one\n"})),
        ("edit", json!({"path": "env", "old_string": "one", "new_string": "two", "dry_run": true})),
        ("edit", json!({"path": "pem", "old_string": "after", "new_string": "x", "dry_run": true})),
        ("edit", json!({"path": "env", "old_string": "stripe = 1", "new_string": "x"})),
        ("edit", json!({"path": "pem", "old_string": "-----\n", "new_string": "x"})),
        ("write", json!({"path": "env", "content": "name = one\n"})),
    ]
}

/// Everything that a caller can see of an answer.
fn visible(stage: &Stage, tool: &str, params: &Value) -> String {
    match stage.call(tool, params.clone()) {
        Ok(reply) => format!("{}\n{}", reply.text, Value::Object(reply.payload)),
        Err(error) => format!("{error:?} {}", Value::Object(garth_ops::failure(&error))),
    }
}

#[test]
fn no_secret_is_in_any_reply_or_error() {
    everywhere(&[("env", &env()), ("pem", &pem())], |stage| {
        for (tool, params) in showing() {
            let seen = visible(stage, tool, &params);
            for secret in [KEY, "4eC39Hq", "MIIEvQ", "BKcwggSj", "q0=="] {
                let asked = params["pattern"].as_str().is_some_and(|p| p.contains(secret));
                let count = seen.matches(secret).count();
                // The pattern itself is repeated; it is the caller's own text.
                assert!(count <= usize::from(asked), "{tool} {params} shows {secret}:\n{seen}");
            }
        }
    });
}

#[test]
fn the_same_calls_show_it_when_redaction_is_off() {
    for ground in [Ground::Memory, Ground::Host] {
        let redaction = Config { enabled: false, ..Config::standard() };
        let setting = Setting { redaction, ..Setting::usual() };
        let stage = Stage::new(ground, &[("env", &env()), ("pem", &pem())], setting);
        let read = stage.text("read", json!({"path": "env"}));
        assert!(read.contains(KEY) && !read.contains("REDACTED"), "{read}");
        assert!(stage.text("grep", json!({"pattern": "MII"})).contains(BODY));
        let diff = stage.text("diff", json!({"path": "env", "content": ""}));
        assert!(diff.contains(KEY), "{diff}");
        let write = json!({"path": "x", "content": "[REDACTED: STRIPE_KEY]"});
        stage.ok("write", write);
    }
}

#[test]
fn a_file_of_an_excluded_path_is_shown_as_it_is() {
    let redaction = Config { exclude_paths: vec!["*.example".to_owned()], ..Config::standard() };
    let setting = Setting { redaction, ..Setting::usual() };
    let files = [("env.example", env()), ("env", env())];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let stage = Stage::new(Ground::Memory, &files, setting);
    assert!(stage.text("read", json!({"path": "env.example"})).contains(KEY));
    assert!(!stage.text("read", json!({"path": "env"})).contains(KEY));
    let found = stage.text("grep", json!({"pattern": "stripe"}));
    assert_eq!(found.matches(KEY).count(), 1, "{found}");
}

#[test]
fn a_part_of_a_large_file_hides_what_begins_before_it() {
    let filler = "filler\n".repeat(5_000);
    let text = format!("{filler}{}{filler}", pem());
    let limits = Limits { text_bytes: 20_000, ..Limits::standard() };
    for ground in [Ground::Memory, Ground::Host] {
        let stage = Stage::new(ground, &[("big", &text)], Setting { limits, ..Setting::usual() });
        for offset in 5_000..5_030 {
            let seen = stage.text("read", json!({"path": "big", "offset": offset, "limit": 2}));
            assert!(!seen.contains("MIIEvQ") && !seen.contains("q0=="), "{offset}: {seen}");
        }
        let tail = stage.text("read", json!({"path": "big", "tail": 2_000}));
        assert!(tail.contains("-1: filler"), "{}", tail.len());
        let found = stage.text("grep", json!({"pattern": "MII|q0"}));
        assert!(!found.contains("MIIEvQ") && !found.contains("q0=="), "{found}");
    }
}

#[test]
fn a_reader_is_told_which_secrets_are_hidden() {
    everywhere(&[("env", &env())], |stage| {
        let reply = stage.ok("read", json!({"path": "env"}));
        assert_eq!(reply.payload["redacted"], json!(["STRIPE_KEY"]));
        assert_eq!(
            reply.text.as_ref(),
            "1: name = one\n2: stripe = \"[REDACTED: STRIPE_KEY]\"\n3: port = 80\n\
             [secrets are shown as placeholders: STRIPE_KEY]"
        );
        let reply = stage.ok("read", json!({"path": "env", "offset": 3}));
        assert!(!reply.payload.contains_key("redacted"), "{}", reply.text);
    });
}

const LINE: &str = "stripe = \"[REDACTED: STRIPE_KEY]\"";

#[test]
fn a_placeholder_is_never_written_over_a_secret() {
    let shown = format!("name = two\n{LINE}\nport = 80\n");
    everywhere(&[("env", &env())], |stage| {
        let twice = format!("{shown}{LINE}\n");
        let other = shown.replace("KEY]", "KEY#2]");
        let broken = shown.replace("KEY]", "KEY");
        for (tool, params) in [
            ("write", json!({"path": "env", "content": twice})),
            ("write", json!({"path": "env", "content": other})),
            ("write", json!({"path": "env", "content": broken})),
            ("write", json!({"path": "copy", "content": shown})),
            ("edit", json!({"path": "env", "old_string": "name = one", "new_string": LINE})),
            (
                "edit",
                json!({"path": "env", "old_string": LINE, "new_string": format!("{LINE}{LINE}")}),
            ),
            (
                "edit",
                json!({"path": "env", "old_string": LINE, "new_string": LINE.replace("KEY", "X")}),
            ),
            ("edit", json!({"path": "copy", "old_string": "", "new_string": shown})),
        ] {
            stage.refused(Code::RedactedContent, tool, params);
        }
        assert_eq!(stage.content("env"), env());
        assert_eq!(stage.bytes("copy"), None);
        // Around the secret everything can be edited, and the secret stays.
        let edit = json!({"path": "env", "old_string": "name = one", "new_string": "name = 2"});
        stage.ok("edit", edit);
        assert_eq!(stage.content("env"), env().replace("name = one", "name = 2"));
    });
}

#[test]
fn the_line_with_a_secret_can_be_edited_moved_and_taken_out() {
    let edit = |old: &str, new: &str| json!({"path": "env", "old_string": old, "new_string": new});
    everywhere(&[("env", &env())], |stage| {
        let renamed = LINE.replace("stripe", "stripe_key");
        let reply = stage.ok("edit", edit(LINE, &renamed));
        assert!(!reply.text.contains(KEY), "{}", reply.text);
        assert_eq!(stage.content("env"), env().replace("stripe", "stripe_key"));
        stage.ok("edit", edit(&renamed, LINE));
        // The line below it, with the line as what stands around.
        stage.ok("edit", edit(&format!("{LINE}\nport = 80"), &format!("{LINE}\nport = 81")));
        assert_eq!(stage.content("env"), env().replace("80", "81"));
        // Moved by two edits of one call.
        let moved = json!([
            {"old_string": format!("{LINE}\n"), "new_string": ""},
            {"old_string": "port = 81\n", "new_string": format!("port = 81\n{LINE}\n")},
        ]);
        stage.ok("edit", json!({"path": "env", "edits": moved}));
        assert_eq!(stage.content("env"), format!("name = one\nport = 81\nstripe = \"{KEY}\"\n"));
        stage.ok("edit", edit(&format!("{LINE}\n"), ""));
        assert_eq!(stage.content("env"), "name = one\nport = 81\n");
    });
}

#[test]
fn a_whole_file_is_written_from_what_was_shown() {
    everywhere(&[("env", &env())], |stage| {
        let shown = format!("# new\nport = 80\n{LINE}\n");
        stage.ok("write", json!({"path": "env", "content": shown}));
        assert_eq!(stage.content("env"), format!("# new\nport = 80\nstripe = \"{KEY}\"\n"));
        // A line that reads otherwise is believed where the version is.
        let renamed = shown.replace("stripe", "payments");
        let write = json!({"path": "env", "content": renamed});
        stage.refused(Code::RedactedContent, "write", write.clone());
        let version = stage.ok("read", json!({"path": "env"})).payload["version"].clone();
        let mut write = write;
        write["expected_version"] = version;
        stage.ok("write", write);
        assert_eq!(stage.content("env"), format!("# new\nport = 80\npayments = \"{KEY}\"\n"));
    });
}

#[test]
fn a_key_of_many_lines_stays_whole_or_goes() {
    everywhere(&[("pem", &pem())], |stage| {
        let read = stage.text("read", json!({"path": "pem"}));
        let lines: Vec<&str> =
            read.lines().filter_map(|line| line.split_once(": ")).map(|l| l.1).collect();
        let view = lines[..25].join("\n");
        assert!(view.starts_with("before\n[REDACTED: PRIVATE_KEY]\n"), "{view}");
        let write = json!({"path": "pem", "content": view.replace("after", "behind") + "\n"});
        stage.ok("write", write);
        assert_eq!(stage.content("pem"), pem().replace("after", "behind"));
        let less = view.replacen("[REDACTED: PRIVATE_KEY]\n", "", 1);
        stage.refused(Code::RedactedContent, "write", json!({"path": "pem", "content": less}));
        let edit = json!({"path": "pem", "old_string": view.replace("after", "behind"), "new_string": "gone"});
        stage.ok("edit", edit);
        assert_eq!(stage.content("pem"), "gone\n");
    });
}

#[test]
fn no_edit_brings_a_secret_to_light() {
    let text = "name = one\npassword = \"hunter2-and-more\"\n";
    everywhere(&[("env", text)], |stage| {
        let line = "password = \"[REDACTED: DATABASE_PASSWORD]\"";
        for (old, new) in [
            (line, "greeting = \"[REDACTED: DATABASE_PASSWORD]\""),
            ("password = ", "greeting = "),
            (line, "# [REDACTED: DATABASE_PASSWORD]"),
        ] {
            let edit = json!({"path": "env", "old_string": old, "new_string": new});
            let error = stage.refused(Code::RedactedContent, "edit", edit);
            assert!(!format!("{error:?}").contains("hunter2"));
        }
        assert_eq!(stage.content("env"), text);
    });
}

#[test]
fn a_placeholder_that_the_file_really_has_is_text_like_any_other() {
    let text = "log: [REDACTED: STRIPE_KEY] was used\n";
    everywhere(&[("log", text)], |stage| {
        let once = format!("{text}more\n");
        stage.ok("write", json!({"path": "log", "content": once}));
        let edit = json!({
            "path": "log",
            "old_string": "[REDACTED: STRIPE_KEY] was",
            "new_string": "[REDACTED: STRIPE_KEY] is",
        });
        stage.ok("edit", edit);
        let twice = json!({"path": "log", "content": format!("{text}{text}")});
        stage.refused(Code::RedactedContent, "write", twice);
    });
}

#[test]
fn texts_with_secrets_are_held_back_where_the_operator_says_so() {
    let redaction = Config { behaviour: Behaviour::Block, ..Config::standard() };
    let setting = Setting { redaction, ..Setting::usual() };
    let stage = Stage::new(Ground::Memory, &[("env", &env()), ("a", "x\n")], setting);
    let error = stage.refused(Code::PermissionDenied, "read", json!({"path": "env"}));
    assert_eq!(error.message(), "env is held back: it holds a secret (STRIPE_KEY on line 2)");
    stage.ok("read", json!({"path": "a"}));
    let found = stage.text("grep", json!({"pattern": "x|stripe"}));
    assert_eq!(found, "a:1: x\nenv:2: [held back: this line holds a secret]");
}
