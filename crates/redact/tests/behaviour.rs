//! What a configuration does, and the cases that were got wrong elsewhere.

#![allow(clippy::unwrap_used, reason = "tests say what must hold")]

use garth_redact::{
    Behaviour, Blocked, Config, CustomPattern, Digested, Raw, Redactor, Span, known, placeholders,
};

fn redactor(config: &Config) -> Redactor {
    Redactor::new(config).unwrap()
}

fn standard() -> Redactor {
    redactor(&Config::standard())
}

fn clean(text: &str) -> String {
    standard().clean(Raw::from(text)).unwrap().clean.into_string()
}

fn custom(name: &str, regex: &str, replacement: Option<&str>) -> CustomPattern {
    CustomPattern {
        name: name.into(),
        regex: regex.into(),
        replacement: replacement.map(Into::into),
    }
}

#[test]
fn distinct_secrets_are_numbered_and_equal_ones_are_not() {
    let text = "a: AKIAIOSFODNN7EXAMPLE\nb: AKIAIOSFODNN7EXAMPL2\nc: AKIAIOSFODNN7EXAMPLE\n";
    let redaction = standard().clean(Raw::from(text)).unwrap();
    assert_eq!(
        redaction.clean.as_ref(),
        "a: [REDACTED: AWS_ACCESS_KEY]\nb: [REDACTED: AWS_ACCESS_KEY#2]\n\
         c: [REDACTED: AWS_ACCESS_KEY]\n"
    );
    assert_eq!((redaction.count, redaction.names), (3, vec!["AWS_ACCESS_KEY".to_owned()]));
}

#[test]
fn rules_that_share_a_name_count_together() {
    let text = "password = \"hunter2\"\nCREATE USER x IDENTIFIED BY 'hunter33'";
    assert_eq!(
        clean(text),
        "password = \"[REDACTED: DATABASE_PASSWORD]\"\n\
         CREATE USER x IDENTIFIED BY '[REDACTED: DATABASE_PASSWORD#2]'"
    );
}

#[test]
fn the_special_rule_wins_over_the_general_one() {
    let token = concat!("gh", "p_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg");
    assert_eq!(clean(&format!("password={token}")), "password=[REDACTED: GITHUB_TOKEN]");
    assert_eq!(
        clean(&format!("https://me:{token}@github.com/a")),
        "https://me:[REDACTED: GITHUB_TOKEN]@github.com/a"
    );
}

#[test]
fn the_longer_secret_wins_so_that_no_tail_is_left() {
    let token = concat!("gh", "p_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg");
    assert_eq!(
        clean(&format!("password=\"{token}!more\"")),
        "password=\"[REDACTED: DATABASE_PASSWORD]\""
    );
}

#[test]
fn a_connection_string_never_swallows_lines() {
    let text = "url = \"http://host:\"\nmail = me@example.com\n";
    assert_eq!(clean(text), text);
}

#[test]
fn a_secret_longer_than_any_window_leaves_nothing_behind() {
    for (text, expected) in [
        (
            format!("token = \"{}\" # end", "Kp4Qx7Rm2".repeat(2000)),
            "token = \"[REDACTED: SECRET]\" # end".to_owned(),
        ),
        (
            format!("DB_PASSWORD={} x", "p4ss".repeat(5000)),
            "DB_PASSWORD=[REDACTED: DATABASE_PASSWORD] x".to_owned(),
        ),
        (
            format!("t=eyJhbGciOiJIUzI1NiJ9.eyJ{}.c2ln end", "Zm9v".repeat(5000)),
            "t=[REDACTED: JWT_TOKEN] end".to_owned(),
        ),
        (
            format!(
                "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\nend",
                format!("{}\n", "Zm9v".repeat(16)).repeat(2000)
            ),
            "[REDACTED: PRIVATE_KEY]\nend".to_owned(),
        ),
    ] {
        assert_eq!(clean(&text), expected);
    }
}

