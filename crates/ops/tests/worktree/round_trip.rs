//! Text that was read with placeholders goes back with the secrets that they stand for,
//! or not at all.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::Code;
use garth_ops::worktree::Recall;
use garth_redact::{Config, CustomPattern};
use serde_json::{Value, json};

use crate::{
    asking::{Asking, everywhere, everywhere_in},
    stage::Setting,
};

const ONE: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
const TWO: &str = "sk_live_9aB71KrPwmXEtskvU2yfq8eb";
const BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";

fn env() -> String {
    format!("name = one\na = \"{ONE}\"\nport = 80\nb = \"{TWO}\"\na_again = \"{ONE}\"\n")
}

fn pem() -> String {
    let body: String = (0..20).map(|_| format!("{BODY}\n")).collect();
    format!("before\n-----BEGIN PRIVATE KEY-----\n{body}q0==\n-----END PRIVATE KEY-----\nafter\n")
}

fn read(asking: &Asking, path: &str) -> String {
    let reply = asking.ok("read", json!({ "path": path }));
    assert_eq!(reply["redacted"], true);
    let content = reply["content"].as_str().unwrap().to_owned();
    for secret in [ONE, TWO, BODY] {
        assert!(!content.contains(secret), "{content}");
    }
    content
}

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

#[test]
fn a_text_that_was_read_is_written_back_with_its_secrets() {
    everywhere(&[("env", &env()), ("pem", &pem())], |asking| {
        for (path, whole) in [("env", env()), ("pem", pem())] {
            let text = read(asking, path);
            asking.ok("write", write(path, &text));
            assert_eq!(asking.stage.content(path), whole);
            // Again, and moved about, without another read.
            let turned: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
            asking.ok("write", write(path, &turned));
            let now = asking.stage.content(path);
            assert_eq!(now.len(), whole.len(), "{now}");
            assert!(!now.contains("REDACTED"));
            asking.ok("write", write(path, &text));
            assert_eq!(asking.stage.content(path), whole);
        }
    });
}

#[test]
fn a_placeholder_means_what_it_meant_where_it_was_shown() {
    everywhere(&[("env", &env())], |asking| {
        let text = read(asking, "env");
        // Without the first secret the second would be the first of its name.
        let kept = "b = \"[REDACTED: STRIPE_KEY#2]\"\n";
        assert!(text.contains(kept));
        asking.ok("write", write("env", kept));
        assert_eq!(asking.stage.content("env"), format!("b = \"{TWO}\"\n"));
        asking.ok("write", write("env", kept));
        assert_eq!(asking.stage.content("env"), format!("b = \"{TWO}\"\n"));
        // The first is gone; it cannot come back.
        asking.refused(Code::RedactedContent, "write", write("env", &text));
        // What is read now is what counts.
        assert_eq!(read(asking, "env"), "b = \"[REDACTED: STRIPE_KEY]\"\n");
        asking.refused(Code::RedactedContent, "write", write("env", kept));
        assert_eq!(asking.stage.content("env"), format!("b = \"{TWO}\"\n"));
    });
}

#[test]
fn a_file_that_others_changed_keeps_its_secrets() {
    everywhere(&[("env", &env())], |asking| {
        let text = read(asking, "env");
        let other = format!("new = 1\nb = \"{TWO}\"\na = \"{ONE}\"\n");
        asking.stage.put("env", other.as_bytes());
        asking.ok("write", write("env", &text));
        assert_eq!(asking.stage.content("env"), env());
        asking.stage.put("env", b"b = 2\n");
        asking.refused(Code::RedactedContent, "write", write("env", &text));
        assert_eq!(asking.stage.content("env"), "b = 2\n");
    });
}

#[test]
fn a_placeholder_that_nobody_was_shown_is_refused() {
    let shown =
        env().replace(ONE, "[REDACTED: STRIPE_KEY]").replace(TWO, "[REDACTED: STRIPE_KEY#2]");
    everywhere(&[("env", &env()), ("other", &env()), ("plain", "x\n")], |asking| {
        for (path, content) in [
            ("env", shown.as_str()),
            ("new", shown.as_str()),
            ("plain", "x = [REDACTED: API_KEY]\n"),
        ] {
            asking.refused(Code::RedactedContent, "write", write(path, content));
            let bytes =
                json!({"path": path, "content": STANDARD.encode(content), "encoding": "base64"});
            asking.refused(Code::RedactedContent, "write", bytes);
            let new = json!({"path": path, "content": content, "overwrite": false});
            assert!(asking.call("write", new).is_err());
        }
        // What one file showed says nothing about another.
        read(asking, "env");
        for path in ["other", "new"] {
            asking.refused(Code::RedactedContent, "write", write(path, &shown));
        }
        asking.refused(
            Code::RedactedContent,
            "write",
            write("env", &format!("{shown}[REDACTED: JWT_TOKEN]")),
        );
        assert_eq!(asking.stage.content("env"), env());
        assert_eq!(asking.stage.tree(), ["env", "other", "plain"]);
    });
}

