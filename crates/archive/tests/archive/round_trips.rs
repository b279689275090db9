//! What is packed and restored is what it was: on every backend, in every format.

use std::{sync::Arc, time::SystemTime};

use garth_archive::Format;
use garth_contract::{DynFilesystem, Part, WsPath};
use garth_roots::Roots;

use crate::fixture::{
    FORMATS, Thing, Yard, memory, noise, packed, path, plainly, plant, restored, stamp, tree,
};

/// One of everything that an archive can keep.
async fn plant_all(files: &Arc<dyn DynFilesystem>) {
    let long = "long name ".repeat(25);
    let deep = "directory of a deep path/".repeat(40);
    let mut parts = Vec::new();
    let mut file = |at: &[u8], content: Vec<u8>, mode, seconds, nanos| {
        parts.push(Part::File { path: path(at), stamp: stamp(mode, seconds, nanos) });
        parts.extend(content.chunks(100_000).map(|piece| Part::Bytes(piece.to_vec().into())));
    };
    file(b"plain.txt", b"plain\n".to_vec(), 0o644, 1_600_000_000, 0);
    file(b"nothing", Vec::new(), 0o600, 1_600_000_001, 123_456_789);
    file(b"run.sh", b"#!/bin/sh\n".to_vec(), 0o755, 2, 0);
    file(b"no rights", b"x".to_vec(), 0o200, 1_700_000_000, 5);
    file(b"old", b"x".to_vec(), 0o444, 0, 0);
    file(b"future", b"x".to_vec(), 0o444, 4_000_000_001, 1);
    file(long.as_bytes(), b"long".to_vec(), 0o640, 1_500_000_000, 10);
    file(format!("{deep}f").as_bytes(), b"deep".to_vec(), 0o644, 1_400_000_000, 0);
    file("ünï→ 名".as_bytes(), b"text".to_vec(), 0o644, 1_300_000_000, 0);
    file(b"not \xff text \xe9", b"odd".to_vec(), 0o644, 1_300_000_000, 0);
    file(&[b"d/".as_slice(), &[b'\xfe'; 200]].concat(), b"odd".to_vec(), 0o644, 3, 0);
    file(b"new\nline\ttab \x1b[1m", b"odd".to_vec(), 0o644, 1_300_000_000, 0);
    file(br"back\slash:C:\x", b"odd".to_vec(), 0o644, 1_300_000_000, 0);
    file(b" spaces and -dash ", b"odd".to_vec(), 0o644, 1_300_000_000, 0);
    file(b"zeros", vec![0; 3_000_000], 0o644, 1_200_000_000, 0);
    file(b"noise", noise(2_500_001, 1), 0o644, 1_200_000_000, 999_999_999);
    file(b"block", noise(512, 2), 0o644, 1_200_000_000, 0);
    file(b"just small", noise(256 << 10, 3), 0o644, 1_200_000_000, 0);
    file(b"just large", noise((256 << 10) + 1, 4), 0o644, 1_200_000_000, 0);
    file(b"whole parts", noise(2 << 20, 5), 0o644, 1_200_000_000, 0);
    for number in 0..300 {
        let at = format!("many/{number}/f");
        file(at.as_bytes(), noise(number * 7, number as u64), 0o644, 1_000_000_000, 0);
    }
    for (at, mode) in [("empty", 0o755), ("closed", 0o500), ("d/e/m/p/t/y", 0o700)] {
        parts.push(Part::Dir { path: path(at), stamp: stamp(mode, 1_100_000_000, 42) });
    }
    let modified = stamp(0, 1_234_567_890, 0).modified;
    for (at, target) in [
        ("link", "plain.txt"),
        ("dangling", "not/there"),
        ("d/up", "../plain.txt"),
        ("self", "self"),
        ("to a directory", "d"),
        ("long link", &"a long way/".repeat(30)),
    ] {
        let target = target.as_bytes().to_vec().into();
        parts.push(Part::Link { path: path(at), target, modified });
    }
    let odd = b"caf\xe9/".repeat(40).into();
    parts.push(Part::Link { path: path("odd link"), target: odd, modified });
    plant(files, parts).await;
}

/// A tree as a format can keep it: a zip file knows whole seconds only, and of 2038
/// and later every other one.
fn kept(format: Format, thing: &Thing) -> Thing {
    let mut thing = thing.clone();
    if format == Format::Zip {
        thing.modified = thing.modified.map(|time| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
            let since = if since > 1 << 31 { since / 2 * 2 } else { since };
            SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(since)
        });
    }
    thing
}

