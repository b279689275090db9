//! What `apply_patch` does to several files at once, and that it is all or nothing.

use garth_contract::{Code, Policy};
use rustix::fs::{Mode, chmod};
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

fn patch(body: &str) -> serde_json::Value {
    json!({"patch": format!("*** Begin Patch\n{body}*** End Patch\n")})
}

const MANY: &str = "*** Add File: new/n.txt\n+hello\n\
    *** Delete File: gone.txt\n\
    *** Update File: a.txt\n@@\n one\n-two\n+2\n\
    *** Update File: old.txt\n*** Move to: moved/to.txt\n@@\n-x\n+y\n";

const FILES: &[(&str, &str)] =
    &[("a.txt", "one\ntwo\nthree\n"), ("gone.txt", "g\n"), ("old.txt", "x\n")];

#[test]
fn every_kind_of_change_is_made_and_told() {
    everywhere(FILES, |stage| {
        let reply = stage.ok("apply_patch", patch(MANY));
        assert_eq!(stage.tree(), ["a.txt", "moved", "moved/to.txt", "new", "new/n.txt"]);
        assert_eq!(stage.content("a.txt"), "one\n2\nthree\n");
        assert_eq!(stage.content("moved/to.txt"), "y\n");
        assert_eq!(stage.content("new/n.txt"), "hello\n");
        let diff = "--- /dev/null\n+++ new/n.txt\n@@ -0,0 +1 @@\n+hello\n\
                    --- gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n\
                    --- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\
                    --- old.txt\n+++ moved/to.txt\n@@ -1 +1 @@\n-x\n+y";
        let head = "Changed 4 files\nA new/n.txt\nD gone.txt\nM a.txt\nR old.txt -> moved/to.txt";
        assert_eq!(reply.text.as_ref(), format!("{head}\n{diff}"));
        assert_eq!(reply.payload["diff"], diff);
        let actions: Vec<_> = reply.payload["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| (file["action"].as_str().unwrap(), file.get("version").is_some()))
            .collect();
        let expected = [("added", true), ("deleted", false), ("updated", true), ("moved", true)];
        assert_eq!(actions, expected);
    });
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    everywhere(FILES, |stage| {
        let mut params = patch(MANY);
        params["dry_run"] = true.into();
        let dry = stage.ok("apply_patch", params);
        assert_eq!(stage.tree(), ["a.txt", "gone.txt", "old.txt"]);
        let wet = stage.ok("apply_patch", patch(MANY));
        assert_eq!(dry.payload["diff"], wet.payload["diff"]);
        assert_eq!(dry.text.as_ref().replace("Would change", "Changed"), wet.text.as_ref());
    });
}

#[test]
fn one_part_that_does_not_fit_leaves_everything_as_it_was() {
    everywhere(FILES, |stage| {
        for (code, bad) in [
            (Code::TextNotFound, "*** Update File: a.txt\n@@\n-nope\n+x\n"),
            (Code::TextNotFound, "*** Update File: a.txt\n@@ nope\n-two\n+x\n"),
            (Code::FileNotFound, "*** Update File: nope\n@@\n-x\n+y\n"),
            (Code::FileNotFound, "*** Delete File: nope\n"),
            (Code::FileNotFound, "*** Update File: nope\n*** Move to: b\n@@\n-x\n+y\n"),
            (Code::PathOutsideWorkspace, "*** Add File: ../x\n+x\n"),
            (
                Code::PathOutsideWorkspace,
                "*** Update File: a.txt\n*** Move to: /etc/x\n@@\n-two\n+x\n",
            ),
            (Code::NotAFile, "*** Add File: .\n+x\n"),
            (Code::NotADirectory, "*** Add File: gone.txt/x\n+x\n"),
            (Code::InvalidParams, "*** Frobnicate File: a\n"),
        ] {
            stage.refused(code, "apply_patch", patch(&format!("*** Add File: first\n+x\n{bad}")));
            assert_eq!(stage.tree(), ["a.txt", "gone.txt", "old.txt"], "{bad}");
            assert_eq!(stage.content("a.txt"), "one\ntwo\nthree\n", "{bad}");
        }
        for patch in ["", "nonsense", "*** Begin Patch\n*** End Patch\n"] {
            stage.refused(Code::InvalidParams, "apply_patch", json!({"patch": patch}));
        }
    });
}

#[test]
fn a_write_that_fails_in_the_middle_puts_back_what_was_written() {
    for ground in [Ground::Memory, Ground::Host] {
        let policy = Policy { protect: vec!["locked".into()], ..Policy::open() };
        let files = [FILES, &[("locked", "l\n")]].concat();
        let stage = Stage::new(ground, &files, Setting { policy, ..Setting::usual() });
        for bad in ["*** Update File: locked\n@@\n-l\n+x\n", "*** Delete File: locked\n"] {
            let body = format!("{MANY}{bad}");
            stage.refused(Code::PermissionDenied, "apply_patch", patch(&body));
            assert_eq!(stage.tree(), ["a.txt", "gone.txt", "locked", "old.txt"], "{ground:?}");
            assert_eq!(stage.content("a.txt"), "one\ntwo\nthree\n");
            assert_eq!(stage.content("gone.txt"), "g\n");
        }
    }
}

#[test]
fn a_file_named_twice_gets_both_changes() {
    everywhere(&[("a", "1\n2\n3\n")], |stage| {
        let body = "*** Update File: a\n@@\n-1\n+one\n*** Update File: ./a\n@@\n-3\n+three\n";
        stage.ok("apply_patch", patch(body));
        assert_eq!(stage.content("a"), "one\n2\nthree\n");
        let body = "*** Delete File: a\n*** Add File: a\n+new\n";
        stage.ok("apply_patch", patch(body));
        assert_eq!(stage.content("a"), "new\n");
        let body =
            "*** Update File: a\n*** Move to: b\n@@\n-new\n+b\n*** Update File: b\n@@\n-b\n+B\n";
        stage.ok("apply_patch", patch(body));
        assert_eq!((stage.content("b").as_str(), stage.bytes("a")), ("B\n", None));
    });
}

#[test]
fn what_is_added_or_moved_replaces_what_is_there() {
    everywhere(&[("a", "old\n"), ("b", "x\n")], |stage| {
        let reply = stage.ok("apply_patch", patch("*** Add File: a\n+new\n"));
        assert_eq!(reply.payload["files"][0]["replaced"], true);
        assert_eq!(stage.content("a"), "new\n");
        stage.ok("apply_patch", patch("*** Update File: b\n*** Move to: a\n@@\n-x\n+y\n"));
        assert_eq!((stage.content("a").as_str(), stage.bytes("b")), ("y\n", None));
    });
}

#[test]
fn a_file_keeps_its_mode_when_it_is_changed_or_moved() {
    let stage = Stage::new(Ground::Host, &[("run", "x\n"), ("there", "y\n")], Setting::usual());
    chmod(stage.root.path().join("run"), Mode::from_raw_mode(0o750)).unwrap();
    let mode = |path: &str| stage.ok("stat", json!({"path": path})).payload["mode"].clone();
    stage.ok("apply_patch", patch("*** Update File: run\n@@\n-x\n+y\n"));
    assert_eq!(mode("run"), "0750");
    stage.ok("apply_patch", patch("*** Update File: run\n*** Move to: new/run\n@@\n-y\n+z\n"));
    assert_eq!(mode("new/run"), "0750");
    stage
        .ok("apply_patch", patch("*** Update File: new/run\n*** Move to: there\n@@\n-z\n+z\n+a\n"));
    assert_eq!(mode("there"), "0750");
}

#[test]
fn line_endings_and_encodings_stay() {
    everywhere(&[("crlf", "one\r\ntwo\r\n")], |stage| {
        stage.put("wide", b"\xFF\xFEa\0\n\0b\0\n\0");
        stage.ok("apply_patch", patch("*** Update File: crlf\n@@\n one\n-two\n+2\n"));
        assert_eq!(stage.content("crlf"), "one\r\n2\r\n");
        stage.ok("apply_patch", patch("*** Update File: wide\n@@\n a\n-b\n+c\n"));
        assert_eq!(stage.bytes("wide").unwrap(), b"\xFF\xFEa\0\n\0c\0\n\0");
        stage.put("bin", &[0, 1, 2]);
        let body = "*** Update File: bin\n@@\n-x\n+y\n";
        stage.refused(Code::UnsupportedEncoding, "apply_patch", patch(body));
    });
}

#[test]
fn a_secret_is_neither_shown_nor_overwritten() {
    const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
    let env = format!("name = one\nstripe = \"{KEY}\"\nport = 80\n");
    everywhere(&[("env", &env)], |stage| {
        let shown = "stripe = \"[REDACTED: STRIPE_KEY]\"";
        for body in [
            format!("*** Update File: env\n@@\n {shown}\n-port = 80\n+{shown}\n"),
            format!("*** Update File: env\n@@\n-{shown}\n+{}\n", shown.replace("KEY", "X")),
            format!("*** Update File: env\n@@\n-name = one\n+{shown}\n"),
            format!("*** Add File: env\n+{shown}\n"),
            format!("*** Add File: copy\n+{shown}\n"),
        ] {
            stage.refused(Code::RedactedContent, "apply_patch", patch(&body));
        }
        assert_eq!(stage.content("env"), env);
        let body = format!("*** Update File: env\n@@\n {shown}\n-port = 80\n+port = 81\n");
        let reply = stage.ok("apply_patch", patch(&body));
        assert!(!reply.text.contains(KEY), "{}", reply.text);
        assert!(!json!(reply.payload).to_string().contains(KEY));
        assert_eq!(stage.content("env"), env.replace("80", "81"));
        let moved = format!(
            "*** Update File: env\n@@\n name = one\n-{shown}\n@@\n port = 81\n+{shown} # moved\n"
        );
        stage.ok("apply_patch", patch(&moved));
        let expected = format!("name = one\nport = 81\nstripe = \"{KEY}\" # moved\n");
        assert_eq!(stage.content("env"), expected);
        let reply = stage.ok("apply_patch", patch("*** Delete File: env\n"));
        assert!(!reply.text.contains(KEY), "{}", reply.text);
    });
}
