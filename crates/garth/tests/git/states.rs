//! Repositories in every state that they come in, made by git itself.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use garth_contract::Code;
use serde_json::{Value, json};

use crate::yard::{Yard, runs_here};

fn status(yard: &Yard) -> Value {
    yard.told(&json!({"action": "status"}))
}

fn paths(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[test]
fn an_empty_repository_has_a_branch_and_nothing_else() {
    if !runs_here() {
        return;
    }
    let yard = Yard::new();
    assert_eq!(yard.refused(&json!({"action": "status"})), Code::GitFailed);
    yard.told(&json!({"action": "init", "branch": "trunk"}));
    assert_eq!(yard.refused(&json!({"action": "init"})), Code::DestinationExists);
    let now = status(&yard);
    assert_eq!((&now["branch"], &now["clean"]), (&json!("trunk"), &json!(true)));
    assert!(now.get("commit").is_none());
    assert_eq!(yard.told(&json!({"action": "log"}))["commits"], json!([]));
    assert_eq!(yard.told(&json!({"action": "branch"}))["branches"], json!([]));
    assert_eq!(yard.told(&json!({"action": "diff"}))["diff"], "");
    assert_eq!(yard.refused(&json!({"action": "show"})), Code::InvalidParams);
    fs::write(yard.root().join("a"), "x").unwrap();
    yard.plain("git add a");
    yard.told(&json!({"action": "restore", "files": ["a"], "staged": true}));
    assert_eq!(paths(&status(&yard)["untracked"]), ["a"]);
    yard.told(&json!({"action": "checkout", "branch": "before/any"}));
    yard.told(&json!({"action": "commit", "message": "first"}));
    assert_eq!(status(&yard)["branch"], "before/any");
}

#[test]
fn a_status_has_every_list() {
    if !runs_here() {
        return;
    }
    let yard =
        Yard::with("git mv o.txt p.txt 2>/dev/null || true; rm a.txt; mkdir n; printf x > n/x");
    let now = status(&yard);
    assert_eq!(now["branch"], "main");
    assert_eq!(now["staged"], json!([{"path": "c.txt", "kind": "added"}]));
    let changed = json!([
        {"path": "a.txt", "kind": "deleted"}, {"path": "b.txt", "kind": "modified"}
    ]);
    assert_eq!(now["changed"], changed);
    assert_eq!(paths(&now["untracked"]), ["d.txt", "n/"]);
    assert_eq!(now["conflicted"], json!([]));
    let page = yard.told(&json!({"action": "status", "limit": 2, "offset": 1}));
    assert_eq!((&page["total"], &page["next_offset"]), (&json!(5), &json!(3)));
    assert_eq!(paths(&page["changed"]), ["a.txt", "b.txt"]);
    let some = yard.told(&json!({"action": "status", "files": ["b.txt"]}));
    assert_eq!((paths(&some["changed"]), paths(&some["staged"])), (vec!["b.txt"], vec![]));
}

#[test]
fn a_commit_has_exactly_the_named_files_and_the_bot_as_its_author() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with(
        "rm a.txt; git config user.name Mallory; git config user.email m@x; \
         git config author.name Mallory; git config committer.name Mallory; \
         git config commit.template /etc/hostname; git config i18n.commitEncoding latin1; \
         git config commit.cleanup scissors",
    );
    let done = yard.told(&json!({
        "action": "commit", "message": "# fix: ü\n\nbody", "files": ["a.txt", "b.txt"],
        "co_author": "Ada <ada@example.com>",
    }));
    assert_eq!(paths(&done["files"]), ["a.txt", "b.txt"]);
    let id = done["commit"].as_str().unwrap();
    let bot = "emergent-app[bot] emergent-app[bot]@users.noreply.github.com";
    let said = yard.plain("git log -1 --format='%H%n%an %ae%n%cn %ce%n%B' --encoding=UTF-8").said;
    let message = "# fix: ü\n\nbody\n\nCo-authored-by: Ada <ada@example.com>";
    assert_eq!(said.trim(), format!("{id}\n{bot}\n{bot}\n{message}"));
    // What was staged before is staged still, and not in the commit.
    assert_eq!(paths(&status(&yard)["staged"]), ["c.txt"]);
    let rest = yard.told(&json!({"action": "commit", "message": "rest"}));
    assert_eq!(paths(&rest["files"]), ["c.txt", "d.txt"]);
    assert_eq!(yard.refused(&json!({"action": "commit", "message": "none"})), Code::GitFailed);
    assert_eq!(yard.refused(&json!({"action": "commit", "message": " "})), Code::InvalidParams);
    assert_eq!(yard.refused(&json!({"action": "commit"})), Code::InvalidParams);
    let gone = json!({"action": "commit", "message": "x", "files": ["never.txt"]});
    assert_eq!(yard.refused(&gone), Code::FileNotFound);
    fs::write(yard.root().join(".gitignore"), "*.log\n").unwrap();
    fs::write(yard.root().join("x.log"), "").unwrap();
    let ignored = json!({"action": "commit", "message": "x", "files": ["x.log"]});
    assert_eq!(yard.refused(&ignored), Code::InvalidParams);
}

