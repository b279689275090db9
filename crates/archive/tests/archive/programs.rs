//! Archives beside other programs: `tar`, `zstd`, `zip`, `unzip` and Python.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
};

use garth_archive::{Format, Restore, Unfit};
use garth_contract::{Aliases, DynFilesystem, Kind, Part, Policy};

use crate::fixture::{
    Yard, memory, noise, packed, path, plainly, plant, read, restored, stamp, tree, write,
};

/// Runs a program; `None` says that it is not installed.
fn run(dir: &Path, program: &str, arguments: &[&str]) -> Option<Output> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::null())
        .env("LC_ALL", "C.UTF-8")
        .output();
    match output {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: {program} is not installed");
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}

/// Runs a program that must do well.
fn done(dir: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = run(dir, program, arguments)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    assert_eq!(said, "", "{program} {arguments:?} complains");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A tree that every program can hold.
async fn plant_plain(files: &Arc<dyn DynFilesystem>) {
    let long = "a long name that goes on/".repeat(12);
    let mut parts = Vec::new();
    for (at, content, mode) in [
        ("plain.txt", b"plain\n".to_vec(), 0o644),
        ("run.sh", b"#!/bin/sh\n".to_vec(), 0o755),
        ("nothing", Vec::new(), 0o600),
        ("ünï→ 名", b"text".to_vec(), 0o640),
        ("zeros", vec![0; 3_000_000], 0o644),
        ("noise", noise(2_500_000, 1), 0o644),
        (&format!("{long}f"), b"deep".to_vec(), 0o644),
    ] {
        parts.push(Part::File { path: path(at), stamp: stamp(mode, 1_600_000_001, 500_000_000) });
        parts.push(Part::Bytes(content.into()));
    }
    parts.push(Part::Dir { path: path("empty"), stamp: stamp(0o750, 1_500_000_000, 0) });
    let modified = stamp(0, 1_400_000_000, 0).modified;
    parts.push(Part::Link { path: path("link"), target: "plain.txt".into(), modified });
    let target = "a long way/".repeat(20).into_bytes().into();
    parts.push(Part::Link { path: path("long link"), target, modified });
    plant(files, parts).await;
}

/// Holds an unpacked tree against the one that was packed.
async fn same_as_packed(dir: &Path, files: &Arc<dyn DynFilesystem>) {
    let packed = tree(files, "").await;
    let mut count = 0;
    for (name, thing) in &packed {
        let at = dir.join(name);
        let found = fs::symlink_metadata(&at).unwrap_or_else(|_| panic!("{name} is missing"));
        count += 1;
        match thing.kind {
            Kind::Symlink => {
                let target = fs::read_link(&at).unwrap();
                assert_eq!(target.to_str().unwrap().as_bytes(), thing.content, "{name}");
                continue;
            }
            Kind::Dir => assert!(found.is_dir(), "{name}"),
            Kind::File | Kind::Fifo | Kind::Socket | Kind::Device => {
                assert_eq!(fs::read(&at).unwrap(), thing.content, "{name}");
            }
        }
        assert_eq!(found.permissions().mode() & 0o777, thing.mode.unwrap(), "{name}");
        let since = thing.modified.unwrap().duration_since(std::time::SystemTime::UNIX_EPOCH);
        assert_eq!(u64::try_from(found.mtime()), Ok(since.unwrap().as_secs()), "{name}");
    }
    assert_eq!(count, packed.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn tar_reads_what_is_packed() {
    let files = memory();
    plant_plain(&files).await;
    for format in [Format::Tar, Format::TarZst] {
        let dir = tempfile::tempdir().unwrap();
        let name = format!("archive.{}", format.extension());
        fs::write(dir.path().join(&name), packed(&files, format).await).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        let tar = match format {
            Format::TarZst => {
                let Some(_) = done(dir.path(), "zstd", &["-q", "-d", &name, "-o", "plain.tar"])
                else {
                    return;
                };
                "plain.tar"
            }
            Format::Tar | Format::Zip => &name,
        };
        let Some(listed) = done(dir.path(), "tar", &["-tf", tar]) else { return };
        assert_eq!(listed.lines().count(), tree(&files, "").await.len());
        done(dir.path(), "tar", &["-xpf", tar, "-C", "out", "--no-same-owner"]).unwrap();
        same_as_packed(&dir.path().join("out"), &files).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tar_reads_names_that_are_no_text() {
    let files = memory();
    let names = [b"short \xff".to_vec(), [b"d/\xfe".as_slice(), &[b'x'; 180]].concat()];
    for name in &names {
        write(&files, name, "x").await;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.tar"), packed(&files, Format::Tar).await).unwrap();
    let Some(_) = done(dir.path(), "tar", &["-xf", "a.tar", "--no-same-owner"]) else { return };
    for name in &names {
        let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(name);
        assert_eq!(fs::read(dir.path().join(name)).unwrap(), b"x");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unzip_reads_what_is_packed() {
    let files = memory();
    plant_plain(&files).await;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.zip"), packed(&files, Format::Zip).await).unwrap();
    let Some(tested) = done(dir.path(), "unzip", &["-tq", "a.zip"]) else { return };
    assert!(tested.starts_with("No errors detected"), "{tested}");
    done(dir.path(), "unzip", &["-q", "a.zip", "-d", "out"]).unwrap();
    same_as_packed(&dir.path().join("out"), &files).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn python_reads_what_is_packed() {
    let files = memory();
    plant_plain(&files).await;
    let dir = tempfile::tempdir().unwrap();
    for format in [Format::Tar, Format::Zip] {
        let name = format!("a.{}", format.extension());
        fs::write(dir.path().join(name), packed(&files, format).await).unwrap();
    }
    let script = "
import tarfile, zipfile
with tarfile.open('a.tar') as tar:
    tar.extractall('tar', filter='tar') if hasattr(tarfile, 'tar_filter') else tar.extractall('tar')
with zipfile.ZipFile('a.zip') as zip:
    assert zip.testzip() is None
    print(len(zip.namelist()), zip.read('noise')[:4].hex(), zip.getinfo('run.sh').external_attr >> 16)
";
    let Some(said) = done(dir.path(), "python3", &["-c", script]) else { return };
    let front: String = noise(4, 1).iter().map(|byte| format!("{byte:02x}")).collect();
    let count = tree(&files, "").await.len();
    assert_eq!(said.trim(), format!("{count} {front} {}", 0o100_755));
    same_as_packed(&dir.path().join("tar"), &files).await;
}

/// A plain tree on the disk for other programs to pack.
fn plain_tree(dir: &Path) {
    let top = dir.join("tree");
    fs::create_dir_all(top.join("d/e")).unwrap();
    fs::create_dir(top.join("empty")).unwrap();
    let long = top.join("a long name that goes on/".repeat(8));
    fs::create_dir_all(&long).unwrap();
    fs::write(long.join("x".repeat(120)), "deep").unwrap();
    fs::write(top.join("plain.txt"), "plain\n").unwrap();
    fs::write(top.join("ünï→ 名"), "text").unwrap();
    fs::write(top.join("d/nothing"), "").unwrap();
    fs::write(top.join("d/e/zeros"), vec![0; 700_000]).unwrap();
    fs::write(top.join("d/noise"), noise(1_300_000, 7)).unwrap();
    fs::write(top.join("run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(top.join("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    symlink("plain.txt", top.join("link")).unwrap();
    symlink("../d/noise", top.join("d/up")).unwrap();
}

/// Restores what another program made, and holds it against the tree.
async fn restores(dir: &Path, name: &str, format: Format) {
    let archive = fs::read(dir.join(name)).unwrap();
    let yard = Yard::new();
    for files in [yard.host(), memory()] {
        let how = Restore { strip: 1, ..plainly(format) };
        restored(&files, "to", archive.clone(), &how)
            .await
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let restored = tree(&files, "to").await;
        let real = garth_host::Host::open(&dir.join("tree"), Policy::open(), Aliases::none());
        let real: Arc<dyn DynFilesystem> = Arc::new(real.unwrap());
        let real = tree(&real, "").await;
        assert_eq!(restored.keys().collect::<Vec<_>>(), real.keys().collect::<Vec<_>>(), "{name}");
        for (path, thing) in &real {
            assert_eq!(restored[path].content, thing.content, "{name}: {path}");
            assert_eq!(restored[path].kind, thing.kind, "{name}: {path}");
            if thing.kind == Kind::File {
                assert_eq!(restored[path].mode, thing.mode, "{name}: {path}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_tar_packs_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    plain_tree(dir.path());
    for form in ["gnu", "oldgnu", "pax", "posix"] {
        let name = format!("{form}.tar");
        let form = format!("--format={form}");
        let Some(_) = done(dir.path(), "tar", &["-cf", &name, &form, "tree"]) else { return };
        restores(dir.path(), &name, Format::Tar).await;
    }
    let Some(_) = done(dir.path(), "zstd", &["-q", "gnu.tar"]) else { return };
    restores(dir.path(), "gnu.tar.zst", Format::TarZst).await;
    done(dir.path(), "zstd", &["-q", "-19", "-f", "gnu.tar"]).unwrap();
    restores(dir.path(), "gnu.tar.zst", Format::TarZst).await;
    // The old form holds short names only.
    fs::create_dir(dir.path().join("old")).unwrap();
    fs::rename(dir.path().join("tree/d"), dir.path().join("old/d")).unwrap();
    for form in ["v7", "ustar"] {
        let form = format!("--format={form}");
        done(dir.path(), "tar", &["-cf", "old.tar", &form, "old"]).unwrap();
        let files = memory();
        let archive = fs::read(dir.path().join("old.tar")).unwrap();
        restored(&files, "", archive, &plainly(Format::Tar)).await.unwrap();
        assert_eq!(read(&files, "old/d/noise").await, noise(1_300_000, 7));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hard_links_and_pipes_of_tar_are_restored_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tree")).unwrap();
    fs::write(dir.path().join("tree/a"), "content").unwrap();
    fs::hard_link(dir.path().join("tree/a"), dir.path().join("tree/b")).unwrap();
    let Some(_) = done(dir.path(), "mkfifo", &["tree/pipe"]) else { return };
    let Some(_) = done(dir.path(), "tar", &["-cf", "a.tar", "tree"]) else { return };
    let archive = fs::read(dir.path().join("a.tar")).unwrap();
    let files = memory();
    let how = plainly(Format::Tar);
    restored(&files, "", archive.clone(), &how).await.unwrap_err();
    let how = Restore { unfit: Unfit::LeaveOut, ..how };
    let told = restored(&files, "", archive, &how).await.unwrap();
    assert_eq!((told.files, told.left_out), (2, 1));
    assert_eq!(read(&files, "tree/b").await, "content");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_zip_packs_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    plain_tree(dir.path());
    let Some(_) = done(dir.path(), "zip", &["-qry", "a.zip", "tree"]) else { return };
    restores(dir.path(), "a.zip", Format::Zip).await;
    done(dir.path(), "zip", &["-qry0", "stored.zip", "tree"]).unwrap();
    restores(dir.path(), "stored.zip", Format::Zip).await;
    // To a pipe, with sizes behind the contents; it cannot write links there.
    let piped = Command::new("sh")
        .args(["-c", "zip -qr - tree -x tree/link tree/d/up | cat > piped.zip"])
        .current_dir(dir.path())
        .status();
    assert!(piped.unwrap().success());
    let files = memory();
    let archive = fs::read(dir.path().join("piped.zip")).unwrap();
    restored(&files, "", archive, &plainly(Format::Zip)).await.unwrap();
    assert_eq!(read(&files, "tree/d/noise").await, noise(1_300_000, 7));
    assert_eq!(read(&files, "tree/d/e/zeros").await, vec![0; 700_000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_python_packs_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    plain_tree(dir.path());
    let script = "
import tarfile, zipfile, os, sys
for form, name in [(tarfile.PAX_FORMAT, 'pax.tar'), (tarfile.GNU_FORMAT, 'gnu.tar')]:
    with tarfile.open(name, 'w', format=form) as tar:
        tar.add('tree')
class Pipe:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
for name, wrap in [('plain.zip', lambda f: f), ('piped.zip', Pipe)]:
    with open(name, 'wb') as file, zipfile.ZipFile(wrap(file), 'w', zipfile.ZIP_DEFLATED) as zip:
        for top, dirs, files in os.walk('tree'):
            for entry in sorted(dirs + files):
                path = os.path.join(top, entry)
                if os.path.islink(path):
                    info = zipfile.ZipInfo(path)
                    info.create_system, info.external_attr = 3, 0o120777 << 16
                    zip.writestr(info, os.readlink(path))
                else:
                    zip.write(path)
";
    let Some(_) = done(dir.path(), "python3", &["-c", script]) else { return };
    restores(dir.path(), "pax.tar", Format::Tar).await;
    restores(dir.path(), "gnu.tar", Format::Tar).await;
    restores(dir.path(), "plain.zip", Format::Zip).await;
    restores(dir.path(), "piped.zip", Format::Zip).await;
}
