//! A directory of this machine, mounted: the real source of most mounts.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::Arc,
    time::SystemTime,
};

use garth_contract::{Aliases, Code, Depth, Kind, Links, Policy};
use garth_host::Host;
use garth_memory::{Memory, Mount, Mounted};

use crate::fixture::{Ws, path};

/// A directory with a bit of everything in it.
fn project() -> tempfile::TempDir {
    let yard = tempfile::tempdir().unwrap();
    let root = yard.path().join("project");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir(root.join("empty")).unwrap();
    fs::write(yard.path().join("secret"), "outside").unwrap();
    fs::write(root.join("run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::write(root.join("src/deep/a.rs"), "fn main() {}\n").unwrap();
    fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    fs::write(root.join("debug.log"), "ignored files come too").unwrap();
    symlink("../deep/a.rs", root.join("src/up-and-down")).unwrap();
    symlink("src/deep", root.join("deep")).unwrap();
    symlink(root.join("run.sh"), root.join("absolute")).unwrap();
    symlink("deep/a.rs", root.join("through")).unwrap();
    symlink("../secret", root.join("out")).unwrap();
    symlink("/etc/passwd", root.join("far-out")).unwrap();
    yard
}

fn mounted(root: &Path) -> (Ws, Mounted) {
    let host = Host::open(root, Policy::open(), Aliases::none()).unwrap();
    let memory = Memory::new(Policy::open()).unwrap();
    let mount = Mount {
        at: path("w"),
        include: Vec::new(),
        exclude: Vec::new(),
        max_bytes: 1 << 20,
        max_file: 1 << 20,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mounted = runtime.block_on(memory.mount(Arc::new(host), &mount)).unwrap();
    (Ws(memory), mounted)
}

/// What every file and directory below a path is, and when it changed.
fn everything(dir: &Path) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let mut seen = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let meta = entry.path().symlink_metadata().unwrap();
        let content = if meta.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        seen.insert(entry.path().display().to_string(), (meta.modified().unwrap(), content));
        if meta.is_dir() {
            seen.append(&mut everything(&entry.path()));
        }
    }
    seen
}

#[test]
fn a_directory_comes_as_it_is_and_its_links_stay_links() {
    let yard = project();
    let (ws, mounted) = mounted(&yard.path().join("project"));
    assert_eq!((mounted.files, mounted.dirs, mounted.links), (4, 3, 4));
    assert_eq!(mounted.skipped.links, 2);
    for name in ["w/src/deep/a.rs", "w/deep/a.rs", "w/through", "w/src/up-and-down"] {
        assert_eq!(ws.read(name), Ok("fn main() {}\n".into()), "{name}");
    }
    assert_eq!(ws.read("w/absolute"), Ok("#!/bin/sh\n".into()));
    assert_eq!(ws.kind("w/deep"), Ok(Kind::Symlink));
    assert_eq!(ws.kind("w/out"), Err(Code::FileNotFound));
    let run = ws.stat("w/run.sh", Links::Keep).unwrap();
    let on_disk = fs::metadata(yard.path().join("project/run.sh")).unwrap();
    assert_eq!((run.mode, run.modified), (Some(0o750), Some(on_disk.modified().unwrap())));
}

#[test]
fn nothing_on_disk_changes() {
    let yard = project();
    let before = everything(yard.path());
    let (ws, _) = mounted(&yard.path().join("project"));
    ws.write("w/run.sh", "changed").unwrap();
    ws.write("w/through", "changed through a link").unwrap();
    ws.write("w/new", "new").unwrap();
    ws.remove("w/src", Depth::All).unwrap();
    assert_eq!(everything(yard.path()), before);
}
