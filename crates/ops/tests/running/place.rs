//! A workspace whose commands run, for one test.

use std::{path::PathBuf, sync::Arc, time::Duration};

use garth_contract::{Aliases, Announce, Code, Policy, ProcessId};
use garth_host::{Bounds, Host, Processes, Settings, Strays, Trees};
use garth_ops::{Call, Failure, Reply, Tool, find, workspace::TOOLS};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How long a test waits for what must come: a loaded machine takes its time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How a place differs from the usual one.
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    pub(crate) redaction: Config,
    pub(crate) limits: Limits,
    pub(crate) tools: &'static [Tool],
}

impl Setting {
    pub(crate) fn usual() -> Self {
        // A slow machine must not be what ends a command.
        let limits = Limits { command_time: Duration::from_secs(3_600), ..Limits::standard() };
        let (policy, redaction) = (Policy::open(), Config::standard());
        Self { policy, redaction, limits, tools: TOOLS }
    }
}

pub(crate) struct Place {
    pub(crate) workspace: Workspace,
    pub(crate) runtime: Runtime,
    tools: &'static [Tool],
    dir: TempDir,
}

pub(crate) fn place() -> Place {
    place_with(Setting::usual())
}

pub(crate) fn place_with(setting: Setting) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    #[allow(clippy::disallowed_methods, reason = "it is the directory of this test")]
    std::fs::create_dir(&root).unwrap();
    let Setting { policy, redaction, limits, tools } = setting;
    let aliases = Aliases::none().with(b"/workspace");
    let fs = Arc::new(Host::open(&root, policy, aliases.clone()).unwrap());
    let path = ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned());
    let settings = Settings {
        environment: vec![path],
        spool: dir.path().join("spool"),
        bounds: Bounds::usual(),
        trees: Trees::Detect,
        strays: Strays::Leave,
        first: 1,
    };
    let commands = Commands::in_shell(Processes::open(&root, settings).unwrap());
    let parts = Parts { fs, commands, aliases, redaction, limits };
    let workspace = Workspace::new(parts).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    Place { workspace, runtime, tools, dir }
}

impl Place {
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    /// Calls a tool and waits for what it gives, within reason.
    pub(crate) fn call(&self, tool: &str, params: Value) -> Result<Reply, Failure> {
        self.runtime.block_on(self.calling(tool, params.into()))
    }

    pub(crate) async fn calling(&self, tool: &str, call: Call) -> Result<Reply, Failure> {
        let run = (find(self.tools, tool).unwrap().run)(&self.workspace, call);
        tokio::time::timeout(PATIENCE, run).await.expect("it must answer")
    }

    /// Calls a tool that must do what it is asked.
    pub(crate) fn ok(&self, tool: &str, params: Value) -> Reply {
        let shown: String = params.to_string().chars().take(200).collect();
        self.call(tool, params).unwrap_or_else(|failure| panic!("{tool} {shown}: {failure:?}"))
    }

    /// The same, of a command with bash.
    pub(crate) fn bash(&self, command: &str) -> Reply {
        self.ok("bash", json!({ "command": command }))
    }

    /// Starts a command in the background.
    pub(crate) fn start(&self, command: &str) -> String {
        let started = self.ok("bash", json!({"command": command, "background": true}));
        started.payload["id"].as_str().unwrap().to_owned()
    }

    /// Calls a tool that must be refused with this code.
    pub(crate) fn refused(&self, code: Code, tool: &str, params: Value) -> Failure {
        let shown: String = params.to_string().chars().take(200).collect();
        match self.call(tool, params) {
            Ok(reply) => panic!("{tool} {shown}: {}", reply.text),
            Err(failure) => {
                assert_eq!(failure.code(), code, "{tool} {shown}: {failure:?}");
                failure
            }
        }
    }

    /// Reads what a process prints until it holds a text; gives all of it.
    pub(crate) fn until_printed(&self, id: &str, text: &str) -> String {
        let mut all = String::new();
        let mut position = 0;
        while !all.contains(text) {
            let ask = json!({"id": id, "position": position, "wait_ms": 30_000});
            let payload = self.ok("output", ask).payload;
            all.push_str(payload["output"].as_str().unwrap());
            position = payload["next"].as_u64().unwrap();
            let over = payload["running"] == false && payload["total_bytes"] == position;
            assert!(!over || all.contains(text), "it ended without {text:?}: {all:?}");
        }
        all
    }

    /// Waits for the end of a process, and gives the last reply about it.
    pub(crate) fn until_ended(&self, id: &str) -> Reply {
        let mut position = 0;
        loop {
            let ask = json!({"id": id, "position": position, "wait_ms": 30_000});
            let reply = self.ok("output", ask);
            if reply.payload["running"] == false {
                return reply;
            }
            position = reply.payload["next"].as_u64().unwrap();
        }
    }
}

/// A call that is heard of, and what hears it.
pub(crate) fn announced(params: Value) -> (Call, tokio::sync::oneshot::Receiver<ProcessId>) {
    let (tell, heard) = tokio::sync::oneshot::channel();
    let announce = Announce::to(move |id| {
        // Whoever does not listen any more does not need to know.
        let _ = tell.send(id);
    });
    (Call { params, announce }, heard)
}

/// A text of the payload.
pub(crate) fn text<'a>(reply: &'a Reply, key: &str) -> &'a str {
    reply.payload[key].as_str().unwrap_or_else(|| panic!("no {key} in {:?}", reply.payload))
}
