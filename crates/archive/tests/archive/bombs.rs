//! Archives that hold more than they should: stopped within their bounds.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use garth_archive::{Bounds, Format, Restore, restore};
use garth_contract::{Code, Detail, Policy, Result, WsPath};

use crate::{
    craft::{Entry, Header, PLAIN, Tar, Zip, zst},
    fixture::{Yard, memory, names, open, plainly, restored},
    hostile_tar::refused_as,
};

fn bounded(format: Format, bounds: Bounds) -> Restore {
    Restore { bounds, ..plainly(format) }
}

/// The same tree in each format.
fn each(files: &[(String, Vec<u8>)]) -> [(Format, Vec<u8>); 3] {
    let tar = files.iter().fold(Tar::default(), |tar, (name, content)| tar.file(name, content));
    let zip = files
        .iter()
        .fold(Zip::default(), |zip, (name, content)| zip.put(&Entry::deflated(name, content)));
    let tar = tar.end();
    [(Format::TarZst, zst(&tar)), (Format::Tar, tar), (Format::Zip, zip.end())]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bound_holds_and_what_fits_is_restored() {
    let three: Vec<(String, Vec<u8>)> =
        (0..3).map(|number| (format!("d/{number}"), vec![b'x'; 1000])).collect();
    let usual = Bounds::usual();
    for (format, archive) in each(&three) {
        let length = archive.len() as u64;
        for (fits, bounds, code) in [
            (Bounds { bytes: 3000, ..usual }, Bounds { bytes: 2999, ..usual }, Code::QuotaExceeded),
            (Bounds { file: 1000, ..usual }, Bounds { file: 999, ..usual }, Code::FileTooLarge),
            (Bounds { entries: 3, ..usual }, Bounds { entries: 2, ..usual }, Code::QuotaExceeded),
            (Bounds { depth: 2, ..usual }, Bounds { depth: 1, ..usual }, Code::InvalidPath),
            (
                Bounds { archive: length, ..usual },
                Bounds { archive: length - 1, ..usual },
                Code::FileTooLarge,
            ),
        ] {
            let files = memory();
            restored(&files, "", archive.clone(), &bounded(format, fits)).await.unwrap();
            assert_eq!(names(&files).await, ["d", "d/0", "d/1", "d/2"]);
            refused_as(&archive, &bounded(format, bounds), code, &format!("{bounds:?}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn zeros_that_are_packed_a_thousandfold_are_stopped() {
    // 300 MB in a few hundred kilobytes.
    let zeros = vec![0; 300_000_000];
    let tar = Tar::default().file("zeros", &zeros).end();
    let zip = Zip::default().put(&Entry::deflated("zeros", &zeros)).end();
    drop(zeros);
    for (format, archive) in [(Format::TarZst, zst(&tar)), (Format::Zip, zip)] {
        assert!(archive.len() < 1_000_000);
        let files = memory();
        let error = restored(&files, "", archive, &plainly(format)).await.unwrap_err();
        assert_eq!(error.code(), Code::QuotaExceeded, "{error:?}");
        assert_eq!(names(&files).await, [""; 0]);
        let actual = error.details().iter().find_map(|detail| {
            if let Detail::Limit { actual, .. } = detail { Some(*actual) } else { None }
        });
        // Stopped soon after it was harmless, and not at its end.
        assert!(actual.unwrap() < 100_000_000, "{error:?}");
    }
}

/// An archive that never ends, and counts what was taken of it.
struct Endless {
    front: Bytes,
    again: Bytes,
    taken: Arc<AtomicU64>,
}

impl Stream for Endless {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let again = self.again.clone();
        let piece = std::mem::replace(&mut self.front, again);
        self.taken.fetch_add(piece.len() as u64, Ordering::Relaxed);
        Poll::Ready(Some(Ok(piece)))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_never_ends_is_stopped() {
    let entry = Tar::default().file("f", [b'x'; 65536]).0;
    let huge = Tar::default()
        .put(Header { size: Some(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"), ..PLAIN }, b"")
        .0;
    let nothing: Bytes = vec![0; 65536].into();
    let skip = [&[0x50, 0x2a, 0x4d, 0x18][..], &4096_u32.to_le_bytes(), &[0; 4096]].concat();
    for (format, front, again) in [
        (Format::Tar, entry.clone(), entry.clone().into()),
        (Format::Tar, huge, nothing.clone()),
        (Format::Tar, Tar::default().end(), nothing.clone()),
        (Format::Tar, Vec::new(), Tar::default().records(b'g', &[("comment", b"x")]).0.into()),
        (Format::TarZst, zst(&entry), zst(&[0; 65536]).into()),
        (Format::TarZst, skip.clone(), skip.into()),
        (Format::Zip, entry, nothing),
    ] {
        let taken = Arc::new(AtomicU64::new(0));
        let endless = Endless { front: front.into(), again, taken: Arc::clone(&taken) };
        let files = memory();
        let bounds = Bounds { archive: 8 << 20, bytes: 8 << 20, ..Bounds::usual() };
        let how = bounded(format, bounds);
        let root = WsPath::root();
        let told = restore(files.as_ref(), &root, Box::pin(endless), &how).await;
        assert!(told.is_err(), "{told:?}");
        assert_eq!(names(&files).await, [""; 0]);
        assert!(taken.load(Ordering::Relaxed) < 9 << 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_passed_over_counts_too() {
    // All of it is stripped away, and to unpack it would take for ever all the same.
    let tar = Tar::default().file("zeros", vec![0; 200_000_000]).end();
    let how = Restore { strip: 1, ..plainly(Format::TarZst) };
    let error = restored(&memory(), "", zst(&tar), &how).await.unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_of_hard_links_count() {
    let tar = Tar::default().file("f", vec![b'x'; 1 << 20]);
    let tar = (0..50).fold(tar, |tar, number| tar.hard_link(format!("h{number}"), "f")).end();
    let bounds = Bounds { bytes: 20 << 20, ..Bounds::usual() };
    refused_as(&tar, &bounded(Format::Tar, bounds), Code::QuotaExceeded, "hard links").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workspace_has_bounds_of_its_own() {
    let files: Vec<(String, Vec<u8>)> =
        (0..30).map(|number| (format!("f{number}"), vec![b'x'; 100_000])).collect();
    for (format, archive) in each(&files) {
        for (policy, code) in [
            (Policy { quota: Some(1_000_000), ..open() }, Code::QuotaExceeded),
            (Policy { max_file: 99_999, ..open() }, Code::FileTooLarge),
        ] {
            // A zip file is laid aside first, and may already be too large for that.
            let yard = Yard::new();
            let host = yard.host_under(policy);
            let before = yard.really();
            let error = restored(&host, "d", archive.clone(), &plainly(format)).await.unwrap_err();
            assert_eq!(error.code(), code, "{format:?}: {error:?}");
            assert_eq!(yard.really(), before);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_with_a_huge_window_is_refused() {
    use std::io::Write;
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.write_all(&Tar::default().file("f", "x").end()).unwrap();
    encoder.flush().unwrap();
    let packed = encoder.finish().unwrap();
    refused_as(&packed, &plainly(Format::TarZst), Code::InvalidParams, "a window of 256 MiB").await;
}
