//! Who takes part, and how each is started.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// A server that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// `garth mcp --dialect reference`.
    Garth,
    /// The same with `--fast`.
    Fast,
    /// `garth mcp`, the dialect that can search contents, with redaction on.
    Workspace,
    RustMcp,
    Reference,
    Floor,
}

impl Who {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Garth => "garth",
            Self::Fast => "garth --fast",
            Self::Workspace => "garth, workspace",
            Self::RustMcp => "rust-mcp-filesystem",
            Self::Reference => "the reference server",
            Self::Floor => "floor",
        }
    }
}

/// One that takes part, with the words that start it.
pub(crate) struct Contender {
    pub(crate) who: Who,
    pub(crate) command: Vec<OsString>,
}

/// All who are installed; who is not is named.
pub(crate) fn all(root: &Path) -> Vec<Contender> {
    let this = env::current_exe().unwrap();
    let garth = this.parent().and_then(Path::parent).map(|folder| folder.join("garth"));
    let installed = |variable| env::var_os(variable).map(PathBuf::from);
    let rust_mcp = installed("GARTH_BENCH_RUST_MCP");
    let reference = installed("GARTH_BENCH_REFERENCE");
    let wanted: [(Who, Option<PathBuf>, &[&str]); 6] = [
        (Who::Garth, garth.clone(), &["mcp", "--dialect", "reference"]),
        (Who::Fast, garth.clone(), &["mcp", "--dialect", "reference", "--fast"]),
        (Who::Workspace, garth, &["mcp"]),
        (Who::RustMcp, rust_mcp, &["--allow-write"]),
        (Who::Reference, reference, &[]),
        (Who::Floor, Some(this), &["floor"]),
    ];
    let mut contenders = Vec::new();
    for (who, program, arguments) in wanted {
        let Some(program) = program.filter(|program| program.exists()) else {
            println!("skipped: {} is not installed", who.name());
            continue;
        };
        let mut command = vec![program.into_os_string()];
        command.extend(arguments.iter().map(OsString::from));
        command.push(root.as_os_str().to_owned());
        contenders.push(Contender { who, command });
    }
    contenders
}
