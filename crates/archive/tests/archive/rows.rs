//! Files that are read in rows, from their directory's handle: the archive is the same,
//! and nothing that happens meanwhile goes in unsaid.

use std::{
    fs,
    future::Future,
    ops::ControlFlow,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use bytes::Bytes;
use garth_archive::{Format, Mishap, Pack, What, pack};
use garth_contract::{
    Abilities, Code, Content, Depth, DynFilesystem, Entry, Error, Filesystem, Folder, Gathered,
    Glance, Links, Listing, Made, Move, Page, Parents, Put, Query, Removed, Renamed, Result, Sight,
    Sink, Span, Summary, Watch, WatchSpec, Written, WsPath,
};

use crate::fixture::{Yard, memory, names, noise, packed_from, path, plainly, restored, runtime};

/// What happens when a directory is opened: it may get another.
type Hand = Box<dyn Fn(&WsPath, Box<dyn Folder>) -> Option<Box<dyn Folder>> + Send + Sync>;

/// Files whose directories somebody has a hand in.
struct Handled {
    files: Arc<dyn DynFilesystem>,
    hand: Hand,
    /// What was listed in the long way.
    listed: Mutex<Vec<String>>,
}

impl Filesystem for Handled {
    fn abilities(&self) -> Abilities {
        self.files.abilities()
    }
    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.files.stat(path, links).await
    }
    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        self.listed.lock().unwrap().push(path.to_string());
        self.files.list(path, page).await
    }
    async fn read(&self, at: &WsPath, span: Span) -> Result<Content> {
        self.files.read(at, span).await
    }
    async fn gather(&self, path: &WsPath, span: Span, into: &mut Vec<u8>) -> Result<Gathered> {
        self.files.gather(path, span, into).await
    }
    fn folder(&self, path: &WsPath) -> Option<Box<dyn Folder>> {
        (self.hand)(path, self.files.folder(path)?)
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

fn handled(
    files: Arc<dyn DynFilesystem>,
    hand: impl Fn(&WsPath, Box<dyn Folder>) -> Option<Box<dyn Folder>> + Send + Sync + 'static,
) -> Arc<Handled> {
    Arc::new(Handled { files, hand: Box::new(hand), listed: Mutex::default() })
}

/// Tells whether the file system of these tests has directories at hand at all.
fn has_folders(yard: &Yard) -> bool {
    yard.host().folder(&WsPath::root()).is_some()
}

/// A directory in which `then` happens once it was listed.
struct Onlooker {
    folder: Box<dyn Folder>,
    then: Box<dyn FnOnce() + Send + Sync>,
}

impl Folder for Onlooker {
    fn glance(self: Box<Self>, page: Page) -> Result<Glance> {
        let glance = self.folder.glance(page);
        (self.then)();
        glance
    }
    fn gather_now(
        &self,
        name: &[u8],
        into: &mut Vec<u8>,
        begin: &mut dyn FnMut(Sight, &mut Vec<u8>) -> ControlFlow<()>,
    ) -> Option<u64> {
        self.folder.gather_now(name, into, begin)
    }
}

/// A directory that cannot be listed, or has no file at hand.
struct Broken(Option<Box<dyn Folder>>);

impl Folder for Broken {
    fn glance(self: Box<Self>, page: Page) -> Result<Glance> {
        self.0.map_or_else(|| Err(Error::of(Code::PermissionDenied)), |folder| folder.glance(page))
    }
    fn gather_now(
        &self,
        _: &[u8],
        _: &mut Vec<u8>,
        _: &mut dyn FnMut(Sight, &mut Vec<u8>) -> ControlFlow<()>,
    ) -> Option<u64> {
        None
    }
}

fn put(at: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, content).unwrap();
}

