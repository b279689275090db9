//! Moves between devices: the workspace has another file system mounted in it.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests mount, plant files behind the backend's back and fail by panicking"
)]

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use garth_contract::{
    Aliases, Clobber, Code, Filesystem, Kind, Move, Parents, Policy, Renamed, WsPath,
};
use garth_host::Host;
use tempfile::TempDir;

/// A memory file system mounted in a workspace, unmounted when dropped.
struct Mounted {
    dir: TempDir,
    at: PathBuf,
}

impl Mounted {
    fn new() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("other");
        fs::create_dir(&at).unwrap();
        let done = Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&at).output().unwrap();
        if !done.status.success() {
            println!("skipped: only root can mount");
            return None;
        }
        Some(Self { dir, at })
    }

    fn host(&self) -> Host {
        Host::open(self.dir.path(), Policy::open(), Aliases::none()).unwrap()
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

fn how(clobber: Clobber) -> Move {
    Move { clobber, parents: Parents::Create }
}

#[tokio::test]
async fn a_file_moves_to_another_device_with_mode_and_time() {
    let Some(mounted) = Mounted::new() else { return };
    let (host, root) = (mounted.host(), mounted.root());
    fs::write(root.join("f"), "content").unwrap();
    fs::set_permissions(root.join("f"), Permissions::from_mode(0o751)).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    fs::File::open(root.join("f")).unwrap().set_modified(time).unwrap();
    let moved = host.rename(&path("f"), &path("other/d/f"), how(Clobber::Refuse)).await.unwrap();
    assert_eq!(moved, Renamed { kind: Kind::File, replaced: false });
    let there = fs::metadata(root.join("other/d/f")).unwrap();
    assert_eq!(there.mode() & 0o7777, 0o751);
    assert_eq!(there.modified().unwrap(), time);
    assert_eq!(fs::read_to_string(root.join("other/d/f")).unwrap(), "content");
    assert!(!root.join("f").exists());
}

#[tokio::test]
async fn a_tree_moves_to_another_device_with_its_links() {
    let Some(mounted) = Mounted::new() else { return };
    let (host, root) = (mounted.host(), mounted.root());
    fs::create_dir_all(root.join("t/a/b")).unwrap();
    fs::write(root.join("t/a/b/c"), "deep").unwrap();
    symlink("a/b/c", root.join("t/link")).unwrap();
    host.rename(&path("t"), &path("other/t"), how(Clobber::Refuse)).await.unwrap();
    assert_eq!(fs::read_to_string(root.join("other/t/link")).unwrap(), "deep");
    assert!(fs::symlink_metadata(root.join("other/t/link")).unwrap().is_symlink());
    assert!(!root.join("t").exists());
    assert_eq!(fs::read_dir(root.join("other")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_move_between_devices_refuses_or_replaces_like_any_other() {
    let Some(mounted) = Mounted::new() else { return };
    let (host, root) = (mounted.host(), mounted.root());
    fs::write(root.join("f"), "new").unwrap();
    fs::write(root.join("other/f"), "old").unwrap();
    let refused = host.rename(&path("f"), &path("other/f"), how(Clobber::Refuse)).await;
    assert_eq!(refused.map_err(|error| error.code()), Err(Code::DestinationExists));
    assert_eq!(fs::read_to_string(root.join("other/f")).unwrap(), "old");
    let moved = host.rename(&path("f"), &path("other/f"), how(Clobber::Replace)).await.unwrap();
    assert!(moved.replaced);
    assert_eq!(fs::read_to_string(root.join("other/f")).unwrap(), "new");
    assert!(!root.join("f").exists());
}

#[tokio::test]
async fn a_move_that_finds_no_room_leaves_the_source_whole() {
    let Some(mounted) = Mounted::new() else { return };
    let (host, root) = (mounted.host(), mounted.root());
    let small =
        Command::new("mount").args(["-o", "remount,size=64k", "none"]).arg(&mounted.at).status();
    assert!(small.unwrap().success());
    fs::create_dir(root.join("t")).unwrap();
    fs::write(root.join("t/small"), "x").unwrap();
    fs::write(root.join("t/large"), vec![7; 1 << 20]).unwrap();
    let full = host.rename(&path("t"), &path("other/t"), how(Clobber::Refuse)).await;
    assert_eq!(full.map_err(|error| error.code()), Err(Code::DiskFull));
    assert_eq!(fs::read(root.join("t/large")).unwrap(), vec![7; 1 << 20]);
    assert_eq!(fs::read_to_string(root.join("t/small")).unwrap(), "x");
    assert_eq!(fs::read_dir(root.join("other")).unwrap().count(), 0);
}