#[test]
fn off_and_allow_pass_the_text_as_it_is() {
    let text = "password = \"hunter2\"";
    for config in [
        Config { enabled: false, ..Config::standard() },
        Config { behaviour: Behaviour::Allow, ..Config::standard() },
    ] {
        let redactor = redactor(&config);
        let redaction = redactor.clean(Raw::from(text)).unwrap();
        assert_eq!((redaction.clean.as_ref(), redaction.count), (text, 0));
        let mut stream = redactor.stream();
        assert_eq!(stream.feed(&Raw::from(text)).unwrap().as_ref(), text);
    }
}

#[test]
fn block_holds_the_text_back_and_names_rule_and_line() {
    let redactor = redactor(&Config { behaviour: Behaviour::Block, ..Config::standard() });
    let text = "one\ntwo\npassword = \"hunter2\"\n";
    let blocked = Blocked { rule: "DATABASE_PASSWORD".into(), line: 3 };
    assert_eq!(redactor.clean(Raw::from(text)), Err(blocked.clone()));
    assert_eq!(blocked.to_string(), "held back: DATABASE_PASSWORD on line 3");
    assert_eq!(redactor.clean(Raw::from("one\n")).unwrap().clean.as_ref(), "one\n");

    let mut stream = redactor.stream();
    assert_eq!(stream.feed(&Raw::from("one\ntwo\npass")).unwrap().as_ref(), "one\ntwo\n");
    assert_eq!(stream.feed(&Raw::from("word = \"hunter2\"\n")), Err(blocked.clone()));
    assert_eq!(stream.feed(&Raw::from("more\n")), Err(blocked.clone()));
    assert_eq!(stream.finish(), Err(blocked));
}

#[test]
fn excluded_rules_are_not_applied() {
    let config =
        Config { exclude_patterns: vec!["DATABASE_PASSWORD".into()], ..Config::standard() };
    let text = "password = \"hunter2\" AKIAIOSFODNN7EXAMPLE";
    let redaction = redactor(&config).clean(Raw::from(text)).unwrap();
    assert_eq!(redaction.clean.as_ref(), "password = \"hunter2\" [REDACTED: AWS_ACCESS_KEY]");
}

#[test]
fn excluded_paths_are_not_redacted() {
    let config = Config {
        exclude_paths: vec!["README.md".into(), "docs/**/*.md".into(), "**/*.example".into()],
        ..Config::standard()
    };
    let redactor = redactor(&config);
    for (path, excluded) in [
        ("README.md", true),
        ("/README.md", true),
        ("sub/README.md", false),
        ("docs/a/b.md", true),
        ("docs/b.txt", false),
        (".env.example", true),
        ("a/b/.env.example", true),
        (".env", false),
    ] {
        assert_eq!(redactor.excludes(path), excluded, "{path}");
        let redaction = redactor.clean_file(path, Raw::from("password = \"hunter2\"")).unwrap();
        assert_eq!(redaction.count == 0, excluded, "{path}");
    }
}

#[test]
fn a_bad_glob_is_refused() {
    let config = Config { exclude_paths: vec!["a[".into()], ..Config::standard() };
    let bad = Redactor::new(&config).unwrap_err();
    assert_eq!(bad.name, "exclude_paths");
    assert!(bad.message.contains("a["), "{bad}");
}

#[test]
fn a_bad_custom_pattern_is_refused_with_name_and_place() {
    for enabled in [true, false] {
        let config = Config {
            enabled,
            custom: vec![custom("MINE", "my-(secret", None)],
            ..Config::standard()
        };
        let bad = Redactor::new(&config).unwrap_err();
        assert_eq!((bad.name.as_str(), bad.position), ("MINE", Some(3)));
        assert_eq!(bad.to_string(), "bad pattern MINE at byte 3: unclosed group");
    }
}