/// Files of all sizes and modes, in directories beside and in each other.
fn plant(root: &Path) {
    for size in [0, 1, 511, 512, 513, 4096, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3_500_000]
    {
        put(&root.join(format!("sizes/{size}")), noise(size, size as u64));
    }
    for number in 0..60_u32 {
        let size = [300_000, 200_000, 50, 0, 120_000][number as usize % 5];
        put(&root.join(format!("mixed/{number}")), noise(size, number.into()));
        put(&root.join(format!("middling/{number}")), noise(100_000, number.into()));
    }
    for number in 0..700 {
        put(&root.join(format!("many/{number}")), noise(number, 1));
    }
    for mode in [0o444, 0o600, 0o755, 0o4711] {
        let file = root.join(format!("modes/{mode:o}"));
        put(&file, "mode");
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    }
    for number in 0..300 {
        let (a, b, c) = (number % 20, number / 20 % 3, number / 60);
        put(&root.join(format!("nest/{a}/{b}/{c}/file")), format!("{number}"));
        put(&root.join(format!("nest/{a}/file{number}")), "");
    }
    put(&root.join(format!("long/{}/{}", "d".repeat(200), "f".repeat(200))), "long");
    fs::create_dir_all(root.join("empty/dir")).unwrap();
    symlink("sizes/1", root.join("link")).unwrap();
    symlink("../sizes", root.join("many/dir")).unwrap();
    symlink("nowhere", root.join("sizes/nowhere")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_is_the_same_however_files_are_reached() {
    let yard = Yard::new();
    plant(&yard.root());
    let host = yard.host();
    let never: Arc<dyn DynFilesystem> = handled(yard.host(), |_, _| None);
    let cold: Arc<dyn DynFilesystem> =
        handled(yard.host(), |_, folder| Some(Box::new(Broken(Some(folder)))));
    for format in [Format::Tar, Format::TarZst] {
        let plainly = packed_from(&never, &WsPath::root(), format).await.unwrap();
        for (files, how) in [(&host, "at hand"), (&cold, "cold")] {
            let packed = packed_from(files, &WsPath::root(), format).await.unwrap();
            assert_eq!(packed.1, plainly.1, "{how}");
            assert!(packed.0 == plainly.0, "{how}");
        }
    }
    let one = path("many/699");
    let plainly = packed_from(&never, &one, Format::Tar).await.unwrap();
    assert!(packed_from(&host, &one, Format::Tar).await.unwrap() == plainly);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_stretch_outgrows_its_room() {
    let yard = Yard::new();
    for number in 0..100 {
        put(&yard.root().join(format!("d/{number}")), noise(200_000, number));
    }
    let how = Pack { format: Format::Tar, exclude: Vec::new(), sieve: None };
    let mut packing = pack(yard.host(), &WsPath::root(), &how).await.unwrap();
    let mut sizes = Vec::new();
    while let Some(bytes) = packing.next().await {
        sizes.push(bytes.unwrap().len());
    }
    assert_eq!(packing.packed().unwrap().files, 100);
    assert!(sizes.iter().all(|size| *size <= 1 << 20), "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_tiny_files_grow_longer() {
    let yard = Yard::new();
    for number in 0..4000 {
        put(&yard.root().join(format!("d/{number}")), "tiny");
    }
    let how = Pack { format: Format::Tar, exclude: Vec::new(), sieve: None };
    let mut packing = pack(yard.host(), &WsPath::root(), &how).await.unwrap();
    let mut pieces = 0;
    while let Some(bytes) = packing.next().await {
        bytes.unwrap();
        pieces += 1;
    }
    assert_eq!(packing.packed().unwrap().files, 4000);
    assert!(pieces < 4000 / 50, "{pieces}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_once_a_directory_was_listed_is_said() {
    let yard = Yard::new();
    if !has_folders(&yard) {
        return;
    }
    let root = yard.root();
    for name in ["grows", "goes", "leaves", "turns", "stays"] {
        put(&root.join("d").join(name), "four");
    }
    let act = {
        let root = root.clone();
        move || {
            let dir = root.join("d");
            fs::write(dir.join("grows"), "now it is longer").unwrap();
            fs::remove_file(dir.join("goes")).unwrap();
            fs::remove_file(dir.join("leaves")).unwrap();
            symlink("../../beyond/secret", dir.join("leaves")).unwrap();
            fs::remove_file(dir.join("turns")).unwrap();
            fs::create_dir(dir.join("turns")).unwrap();
        }
    };
    let once = Mutex::new(Some(act));
    let files: Arc<dyn DynFilesystem> = handled(yard.host(), move |dir, folder| {
        if dir.as_bytes() != b"d" {
            return Some(folder);
        }
        match once.lock().unwrap().take() {
            Some(act) => Some(Box::new(Onlooker { folder, then: Box::new(act) })),
            None => Some(folder),
        }
    });
    let (archive, told) = packed_from(&files, &WsPath::root(), Format::Tar).await.unwrap();
    let gone = ["d/goes", "d/leaves", "d/turns"];
    let mishaps = gone.map(|gone| Mishap { path: path(gone), what: What::Unreadable });
    assert_eq!((told.files, told.unreadable, told.mishaps), (2, 3, mishaps.to_vec()));
    assert!(!archive.windows(6).any(|window| window == b"secret"));
    let to = memory();
    restored(&to, "", archive, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(names(&to).await, ["d", "d/grows", "d/stays"]);
    assert_eq!(crate::fixture::read(&to, "d/grows").await, "now it is longer");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_of_a_row_and_is_no_file_any_more_is_said() {
    let yard = Yard::new();
    if !has_folders(&yard) {
        return;
    }
    let root = yard.root();
    put(&root.join("d/0"), noise(400_000, 1));
    for name in ["d/1", "d/2", "d/3"] {
        put(&root.join(name), "small");
    }
    // They are files when the directory is listed; the large one before them ends the row.
    let (gone, turned) = (root.join("d/2"), root.join("d/3"));
    let first = Mutex::new(true);
    let files: Arc<dyn DynFilesystem> = handled(yard.host(), move |dir, folder| {
        let (gone, turned) = (gone.clone(), turned.clone());
        if dir.as_bytes() == b"d" && std::mem::take(&mut *first.lock().unwrap()) {
            return Some(Box::new(Onlooker {
                folder,
                then: Box::new(move || {
                    fs::remove_file(gone).unwrap();
                    fs::remove_file(&turned).unwrap();
                    fs::create_dir(turned).unwrap();
                }),
            }));
        }
        Some(folder)
    });
    let (archive, told) = packed_from(&files, &WsPath::root(), Format::Tar).await.unwrap();
    assert_eq!((told.files, told.dirs, told.unreadable), (2, 1, 2), "{told:?}");
    let to = memory();
    restored(&to, "", archive, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(names(&to).await, ["d", "d/0", "d/1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_beside_each_other_are_listed_once_each_and_their_faults_told() {
    let yard = Yard::new();
    if !has_folders(&yard) {
        return;
    }
    for number in 10..50 {
        put(&yard.root().join(format!("d{number}/sub/file")), "x");
        put(&yard.root().join(format!("d{number}/file")), "x");
    }
    let glanced = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&glanced);
    let files = handled(yard.host(), move |dir, folder| {
        if dir.as_bytes() == b"d23" {
            return Some(Box::new(Broken(None)));
        }
        let (log, name) = (Arc::clone(&log), dir.to_string());
        let then = Box::new(move || log.lock().unwrap().push(name));
        Some(Box::new(Onlooker { folder, then }))
    });
    let shared: Arc<dyn DynFilesystem> = Arc::<Handled>::clone(&files);
    let (_, told) = packed_from(&shared, &WsPath::root(), Format::Tar).await.unwrap();
    assert_eq!((told.files, told.dirs, told.unreadable), (78, 79, 1));
    assert_eq!(told.mishaps, [Mishap { path: path("d23"), what: What::Unreadable }]);
    let mut glanced = glanced.lock().unwrap().clone();
    glanced.sort();
    let mut once = glanced.clone();
    once.dedup();
    assert_eq!(glanced, once);
    assert_eq!(glanced.len(), 79, "the root, and all but one with what is in them");
    assert_eq!(files.listed.lock().unwrap().len(), 0);
}

#[test]
fn an_archive_can_be_taken_outside_of_the_runtime() {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let yard = Yard::new();
    for number in 0..4 {
        put(&yard.root().join(format!("d/{number}")), noise(300_000, number));
    }
    let runtime = runtime();
    let how = Pack { format: Format::Tar, exclude: Vec::new(), sieve: None };
    let mut packing = runtime.block_on(pack(yard.host(), &WsPath::root(), &how)).unwrap();
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        let mut next = pin!(packing.next());
        let bytes = loop {
            match next.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(bytes) => break bytes,
                Poll::Pending => thread::park(),
            }
        };
        let Some(bytes) = bytes else { break };
        bytes.unwrap();
    }
    assert_eq!(packing.packed().unwrap().files, 4);
}
