//! What goes into an archive, and what does not.

use std::{os::unix::net::UnixListener, sync::Arc};

use garth_archive::{Format, Pack, Packed, pack};
use garth_contract::{Code, DynFilesystem, Policy, WsPath};

use crate::fixture::{
    FORMATS, Yard, memory, names, open, packed, packed_from, path, plainly, restored, tree, write,
};

async fn excluding(files: &Arc<dyn DynFilesystem>, from: &str, globs: &[&str]) -> Vec<String> {
    let exclude = globs.iter().map(|glob| (*glob).to_owned()).collect();
    let how = Pack { format: Format::Tar, exclude, sieve: None };
    let mut packing = pack(Arc::clone(files), &path(from), &how).await.unwrap();
    let mut archive = Vec::new();
    while let Some(bytes) = packing.next().await {
        archive.extend_from_slice(&bytes.unwrap());
    }
    let to = memory();
    restored(&to, "", archive, &plainly(Format::Tar)).await.unwrap();
    names(&to).await
}

#[tokio::test]
async fn globs_leave_out_files_and_whole_directories() {
    let files = memory();
    for name in ["a.log", "d/b.log", "d/c.txt", "target/x/y", "d/target/z", "src/main.rs"] {
        write(&files, name, "x").await;
    }
    let all = excluding(&files, "", &[]).await;
    assert_eq!(all.len(), 11);
    let without = excluding(&files, "", &["*.log", "target"]).await;
    assert_eq!(without, ["d", "d/c.txt", "src", "src/main.rs"]);
    let without = excluding(&files, "", &["d/target", "/src/**"]).await;
    assert!(!without.contains(&"d/target/z".to_owned()), "{without:?}");
    // With a slash, from the directory that is packed.
    assert_eq!(excluding(&files, "d", &["target/z"]).await, ["b.log", "c.txt", "target"]);
    let how = Pack { format: Format::Tar, exclude: vec!["[".into()], sieve: None };
    let error = pack(files, &WsPath::root(), &how).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidPattern);
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_special_and_temporary_files_are_left_out() {
    let yard = Yard::new();
    let root = yard.root();
    write(&yard.host(), "d/f", "x").await;
    write(&yard.host(), "d/.env", "SECRET").await;
    write(&yard.host(), ".garth-0123456789abcdef.tmp", "ours").await;
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let fifo = rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o666),
        0,
    );
    fifo.unwrap();
    let host = yard.host_under(Policy { deny: vec![".env".into()], ..open() });
    for format in FORMATS {
        let (archive, told) = packed_from(&host, &WsPath::root(), format).await.unwrap();
        let want = Packed { files: 1, dirs: 1, bytes: 1, special: 2, ..Packed::default() };
        assert_eq!(told, want);
        assert!(!archive.windows(6).any(|window| window == b"SECRET"));
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        assert_eq!(names(&to).await, ["d", "d/f"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_file_in_memory_is_left_out_too() {
    let files = memory();
    write(&files, "f", "x").await;
    write(&files, ".garth-0123456789abcdef.tmp/f", "ours").await;
    let archive = packed(&files, Format::Tar).await;
    let to = memory();
    restored(&to, "", archive, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(names(&to).await, ["f"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_kept_and_never_followed() {
    let yard = Yard::new();
    let host = yard.host();
    write(&host, "real/f", "x").await;
    for (target, at) in [("../beyond", "out"), ("real", "in"), ("../beyond/secret", "file")] {
        std::os::unix::fs::symlink(target, yard.root().join(at)).unwrap();
    }
    let absolute = yard.root().join("real/f");
    std::os::unix::fs::symlink(&absolute, yard.root().join("real/absolute")).unwrap();
    for format in [Format::Tar, Format::Zip] {
        let (archive, told) = packed_from(&host, &WsPath::root(), format).await.unwrap();
        assert_eq!((told.links, told.files, told.dirs), (4, 1, 1));
        assert!(!archive.windows(6).any(|window| window == b"secret\n"));
        let host_path = yard.dir.path().to_str().unwrap().as_bytes().to_vec();
        assert!(!archive.windows(host_path.len()).any(|window| window == host_path));
        let how =
            garth_archive::Restore { unfit: garth_archive::Unfit::LeaveOut, ..plainly(format) };
        let to = memory();
        let told = restored(&to, "", archive, &how).await.unwrap();
        assert_eq!((told.links, told.left_out), (2, 2));
        assert_eq!(tree(&to, "").await["real/absolute"].content, "../real/f");
        assert_eq!(crate::fixture::read(&to, "real/absolute").await, "x");
    }
    // The tree that is packed may itself be named by a link.
    let (archive, _) = packed_from(&host, &path("in"), Format::Tar).await.unwrap();
    let to = memory();
    restored(&to, "real", archive, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(names(&to).await, ["real", "real/absolute", "real/f"]);
    let error = packed_from(&host, &path("out"), Format::Tar).await.unwrap_err();
    assert_eq!(error.code(), Code::PathOutsideWorkspace);
}

#[tokio::test]
async fn what_is_not_there_cannot_be_packed() {
    let error = packed_from(&memory(), &path("none"), Format::Tar).await.unwrap_err();
    assert_eq!(error.code(), Code::FileNotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_directory_is_packed_page_by_page() {
    let files = memory();
    let mut parts = Vec::new();
    for number in 0..25_000 {
        let stamp = garth_contract::Stamp { mode: None, modified: None };
        parts.push(garth_contract::Part::File { path: path(format!("d/{number}")), stamp });
    }
    crate::fixture::plant(&files, parts).await;
    let (archive, told) = packed_from(&files, &WsPath::root(), Format::TarZst).await.unwrap();
    assert_eq!((told.files, told.dirs), (25_000, 1));
    let to = memory();
    let told = restored(&to, "", archive, &plainly(Format::TarZst)).await.unwrap();
    assert_eq!(told.files, 25_000);
}

#[test]
fn an_archive_in_the_making_may_go_to_any_thread() {
    fn goes<T: Send + Sync + Unpin + 'static>() {}
    goes::<garth_archive::Packing>();
}
