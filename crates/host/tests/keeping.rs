//! What a write keeps of the file it replaces, and what it leaves alone.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests plant files behind the backend's back and fail by panicking"
)]

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
};

use garth_contract::{
    Aliases, Code, Depth, Filesystem, Guard, Page, Parents, Policy, Put, Span, Version, WsPath,
};
use garth_host::Host;
use rustix::fs::{Gid, Uid, XattrFlags, chownat, getxattr, setxattr};
use tempfile::TempDir;

fn yard() -> (TempDir, Host) {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    (dir, host)
}

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

fn put(guard: Guard) -> Put {
    Put { guard, parents: Parents::Create, mode: None }
}

fn attribute(path: &Path, name: &str) -> Vec<u8> {
    let mut value = [0; 64];
    let length = getxattr(path, name, &mut value[..]).unwrap();
    value[..length].to_vec()
}

#[tokio::test]
async fn mode_owner_and_attributes_of_a_replaced_file_are_kept() {
    let (dir, host) = yard();
    let file = dir.path().join("f");
    for guard in [Guard::Any, Guard::Unchanged(Version::of(b"old"))] {
        let _ = fs::remove_file(&file);
        fs::write(&file, "old").unwrap();
        let owned = chownat(
            rustix::fs::CWD,
            &file,
            Some(Uid::from_raw(12345)),
            Some(Gid::from_raw(54321)),
            rustix::fs::AtFlags::empty(),
        );
        fs::set_permissions(&file, Permissions::from_mode(0o4751)).unwrap();
        let attributed = setxattr(&file, "user.note", b"kept", XattrFlags::empty());
        let before = fs::metadata(&file).unwrap();
        host.write(&path("f"), "new".into(), put(guard)).await.unwrap();
        let after = fs::metadata(&file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(
            (after.mode(), after.uid(), after.gid()),
            (before.mode(), before.uid(), before.gid())
        );
        if owned.is_err() {
            println!("skipped: only root can give files away");
        }
        match attributed {
            Ok(()) => assert_eq!(attribute(&file, "user.note"), b"kept"),
            Err(_) => println!("skipped: this file system has no user attributes"),
        }
    }
}

#[tokio::test]
async fn a_new_file_obeys_the_mask_and_an_asked_for_mode() {
    let (dir, host) = yard();
    host.write(&path("plain"), "x".into(), put(Guard::Any)).await.unwrap();
    let plain = fs::metadata(dir.path().join("plain")).unwrap().mode() & 0o7777;
    fs::write(dir.path().join("witness"), "").unwrap();
    let witness = fs::metadata(dir.path().join("witness")).unwrap().mode() & 0o7777;
    assert_eq!(plain, witness);
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: Some(0o755) };
    host.write(&path("tool"), "x".into(), put).await.unwrap();
    assert_eq!(fs::metadata(dir.path().join("tool")).unwrap().mode() & 0o7777, 0o755);
}

#[tokio::test]
async fn a_write_through_a_link_changes_the_target_and_keeps_the_link() {
    let (dir, host) = yard();
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("d/real"), "old").unwrap();
    symlink("d/real", dir.path().join("link")).unwrap();
    symlink("d/made", dir.path().join("dangling")).unwrap();
    host.write(&path("link"), "new".into(), put(Guard::Any)).await.unwrap();
    host.write(&path("dangling"), "made".into(), put(Guard::Absent)).await.unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("d/real")).unwrap(), "new");
    assert_eq!(fs::read_to_string(dir.path().join("d/made")).unwrap(), "made");
    for link in ["link", "dangling"] {
        assert!(fs::symlink_metadata(dir.path().join(link)).unwrap().is_symlink());
    }
}

#[tokio::test]
async fn a_program_that_holds_a_lock_for_ever_does_not_hold_us() {
    let (dir, host) = yard();
    let file = dir.path().join("f");
    fs::write(&file, "old").unwrap();
    let held = fs::File::open(&file).unwrap();
    held.lock().unwrap();
    let written = host.write(&path("f"), "new".into(), put(Guard::Any)).await;
    assert_eq!(written.map_err(|error| error.code()), Err(Code::Conflict));
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    drop(held);
    host.write(&path("f"), "new".into(), put(Guard::Any)).await.unwrap();
}

