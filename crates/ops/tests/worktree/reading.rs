//! `worktree.read`: fields, defaults, parts, encodings and refusals.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::{Code, Version};
use garth_redact::{Behaviour, Config, Permit};
use garth_workspace::Limits;
use serde_json::{Value, json};

use crate::{
    asking::{Asking, everywhere, everywhere_in},
    stage::{Setting, Stage},
};

const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn env() -> String {
    format!("name = one\nstripe = \"{KEY}\"\nport = 80\n")
}

/// A reply without what differs from run to run.
fn steady(mut reply: Value) -> Value {
    let modified = reply.as_object_mut().unwrap().shift_remove("modifiedAt").unwrap();
    assert!(modified.as_str().unwrap().ends_with('Z'));
    reply
}

#[test]
fn a_text_comes_with_all_its_facts() {
    everywhere(&[("a/b.txt", "line\r\né\n")], |asking| {
        let expected = json!({
            "path": "a/b.txt", "content": "line\r\né\n", "encoding": "utf8", "sizeBytes": 9,
            "truncated": false, "redacted": false,
            "version": Version::of("line\r\né\n".as_bytes()).to_string(),
        });
        for params in [
            json!({"path": "a/b.txt"}),
            json!({"path": "a/./b.txt", "encoding": "utf8"}),
            json!({"path": "a/b.txt", "encoding": "utf-8", "maxBytes": 9, "redact": true}),
            json!({"path": "a/b.txt", "encoding": null, "maxBytes": null, "redact": null}),
        ] {
            assert_eq!(steady(asking.ok("read", params)), expected);
        }
        let reply = steady(asking.ok("read", json!({"path": "a/b.txt", "encoding": "base64"})));
        assert_eq!(reply["content"], STANDARD.encode("line\r\né\n"));
        assert_eq!(reply["encoding"], "base64");
        assert_eq!(reply["version"], expected["version"]);
    });
}

#[test]
fn a_text_that_was_read_often_is_told_as_it_is_and_as_it_is_asked_for() {
    everywhere(&[("a", "one\n"), ("b", "one\n"), ("env", &env())], |asking| {
        let first = asking.ok("read", json!({"path": "a"}));
        for _ in 0..3 {
            assert_eq!(asking.ok("read", json!({"path": "a"})), first);
            assert_eq!(asking.ok("read", json!({"path": "b"}))["path"], "b");
            assert!(!asking.ok("read", json!({"path": "env"})).to_string().contains(KEY));
        }
        let bytes = asking.ok("read", json!({"path": "a", "encoding": "base64"}));
        assert_eq!(bytes["content"], STANDARD.encode("one\n"));
        assert_eq!(asking.ok("read", json!({"path": "a", "maxBytes": 2}))["content"], "on");
        assert_eq!(asking.ok("read", json!({"path": "a", "offset": 2}))["content"], "e\n");
        asking.ok("write", json!({"path": "a", "content": "two\n"}));
        for _ in 0..3 {
            let second = asking.ok("read", json!({"path": "a"}));
            assert_eq!(second["content"], "two\n");
            assert_eq!(second["version"], Version::of(b"two\n").to_string());
        }
        let secret = format!("{KEY}\n");
        asking.ok("write", json!({"path": "a", "content": secret}));
        for _ in 0..3 {
            let third = asking.ok("read", json!({"path": "a"}));
            assert!(third["redacted"] == true && !third.to_string().contains(KEY), "{third}");
        }
        // What was shown last is still known, so the secret comes back with its placeholder.
        let shown = asking.ok("read", json!({"path": "a"}))["content"].as_str().unwrap().to_owned();
        asking.ok("write", json!({"path": "a", "content": format!("{shown}more\n")}));
        let fourth = asking.ok("read", json!({"path": "a"}));
        assert_eq!(
            (&fourth["redacted"], &fourth["sizeBytes"]),
            (&json!(true), &json!(KEY.len() + 6))
        );
    });
}

