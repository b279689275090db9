//! A process is killed at random points while it writes, moves and deletes.
//!
//! Whatever the instant, a file has its old or its new content, a removed tree is
//! whole or gone, and no temporary file is to be seen. `GARTH_CRASH_OPERATIONS`
//! says after how many operations the test ends.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start and kill processes of their own and fail by panicking"
)]

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use garth_contract::{
    Aliases, Clobber, Code, Depth, Durability, DynFilesystem, Guard, Kind, Links, Move, Page,
    Parents, Policy, Put, Span, WsPath,
};
use garth_host::Host;

const ROOT: &str = "GARTH_CRASH_ROOT";
const SEED: &str = "GARTH_CRASH_SEED";
const SYNCED: &str = "GARTH_CRASH_SYNCED";
const FILES: u64 = 6;
const TREES: u64 = 3;

#[tokio::test]
async fn a_kill_at_any_instant_leaves_old_or_new() {
    let wanted = std::env::var("GARTH_CRASH_OPERATIONS").ok().and_then(|text| text.parse().ok());
    let wanted: u64 = wanted.unwrap_or(10_000);
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(0x5eed);
    let (mut operations, mut kills, mut strays): (u64, u64, u64) = (0, 0, 0);
    while operations < wanted {
        // One in four runs waits for the disk, as the default does.
        let synced = random.below(4) == 0;
        let until = if synced { 1 + random.below(20) } else { 1 + random.below(120) };
        let child = Child { seed: kills, synced };
        let instant = Duration::from_micros(random.below(3000));
        operations += run_and_kill(dir.path(), &child, until, instant);
        kills += 1;
        strays = strays.max(check(dir.path()).await);
    }
    let swept = sweep_all(dir.path()).await;
    println!(
        "{operations} operations, {kills} kills: only old or new content, no temporary file \
         visible; at most {strays} hidden ones at a time, {swept} swept in the end"
    );
}

struct Child {
    seed: u64,
    synced: bool,
}

/// Starts a process that works, and kills it once it has done `until` operations
/// and `instant` more has passed, so that the kill falls anywhere in the next ones.
fn run_and_kill(root: &Path, how: &Child, until: u64, instant: Duration) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["the_process_that_is_killed", "--exact", "--nocapture"])
        .env(ROOT, root)
        .env(SEED, how.seed.to_string())
        .env(SYNCED, if how.synced { "1" } else { "0" })
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut done = 0;
    let mut buffer = [0; 64];
    while done < until {
        let count = out.read(&mut buffer).unwrap();
        assert!(count > 0, "the process ended by itself");
        done += buffer.iter().take(count).filter(|byte| **byte == b'.').count() as u64;
    }
    let then = Instant::now() + instant;
    while Instant::now() < then {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    done
}

/// Looks at everything through the backend, and at what is really there.
async fn check(root: &Path) -> u64 {
    let host = Host::open(root, Policy::open(), Aliases::none()).unwrap();
    let mut left = vec![WsPath::root()];
    while let Some(dir) = left.pop() {
        let page = Page { skip: 0, take: 10_000 };
        for entry in host.list(&dir, page).await.unwrap().entries {
            let shown = entry.path.to_string();
            assert!(!shown.contains(".garth-"), "a temporary file is visible: {shown}");
            if entry.kind == Kind::Dir {
                left.push(entry.path);
            } else {
                check_content(&host, &entry.path).await;
            }
        }
    }
    for tree in 0..TREES {
        check_tree(&host, &format!("t{tree}")).await;
        check_tree(&host, &format!("u{tree}")).await;
    }
    count_strays(root)
}

async fn check_content(host: &Host, path: &WsPath) {
    let content = host.read(path, Span::Whole { at_most: 1 << 22 }).await.unwrap();
    assert!(is_whole(&content.bytes), "{path} is neither old nor new");
}

/// A tree whose last file is there has all its files: a removal takes all at once.
async fn check_tree(host: &Host, name: &str) {
    let at = |below: &str| WsPath::from_bytes(format!("{name}/{below}").as_bytes()).unwrap();
    if host.stat(&at("done"), Links::Keep).await.is_err() {
        return;
    }
    for below in ["a", "b/c", "b/d"] {
        let found = host.stat(&at(below), Links::Keep).await;
        assert!(found.is_ok(), "{name} was torn: {below} is missing");
    }
}

fn count_strays(root: &Path) -> u64 {
    let mut count = 0;
    for_each(root, &mut |path| count += u64::from(is_stray(path)));
    count
}

fn is_stray(path: &Path) -> bool {
    path.file_name().unwrap().to_str().unwrap().starts_with(".garth-")
}