async fn round_trip(from: Arc<dyn DynFilesystem>, to: Arc<dyn DynFilesystem>) {
    plant_all(&from).await;
    let before = tree(&from, "").await;
    for format in FORMATS {
        let archive = packed(&from, format).await;
        let at = format!("restored/{}", format.extension());
        let told = restored(&to, &at, archive, &plainly(format)).await.unwrap();
        assert_eq!((told.left_out, told.replaced), (0, 0));
        let after = tree(&to, &at).await;
        assert_eq!(
            after.keys().collect::<Vec<_>>(),
            before.keys().collect::<Vec<_>>(),
            "{format:?}"
        );
        for (name, thing) in &before {
            assert_eq!(after[name], kept(format, thing), "{name} by {format:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_host_to_host() {
    let (one, other) = (Yard::new(), Yard::new());
    round_trip(one.host(), other.host()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_memory_to_memory() {
    round_trip(memory(), memory()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_memory_to_host() {
    let yard = Yard::new();
    round_trip(memory(), yard.host()).await;
}

#[tokio::test]
async fn on_one_thread_from_host_to_memory() {
    let yard = Yard::new();
    round_trip(yard.host(), memory()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_one_root_to_another() {
    let yard = Yard::new();
    let roots = Roots::new(vec![(b"host".to_vec(), yard.host()), (b"ram".to_vec(), memory())]);
    let roots: Arc<dyn DynFilesystem> = Arc::new(roots.unwrap());
    let within = Part::File { path: path("d/f"), stamp: stamp(0o640, 5, 6) };
    let mut stage = roots.stage(&path("ram")).await.unwrap();
    stage.add(vec![within]).await.unwrap();
    stage.land(garth_contract::Clobber::Refuse).await.unwrap();
    for format in [Format::Tar, Format::TarZst] {
        // All roots at once, as the tree that they are.
        let archive = packed(&roots, format).await;
        let at = format!("host/{}", format.extension());
        restored(&roots, &at, archive, &plainly(format)).await.unwrap();
        let after = tree(&roots, &format!("{at}/ram")).await;
        assert_eq!(after, tree(&roots, "ram").await);
    }
}

#[tokio::test]
async fn nothing_at_all_round_trips() {
    for format in FORMATS {
        let archive = packed(&memory(), format).await;
        assert_eq!(Format::of(&archive), Some(format));
        let to = memory();
        restored(&to, "new/dir", archive, &plainly(format)).await.unwrap();
        assert_eq!(tree(&to, "").await.into_keys().collect::<Vec<_>>(), ["new", "new/dir"]);
    }
}

#[tokio::test]
async fn one_file_is_packed_by_its_own_name() {
    for size in [5, 1_000_000] {
        let files = memory();
        let content = noise(size, 9);
        crate::fixture::write(&files, "a/b/f.bin", &content).await;
        for format in FORMATS {
            let (archive, told) =
                crate::fixture::packed_from(&files, &path("a/b/f.bin"), format).await.unwrap();
            assert_eq!((told.files, told.dirs, told.bytes), (1, 0, size as u64));
            let to = memory();
            restored(&to, "", archive, &plainly(format)).await.unwrap();
            assert_eq!(crate::fixture::read(&to, "f.bin").await, content);
        }
    }
}

#[tokio::test]
async fn an_archive_may_come_in_pieces_of_any_size() {
    let files = memory();
    crate::fixture::write(&files, "d/f", noise(5000, 1)).await;
    crate::fixture::write(&files, "d/long".to_owned() + &"x".repeat(200), "y").await;
    for format in FORMATS {
        let archive: bytes::Bytes = packed(&files, format).await.into();
        for size in [1, 7, 511, 512, 513, 1 << 20] {
            let to = memory();
            let pieces = crate::fixture::Pieces { bytes: archive.clone(), size };
            let (top, how) = (WsPath::root(), plainly(format));
            let told = garth_archive::restore(to.as_ref(), &top, Box::pin(pieces), &how).await;
            assert_eq!(told.unwrap().files, 2);
            assert_eq!(tree(&to, "").await.len(), 3);
        }
    }
}

#[tokio::test]
async fn a_time_before_or_long_after_all_others_round_trips() {
    let files = memory();
    let epoch = SystemTime::UNIX_EPOCH;
    let length = std::time::Duration::new(20_000_000_000, 1);
    for (name, modified) in [("late", epoch + length), ("early", epoch - length)] {
        let stamp = garth_contract::Stamp { mode: None, modified: Some(modified) };
        plant(&files, vec![Part::File { path: path(name), stamp }]).await;
    }
    let archive = packed(&files, Format::Tar).await;
    restored(&files, "again", archive, &plainly(Format::Tar)).await.unwrap();
    let again = tree(&files, "again").await;
    assert_eq!(again["late"].modified, Some(epoch + length));
    assert_eq!(again["early"].modified, Some(epoch - length));
}
