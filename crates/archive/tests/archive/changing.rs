//! Files that change while they are packed: the archive stays whole, and it is said.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use garth_archive::{Format, Mishap, Pack, Sieve, Sifted, What};
use garth_contract::{
    Abilities, Code, Content, Depth, DynFilesystem, Entry, Error, Filesystem, Links, Listing, Made,
    Move, Page, Parents, Part, Put, Query, Removed, Renamed, Result, Sink, Span, Stamp, Summary,
    Watch, WatchSpec, Written, WsPath,
};

use tokio::sync::Barrier;

use crate::fixture::{
    FORMATS, memory, noise, packed_as, packed_from, path, plainly, plant, read, restored, tree,
    write,
};

type Hand = Box<dyn FnMut(&WsPath, Span) -> Act + Send>;

/// What happens before a file is read.
pub(crate) enum Act {
    Nothing,
    /// It waits until so many are to be read.
    Waits(Arc<Barrier>),
    /// It gets this content.
    Becomes(Vec<u8>),
    Goes,
    /// It is what it is there: parts of a file are read in any order, so one that
    /// changes in its middle is two.
    Is(Arc<dyn DynFilesystem>),
    /// The call fails.
    Fails(Code),
}

/// What is told of a page of a directory before it is listed.
type Onlooker = Box<dyn FnMut(&WsPath, Page) -> Looks + Send>;

/// What happens before a page is listed.
enum Looks {
    On,
    /// A file is made.
    Puts(&'static str),
}

/// Files that somebody else works on, whenever one is read or a page is listed.
struct Moving {
    files: Arc<dyn DynFilesystem>,
    hand: Mutex<Hand>,
    onlooker: Mutex<Onlooker>,
}

impl Filesystem for Moving {
    fn abilities(&self) -> Abilities {
        self.files.abilities()
    }
    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.files.stat(path, links).await
    }
    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let looks = (self.onlooker.lock().unwrap())(path, page);
        if let Looks::Puts(file) = looks {
            write(&self.files, file, "").await;
        }
        self.files.list(path, page).await
    }
    async fn read(&self, at: &WsPath, span: Span) -> Result<Content> {
        let act = (self.hand.lock().unwrap())(at, span);
        match act {
            Act::Nothing => {}
            Act::Waits(barrier) => {
                barrier.wait().await;
            }
            Act::Becomes(content) => write(&self.files, at.as_bytes(), content).await,
            Act::Goes => drop(self.files.remove(at, Depth::One).await),
            Act::Is(other) => return other.read(at, span).await,
            Act::Fails(code) => return Err(Error::at(code, at)),
        }
        self.files.read(at, span).await
    }
    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        self.files.write(path, content, put).await
    }
    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        self.files.make_dir(path, parents).await
    }
    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        self.files.remove(path, depth).await
    }
    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        self.files.rename(from, to, how).await
    }
    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        self.files.find(query, sink).await
    }
    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.files.watch(spec).await
    }
    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        self.files.read_link(path).await
    }
}

async fn yard(
    size: usize,
    hand: impl FnMut(&WsPath, Span) -> Act + Send + 'static,
) -> Arc<dyn DynFilesystem> {
    let files = memory();
    write(&files, "a", "first").await;
    write(&files, "f", noise(size, 1)).await;
    write(&files, "z", "last").await;
    moving(files, hand)
}

/// Files with somebody who has a hand in it when they are read.
pub(crate) fn moving(
    files: Arc<dyn DynFilesystem>,
    hand: impl FnMut(&WsPath, Span) -> Act + Send + 'static,
) -> Arc<dyn DynFilesystem> {
    let onlooker: Onlooker = Box::new(|_, _| Looks::On);
    Arc::new(Moving { files, hand: Mutex::new(Box::new(hand)), onlooker: Mutex::new(onlooker) })
}

/// Empty files, with somebody who looks on as they are listed.
async fn seen(
    names: impl Iterator<Item = String>,
    onlooker: impl FnMut(&WsPath, Page) -> Looks + Send + 'static,
) -> Arc<dyn DynFilesystem> {
    let files = memory();
    let stamp = Stamp { mode: None, modified: None };
    plant(&files, names.map(|name| Part::File { path: path(name), stamp }).collect()).await;
    let hand: Hand = Box::new(|_, _| Act::Nothing);
    Arc::new(Moving { files, hand: Mutex::new(hand), onlooker: Mutex::new(Box::new(onlooker)) })
}

fn is_at(path: &WsPath, span: Span, name: &str, at: u64) -> bool {
    matches!(span, Span::Bytes { offset, .. } if offset == at) && path.as_bytes() == name.as_bytes()
}

const SIZE: usize = 3_500_000;
const MIDDLE: u64 = 2 << 20;