fn for_each(dir: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            for_each(&path, visit);
        }
        visit(&path);
    }
}

/// Makes what was left old enough and sweeps: nothing of ours may stay.
async fn sweep_all(root: &Path) -> u64 {
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    for_each(root, &mut |path| {
        fs::File::open(path).unwrap().set_modified(long_ago).unwrap();
    });
    let host = Host::open(root, Policy::open(), Aliases::none()).unwrap();
    let swept = host.sweep().await.unwrap();
    assert_eq!(count_strays(root), 0);
    swept
}

/// Not a test of its own: what the process of the test above runs until it is killed.
#[tokio::test]
async fn the_process_that_is_killed() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let mut random = Random(std::env::var(SEED).unwrap().parse::<u64>().unwrap() * 7919 + 1);
    let synced = std::env::var(SYNCED).unwrap() == "1";
    let durability = if synced { Durability::Synced } else { Durability::Fast };
    let policy = Policy { durability, ..Policy::open() };
    let host = Host::open(Path::new(&root), policy, Aliases::none()).unwrap();
    let host: Arc<dyn DynFilesystem> = Arc::new(host);
    let mut out = std::io::stdout();
    loop {
        operate(&*host, &mut random).await;
        out.write_all(b".").unwrap();
        out.flush().unwrap();
    }
}

async fn operate(fs: &dyn DynFilesystem, random: &mut Random) {
    let file = path(&format!("f{}", random.below(FILES)));
    let other = path(&format!("g{}", random.below(FILES)));
    let (tree, aside) = (random.below(TREES), random.below(TREES));
    let (tree, aside) = (path(&format!("t{tree}")), path(&format!("u{aside}")));
    let how = Move { clobber: Clobber::Replace, parents: Parents::Create };
    let outcome = match random.below(8) {
        0..=2 => write(fs, &file, Guard::Any, random).await,
        3 => edit(fs, &file, random).await,
        4 => fs.rename(&file, &other, how).await.map(drop),
        5 => fs.remove(&other, Depth::One).await.map(drop),
        6 => grow(fs, &tree, random).await,
        _ if random.below(2) == 0 => fs.remove(&tree, Depth::All).await.map(drop),
        _ => move_tree(fs, &tree, &aside).await,
    };
    if let Err(error) = outcome {
        let expected = matches!(
            error.code(),
            Code::FileNotFound | Code::SourceNotFound | Code::Conflict | Code::DirectoryNotEmpty
        );
        assert!(expected, "{error:?}");
    }
}

async fn write(
    fs: &dyn DynFilesystem,
    path: &WsPath,
    guard: Guard,
    random: &mut Random,
) -> garth_contract::Result<()> {
    let put = Put { guard, parents: Parents::Create, mode: None };
    fs.write(path, content(random), put).await.map(drop)
}

async fn edit(
    fs: &dyn DynFilesystem,
    path: &WsPath,
    random: &mut Random,
) -> garth_contract::Result<()> {
    let seen = fs.read(path, Span::Whole { at_most: 1 << 22 }).await?;
    write(fs, path, Guard::Unchanged(seen.version().unwrap()), random).await
}

async fn grow(
    fs: &dyn DynFilesystem,
    tree: &WsPath,
    random: &mut Random,
) -> garth_contract::Result<()> {
    for below in ["a", "b/c", "b/d", "done"] {
        let at = WsPath::from_bytes(format!("{tree}/{below}").as_bytes())?;
        write(fs, &at, Guard::Any, random).await?;
    }
    Ok(())
}

async fn move_tree(
    fs: &dyn DynFilesystem,
    tree: &WsPath,
    aside: &WsPath,
) -> garth_contract::Result<()> {
    let _ = fs.remove(aside, Depth::All).await;
    let how = Move { clobber: Clobber::Refuse, parents: Parents::Create };
    fs.rename(tree, aside, how).await.map(drop)
}

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// A content that says itself whether it is whole: a length, then so many bytes.
fn content(random: &mut Random) -> Bytes {
    let length = [0, 10, 5000, 300_000].get(usize::try_from(random.below(4)).unwrap()).copied();
    let length = length.unwrap() + random.below(100);
    let letter = b'a' + u8::try_from(random.below(26)).unwrap();
    let mut bytes = format!("{length}\n").into_bytes();
    bytes.resize(bytes.len() + usize::try_from(length).unwrap(), letter);
    bytes.into()
}

fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return false };
    let (head, body) = bytes.split_at(end);
    let body = body.split_first().unwrap().1;
    let length: usize = std::str::from_utf8(head).unwrap().parse().unwrap();
    body.len() == length && body.iter().all(|byte| Some(byte) == body.first())
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
