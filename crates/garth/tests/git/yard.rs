//! A workspace with a secret beside it, and git on it as the program has it.

use std::{
    fs,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use garth_contract::{Aliases, Code, Policy};
use garth_host::Host;
use garth_ops::{Failure, Reply, find, workspace::TOOLS};
use garth_redact::Config;
use garth_remote::{Lazy, Patience, providers::Local};
use garth_sandbox::{Access, Limits, Needs, Network, Root, Spec, base_environment};
use garth_workspace::{Commands, Parts, Workspace};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// What must never be seen inside.
pub(crate) const SECRET: &str = "thewordthatliesbesidetheworkspace";

pub(crate) struct Yard {
    outer: TempDir,
    workspace: Workspace,
    runtime: Runtime,
}

impl Yard {
    /// An empty workspace.
    pub(crate) fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        for name in ["root", "outside", "home"] {
            fs::create_dir(outer.path().join(name)).unwrap();
        }
        fs::write(outer.path().join("outside/secret"), format!("{SECRET}\n")).unwrap();
        let root = outer.path().join("root");
        let aliases = Aliases::none().with(b"/workspace");
        let fs = Arc::new(Host::open(&root, Policy::open(), aliases.clone()).unwrap());
        let parts = Parts {
            fs,
            commands: Commands::Held(Arc::new(Lazy::new(sandbox(&root), Patience::USUAL))),
            aliases,
            redaction: Config::standard(),
            limits: garth_workspace::Limits::standard(),
        };
        let workspace = Workspace::new(parts).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { outer, workspace, runtime }
    }

    /// A workspace with a repository made by a script.
    pub(crate) fn with(script: &str) -> Self {
        let yard = Self::new();
        let ran = yard.plain(&format!("set -e\n{BASE}\n{script}"));
        assert!(ran.ok, "{script}: {}", ran.said);
        yard
    }

    /// The same with a remote.
    pub(crate) fn with_remotes(mut self, remotes: Arc<dyn garth_git::Remotes>) -> Self {
        self.workspace = self.workspace.with_remotes(remotes);
        self
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.outer.path().join("root")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.outer.path().join("outside")
    }

    /// Everything outside, by name.
    pub(crate) fn all_outside(&self) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        gather(&self.outside(), &mut all);
        all.sort();
        all
    }

    /// Calls the tool.
    pub(crate) fn call(&self, params: &Value) -> Result<Reply, Failure> {
        let tool = find(TOOLS, "git").unwrap();
        self.runtime.block_on((tool.run)(&self.workspace, params.clone().into()))
    }

    /// Calls it and expects that it is done.
    pub(crate) fn told(&self, params: &Value) -> Value {
        match self.call(params) {
            Ok(reply) => Value::Object(reply.payload),
            Err(failure) => panic!("{params}: {}", Value::Object(failure.body())),
        }
    }

    /// Calls it and expects that it is refused.
    pub(crate) fn refused(&self, params: &Value) -> Code {
        match self.call(params) {
            Ok(reply) => panic!("{params} was done: {}", reply.text),
            Err(failure) => failure.code(),
        }
    }

    /// Runs a script with plain git, on this machine, in the workspace's directory.
    pub(crate) fn plain(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.root()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.outer.path().join("home"));
        command.env("OUTSIDE", self.outside());
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.com"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.com"),
            ("LC_ALL", "C"),
        ] {
            command.env(name, value);
        }
        command.stdin(std::process::Stdio::null());
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        Ran { ok: output.status.success(), said: String::from_utf8_lossy(&said).into_owned() }
    }
}

pub(crate) struct Ran {
    pub(crate) ok: bool,
    pub(crate) said: String,
}

/// Two commits on `main`, `other` beside it, `side` in conflict with it, and changes that are
/// staged, that are not, and that git does not know.
pub(crate) const BASE: &str = r#"
git init -q -b main .
printf 'one\ntwo\n' > a.txt; printf 'b\n' > b.txt
git add .; git commit -qm first
git checkout -q -b side; printf 'side\n' > a.txt; git commit -qam side
git checkout -q main
git checkout -q -b other; printf 'o\n' > o.txt; git add o.txt; git commit -qm other
git checkout -q main; printf 'main\ntwo\n' > a.txt; git commit -qam second
printf 'b\nmore\n' > b.txt; printf 'c\n' > c.txt; git add c.txt; printf 'd\n' > d.txt
"#;

/// Every action, in an order in which each has something to do.
pub(crate) fn every_action() -> Vec<Value> {
    vec![
        json!({"action": "status"}),
        json!({"action": "diff"}),
        json!({"action": "diff", "ref": "HEAD~1"}),
        json!({"action": "log"}),
        json!({"action": "show"}),
        json!({"action": "branch", "all": true}),
        json!({"action": "branch", "branch": "made"}),
        json!({"action": "stash", "message": "x", "include_untracked": true}),
        json!({"action": "stash", "operation": "list"}),
        json!({"action": "stash", "operation": "pop"}),
        json!({"action": "commit", "message": "one file", "files": ["b.txt"]}),
        json!({"action": "commit", "message": "all of it"}),
        json!({"action": "checkout", "branch": "other"}),
        json!({"action": "checkout", "branch": "new/branch"}),
        json!({"action": "restore", "files": ["a.txt"], "ref": "HEAD~1"}),
        json!({"action": "init", "path": "fresh"}),
        json!({"action": "push"}),
        json!({"action": "fetch"}),
        json!({"action": "pull"}),
        json!({"action": "clone", "path": "cloned"}),
    ]
}

fn sandbox(root: &Path) -> Local {
    let spec = Spec {
        roots: vec![Root::whole(root, Access::ReadWrite).unwrap()],
        seat: garth_sandbox::Seat::Workspace,
        system: "/".into(),
        tenure: garth_sandbox::Tenure::Shown,
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits::usual(),
        network: Network::None,
        needs: Needs::all(),
    };
    let program = fs::File::open(env!("CARGO_BIN_EXE_garth")).unwrap();
    Local::new(spec, OwnedFd::from(program), vec!["garth".into(), "guest".into()])
}

/// Tells whether git can be run in a sandbox here, and says so where it cannot.
pub(crate) fn runs_here() -> bool {
    let yard = Yard::new();
    match yard.call(&json!({"action": "init"})) {
        Ok(_) => true,
        Err(failure) => {
            println!("skipped: git does not run here: {}", failure.error);
            false
        }
    }
}

fn gather(directory: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        match path.symlink_metadata().unwrap().is_dir() {
            true => gather(&path, all),
            false => all.push((name, fs::read(&path).unwrap_or_default())),
        }
    }
}