#[test]
fn odd_names_are_shown_on_one_line_and_can_be_used() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("git stash -qu");
    let names: [&[u8]; 4] = [b"new\nline", b"qu\"ote", b"caf\xe9", b"sp ace\\x0a"];
    for name in names {
        fs::write(yard.root().join(OsStr::from_bytes(name)), "x\n").unwrap();
    }
    let now = status(&yard);
    let mut shown = paths(&now["untracked"]);
    shown.sort_unstable();
    assert_eq!(shown, [r"caf\xe9", r"new\x0aline", "qu\"ote", r"sp ace\x5cx0a"]);
    for name in shown {
        let commit = json!({"action": "commit", "message": "one", "files": [name]});
        assert_eq!(paths(&yard.told(&commit)["files"]), [name]);
        let shown = yard.told(&json!({"action": "show", "files": [name]}));
        assert!(shown["diff"].as_str().unwrap().ends_with("+x"), "{shown}");
    }
}

#[test]
fn a_diff_has_what_is_staged_and_what_is_not_in_pages_and_without_secrets() {
    if !runs_here() {
        return;
    }
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let yard = Yard::with(&format!(
        "printf 'token = \"{key}\"\\n' >> b.txt; head -c 3000 /dev/zero > zero.bin; git add zero.bin; \
         seq 1 5000 > long.txt; git add long.txt"
    ));
    let both = yard.told(&json!({"action": "diff"}));
    let staged = both["staged"].as_array().unwrap();
    assert!(staged.iter().any(|file| file["path"] == "zero.bin" && file["binary"] == true));
    let long = staged.iter().find(|file| file["path"] == "long.txt").unwrap();
    assert_eq!(long["additions"], 5000);
    assert_eq!(paths(&both["changed"]), ["b.txt"]);
    assert_eq!((&both["truncated"], &both["next_offset"]), (&json!(true), &json!(2000)));
    let own = yard.told(&json!({"action": "diff", "staged": false}));
    let text = own["diff"].as_str().unwrap();
    assert!(
        text.contains("+more") && text.contains("[REDACTED: ") && !text.contains(key),
        "{text}"
    );
    let mut seen = 0;
    let mut offset = Some(0);
    while let Some(at) = offset {
        let page = yard.told(&json!({"action": "diff", "staged": true, "offset": at}));
        seen += page["diff"].as_str().unwrap().lines().filter(|line| line.starts_with('+')).count();
        offset = page["next_offset"].as_u64();
    }
    // Its lines, that of the small file, and the names of both.
    assert_eq!(seen, 5000 + 1 + 2);
    let between = yard.told(&json!({"action": "diff", "ref": "main", "to": "other"}));
    assert_eq!(paths(&between["files"]), ["a.txt", "o.txt"]);
    let one = yard.told(&json!({"action": "diff", "ref": "HEAD~1", "files": ["a.txt"]}));
    assert_eq!(paths(&one["files"]), ["a.txt"]);
}

#[test]
fn a_private_key_in_a_diff_is_not_shown_line_by_line() {
    if !runs_here() {
        return;
    }
    let body = "IEpAIBAAKCAQEA7Yw8ZrCzPT5wS3b0mXyT1pQm9kz0y8nXo2c1Jr5uYl7Qe4Rv";
    let pem = |changed: usize| {
        let line = |at: usize| format!("M{}{body}\n", if at == changed { 'Z' } else { 'I' });
        let lines: String = (0..24).map(line).collect();
        format!("-----BEGIN RSA PRIVATE KEY-----\n{lines}-----END RSA PRIVATE KEY-----\nend\n")
    };
    let yard = Yard::with("");
    // The first is whole; of the next two a hunk has a part, the last one with what follows it.
    for changed in [99, 12, 22] {
        fs::write(yard.root().join("key.pem"), pem(changed)).unwrap();
        yard.told(&json!({"action": "commit", "message": "a key", "files": ["key.pem"]}));
        let shown = yard.told(&json!({"action": "show"}));
        assert!(!shown.to_string().contains(body), "{shown}");
        let diff = shown["diff"].as_str().unwrap();
        assert!(diff.contains("[REDACTED: PRIVATE_KEY]"), "{shown}");
        assert_eq!(diff.contains("\n end") || diff.contains("\n+end"), changed != 12, "{shown}");
    }
}