#[test]
fn custom_rules_replace_as_they_say() {
    let config = Config {
        custom: vec![
            custom("TICKET", r"ticket-(\d+)", None),
            custom("ACCOUNT", r"(acct)=(\w+)", Some("$1=[hidden]")),
        ],
        ..Config::standard()
    };
    let redaction =
        redactor(&config).clean(Raw::from("ticket-12 ticket-13 acct=joe ticket-12")).unwrap();
    assert_eq!(
        redaction.clean.as_ref(),
        "ticket-[REDACTED: TICKET] ticket-[REDACTED: TICKET#2] acct=[hidden] \
         ticket-[REDACTED: TICKET]"
    );
    assert_eq!((redaction.count, redaction.names), (4, vec!["TICKET".into(), "ACCOUNT".into()]));
}

#[test]
fn a_custom_secret_at_the_border_of_a_long_line_is_found() {
    let config =
        Config { custom: vec![custom("TICKET", r"ticket-\d{6}", None)], ..Config::standard() };
    let redactor = redactor(&config);
    for lead in (32 << 10) - 14..(32 << 10) + 2 {
        let text = format!("{}ticket-123456 {}", "x".repeat(lead), "y".repeat(40 << 10));
        let clean = redactor.clean(Raw::from(text)).unwrap().clean;
        assert!(clean.contains("[REDACTED: TICKET]"), "at {lead}");
    }
}

#[test]
fn spans_and_placeholders_tell_where() {
    let text = "key: AKIAIOSFODNN7EXAMPLE.";
    let redactor = standard();
    let spans = redactor.find(text);
    assert_eq!(spans, [Span { start: 5, end: 25, rule: "AWS_ACCESS_KEY", nth: 1 }]);
    let clean = clean(text);
    let marks: Vec<_> =
        placeholders(&clean).map(|mark| (mark.start, mark.name, mark.nth)).collect();
    assert_eq!(marks, [(5, "AWS_ACCESS_KEY", 1)]);
}

#[test]
fn a_stream_gives_whole_lines_at_once() {
    let mut stream = standard().stream();
    let mut feed = |piece: &str| stream.feed(&Raw::from(piece)).unwrap().into_string();
    assert_eq!(feed("building\n$ "), "building\n$ ");
    assert_eq!(feed("done pa"), "done ");
    assert_eq!(feed("ge 3"), "page 3");
    assert_eq!(feed("\nkey AKIA"), "\nkey ");
    assert_eq!(feed("IOSFODNN7EXAMPLE\n"), "[REDACTED: AWS_ACCESS_KEY]\n");
    let end = stream.finish().unwrap();
    assert_eq!((end.clean.as_ref(), end.count), ("", 1));
}

#[test]
fn a_stream_holds_back_little_however_long_the_secret() {
    let mut stream = standard().stream();
    stream.feed(&Raw::from("-----BEGIN PRIVATE KEY-----\n")).unwrap();
    let line = format!("{}\n", "Zm9v".repeat(16));
    for _ in 0..50_000 {
        assert_eq!(stream.feed(&Raw::from(line.as_str())).unwrap().as_ref(), "");
    }
    stream.feed(&Raw::from("-----END PRIVATE KEY-----\n")).unwrap();
    let end = stream.finish().unwrap();
    assert_eq!((end.clean.as_ref(), end.count), ("[REDACTED: PRIVATE_KEY]\n", 1));
}

#[test]
fn a_mark_inside_a_custom_find_belongs_to_it_in_streams_too() {
    let config = Config { custom: vec![custom("LINE", "^top: (.+)$", None)], ..Config::standard() };
    let redactor = redactor(&config);
    let text = "one\ntop: x Private-Lines: 2\nAAAAgBacX2fYBase64ABAAAA\nend";
    let whole = redactor.clean(Raw::from(text)).unwrap().clean;
    assert_eq!(whole.as_ref(), "one\ntop: [REDACTED: LINE]\nAAAAgBacX2fYBase64ABAAAA\nend");
    for cut in 0..text.len() {
        let (left, right) = text.split_at(cut);
        let mut stream = redactor.stream();
        let mut out = stream.feed(&Raw::from(left)).unwrap().into_string();
        out.push_str(&stream.feed(&Raw::from(right)).unwrap());
        out.push_str(&stream.finish().unwrap().clean);
        assert_eq!(out, whole.as_ref(), "cut at {cut}");
    }
}

