//! Work that is dropped in the middle leaves nothing.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_core::Stream;
use garth_archive::{Format, Pack, pack, restore};
use garth_contract::{Code, Error, Result, WsPath};

use crate::fixture::{FORMATS, Yard, memory, noise, packed, plainly, write};

/// An archive that stops coming after so many bytes, and never ends.
struct Stalled(Bytes);

impl Stream for Stalled {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.0.is_empty() {
            return Poll::Pending;
        }
        let size = self.0.len().min(10_000);
        Poll::Ready(Some(Ok(self.0.split_to(size))))
    }
}

/// An archive whose sender gives up.
struct Broken(Bytes);

impl Stream for Broken {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let bytes = std::mem::take(&mut self.0);
        if bytes.is_empty() {
            return Poll::Ready(Some(Err(Error::of(Code::Cancelled))));
        }
        Poll::Ready(Some(Ok(bytes)))
    }
}

/// Waits until the yard is what it was, as it must be soon.
async fn settles(yard: &Yard, before: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let count = walk(yard.dir.path());
        if count == before {
            return;
        }
        assert!(Instant::now() < deadline, "{count} entries are left, {before} were there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// How many entries there are; what goes away meanwhile does not count.
fn walk(dir: &std::path::Path) -> usize {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries.flatten().map(|entry| 1 + walk(&entry.path())).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_is_dropped_leaves_nothing() {
    let source = memory();
    for number in 0..40 {
        write(&source, format!("d{number}/f"), noise(60_000, number)).await;
    }
    let yard = Yard::new();
    let host = yard.host();
    write(&host, "there/f", "there").await;
    let before = walk(yard.dir.path());
    for format in FORMATS {
        let archive: Bytes = packed(&source, format).await.into();
        for part in 1..8 {
            let front = archive.slice(..archive.len() * part / 8);
            let (root, how) = (WsPath::root(), plainly(format));
            let work = restore(host.as_ref(), &root, Box::pin(Stalled(front)), &how);
            let dropped = tokio::time::timeout(Duration::from_millis(30 * part as u64), work).await;
            assert!(dropped.is_err(), "it cannot have ended");
            settles(&yard, before).await;
        }
    }
    assert_eq!(crate::fixture::read(&host, "there/f").await, "there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_whose_sender_gives_up_leaves_nothing() {
    let source = memory();
    write(&source, "d/f", noise(3_000_000, 1)).await;
    for format in FORMATS {
        let archive: Bytes = packed(&source, format).await.into();
        let yard = Yard::new();
        let host = yard.host();
        let before = yard.really();
        let broken = Broken(archive.slice(..archive.len() / 2));
        let (root, how) = (WsPath::root(), plainly(format));
        let error = restore(host.as_ref(), &root, Box::pin(broken), &how).await.unwrap_err();
        assert_eq!(error.code(), Code::Cancelled);
        assert_eq!(yard.really(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn packing_that_is_dropped_ends() {
    let files = memory();
    for number in 0..50 {
        write(&files, format!("d/{number}"), noise(300_000, number)).await;
    }
    for format in FORMATS {
        for taken in 0..4 {
            let how = Pack { format, exclude: Vec::new(), sieve: None };
            let mut packing = pack(Arc::clone(&files), &WsPath::root(), &how).await.unwrap();
            for _ in 0..taken {
                if let Some(bytes) = packing.next().await {
                    bytes.unwrap();
                }
            }
            drop(packing);
        }
    }
    // Whatever worked on it held the files; in the end nobody else does.
    let deadline = Instant::now() + Duration::from_secs(60);
    while Arc::strong_count(&files) > 1 {
        assert!(Instant::now() < deadline, "somebody still packs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn packing_that_nobody_takes_waits() {
    let files = memory();
    for number in 0..200 {
        write(&files, format!("d/{number}"), noise(300_000, number)).await;
    }
    let how = Pack { format: Format::Tar, exclude: Vec::new(), sieve: None };
    let mut packing = pack(Arc::clone(&files), &WsPath::root(), &how).await.unwrap();
    let mut length = 0;
    let mut pieces = 0;
    while let Some(bytes) = packing.next().await {
        length += bytes.unwrap().len();
        pieces += 1;
        if pieces % 16 == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    assert_eq!(packing.packed().unwrap().files, 200);
    assert!(length > 60_000_000);
    assert!(packing.next().await.is_none());
}
