//! What goes to a remote and comes from it, as bundles, with a bare repository beside the
//! workspace for a remote.

use std::{fs, path::PathBuf, process::Command, sync::Arc};

use bytes::Bytes;
use garth_contract::{BoxFuture, Code, Error, Guard, Parents, Put, Result, Span};
use garth_git::{
    Branch, Cloned, Fetch, Fetched, Mapped, Moved, Oid, Push, Pushed, RefName, Remotes, Repository,
};
use serde_json::json;

use crate::yard::{Yard, runs_here};

/// A bare repository of this machine, without any rules.
struct Bare(PathBuf);

impl Bare {
    fn git(&self, arguments: &[&str]) -> Result<String> {
        let run = Command::new("git").arg("-C").arg(&self.0).args(arguments).output().unwrap();
        match run.status.success() {
            true => Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned()),
            false => Err(Error::new(Code::GitFailed, "the bare repository says no")),
        }
    }

    fn tip(&self, branch: &str) -> Option<Oid> {
        let said = self.git(&["rev-parse", "--verify", &format!("refs/heads/{branch}")]).ok()?;
        Oid::parse(&said).ok()
    }

    async fn bring(&self, at: &Repository<'_>) -> Result<Vec<Moved>> {
        let listed = self.git(&["for-each-ref", "--format=%(refname)", "refs/heads/"])?;
        let names: Vec<RefName> =
            listed.lines().map(|line| RefName::parse(line).unwrap()).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        self.git(&["bundle", "create", "-q", "out.bundle", "--branches"])?;
        let bytes = fs::read(self.0.join("out.bundle")).unwrap();
        let path = at.bundle_path().await.map_err(|failed| failed.error)?;
        let put = Put { guard: Guard::Absent, parents: Parents::Require, mode: None };
        at.fs.write(&path, Bytes::from(bytes), put).await?;
        let mapped = |name: RefName| Mapped { to: name.branch().unwrap().tracking(), from: name };
        let refs: Vec<Mapped> = names.into_iter().map(mapped).collect();
        let moved = at.bundle_in(&path, &refs).await.map_err(|failed| failed.error)?;
        at.discard(&path).await.map_err(|failed| failed.error)?;
        Ok(moved)
    }
}

impl Remotes for Bare {
    fn push<'a>(&'a self, at: Repository<'a>, wanted: Push) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(async move {
            let before = self.tip(wanted.branch.as_str());
            let known: Vec<Oid> = before.iter().cloned().collect();
            let name = wanted.branch.full();
            let bundle = at.bundle_out(std::slice::from_ref(&name), &known).await;
            if let Some(bundle) = bundle.map_err(|failed| failed.error)? {
                let whole = Span::Whole { at_most: 1 << 30 };
                let bytes = at.fs.read(&bundle.path, whole).await?.bytes;
                assert_eq!(bytes.len() as u64, bundle.bytes);
                fs::write(self.0.join("in.bundle"), bytes).unwrap();
                at.discard(&bundle.path).await.map_err(|failed| failed.error)?;
                self.git(&["fetch", "-q", "./in.bundle", &format!("{name}:{name}")])?;
            }
            let url = "https://example.com/x".to_owned();
            Ok(Pushed { url, before, now: self.tip(wanted.branch.as_str()).unwrap() })
        })
    }

    fn fetch<'a>(&'a self, at: Repository<'a>, _: Fetch) -> BoxFuture<'a, Result<Fetched>> {
        Box::pin(async move {
            let moved = self.bring(&at).await?;
            Ok(Fetched { url: "https://example.com/x".to_owned(), moved })
        })
    }

    fn clone_into<'a>(&'a self, at: Repository<'a>, _: Fetch) -> BoxFuture<'a, Result<Cloned>> {
        Box::pin(async move {
            let moved = self.bring(&at).await?;
            let head = self.git(&["symbolic-ref", "--short", "HEAD"])?;
            let head = self.tip(&head).and_then(|_| Branch::parse(&head).ok());
            Ok(Cloned { url: "https://example.com/x".to_owned(), head, moved })
        })
    }
}

fn yards() -> (Yard, Yard) {
    let first = Yard::with("git init -q --bare -b main $OUTSIDE/bare.git");
    let bare: Arc<dyn Remotes> = Arc::new(Bare(first.outside().join("bare.git")));
    let second = Yard::new();
    (first.with_remotes(Arc::clone(&bare)), second.with_remotes(bare))
}

#[test]
fn a_branch_is_sent_brought_cloned_and_pulled() {
    if !runs_here() {
        return;
    }
    let (first, second) = yards();
    let sent = first.told(&json!({"action": "push"}));
    assert_eq!((&sent["created"], &sent["branch"]), (&json!(true), &json!("main")));
    let again = first.told(&json!({"action": "push"}));
    assert_eq!(again["refs"][0]["before"], again["refs"][0]["now"]);

    let cloned = second.told(&json!({"action": "clone", "path": "there"}));
    assert_eq!((&cloned["branch"], &cloned["commit"]), (&json!("main"), &sent["commit"]));
    assert!(second.root().join("there/a.txt").exists());
    let status = json!({"action": "status", "path": "there"});
    assert_eq!(second.told(&status)["upstream"], "origin/main");
    let taken = json!({"action": "clone", "path": "there"});
    assert_eq!(second.refused(&taken), Code::DirectoryNotEmpty);

    first.told(&json!({"action": "commit", "message": "more"}));
    first.told(&json!({"action": "push"}));
    let fetched = second.told(&json!({"action": "fetch", "path": "there"}));
    assert_eq!(fetched["refs"][0]["name"], "refs/remotes/origin/main");
    assert_eq!(second.told(&status)["behind"], 1);
    let pulled = second.told(&json!({"action": "pull", "path": "there"}));
    assert_eq!(second.told(&status)["behind"], 0);
    assert_eq!(pulled["commit"], first.told(&json!({"action": "status"}))["commit"]);
    let left = second.plain("ls there/.git | grep -c bundle").said;
    assert_eq!(left.trim(), "0");
}

#[test]
fn two_sides_that_moved_on_are_merged_only_where_that_is_said() {
    if !runs_here() {
        return;
    }
    let (first, second) = yards();
    first.told(&json!({"action": "push"}));
    second.told(&json!({"action": "clone"}));
    first.told(&json!({"action": "commit", "message": "one side", "files": ["b.txt"]}));
    first.told(&json!({"action": "push"}));
    fs::write(second.root().join("e.txt"), "e\n").unwrap();
    second.told(&json!({"action": "commit", "message": "other side"}));
    assert_eq!(second.refused(&json!({"action": "pull"})), Code::Conflict);
    let merged = second.told(&json!({"action": "pull", "merge": true}));
    assert!(merged["commit"].is_string());
    let log = second.told(&json!({"action": "log", "limit": 1}));
    assert_eq!(log["commits"][0]["parents"].as_array().unwrap().len(), 2);
    assert_eq!(log["commits"][0]["committer"], "emergent-app[bot]");

    fs::write(first.root().join("a.txt"), "theirs\n").unwrap();
    first.told(&json!({"action": "commit", "message": "theirs", "files": ["a.txt"]}));
    first.told(&json!({"action": "push"}));
    fs::write(second.root().join("a.txt"), "ours\n").unwrap();
    second.told(&json!({"action": "commit", "message": "ours"}));
    assert_eq!(second.refused(&json!({"action": "pull", "merge": true})), Code::Conflict);
    let now = second.told(&json!({"action": "status"}));
    assert_eq!(now["conflicted"][0]["path"], "a.txt");
}
