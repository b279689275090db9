//! Good archives with bytes changed: restored or refused, and never half.

use std::sync::Arc;

use garth_archive::{Bounds, Format, Restore};
use garth_contract::{Code, DynFilesystem, Part};

use crate::fixture::{
    FORMATS, Yard, memory, names, noise, packed, path, plainly, plant, restored, stamp,
};

/// How many mutants of each archive are tried in memory, where that is quick, and
/// on the host.
const IN_MEMORY: u64 = 600;
const ON_HOST: u64 = 40;

async fn source() -> Arc<dyn DynFilesystem> {
    let source = memory();
    let mut parts = Vec::new();
    for (at, length) in [("a", 10), ("d/b", 700), ("d/e/c", 0), ("big", 5000)] {
        parts.push(Part::File { path: path(at), stamp: stamp(0o644, 5, 6) });
        parts.push(Part::Bytes(noise(length, 1).into()));
    }
    let long = "long name ".repeat(20);
    parts.push(Part::File { path: path(&long), stamp: stamp(0o644, 5, 6) });
    parts.push(Part::Link { path: path("link"), target: "a".into(), modified: None });
    plant(&source, parts).await;
    source
}

fn bounded(format: Format) -> Restore {
    let bounds = Bounds { bytes: 1 << 20, archive: 1 << 20, ..Bounds::usual() };
    Restore { bounds, ..plainly(format) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_archive_is_restored_or_refused_whole() {
    let source = source().await;
    for format in FORMATS {
        let archive = packed(&source, format).await;
        let mut refused = 0;
        for mutant in 0..IN_MEMORY {
            let files = memory();
            let told = restored(&files, "to", mutate(&archive, mutant), &bounded(format)).await;
            let names = names(&files).await;
            match told {
                Ok(_) => assert!(names.iter().all(|name| name.starts_with("to"))),
                Err(error) => {
                    assert_ne!(error.code(), Code::Internal, "{format:?} {mutant}: {error:?}");
                    assert_eq!(names, [""; 0], "{format:?} {mutant}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0, "{format:?}: nothing is ever refused");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_archive_leaves_what_is_outside_alone() {
    let source = source().await;
    let yard = Yard::new();
    let host = yard.host();
    let before = yard.really();
    for format in FORMATS {
        let archive = packed(&source, format).await;
        for mutant in 0..ON_HOST {
            let told = restored(&host, "to", mutate(&archive, mutant), &bounded(format)).await;
            let mut after = yard.really();
            if told.is_ok() {
                after.retain(|path, _| !path.starts_with(yard.root().join("to")));
                std::fs::remove_dir_all(yard.root().join("to")).unwrap();
            }
            assert_eq!(after, before, "{format:?} mutant {mutant}");
        }
    }
}

/// Changes, inserts, removes or repeats some bytes.
fn mutate(archive: &[u8], seed: u64) -> Vec<u8> {
    let dice = noise(64, seed + 1);
    let number = |at: usize| usize::from(dice[at]) << 8 | usize::from(dice[at + 1]);
    let mut changed = archive.to_vec();
    for round in 0..=number(0) % 3 {
        let at = number(2 + round * 8) * 7 % changed.len();
        let end = (at + 1 + number(4 + round * 8) % 64).min(changed.len());
        match number(6 + round * 8) % 4 {
            0 => changed[at] ^= dice[8 + round * 8] | 1,
            1 => changed[at] = b"\0/.\xff7"[number(8 + round * 8) % 5],
            2 => {
                let piece = changed[at..end].to_vec();
                changed.splice(at..at, piece);
            }
            _ => {
                changed.drain(at..end);
            }
        }
    }
    changed
}