#[test]
fn a_placeholder_is_written_no_more_often_than_its_secret_stands_there() {
    let same = format!("a = \"{ONE}\"\nb = \"{ONE}\"\n");
    everywhere(&[("env", &env()), ("same", &same)], |asking| {
        let text = read(asking, "env");
        let line = text.lines().find(|line| line.contains("REDACTED")).unwrap();
        for doubled in [format!("{text}{line}\n"), format!("copy_{line}\n{text}")] {
            let bytes = STANDARD.encode(&doubled);
            let bytes = json!({"path": "env", "content": bytes, "encoding": "base64"});
            asking.refused(Code::RedactedContent, "write", bytes);
            let versioned = json!({
                "path": "env", "content": doubled,
                "expectedVersion": asking.ok("stat", json!({"path": "env"}))["version"],
            });
            if !versioned["expectedVersion"].is_null() {
                asking.refused(Code::RedactedContent, "write", versioned);
            }
            asking.refused(Code::RedactedContent, "write", write("env", &doubled));
        }
        assert_eq!(asking.stage.content("env"), env());
        // A secret that stands there twice goes back twice, and not three times.
        let text = read(asking, "same");
        asking.ok("write", write("same", &format!("# new\n{text}")));
        assert_eq!(asking.stage.content("same"), format!("# new\n{same}"));
        let thrice = format!("{text}c = \"[REDACTED: STRIPE_KEY]\"\n");
        asking.refused(Code::RedactedContent, "write", write("same", &thrice));
    });
}

#[test]
fn another_caller_was_shown_nothing() {
    everywhere(&[("env", &env())], |asking| {
        let text = read(asking, "env");
        let stranger = Recall::new();
        let mut params = write("env", &text);
        params["agentId"] = "a".into();
        let method = garth_ops::worktree::method("worktree.write").unwrap();
        let ask = garth_ops::worktree::Ask { params, permit: None, shown: &stranger };
        let reply = crate::stage::wait((method.run)(&asking.stage.workspace, ask));
        assert_eq!(reply.unwrap_err().code(), Code::RedactedContent);
        assert_eq!(asking.stage.content("env"), env());
    });
}

#[test]
fn every_form_of_a_text_goes_back() {
    everywhere(&[("env", &env())], |asking| {
        let reply = asking.ok("read", json!({"path": "env", "encoding": "base64"}));
        let bytes = json!({"path": "env", "content": reply["content"], "encoding": "base64"});
        asking.ok("write", bytes);
        assert_eq!(asking.stage.content("env"), env());
        let units: Vec<u16> = format!("\u{feff}{}", env()).encode_utf16().collect();
        let wide: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
        asking.stage.put("wide", &wide);
        for (encoding, form) in [("utf8", "utf-16le"), ("base64", "base64")] {
            let reply = asking.ok("read", json!({"path": "wide", "encoding": encoding}));
            assert_eq!(reply["redacted"], true);
            let back = json!({"path": "wide", "content": reply["content"], "encoding": form});
            asking.ok("write", back);
            assert_eq!(asking.stage.bytes("wide").unwrap(), wide, "{encoding}");
        }
        let latin = env().replace("one", "\u{e9}");
        let latin: Vec<u8> = latin.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        asking.stage.put("latin", &latin);
        let reply = asking.ok("read", json!({"path": "latin", "encoding": "latin1"}));
        assert_eq!(reply["redacted"], true);
        let back = json!({"path": "latin", "content": reply["content"], "encoding": "latin1"});
        asking.ok("write", back);
        assert_eq!(asking.stage.bytes("latin").unwrap(), latin);
    });
}

#[test]
fn what_is_known_of_a_file_moves_with_it_and_goes_with_it() {
    everywhere(&[("d/env", &env())], |asking| {
        let text = read(asking, "d/env");
        asking.ok("move", json!({"fromPath": "d", "toPath": "e"}));
        asking.ok("write", write("e/env", &text));
        assert_eq!(asking.stage.content("e/env"), env());
        asking.ok("delete", json!({"path": "e", "recursive": true}));
        asking.stage.put("e/env", env().as_bytes());
        asking.refused(Code::RedactedContent, "write", write("e/env", &text));
    });
}

