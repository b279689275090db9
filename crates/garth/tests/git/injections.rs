//! Arguments that want to be options, addresses or patterns: refused, or taken literally.

use std::fs;

use garth_contract::Code;
use serde_json::{Value, json};

use crate::yard::{Yard, runs_here};

/// Words that some git would take for something else.
const WORDS: &[&str] = &[
    "--output=pwned",
    "-opwned",
    "--upload-pack=touch pwned",
    "--exec=touch pwned",
    "--orphan=x",
    "--git-dir=.",
    "-c core.fsmonitor=x",
    "--end-of-options",
    "--",
    "-",
    "ext::sh -c touch pwned",
    "file:///etc",
    "HEAD --output=pwned",
    "HEAD\n--output=pwned",
    "a..b",
    "HEAD:a.txt",
    ":/first",
    "^HEAD",
    "",
    "refs/heads/../../config",
    "@{-1} --",
];

#[test]
fn a_name_that_could_be_an_option_is_refused() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    let before = yard.all_outside();
    let names = |yard: &Yard| {
        let listed = fs::read_dir(yard.root()).unwrap();
        let mut names: Vec<_> = listed.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let there = names(&yard);
    for word in WORDS {
        let calls = [
            json!({"action": "diff", "ref": word}),
            json!({"action": "diff", "ref": "HEAD", "to": word}),
            json!({"action": "show", "ref": word}),
            json!({"action": "log", "ref": word}),
            json!({"action": "checkout", "branch": word}),
            json!({"action": "checkout", "ref": word}),
            json!({"action": "checkout", "branch": "ok", "start": word}),
            json!({"action": "branch", "branch": word}),
            json!({"action": "branch", "branch": word, "delete": true, "force": true}),
            json!({"action": "branch", "branch": "ok", "start": word}),
            json!({"action": "restore", "files": ["a.txt"], "ref": word}),
            json!({"action": "init", "path": "new", "branch": word}),
            json!({"action": "commit", "message": "x", "co_author": word}),
        ];
        for call in calls {
            assert_eq!(yard.refused(&call), Code::InvalidParams, "{call}");
        }
        for action in ["push", "pull", "fetch", "clone"] {
            let code = yard.refused(&json!({"action": action, "branch": word, "path": "a"}));
            let expected = [Code::InvalidParams, Code::Unsupported, Code::NotADirectory];
            assert!(expected.contains(&code) || code == Code::FileNotFound, "{action} {word:?}");
        }
        assert_eq!(names(&yard), there, "{word:?}");
    }
    assert_eq!(yard.all_outside(), before);
}

#[test]
fn text_of_a_search_is_never_an_option() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    for word in ["--output=pwned", "-opwned", "x\n--output=pwned"] {
        for name in ["since", "until", "author"] {
            let mut call = json!({"action": "log"});
            call[name] = word.into();
            let _ = yard.call(&call);
        }
        let _ = yard.call(&json!({"action": "stash", "message": word}));
        let _ = yard.call(&json!({"action": "stash", "operation": "pop"}));
        yard.told(&json!({"action": "commit", "message": word, "files": ["b.txt"]}));
        fs::write(yard.root().join("b.txt"), word).unwrap();
    }
    assert!(!yard.root().join("pwned").exists());
    assert_eq!(yard.plain("git log -1 --format=%s").said.trim(), "x --output=pwned");
}

#[test]
fn names_of_files_are_taken_literally() {
    if !runs_here() {
        return;
    }
    let odd = ":(exclude)b.txt";
    let yard = Yard::with("printf x > ':(exclude)b.txt'; printf x > '*.txt'; printf x > -- ");
    let commit = json!({"action": "commit", "message": "odd", "files": [odd]});
    let files = yard.told(&commit)["files"].clone();
    assert_eq!(files.as_array().unwrap().len(), 1, "{files}");
    assert_eq!(files[0]["path"], odd);
    let files = yard.told(&json!({"action": "commit", "message": "star", "files": ["*.txt"]}));
    assert_eq!(files["files"].as_array().unwrap().len(), 1);
    for missing in [":/", "a*", ":(top)", ":!a.txt", "?.txt"] {
        let commit = json!({"action": "commit", "message": "x", "files": [missing]});
        assert_eq!(yard.refused(&commit), Code::FileNotFound, "{missing}");
    }
}

#[test]
fn a_path_outside_is_refused_whatever_is_asked() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("mkdir -p sub/deep");
    let absolute = yard.outside().join("secret").display().to_string();
    for path in ["../outside/secret", "../../../.kube/config", "/etc/passwd", absolute.as_str()] {
        for action in ["status", "diff", "log", "show", "commit", "restore", "stash"] {
            let mut call = json!({"action": action, "files": [path]});
            if action == "commit" {
                call["message"] = "x".into();
            }
            assert_eq!(yard.refused(&call), Code::PathOutsideWorkspace, "{call}");
            let elsewhere = json!({"action": action, "path": path, "message": "x"});
            let code = match action {
                "commit" | "stash" => yard.refused(&elsewhere),
                _ => yard.refused(&json!({"action": action, "path": path})),
            };
            assert_eq!(code, Code::PathOutsideWorkspace, "{action} {path}");
        }
    }
}

#[test]
fn a_ref_that_was_planted_is_not_named() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("cp .git/refs/heads/main .git/refs/heads/--output=pwned");
    for call in [
        json!({"action": "diff", "ref": "--output=pwned"}),
        json!({"action": "checkout", "branch": "--output=pwned"}),
        json!({"action": "show", "ref": "refs/heads/--output=pwned"}),
    ] {
        if let Err(failure) = yard.call(&call) {
            assert_eq!(failure.code(), Code::InvalidParams, "{call}");
        }
    }
    let listed: Value = yard.told(&json!({"action": "branch"}));
    assert!(listed["branches"].as_array().unwrap().len() >= 3);
    assert!(!yard.root().join("pwned").exists());
}