#[test]
fn a_long_text_is_cut_between_characters_and_long_bytes_are_refused() {
    everywhere(&[("a", "abéd")], |asking| {
        for (most, content, next) in
            [(1, "a", 1), (2, "ab", 2), (3, "ab", 2), (4, "abé", 4), (5, "abéd", 5)]
        {
            let reply = asking.ok("read", json!({"path": "a", "maxBytes": most}));
            assert_eq!(reply["content"], content);
            assert_eq!(reply["truncated"], next < 5, "{most}");
            assert_eq!(reply["sizeBytes"], 5);
            let expected = (next < 5).then(|| json!(next));
            assert_eq!(reply.get("nextOffset"), expected.as_ref(), "{most}");
        }
        let long = json!({"path": "a", "maxBytes": 4, "encoding": "base64"});
        asking.refused(Code::FileTooLarge, "read", long);
        asking.ok("read", json!({"path": "a", "maxBytes": 5, "encoding": "base64"}));
    });
}

#[test]
fn the_default_bound_is_the_workspaces() {
    let limits = Limits { text_bytes: 10, ..Limits::standard() };
    everywhere_in(
        || Setting { limits, ..Setting::usual() },
        &[("a", "0123456789abc")],
        |asking| {
            let reply = asking.ok("read", json!({"path": "a"}));
            assert_eq!(
                (&reply["content"], &reply["truncated"]),
                (&json!("0123456789"), &json!(true))
            );
            let reply = asking.ok("read", json!({"path": "a", "maxBytes": 100}));
            assert_eq!(
                (&reply["content"], &reply["truncated"]),
                (&json!("0123456789abc"), &json!(false))
            );
        },
    );
}

#[test]
fn parts_of_a_text_join_without_a_gap() {
    let text = "añ世🦀b\u{7ff}c".repeat(50);
    let off = || Config { enabled: false, ..Config::standard() };
    for redaction in [Config::standard, off] {
        let setting = || Setting { redaction: redaction(), ..Setting::usual() };
        everywhere_in(setting, &[("a", &text)], |asking| {
            for length in [1, 2, 3, 5, 64, 1_000] {
                assert_eq!(joined(asking, length), text, "{length}");
            }
        });
    }
}

/// A file that is read part by part, as each says where the next begins.
fn joined(asking: &Asking, length: u64) -> String {
    let (mut seen, mut offset) = (String::new(), 0);
    loop {
        let reply = asking.ok("read", json!({"path": "a", "offset": offset, "length": length}));
        assert_eq!((&reply["offset"], &reply["truncated"]), (&json!(offset), &json!(false)));
        seen.push_str(reply["content"].as_str().unwrap());
        let Some(next) = reply.get("nextOffset") else { return seen };
        assert!(next.as_u64() > Some(offset), "it comes no further than {offset}");
        offset = next.as_u64().unwrap();
    }
}

#[test]
fn a_part_begins_and_ends_between_characters() {
    let text = "añ世🦀b\u{7ff}c".repeat(50);
    everywhere(&[("a", &text)], |asking| {
        for (offset, length, content) in [(0, 0, ""), (1, 2, "ñ"), (2, 4, "世"), (9_999, 5, "")] {
            let params = json!({"path": "a", "offset": offset, "length": length});
            assert_eq!(asking.ok("read", params.clone())["content"], content, "{params}");
        }
        let bytes = json!({"path": "a", "offset": 2, "length": 3, "encoding": "base64"});
        let reply = asking.ok("read", bytes);
        assert_eq!(reply["content"], STANDARD.encode(&text.as_bytes()[2..5]));
        let cut =
            asking.ok("read", json!({"path": "a", "offset": 1, "length": 100, "maxBytes": 2}));
        assert_eq!((&cut["content"], &cut["truncated"]), (&json!("ñ"), &json!(true)));
        let far =
            json!({"path": "a", "offset": 3, "length": 9, "maxBytes": 8, "encoding": "base64"});
        asking.refused(Code::FileTooLarge, "read", far);
    });
}