#[test]
fn parts_whose_placeholders_disagree_are_not_put_back() {
    let filler = "filler line\n".repeat(4_000);
    let text = format!("a = \"{ONE}\"\n{filler}b = \"{TWO}\"\n");
    everywhere(&[("env", &text)], |asking| {
        let tail = text.len() - 45;
        let first = asking.ok("read", json!({"path": "env", "length": 60}));
        let last = asking.ok("read", json!({"path": "env", "offset": tail}));
        for part in [&first, &last] {
            assert!(part["content"].as_str().unwrap().contains("\"[REDACTED: STRIPE_KEY]\""));
        }
        let joined = "a = \"[REDACTED: STRIPE_KEY]\"\nb = \"[REDACTED: STRIPE_KEY]\"\n";
        asking.refused(Code::RedactedContent, "write", write("env", joined));
        assert_eq!(asking.stage.content("env"), text);
        // Who is shown the whole knows which is which.
        let whole = read(asking, "env");
        assert!(whole.contains("[REDACTED: STRIPE_KEY#2]"));
        asking.ok("write", write("env", &whole));
        assert_eq!(asking.stage.content("env"), text);
    });
}

#[test]
fn a_placeholder_that_the_file_has_itself_is_not_taken_for_a_secret() {
    let text = format!("log: [REDACTED: STRIPE_KEY] was used\na = \"{ONE}\"\n");
    everywhere(&[("log", &text), ("plain", "log: [REDACTED: STRIPE_KEY]\n")], |asking| {
        let shown = read(asking, "log");
        asking.refused(Code::RedactedContent, "write", write("log", &shown));
        assert_eq!(asking.stage.content("log"), text);
        asking.ok("read", json!({"path": "plain"}));
        asking.ok("write", write("plain", "more\nlog: [REDACTED: STRIPE_KEY]\n"));
    });
}

#[test]
fn a_rule_with_its_own_words_for_a_secret_destroys_none() {
    let rule = |name: &str, regex: &str, replacement: &str| CustomPattern {
        name: name.to_owned(),
        regex: regex.to_owned(),
        replacement: Some(replacement.to_owned()),
    };
    let setting = || {
        let custom = vec![
            rule("STARS", "pin-[0-9]+", "***"),
            rule("SAME", "tok-[0-9]+", "[REDACTED: SAME]"),
            rule("NOTHING", "gone-[0-9]+", ""),
        ];
        Setting { redaction: Config { custom, ..Config::standard() }, ..Setting::usual() }
    };
    let files = [
        ("stars", "a = pin-1\nb ** c\n", "a = ***\nb ** c\n"),
        ("same", "a = tok-1\nb = tok-2\n", "a = [REDACTED: SAME]\nb = [REDACTED: SAME]\n"),
        ("nothing", "a = gone-1\n", "a = \n"),
    ];
    let laid = files.map(|(path, text, _)| (path, text));
    everywhere_in(setting, &laid, |asking| {
        for (path, text, shown) in files {
            // Also who was shown it elsewhere must not.
            asking.refused(Code::RedactedContent, "write", write(path, shown));
            assert_eq!(asking.ok("read", json!({ "path": path }))["content"], shown);
            asking.refused(Code::RedactedContent, "write", write(path, shown));
            assert_eq!(asking.stage.content(path), text);
        }
        asking.ok("write", write("nothing", "b = 1\na = gone-1\n"));
        asking.ok("write", write("stars", "a = 1\n"));
        let edits = json!([{"oldText": "a = 1", "newText": "a = ***"}]);
        asking.stage.put("stars", b"a = 1\nb = pin-2\n");
        asking.refused(Code::RedactedContent, "edit", json!({"path": "stars", "edits": edits}));
    });
}

#[test]
fn a_secret_that_is_left_out_is_left_out() {
    everywhere(&[("env", &env())], |asking| {
        read(asking, "env");
        asking.ok("write", write("env", "a = \"[REDACTED: STRIPE_KEY]\"\n"));
        assert_eq!(asking.stage.content("env"), format!("a = \"{ONE}\"\n"));
        asking.ok("write", write("env", "nothing\n"));
        assert_eq!(asking.stage.content("env"), "nothing\n");
    });
}

#[test]
fn placeholders_go_back_under_the_guards_that_hold_for_every_write() {
    everywhere(&[("env", &env())], |asking| {
        let version = asking.ok("read", json!({"path": "env"}))["version"].clone();
        let text = read(asking, "env");
        let exists = json!({"path": "env", "content": text, "overwrite": false});
        asking.refused(Code::FileExists, "write", exists);
        let guarded =
            json!({"path": "env", "content": format!("{text}x\n"), "expectedVersion": version});
        let reply = asking.ok("write", guarded.clone());
        assert_eq!(reply["sizeBytes"], env().len() + 2);
        asking.refused(Code::Conflict, "write", guarded);
    });
}