#[test]
fn a_conflict_is_told_and_resolved_by_a_commit() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("git stash -qu; git merge -q side || true");
    let now = status(&yard);
    assert_eq!(now["conflicted"], json!([{"path": "a.txt", "kind": "both_modified"}]));
    let diff = yard.told(&json!({"action": "diff"}));
    assert!(diff["diff"].as_str().unwrap().contains("<<<<<<<"), "{diff}");
    assert_eq!(yard.refused(&json!({"action": "checkout", "branch": "other"})), Code::Conflict);
    assert_eq!(yard.refused(&json!({"action": "stash"})), Code::Conflict);
    fs::write(yard.root().join("a.txt"), "resolved\n").unwrap();
    let done = yard.told(&json!({"action": "commit", "message": "merged", "files": ["a.txt"]}));
    assert_eq!(done["commits"][0]["parents"].as_array().unwrap().len(), 2);
    assert_eq!(status(&yard)["clean"], true);
}

#[test]
fn a_branch_is_made_if_it_is_not_there_and_nothing_is_lost() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    let made = yard.told(&json!({"action": "checkout", "branch": "feature/new-thing"}));
    assert_eq!((&made["created"], &made["branch"]), (&json!(true), &json!("feature/new-thing")));
    let back = yard.told(&json!({"action": "checkout", "branch": "main"}));
    assert_eq!(back["created"], false);
    fs::write(yard.root().join("a.txt"), "would be lost\n").unwrap();
    assert_eq!(yard.refused(&json!({"action": "checkout", "branch": "side"})), Code::Conflict);
    assert_eq!(status(&yard)["branch"], "main");
    yard.told(&json!({"action": "restore", "files": ["a.txt"]}));
    let head = yard.told(&json!({"action": "checkout", "ref": "HEAD~1"}));
    assert_eq!(head["detached"], true);
    assert_eq!((&status(&yard)["detached"], status(&yard).get("branch")), (&json!(true), None));
    yard.told(&json!({"action": "commit", "message": "on no branch", "files": ["c.txt"]}));
    let branch = |name: &str| json!({"action": "branch", "branch": name});
    yard.told(&branch("kept"));
    assert_eq!(yard.refused(&branch("kept")), Code::DestinationExists);
    let delete = json!({"action": "branch", "branch": "kept", "delete": true});
    yard.told(&json!({"action": "checkout", "branch": "main"}));
    assert_eq!(yard.refused(&delete), Code::Conflict);
    let force = json!({"action": "branch", "branch": "kept", "delete": true, "force": true});
    assert!(yard.told(&force)["commit"].is_string());
    let tracked = "git update-ref refs/remotes/origin/far main~1; git config remote.origin.url x; \
                   git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'";
    assert!(yard.plain(tracked).ok);
    let far = yard.told(&json!({"action": "checkout", "branch": "far"}));
    assert_eq!(far["created"], true);
    let now = status(&yard);
    assert_eq!((&now["upstream"], &now["behind"]), (&json!("origin/far"), &json!(0)));
}

#[test]
fn changes_are_put_aside_and_come_back() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    let stash = |operation: &str| json!({"action": "stash", "operation": operation});
    let put = json!({"action": "stash", "message": "for later", "include_untracked": true});
    assert!(yard.told(&put)["commit"].is_string());
    assert_eq!(status(&yard)["clean"], true);
    assert!(yard.told(&put).get("commit").is_none());
    let listed = yard.told(&stash("list"));
    assert!(listed["stashes"][0]["message"].as_str().unwrap().ends_with("for later"));
    yard.told(&stash("apply"));
    assert_eq!(paths(&status(&yard)["untracked"]), ["d.txt"]);
    yard.told(&stash("drop"));
    assert_eq!(yard.refused(&stash("pop")), Code::InvalidParams);
    yard.told(&json!({"action": "restore", "files": ["b.txt"]}));
    assert!(!paths(&status(&yard)["changed"]).contains(&"b.txt"));
}

#[test]
fn a_log_comes_in_pages_and_by_file() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with(
        "git stash -qu; for i in $(seq 1 30); do git commit -q --allow-empty -m c$i; done",
    );
    let page = yard.told(&json!({"action": "log", "limit": 10}));
    assert_eq!((&page["truncated"], &page["next_offset"]), (&json!(true), &json!(10)));
    assert_eq!(page["commits"][0]["subject"], "c30");
    let last = yard.told(&json!({"action": "log", "limit": 10, "offset": 30}));
    let subjects: Vec<_> = last["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["subject"].as_str().unwrap())
        .collect();
    assert_eq!((subjects, &last["truncated"]), (vec!["second", "first"], &json!(false)));
    let of_file = yard.told(&json!({"action": "log", "files": ["a.txt"]}));
    assert_eq!(of_file["commits"].as_array().unwrap().len(), 2);
    let nobody = yard.told(&json!({"action": "log", "author": "nobody"}));
    assert_eq!(nobody["commits"], json!([]));
}

