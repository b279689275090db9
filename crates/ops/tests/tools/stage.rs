//! A workspace to play on: some files, and the tools of a dialect.

#![allow(dead_code, reason = "several test programs have this file, and none needs all of it")]

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Aliases, Code, DynFilesystem, Error, Guard, Parents, Policy, Put, Result, Span, WsPath,
};
use garth_host::Host;
use garth_memory::Memory;
use garth_ops::{Reply, Tool, find, workspace::TOOLS};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::Value;
use tempfile::TempDir;

/// How a stage differs from the usual one.
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    pub(crate) redaction: Config,
    pub(crate) limits: Limits,
    pub(crate) tools: &'static [Tool],
}

impl Setting {
    pub(crate) fn usual() -> Self {
        Self {
            policy: Policy::open(),
            redaction: Config::standard(),
            limits: Limits::standard(),
            tools: TOOLS,
        }
    }

    /// The usual one with the tools of another dialect.
    pub(crate) fn speaking(tools: &'static [Tool]) -> Self {
        Self { tools, ..Self::usual() }
    }
}

/// Where the files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    Memory,
    Host,
}

pub(crate) struct Stage {
    pub(crate) ground: Ground,
    pub(crate) tools: &'static [Tool],
    pub(crate) workspace: Workspace,
    pub(crate) root: TempDir,
}

/// Plays a scene on every ground.
pub(crate) fn everywhere(files: &[(&str, &str)], scene: impl Fn(&Stage)) {
    everywhere_speaking(TOOLS, files, scene);
}

/// The same with the tools of another dialect.
pub(crate) fn everywhere_speaking(
    tools: &'static [Tool],
    files: &[(&str, &str)],
    scene: impl Fn(&Stage),
) {
    for ground in [Ground::Memory, Ground::Host] {
        scene(&Stage::new(ground, files, Setting::speaking(tools)));
    }
}

/// Waits for a future on this thread.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

impl Stage {
    /// The files are laid out before the policy holds.
    pub(crate) fn new(ground: Ground, files: &[(&str, &str)], setting: Setting) -> Self {
        let root = tempfile::tempdir().unwrap();
        let aliases = Aliases::none().with(b"/workspace");
        let open = |policy: Policy| -> Arc<dyn DynFilesystem> {
            Arc::new(Host::open(root.path(), policy, aliases.clone()).unwrap())
        };
        let fs = match ground {
            Ground::Host => {
                lay_out(&*open(Policy::open()), files);
                open(setting.policy)
            }
            Ground::Memory => {
                let bare = Memory::new(Policy::open()).unwrap();
                lay_out(&bare, files);
                let memory = Memory::new(setting.policy).unwrap().with_aliases(aliases.clone());
                memory.restore(&bare.snapshot()).unwrap();
                Arc::new(memory)
            }
        };
        let Setting { redaction, limits, tools, .. } = setting;
        let commands = Commands::None;
        let parts = Parts { fs, commands, aliases, redaction, limits };
        Self { ground, tools, workspace: Workspace::new(parts).unwrap(), root }
    }

    pub(crate) fn call(&self, tool: &str, params: Value) -> Result<Reply> {
        let tool = find(self.tools, tool).unwrap();
        wait((tool.run)(&self.workspace, params.into())).map_err(|failure| failure.error)
    }

    /// Calls a tool that must succeed.
    pub(crate) fn ok(&self, tool: &str, params: Value) -> Reply {
        let shown = params.to_string();
        self.call(tool, params)
            .unwrap_or_else(|error| panic!("{:?} {tool} {shown}: {error:?}", self.ground))
    }

    /// The text of a tool that must succeed.
    pub(crate) fn text(&self, tool: &str, params: Value) -> String {
        self.ok(tool, params).text.into_string()
    }

    /// Calls a tool that must be refused with this code.
    pub(crate) fn refused(&self, code: Code, tool: &str, params: Value) -> Error {
        let shown = params.to_string();
        match self.call(tool, params) {
            Ok(reply) => panic!("{:?} {tool} {shown}: {}", self.ground, reply.text),
            Err(error) => {
                assert_eq!(error.code(), code, "{:?} {tool} {shown}: {error:?}", self.ground);
                error
            }
        }
    }

    /// What a file holds now; `None` where there is none.
    pub(crate) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let path = WsPath::from_bytes(path.as_bytes()).unwrap();
        let span = Span::Whole { at_most: 1 << 30 };
        wait(self.workspace.fs().read(&path, span)).ok().map(|content| content.bytes.to_vec())
    }

    /// What a text file holds now.
    pub(crate) fn content(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path).expect(path)).unwrap()
    }

    /// Writes bytes past the tools.
    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        put(self.workspace.fs(), path, bytes);
    }

    /// Every path of the tree, hidden ones too.
    pub(crate) fn tree(&self) -> Vec<String> {
        let all = serde_json::json!({
            "recursive": true, "include_hidden": true, "include_ignored": true,
        });
        let list = find(TOOLS, "list").unwrap();
        let reply = wait((list.run)(&self.workspace, all.into())).unwrap();
        let path = |entry: &Value| entry["path"].as_str().unwrap().to_owned();
        reply.payload["entries"].as_array().unwrap().iter().map(path).collect()
    }
}

fn lay_out(fs: &dyn DynFilesystem, files: &[(&str, &str)]) {
    for (path, content) in files {
        if let Some(dir) = path.strip_suffix('/') {
            let dir = WsPath::from_bytes(dir.as_bytes()).unwrap();
            wait(fs.make_dir(&dir, Parents::Create)).unwrap();
        } else {
            put(fs, path, content.as_bytes());
        }
    }
}

fn put(fs: &dyn DynFilesystem, path: &str, bytes: &[u8]) {
    let path = WsPath::from_bytes(path.as_bytes()).unwrap();
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    wait(fs.write(&path, Bytes::copy_from_slice(bytes), put)).unwrap();
}