#[test]
fn what_is_no_text_is_read_as_bytes_only() {
    everywhere(&[], |asking| {
        for bytes in
            [&b"\x89PNG\r\n\x1a\n\0\0"[..], b"a\0b", b"caf\xe9", b"\xff\xfe\0", b"\xff\xfb"]
        {
            asking.stage.put("bin", bytes);
            asking.refused(Code::UnsupportedEncoding, "read", json!({"path": "bin"}));
            let reply = asking.ok("read", json!({"path": "bin", "encoding": "base64"}));
            assert_eq!(reply["content"], STANDARD.encode(bytes));
            assert_eq!(reply["redacted"], false);
        }
        asking.stage.put("latin", b"caf\xe9");
        let reply = asking.ok("read", json!({"path": "latin", "encoding": "latin1"}));
        assert_eq!((&reply["content"], &reply["encoding"]), (&json!("café"), &json!("utf8")));
        assert_eq!(reply["fileEncoding"], "windows-1252");
    });
}

#[test]
fn the_mark_of_a_text_is_part_of_it() {
    everywhere(&[], |asking| {
        asking.stage.put("eight", b"\xef\xbb\xbfa");
        asking.stage.put("sixteen", b"\xff\xfea\0\xe9\0");
        let reply = asking.ok("read", json!({"path": "eight"}));
        assert_eq!((&reply["content"], reply.get("fileEncoding")), (&json!("\u{feff}a"), None));
        let reply = asking.ok("read", json!({"path": "sixteen"}));
        assert_eq!(reply["content"], "\u{feff}aé");
        assert_eq!(reply["fileEncoding"], "UTF-16LE");
        for file in ["eight", "sixteen"] {
            let reply = asking.ok("read", json!({"path": file}));
            let encoding = reply.get("fileEncoding").cloned().unwrap_or("utf8".into());
            let before = asking.stage.bytes(file);
            let back = json!({"path": file, "content": reply["content"], "encoding": encoding});
            asking.ok("write", back);
            assert_eq!(asking.stage.bytes(file), before);
        }
        let part = json!({"path": "sixteen", "offset": 0, "length": 4});
        asking.refused(Code::UnsupportedEncoding, "read", part);
        let cut = json!({"path": "sixteen", "maxBytes": 3});
        asking.refused(Code::FileTooLarge, "read", cut);
    });
}

#[test]
fn what_cannot_be_read_is_refused() {
    everywhere(&[("a/b", "x")], |asking| {
        for (code, params) in [
            (Code::FileNotFound, json!({"path": "nope"})),
            (Code::FileNotFound, json!({"path": "nope/b"})),
            (Code::NotADirectory, json!({"path": "a/b/c"})),
            (Code::NotAFile, json!({"path": "a"})),
            (Code::NotAFile, json!({"path": "/"})),
            (Code::PathOutsideWorkspace, json!({"path": "../a/b"})),
            (Code::PathOutsideWorkspace, json!({"path": "/a/b"})),
            (Code::InvalidPath, json!({"path": "a\0"})),
            (Code::InvalidEncoding, json!({"path": "a/b", "encoding": "nope"})),
            (Code::InvalidParams, json!({"path": "a/b", "maxBytes": 0})),
            (Code::PermissionDenied, json!({"path": "a/b", "redact": false})),
        ] {
            asking.refused(code, "read", params);
        }
    });
}

