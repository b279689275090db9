//! Git with a remote through the whole gateway: an agent in a real sandbox, a real git
//! server that demands a token, and the token nowhere that the agent could look.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files and fail loudly"
)]

#[allow(dead_code, reason = "the client is shared; not every test needs all it can do")]
#[path = "../http/client.rs"]
mod client;
mod gateway;
#[allow(dead_code, reason = "the tests of the broker need all of it")]
#[path = "../../../broker/tests/remotes/server.rs"]
mod server;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use gateway::Gateway;
use server::{CANARY, Manner, Server};

/// A server and the runtime that it lives in.
struct Remote {
    server: Server,
    _runtime: tokio::runtime::Runtime,
}

impl Remote {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let server = runtime.block_on(Server::start());
        Self { server, _runtime: runtime }
    }

    /// A gateway that has the token of this server, from a file.
    fn gateway(&self, more: &str) -> Gateway {
        let host = &self.server.host;
        Gateway::start(&format!(
            "[log]\nlevel = \"debug\"\n[git]\n{more}\n[[git.credentials]]\nname = \"main\"\n\
             host = \"{host}\"\nkind = \"token\"\ntoken_file = \"../token\"\n",
        ))
    }
}

/// Makes an agent whose remote is the server.
fn agent(gateway: &Gateway, remote: &Remote, settings: &Value) {
    let mut git = json!({ "url": remote.server.url });
    git.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let reply =
        gateway.ask("POST", "/v1/workspaces").json(&json!({"id": "coder", "git": git})).send();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

fn files(at: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut waiting = vec![at.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() => all.push(entry.path()),
                Ok(_) | Err(_) => {}
            }
        }
    }
    all
}

fn holds(bytes: &[u8], what: &str) -> bool {
    bytes.windows(what.len()).any(|window| window == what.as_bytes())
}

#[test]
fn an_agent_clones_commits_and_pushes_and_never_meets_the_token() {
    let remote = Remote::start();
    let gateway = remote.gateway("branches = [\"main\", \"agent/*\"]");
    agent(&gateway, &remote, &json!({}));
    if !gateway.runs_commands("coder") {
        return;
    }
    let cloned = gateway.told("coder", "git", &json!({"action": "clone", "path": "repo"}));
    let text = cloned.to_string();
    assert!(text.contains("main"), "{text}");
    gateway.told("coder", "write", &json!({"path": "repo/new.txt", "content": "new\n"}));
    let commit = json!({"action": "commit", "path": "repo", "message": "a change"});
    gateway.told("coder", "git", &commit);
    let pushed = gateway.told("coder", "git", &json!({"action": "push", "path": "repo"}));
    let tip = remote.server.tip("refs/heads/main").unwrap();
    assert!(pushed.to_string().contains(&tip), "{pushed}");
    let author =
        server::git(&remote.server.bare(), &["log", "-1", "--format=%an <%ae> %cn", "main"]);
    assert_eq!(
        author,
        "emergent-app[bot] <emergent-app[bot]@users.noreply.github.com> emergent-app[bot]"
    );
    // The record has the ref and both ends.
    let audit = gateway.audit();
    assert!(audit.contains(&tip) && audit.contains("refs/heads/main"), "{audit}");
    // What is not allowed is refused before the remote hears of it.
    let branch = json!({"action": "checkout", "path": "repo", "branch": "other"});
    gateway.told("coder", "git", &branch);
    let heard = remote.server.requests();
    let refused = gateway.tool("coder", "git", &json!({"action": "push", "path": "repo"}));
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert_eq!(remote.server.requests(), heard);
    // A failure tells nothing either.
    remote.server.treat(Manner::Status(503));
    let failed = gateway.tool("coder", "git", &json!({"action": "fetch", "path": "repo"}));
    assert_eq!(failed.status, 503, "{}", failed.text());
    remote.server.treat(Manner::Usual);
    for told in [cloned.to_string(), pushed.to_string(), refused.text(), failed.text(), audit] {
        assert!(!told.contains(CANARY), "{told}");
    }
    // The agent looks wherever it can.
    let look = "grep -rlsaE 'ghs_[C]ANARY0123' /workspace /tmp /run /etc /proc/[0-9]*/cmdline \
                /proc/[0-9]*/environ; env | grep -E 'ghs_[C]ANARY0123'; true";
    let found = gateway.told("coder", "bash", &json!({ "command": look }));
    assert_eq!(found["stdout"], "", "{found}");
    // And so does whoever has the gateway's own directory, its database and its log.
    let all = files(gateway.data());
    assert!(all.iter().any(|file| file.ends_with("garth.db")));
    for file in all {
        let bytes = std::fs::read(&file).unwrap_or_default();
        assert!(!holds(&bytes, CANARY), "{}", file.display());
    }
    let log = gateway.log();
    assert!(!log.is_empty() && !log.contains(CANARY), "{log}");
    // The workspace's end is the end of what was kept of its remote.
    let kept = gateway.data().join("git");
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(&kept).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("coder@")).collect()
    };
    assert_eq!(names().len(), 1);
    let deleted = gateway.ask("DELETE", "/v1/workspaces/coder").send();
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    gateway::eventually("the repository is gone", || names().is_empty());
}

#[test]
fn a_remote_that_cannot_be_used_is_refused_when_it_is_set_up() {
    let remote = Remote::start();
    let gateway = remote.gateway("");
    for (git, status) in [
        (json!({"url": "ssh://git@example.com/o/r"}), 501),
        (json!({"url": "http://example.com/o/r"}), 400),
        (json!({"url": remote.server.url, "credential": "nobody"}), 400),
        (json!({"url": "https://example.com/o/r", "credential": "main"}), 403),
        (json!({"url": remote.server.url, "branches": ["["]}), 400),
    ] {
        let wanted = json!({"id": "coder", "git": git});
        let reply = gateway.ask("POST", "/v1/workspaces").json(&wanted).send();
        assert_eq!(reply.status, status, "{git}: {}", reply.text());
    }
    agent(&gateway, &remote, &json!({"branches": ["agent/*"], "workflows": "refuse"}));
}

#[test]
fn a_configuration_whose_token_is_missing_is_said_and_does_not_serve() {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(
        data.path().join("garth.toml"),
        "[[git.credentials]]\nname = \"lab\"\nhost = \"git.example\"\nkind = \"gitlab\"\n\
         token_file = \"missing.token\"\n",
    )
    .unwrap();
    let run = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_garth"))
            .args(arguments)
            .arg("--data")
            .arg(data.path())
            .output()
            .unwrap()
    };
    let checked = run(&["config", "check"]);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(!checked.status.success() && said.contains("git.credentials: \"lab\""), "{said}");
    let served = run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(!served.status.success());
}