#[test]
fn a_path_may_hold_what_one_of_its_names_holds() {
    let redactor = standard();
    for (name, secret) in known().flat_map(|rule| rule.examples) {
        if !name.contains('/') && !redactor.find(name).is_empty() {
            for path in [format!("a/{name}"), format!("ab/{name}"), format!("a/{name}/b")] {
                assert!(redactor.may_hold(&path), "{path}");
            }
        }
        assert!(redactor.may_hold(name), "{name} with {secret}");
    }
    assert!(!redactor.may_hold("src/global/xpath.rs"));
}

#[test]
fn what_one_value_is_says_nothing_about_the_next() {
    let redactor = Redactor::new(&Config::standard()).unwrap();
    let secret = "951bc382db9abad29c68634761dd6e19";
    // Of the same length, behind the same names, so far apart that none sees another.
    let word = "settings_of_the_service_number_2";
    for (values, found) in
        [([word, secret, word], 1), ([secret, word, secret], 2), ([word, word, secret], 1)]
    {
        let apart = "#".repeat(200);
        let text = values.map(|value| format!("{apart}\nx-api-key: {value}\n")).concat();
        let found_there = redactor.find(&text);
        let shown: Vec<&str> = found_there.iter().map(|span| &text[span.start..span.end]).collect();
        assert_eq!(shown, vec![secret; found], "{text}");
    }
}

/// A text that comes in pieces.
fn streamed(redactor: &Redactor, text: &str) -> String {
    let mut stream = redactor.stream();
    let mut out = String::new();
    for piece in text.as_bytes().chunks(700) {
        out.push_str(&stream.feed(&Raw::from(piece.to_vec())).unwrap());
    }
    out.push_str(&stream.finish().unwrap().clean);
    out
}

#[test]
fn a_text_that_repeats_itself_is_redacted_like_one_that_is_forgotten() {
    let redactor = standard();
    for (example, _) in known().flat_map(|rule| rule.examples) {
        let text = format!("{example}\n").repeat(6_000 / example.len());
        let out = streamed(&redactor, &text);
        assert_eq!(out, redactor.clean(Raw::from(text)).unwrap().clean.as_ref(), "{example}");
    }
}

#[test]
fn what_makes_the_last_of_many_a_secret_may_stand_far_behind_it() {
    let text = format!("psexec {} ", "x".repeat(1_000)).repeat(100);
    assert_eq!(standard().find(&text), []);
    let told = format!("{text}-p s3cretpw");
    let found = standard().find(&told).first().map(|span| span.start);
    assert_eq!(found, Some(text.len() + 3));
}

#[test]
fn what_repeats_itself_within_a_key_that_began_before_is_the_key() {
    let redactor = standard();
    for begin in ["-----BEGIN RSA PRIVATE KEY-----\n", "", "password: "] {
        let text = format!("{begin}{}", "okta_api_key: none, sk_live_\n".repeat(400));
        let whole = redactor.clean(Raw::from(text.clone())).unwrap().clean.to_string();
        let out = streamed(&redactor, &text);
        assert_eq!(out, whole, "{begin}");
    }
}

#[test]
fn a_text_that_was_looked_through_before_is_treated_as_it_was() {
    let blocking = Config { behaviour: Behaviour::Block, ..Config::standard() };
    let excluding = Config { exclude_paths: vec!["free/**".to_owned()], ..Config::standard() };
    let texts = ["plain text", "password = \"hunter2\"", "", "ghp_"];
    for config in [Config::standard(), blocking, excluding] {
        let (asked, fresh) = (redactor(&config), redactor(&config));
        // Excluded or not, first or last: what one path was shown decides nothing for another.
        for path in ["free/a", "b", "free/a", "b"] {
            for text in texts {
                let again = asked.clean_again(path, &Digested::of(text));
                assert_eq!(again, fresh.clean_file(path, Raw::from(text)), "{path} {text:?}");
            }
        }
    }
}
