//! A place that lists and reads is searched to its end, and what fails is counted.

use std::sync::Arc;

use garth_embed::{
    Abilities, Backend, Bounds, Bytes, Code, Content, Depth, Entry, Error, Facts, Filesystem, Flow,
    Found, Hidden, Ignored, Kind, Kinds, Links, Listing, Made, Move, Order, Page, Parents, Put,
    Query, Reach, Removed, Renamed, Result, Section, Setup, Sink, Span, Summary, Total, Watch,
    WatchSpec, Written, WsPath, cut, find_by_listing, json,
};

/// So many files named by their numbers, and two directories.
struct Numbers {
    files: u64,
    /// From which entry on the root cannot be listed.
    fails_at: u64,
}

fn cannot<T>() -> Result<T> {
    Err(Error::of(Code::Unsupported))
}

fn at(name: &str) -> WsPath {
    WsPath::from_bytes(name.as_bytes()).unwrap()
}

impl Numbers {
    fn names(&self) -> Vec<String> {
        let numbers = (0..self.files).map(|number| format!("{number:05}"));
        numbers.chain(["closed".into(), "open".into()]).collect()
    }

    fn entry(&self, path: &WsPath) -> Entry {
        let name = path.to_string();
        let dir = path.is_root() || name == "closed" || name == "open";
        let kind = if dir { Kind::Dir } else { Kind::File };
        Entry { path: path.clone(), kind, size: 0, modified: None, mode: None }
    }
}

impl Filesystem for Numbers {
    fn abilities(&self) -> Abilities {
        Abilities {
            write: false,
            rename: false,
            empty_dirs: true,
            symlinks: false,
            special_files: false,
            modes: false,
            any_names: false,
            watch: false,
            find: true,
            trees: false,
            durable: true,
        }
    }

    async fn stat(&self, path: &WsPath, _: Links) -> Result<Entry> {
        if path.to_string().contains("ignore") || path.to_string().contains(".git") {
            return Err(Error::at(Code::FileNotFound, path));
        }
        Ok(self.entry(path))
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        if path.to_string() == "closed" || page.skip >= self.fails_at {
            return Err(Error::at(Code::PermissionDenied, path));
        }
        if !path.is_root() {
            return Ok(Listing { entries: Vec::new(), total: 0 });
        }
        let names = self.names();
        let (skip, take) = (page.skip.try_into().unwrap(), page.take.try_into().unwrap());
        let wanted = names.iter().skip(skip).take(take);
        let entries = wanted.map(|name| self.entry(&at(name))).collect();
        Ok(Listing { entries, total: names.len() as u64 })
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        if path.to_string() == "00001" {
            return Err(Error::at(Code::PermissionDenied, path));
        }
        cut(&Bytes::from(format!("number {path}\n")), path, span)
    }

    async fn write(&self, _: &WsPath, _: Bytes, _: Put) -> Result<Written> {
        cannot()
    }

    async fn make_dir(&self, _: &WsPath, _: Parents) -> Result<Made> {
        cannot()
    }

    async fn remove(&self, _: &WsPath, _: Depth) -> Result<Removed> {
        cannot()
    }

    async fn rename(&self, _: &WsPath, _: &WsPath, _: Move) -> Result<Renamed> {
        cannot()
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        find_by_listing(self, query, sink).await
    }

    async fn watch(&self, _: &WatchSpec) -> Result<Watch> {
        cannot()
    }
}

struct Drain;

impl Sink for Drain {
    fn accept(&self, _: Found<'_>) -> Flow {
        Flow::Continue
    }
}

fn everything() -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: vec![],
        exclude: vec![],
        kinds: Kinds::Files,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

async fn find(numbers: Numbers, query: &Query) -> Summary {
    numbers.find(query, Arc::new(Drain)).await.unwrap()
}

#[tokio::test]
async fn a_directory_is_listed_page_by_page_to_its_end() {
    let summary = find(Numbers { files: 2_500, fails_at: u64::MAX }, &everything()).await;
    assert_eq!(summary.total, Total::Exact(2_500));
    assert_eq!(summary.unreadable, 1, "the directory that is closed");
}

#[tokio::test]
async fn what_could_not_be_listed_to_its_end_is_counted() {
    let summary = find(Numbers { files: 2_500, fails_at: 1_000 }, &everything()).await;
    assert_eq!((summary.given, summary.unreadable), (1_000, 1));
}

#[tokio::test]
async fn a_base_that_cannot_be_listed_is_an_error() {
    let query = Query { base: at("closed"), ..everything() };
    let numbers = Numbers { files: 1, fails_at: u64::MAX };
    let error = numbers.find(&query, Arc::new(Drain)).await.unwrap_err();
    assert_eq!(error.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_counted_and_the_others_are_found() {
    let grep = garth_embed::Grep {
        pattern: "number".into(),
        syntax: garth_embed::Syntax::Fixed,
        case: garth_embed::Case::Sensitive,
        lines: garth_embed::Lines::Single,
        output: garth_embed::Output::Content,
        before: 0,
        after: 0,
    };
    let query = Query { grep: Some(grep), ..everything() };
    let summary = find(Numbers { files: 10, fails_at: u64::MAX }, &query).await;
    assert_eq!((summary.given, summary.searched, summary.unreadable), (9, 9, 2));
}

#[tokio::test]
async fn the_tools_search_a_place_that_lists_and_reads() {
    let backend = Backend::custom(Numbers { files: 50, fails_at: u64::MAX });
    let section = Section::workspace(Setup::standard(backend)).unwrap();
    let session = section.session(Bounds::standard()).unwrap();
    let found = session.call("grep", json!({ "pattern": "number 0004[23]" })).await;
    assert!(found.text().contains("number 00042") && found.text().contains("number 00043"));
    let found = session.call("glob", json!({ "pattern": "*7" })).await;
    let names: Vec<_> = found.text().lines().take(5).collect();
    assert_eq!(names, ["00007", "00017", "00027", "00037", "00047"]);
}