#[test]
fn secrets_are_placeholders_in_every_form() {
    let wide: Vec<u8> =
        [b"\xff\xfe".to_vec(), env().encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
    let shown = env().replace(KEY, "[REDACTED: STRIPE_KEY]");
    everywhere(&[("env", &env())], |asking| {
        let reply = asking.ok("read", json!({"path": "env"}));
        assert_eq!(reply["content"], shown);
        assert_eq!((&reply["redacted"], &reply["secrets"]), (&json!(true), &json!(["STRIPE_KEY"])));
        assert_eq!(reply["sizeBytes"], env().len());
        let reply = asking.ok("read", json!({"path": "env", "encoding": "base64"}));
        assert_eq!(reply["content"], STANDARD.encode(&shown));
        assert_eq!(reply["redacted"], true);
        asking.stage.put("wide", &wide);
        assert_eq!(
            asking.ok("read", json!({"path": "wide"}))["content"],
            format!("\u{feff}{shown}")
        );
        let reply = asking.ok("read", json!({"path": "wide", "encoding": "base64"}));
        let bytes = STANDARD.decode(reply["content"].as_str().unwrap()).unwrap();
        assert_eq!(bytes.len(), 2 + 2 * shown.len());
        assert_eq!(reply["redacted"], true);
        let part = json!({"path": "wide", "encoding": "base64", "offset": 20, "length": 100});
        asking.refused(Code::UnsupportedEncoding, "read", part);
    });
}

#[test]
fn no_part_of_a_file_shows_a_part_of_a_secret() {
    let filler = "filler line\n".repeat(4_000);
    let text = format!("{filler}{}{filler}", env());
    let start = text.find(KEY).unwrap();
    everywhere(&[("env", &text)], |asking| {
        for at in ((start - 3)..(start + KEY.len() + 3)).step_by(3) {
            for (offset, length) in [(at, 9), (at.saturating_sub(40_000), 40_000)] {
                for encoding in ["utf8", "base64"] {
                    let params = json!({
                        "path": "env", "offset": offset, "length": length, "encoding": encoding,
                    });
                    let reply = asking.ok("read", params);
                    let content = reply["content"].as_str().unwrap().to_owned();
                    let content = match encoding {
                        "base64" => String::from_utf8(STANDARD.decode(content).unwrap()).unwrap(),
                        _ => content,
                    };
                    for piece in [&KEY[..5], &KEY[10..15], &KEY[KEY.len() - 5..]] {
                        assert!(!content.contains(piece), "{offset} {length}: {piece}");
                    }
                    let inside = offset < start + KEY.len() && offset + length > start;
                    assert_eq!(reply["redacted"], inside, "{offset} {length}");
                }
            }
            let cut = asking.ok("read", json!({"path": "env", "maxBytes": at}));
            assert!(!cut["content"].as_str().unwrap().contains("sk_live"));
        }
    });
}

#[test]
fn an_operator_that_asks_for_it_sees_the_file_as_it_is() {
    for ground in [crate::stage::Ground::Memory, crate::stage::Ground::Host] {
        let mut asking = Asking::on(Stage::new(ground, &[("env", &env())], Setting::usual()));
        asking.permit = Some(Permit::authorised());
        for encoding in ["utf8", "base64"] {
            let hidden = asking.ok("read", json!({"path": "env", "encoding": encoding}));
            assert_eq!(hidden["redacted"], true, "{encoding}");
            let params = json!({"path": "env", "redact": false, "encoding": encoding});
            let reply = asking.ok("read", params);
            assert_eq!(reply["redacted"], false);
            let expected = if encoding == "utf8" { env() } else { STANDARD.encode(env()) };
            assert_eq!(reply["content"], expected);
        }
    }
}

#[test]
fn the_configuration_decides_what_is_redacted() {
    let off = || Config { enabled: false, ..Config::standard() };
    let excluded = || Config { exclude_paths: vec!["env".into()], ..Config::standard() };
    for redaction in [off, excluded] {
        let setting = || Setting { redaction: redaction(), ..Setting::usual() };
        everywhere_in(setting, &[("env", &env())], |asking| {
            let reply = asking.ok("read", json!({"path": "env"}));
            assert_eq!((&reply["content"], &reply["redacted"]), (&json!(env()), &json!(false)));
        });
    }
    let setting = || {
        let redaction = Config { behaviour: Behaviour::Block, ..Config::standard() };
        Setting { redaction, ..Setting::usual() }
    };
    everywhere_in(setting, &[("env", &env()), ("a", "x")], |asking| {
        for encoding in ["utf8", "base64"] {
            let params = json!({"path": "env", "encoding": encoding});
            asking.refused(Code::PermissionDenied, "read", params);
            asking.ok("read", json!({"path": "a", "encoding": encoding}));
        }
    });
}