#[test]
fn a_work_tree_whose_git_is_a_file_works() {
    if !runs_here() {
        return;
    }
    // Links between them are relative, since inside they lie elsewhere than outside.
    let yard = Yard::with(
        "git stash -qu; mkdir main; mv .git a.txt b.txt main/; cd main; \
         git worktree add -q ../linked other; cd ../linked; \
         echo 'gitdir: ../main/.git/worktrees/linked' > .git; \
         echo ../../../../linked/.git > ../main/.git/worktrees/linked/gitdir; printf 'x\\n' >> a.txt",
    );
    let at = |action: &str| json!({"action": action, "path": "linked"});
    let now = yard.told(&at("status"));
    assert_eq!((&now["branch"], &now["repository"]), (&json!("other"), &json!("linked")));
    assert_eq!(paths(&now["changed"]), ["linked/a.txt"]);
    let commit = json!({
        "action": "commit", "path": "linked", "message": "x", "files": ["linked/a.txt"],
    });
    assert_eq!(paths(&yard.told(&commit)["files"]), ["linked/a.txt"]);
    let outside = json!({
        "action": "commit", "path": "linked", "message": "x", "files": ["main/a.txt"],
    });
    assert_eq!(yard.refused(&outside), Code::PathOutsideWorkspace);
    let taken = json!({"action": "checkout", "path": "linked", "branch": "main"});
    assert_eq!(yard.refused(&taken), Code::Conflict);
}

#[test]
fn a_directory_below_the_top_is_the_same_repository() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("mkdir -p src/deep; printf x > src/deep/x");
    let now = yard.told(&json!({"action": "status", "path": "src/deep"}));
    assert_eq!((&now["repository"], &now["branch"]), (&json!("."), &json!("main")));
    assert_eq!(paths(&now["untracked"]), ["d.txt", "src/"]);
    assert_eq!(yard.refused(&json!({"action": "status", "path": "a.txt"})), Code::NotADirectory);
}

#[test]
fn a_repository_with_submodules_tells_of_them() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with(
        "git stash -qu; git clone -q . sub 2>/dev/null; \
         git -c protocol.file.allow=always submodule --quiet add ./sub sub 2>/dev/null || \
         git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; \
         git commit -qm with; git -C sub checkout -q HEAD~1; printf x >> sub/b.txt",
    );
    let now = status(&yard);
    let sub = now["changed"].as_array().unwrap().iter().find(|file| file["path"] == "sub");
    assert_eq!(sub.unwrap()["submodule"], true, "{now}");
    let diff = yard.told(&json!({"action": "diff"}));
    assert!(diff["diff"].as_str().unwrap().contains("+Subproject commit "), "{diff}");
    let inside = yard.told(&json!({"action": "status", "path": "sub"}));
    assert_eq!(inside["repository"], "sub");
    yard.told(&json!({"action": "commit", "message": "sub", "files": ["sub"]}));
}

#[test]
fn a_shallow_repository_ends_where_it_ends() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with(
        "git stash -qu; mv .git $OUTSIDE/full; rm -f *.txt; \
         git clone -q --depth 1 --branch main file://$OUTSIDE/full .; rm -rf $OUTSIDE/full",
    );
    let log = yard.told(&json!({"action": "log"}));
    assert_eq!(log["commits"].as_array().unwrap().len(), 1);
    assert_eq!(log["commits"][0]["parents"], json!([]));
    let shown = yard.told(&json!({"action": "show"}));
    assert_eq!(paths(&shown["files"]), ["a.txt", "b.txt"]);
    assert_eq!(status(&yard)["upstream"], "origin/main");
}

#[test]
fn without_a_remote_it_says_so() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    for action in ["push", "pull", "fetch"] {
        let failure = yard.call(&json!({"action": action})).unwrap_err();
        assert_eq!(failure.code(), Code::Unsupported);
        assert_eq!(failure.error.message(), "no remote is configured");
    }
    assert_eq!(yard.refused(&json!({"action": "clone", "path": "new"})), Code::Unsupported);
    assert!(!yard.root().join("new").exists());
    let force = json!({"action": "push", "force": true});
    assert_eq!(yard.refused(&force), Code::InvalidParams);
}
