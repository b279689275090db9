//! A tree to search, and short ways to ask about it.

use std::{fs, path::Path, sync::Arc};

use garth_contract::{
    Aliases, Case, Collect, Facts, Filesystem, Grep, Hidden, Ignored, Kinds, Line, LineKind, Lines,
    Order, Output, Owned, Policy, Query, Reach, Result, Sink, Summary, Syntax, WsPath,
};
use garth_host::Host;
use tempfile::TempDir;

/// A directory with files in it, gone when dropped.
pub(crate) struct Yard {
    pub(crate) dir: TempDir,
}

impl Yard {
    /// Makes files; a path that ends in `/` is a directory.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let yard = Self { dir: tempfile::tempdir().unwrap() };
        for (path, content) in files {
            yard.add(path, content.as_bytes());
        }
        yard
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn add(&self, path: &str, content: &[u8]) {
        let full = self.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
            return;
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
    }

    pub(crate) fn host(&self) -> Host {
        Host::open(self.path(), Policy::open(), Aliases::none()).unwrap()
    }

    /// Runs a query and shows each result as a line of text.
    pub(crate) fn find(&self, query: &Query) -> (Vec<String>, Summary) {
        find(&self.host(), query).unwrap()
    }

    /// The results alone, between spaces.
    pub(crate) fn shown(&self, query: &Query) -> String {
        self.find(query).0.join(" ")
    }
}

pub(crate) fn find(host: &Host, query: &Query) -> Result<(Vec<String>, Summary)> {
    let sink = Arc::new(Collect::default());
    let summary = block(host.find(query, Arc::<Collect>::clone(&sink)))?;
    Ok((sink.take().iter().map(show).collect(), summary))
}

/// Runs a query into any sink.
pub(crate) fn find_into(host: &Host, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
    block(host.find(query, sink))
}

fn block<T>(call: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(call)
}

/// A result as `rg` would print it.
pub(crate) fn show(found: &Owned) -> String {
    match found {
        Owned::Entry(entry) => entry.path.to_string(),
        Owned::Name(path, _) | Owned::File(path) => path.to_string(),
        Owned::Count(path, count) => format!("{path}:{count}"),
        Owned::Line(line) => {
            let sign = if line.kind == LineKind::Match { ':' } else { '-' };
            format!("{}{sign}{}{sign}{}", line.path, line.number, text(&line.text))
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A line of a result that is not kept.
pub(crate) fn show_line(line: &Line<'_>) -> String {
    format!("{}:{}:{}", line.path, line.number, text(line.text))
}

/// All files of the tree, as `rg --files` would list them.
pub(crate) fn files() -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

/// Everything there is.
pub(crate) fn everything() -> Query {
    Query { kinds: Kinds::All, hidden: Hidden::Include, ignored: Ignored::Include, ..files() }
}

/// All lines of the tree that match.
pub(crate) fn grep(pattern: &str) -> Query {
    let grep = Grep {
        pattern: pattern.into(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        lines: Lines::Single,
        output: Output::Content,
        before: 0,
        after: 0,
    };
    Query { grep: Some(grep), ..files() }
}

/// The same search with something else about its pattern.
pub(crate) fn with(query: &Query, change: impl FnOnce(&mut Grep)) -> Query {
    let mut query = query.clone();
    change(query.grep.as_mut().unwrap());
    query
}

pub(crate) fn at(path: &str) -> WsPath {
    WsPath::from_bytes(path.as_bytes()).unwrap()
}