#[tokio::test]
async fn a_refused_write_leaves_no_new_directories() {
    let dir = tempfile::tempdir().unwrap();
    let policy = Policy { quota: Some(10), ..Policy::open() };
    let host = Host::open(dir.path(), policy, Aliases::none()).unwrap();
    let big = host.write(&path("a/b/c"), vec![0; 11].into(), put(Guard::Any)).await;
    assert_eq!(big.map_err(|error| error.code()), Err(Code::QuotaExceeded));
    let stale = put(Guard::Unchanged(Version::of(b"")));
    let gone = host.write(&path("a/b/c"), "x".into(), stale).await;
    assert_eq!(gone.map_err(|error| error.code()), Err(Code::Conflict));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_quota_counts_what_others_write_and_what_is_freed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("theirs"), vec![0; 60]).unwrap();
    let policy = Policy { quota: Some(100), ..Policy::open() };
    let host = Host::open(dir.path(), policy, Aliases::none()).unwrap();
    host.write(&path("a"), vec![0; 40].into(), put(Guard::Any)).await.unwrap();
    let over = host.write(&path("b"), vec![0; 1].into(), put(Guard::Any)).await;
    assert_eq!(over.map_err(|error| error.code()), Err(Code::QuotaExceeded));
    host.write(&path("a"), vec![0; 30].into(), put(Guard::Any)).await.unwrap();
    host.write(&path("b"), vec![0; 10].into(), put(Guard::Any)).await.unwrap();
    host.remove(&path("theirs"), Depth::One).await.unwrap();
    host.write(&path("c"), vec![0; 60].into(), put(Guard::Any)).await.unwrap();
}

#[tokio::test]
async fn a_very_deep_tree_is_listed_and_removed_with_few_handles() {
    let (dir, host) = yard();
    let levels = 3000;
    let mut at = fs::File::open(dir.path()).unwrap().into();
    rustix::fs::mkdirat(&at, "deep", rustix::fs::Mode::RWXU).unwrap();
    for _ in 0..levels {
        let flags = rustix::fs::OFlags::DIRECTORY;
        let next = rustix::fs::openat(&at, "deep", flags, rustix::fs::Mode::empty()).unwrap();
        rustix::fs::mkdirat(&next, "deep", rustix::fs::Mode::RWXU).unwrap();
        at = next;
    }
    let removed = host.remove(&path("deep"), Depth::All).await.unwrap();
    assert_eq!(removed.count, levels + 1);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn pages_of_a_large_directory_fit_together() {
    let (dir, host) = yard();
    for index in 0..10_000 {
        fs::write(dir.path().join(format!("f{index:05}")), "").unwrap();
    }
    let mut names = Vec::new();
    for skip in (0..10_000).step_by(700) {
        let listing = host.list(&WsPath::root(), Page { skip, take: 700 }).await.unwrap();
        assert_eq!(listing.total, 10_000);
        names.extend(listing.entries.into_iter().map(|entry| entry.path.to_string()));
    }
    let wanted: Vec<String> = (0..10_000).map(|index| format!("f{index:05}")).collect();
    assert_eq!(names, wanted);
}

#[tokio::test]
async fn the_end_of_a_huge_file_is_read_without_the_rest() {
    let (dir, host) = yard();
    let file = fs::File::create(dir.path().join("huge")).unwrap();
    file.set_len(50 << 30).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"\none\ntwo\n", (50 << 30) - 9).unwrap();
    let span = Span::LastLines { take: 2, at_most: 1000 };
    let content = host.read(&path("huge"), span).await.unwrap();
    assert_eq!(&content.bytes[..], b"one\ntwo\n");
    let span = Span::Bytes { offset: 40 << 30, length: 4 };
    assert_eq!(&host.read(&path("huge"), span).await.unwrap().bytes[..], [0; 4]);
    let whole = host.read(&path("huge"), Span::Whole { at_most: 10 << 20 }).await;
    assert_eq!(whole.map_err(|error| error.code()), Err(Code::FileTooLarge));
}