/// Files of which `f` is another one from its middle on, or none.
async fn two_in_one(rest: Option<Vec<u8>>) -> Arc<dyn DynFilesystem> {
    let other = memory();
    if let Some(rest) = rest {
        write(&other, "f", rest).await;
    }
    yard(SIZE, move |path, span| {
        let behind = matches!(span, Span::Bytes { offset, .. } if offset >= MIDDLE);
        let is_other = behind && path.as_bytes() == b"f";
        if is_other { Act::Is(Arc::clone(&other)) } else { Act::Nothing }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_shrinks_is_filled_up_and_said() {
    for format in FORMATS {
        let files = two_in_one(Some(vec![b'n'; 100])).await;
        let (archive, told) = packed_from(&files, &WsPath::root(), format).await.unwrap();
        assert_eq!((told.files, told.changed), (3, 1));
        assert_eq!(told.mishaps, [Mishap { path: path("f"), what: What::Changed }]);
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        let content = read(&to, "f").await;
        assert_eq!(content.len(), SIZE);
        assert!(content[MIDDLE as usize..].iter().all(|byte| *byte == 0));
        assert_eq!(read(&to, "z").await, "last");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_grows_is_cut_off_and_said() {
    for format in FORMATS {
        let files = two_in_one(Some(noise(SIZE + 100_000, 1))).await;
        let (archive, told) = packed_from(&files, &WsPath::root(), format).await.unwrap();
        assert_eq!((told.files, told.changed), (3, 1));
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        assert_eq!(read(&to, "f").await, noise(SIZE, 1));
    }
    // A small one that outgrew what is read at once.
    for format in FORMATS {
        let files = yard(1000, |path, span| {
            if is_at(path, span, "f", 0) { Act::Becomes(noise(400_000, 1)) } else { Act::Nothing }
        })
        .await;
        let (archive, told) = packed_from(&files, &WsPath::root(), format).await.unwrap();
        assert_eq!((told.files, told.changed), (3, 1));
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        assert_eq!(read(&to, "f").await.len(), 256 << 10);
    }
}

/// Takes every file, and leaves it as it is.
#[derive(Debug)]
struct All;

impl Sieve for All {
    fn covers(&self, _: &WsPath, _: &[u8]) -> bool {
        true
    }

    fn sift(&self, _: &WsPath, _: &Bytes) -> Sifted {
        Sifted::Same
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_outgrows_its_sieve_is_withheld() {
    for format in FORMATS {
        for (size, then) in [(1000, 400_000), (SIZE, 20_000_000)] {
            let files = yard(size, move |path, span| {
                let whole = matches!(span, Span::Whole { .. }) && path.as_bytes() == b"f";
                if whole { Act::Becomes(noise(then, 1)) } else { Act::Nothing }
            })
            .await;
            let how = Pack { format, exclude: Vec::new(), sieve: Some(Arc::new(All)) };
            let (_, told) = packed_as(&files, &WsPath::root(), &how).await.unwrap();
            // What is cut off could be half of what is to be hidden.
            assert_eq!((told.files, told.withheld), (2, 1), "{told:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_goes_away_is_left_out_or_filled_up() {
    for format in FORMATS {
        for size in [1000, SIZE] {
            let files =
                yard(
                    size,
                    |path, span| {
                        if is_at(path, span, "f", 0) { Act::Goes } else { Act::Nothing }
                    },
                )
                .await;
            let (archive, told) = packed_from(&files, &WsPath::root(), format).await.unwrap();
            assert_eq!((told.files, told.unreadable), (2, 1), "{told:?}");
            assert_eq!(told.mishaps, [Mishap { path: path("f"), what: What::Unreadable }]);
            let to = memory();
            restored(&to, "", archive, &plainly(format)).await.unwrap();
            assert_eq!(tree(&to, "").await.into_keys().collect::<Vec<_>>(), ["a", "z"]);
        }
        let files = two_in_one(None).await;
        let (archive, told) = packed_from(&files, &WsPath::root(), format).await.unwrap();
        assert_eq!((told.files, told.changed), (3, 1), "{told:?}");
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        assert_eq!(read(&to, "f").await.len(), SIZE);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backend_that_fails_ends_the_archive_with_its_error() {
    for format in FORMATS {
        for size in [1000, SIZE] {
            for at in [0, MIDDLE] {
                let files = yard(size, move |path, span| {
                    let last = size < SIZE && at == MIDDLE;
                    let hit =
                        if last { is_at(path, span, "z", 0) } else { is_at(path, span, "f", at) };
                    if hit { Act::Fails(Code::ProviderUnavailable) } else { Act::Nothing }
                })
                .await;
                let failed = packed_from(&files, &WsPath::root(), format).await;
                assert_eq!(failed.unwrap_err().code(), Code::ProviderUnavailable);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_grows_between_two_pages_is_packed_once() {
    let names = (10_000..22_000).map(|number| format!("d/{number}"));
    let files = seen(names, |_, page| {
        // What stands first moves the others on: the next page begins with one more
        // that was on this.
        if page.skip == 10_000 { Looks::Puts("d/0") } else { Looks::On }
    })
    .await;
    let (_, told) = packed_from(&files, &WsPath::root(), Format::Tar).await.unwrap();
    assert_eq!((told.files, told.dirs), (12_000, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_is_listed_once_and_not_at_all_if_it_is_excluded() {
    let listed = Arc::new(Mutex::new(Vec::new()));
    let names = ["a/2/f", "a/f", "b/out/f", "c/1/2/3/f", "f", "out/f"];
    let log = Arc::clone(&listed);
    let files = seen(names.into_iter().map(str::to_owned), move |path, _| {
        log.lock().unwrap().push(path.to_string());
        Looks::On
    })
    .await;
    // So much that the walk waits for who reads, and what it wants listed ahead is.
    for number in 0..40 {
        let file = format!("{}/z{number}", if number < 20 { "a/1" } else { "b" });
        write(&files, file, noise(256 << 10, number)).await;
    }
    let exclude = vec!["out".to_owned()];
    let how = Pack { format: Format::Tar, exclude, sieve: None };
    let (_, told) = packed_as(&files, &WsPath::root(), &how).await.unwrap();
    assert_eq!((told.files, told.dirs), (44, 8));
    let listed = listed.lock().unwrap();
    assert_eq!(*listed, [".", "a", "a/1", "a/2", "b", "c", "c/1", "c/1/2", "c/1/2/3"]);
}
