//! A workspace to play on, and the tools of the dialect.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Aliases, Code, Durability, DynFilesystem, Error, Guard, Parents, Policy, Put, Result, Span,
    WsPath,
};
use garth_host::Host;
use garth_memory::Memory;
use garth_ops::{Reply, find, reference::TOOLS};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::Value;
use tempfile::TempDir;

/// Where the files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    Memory,
    Host,
}

/// How a stage differs from the usual one.
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    pub(crate) redaction: Config,
    pub(crate) limits: Limits,
    /// The directories below the root that are allowed; the root itself if none.
    pub(crate) mounts: &'static [&'static str],
}

impl Setting {
    /// This dialect gives the bytes as they are, unless somebody turns redaction on.
    pub(crate) fn usual() -> Self {
        let redaction = Config { enabled: false, ..Config::standard() };
        Self { policy: Policy::open(), redaction, limits: Limits::standard(), mounts: &[] }
    }
}

pub(crate) struct Stage {
    pub(crate) ground: Ground,
    pub(crate) workspace: Workspace,
    pub(crate) dir: TempDir,
    /// The absolute path of the root.
    pub(crate) root: String,
}

/// Plays a scene on every ground.
pub(crate) fn everywhere(files: &[(&str, &str)], scene: impl Fn(&Stage)) {
    for ground in [Ground::Memory, Ground::Host] {
        scene(&Stage::new(ground, files, Setting::usual()));
    }
}

/// Waits for a future on this thread.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

impl Stage {
    /// The files are laid out before the policy holds.
    pub(crate) fn new(ground: Ground, files: &[(&str, &str)], setting: Setting) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = match ground {
            Ground::Host => dir.path().to_str().unwrap().to_owned(),
            Ground::Memory => "/memory/ws".to_owned(),
        };
        let roots: Vec<(Vec<u8>, WsPath)> = match setting.mounts {
            [] => vec![(root.clone().into_bytes(), WsPath::root())],
            mounts => {
                mounts.iter().map(|name| (format!("{root}/{name}").into(), path(name))).collect()
            }
        };
        let aliases = roots.iter().fold(Aliases::none(), |aliases, (absolute, place)| {
            aliases.with_at(absolute, place.clone())
        });
        let fs: Arc<dyn DynFilesystem> = match ground {
            Ground::Host => {
                let open = |policy| Host::open(dir.path(), policy, Aliases::none()).unwrap();
                let durability = Durability::Fast;
                lay_out(&open(Policy { durability, ..Policy::open() }), files);
                Arc::new(open(setting.policy))
            }
            Ground::Memory => {
                let bare = Memory::new(Policy::open()).unwrap();
                lay_out(&bare, files);
                let memory = Memory::new(setting.policy).unwrap();
                memory.restore(&bare.snapshot()).unwrap();
                Arc::new(memory)
            }
        };
        let Setting { redaction, limits, .. } = setting;
        let workspace =
            Workspace::new(Parts { fs, commands: Commands::None, aliases, redaction, limits })
                .unwrap();
        Self { ground, workspace: workspace.shown_as(roots), dir, root }
    }

    /// The absolute path of a place below the root.
    pub(crate) fn at(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    pub(crate) fn call(&self, tool: &str, params: Value) -> Result<Reply> {
        let tool = find(TOOLS, tool).unwrap();
        wait((tool.run)(&self.workspace, params.into())).map_err(|failure| failure.error)
    }

    /// Calls a tool that must succeed.
    pub(crate) fn ok(&self, tool: &str, params: Value) -> Reply {
        let shown = params.to_string();
        self.call(tool, params)
            .unwrap_or_else(|error| panic!("{:?} {tool} {shown}: {error:?}", self.ground))
    }

    /// The text of a tool that must succeed, which its payload repeats.
    pub(crate) fn text(&self, tool: &str, params: Value) -> String {
        let reply = self.ok(tool, params);
        let text = reply.text.into_string();
        assert_eq!(Value::Object(reply.payload), serde_json::json!({"content": text}), "{tool}");
        text
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
    pub(crate) fn bytes(&self, below: &str) -> Option<Vec<u8>> {
        let span = Span::Whole { at_most: 1 << 30 };
        let content = wait(self.workspace.fs().read(&path(below), span));
        content.ok().map(|content| content.bytes.to_vec())
    }

    /// What a text file holds now.
    pub(crate) fn content(&self, below: &str) -> String {
        String::from_utf8(self.bytes(below).expect(below)).unwrap()
    }

    /// Writes bytes past the tools.
    pub(crate) fn put(&self, below: &str, bytes: &[u8]) {
        put(self.workspace.fs(), below, bytes);
    }
}

fn lay_out(fs: &dyn DynFilesystem, files: &[(&str, &str)]) {
    for (name, content) in files {
        if let Some(dir) = name.strip_suffix('/') {
            wait(fs.make_dir(&path(dir), Parents::Create)).unwrap();
        } else {
            put(fs, name, content.as_bytes());
        }
    }
}

fn put(fs: &dyn DynFilesystem, name: &str, bytes: &[u8]) {
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    wait(fs.write(&path(name), Bytes::copy_from_slice(bytes), put)).unwrap();
}
