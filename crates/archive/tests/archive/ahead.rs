//! How far ahead a tree is read, and by whom.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use garth_archive::{Format, Pack, pack};
use garth_contract::{Code, DynFilesystem, WsPath};
use tokio::{
    sync::Barrier,
    task::yield_now,
    time::{Instant, timeout},
};

use crate::{
    changing::{Act, moving},
    fixture::{FORMATS, memory, noise, packed_from, write},
};

const FILES: usize = 24;

/// Files that are a stretch each.
async fn stretches() -> Arc<dyn DynFilesystem> {
    let files = memory();
    for number in 0..FILES {
        write(&files, format!("{number:02}"), noise(300_000, number as u64)).await;
    }
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn stretches_that_have_to_wait_wait_together() {
    for format in FORMATS {
        let together = Arc::new(Barrier::new(4));
        let files = moving(stretches().await, move |_, _| Act::Waits(Arc::clone(&together)));
        let root = WsPath::root();
        let packing = packed_from(&files, &root, format);
        let packed = timeout(Duration::from_secs(60), packing).await;
        let (_, told) = packed.expect("four are read at once").unwrap();
        assert_eq!(told.files, FILES as u64);
    }
}

#[tokio::test]
async fn as_long_as_nobody_takes_it_only_so_much_is_read() {
    for (format, ahead) in [(Format::Tar, 6), (Format::Zip, 10)] {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let files = moving(stretches().await, move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Act::Nothing
        });
        let how = Pack { format, exclude: Vec::new(), sieve: None };
        let mut packing = pack(files, &WsPath::root(), &how).await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while reads.load(Ordering::Relaxed) < ahead {
            assert!(Instant::now() < deadline, "who walks reads, too");
            yield_now().await;
        }
        // Whoever would read more has a turn between any two of ours.
        for _ in 0..1_000 {
            yield_now().await;
        }
        assert_eq!(reads.load(Ordering::Relaxed), ahead);
        while let Some(bytes) = packing.next().await {
            bytes.unwrap();
        }
        assert_eq!(reads.load(Ordering::Relaxed), FILES);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backend_that_panics_ends_the_archive_with_an_error() {
    for format in FORMATS {
        let files = moving(stretches().await, |path, _| match path.as_bytes() {
            b"07" => panic!("as it is meant"),
            _ => Act::Nothing,
        });
        let error = packed_from(&files, &WsPath::root(), format).await.unwrap_err();
        assert_eq!(error.code(), Code::Internal);
    }
}
