//! Trees go out of a guest and into it as archives, with all that they are.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test sets its own scene"
)]

mod place;

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    sync::Arc,
};

use bytes::Bytes;
use garth_archive::{Bounds, Format, Incoming, Pack, Restore, Unfit, pack, restore};
use garth_contract::{Clobber, Code, DynFilesystem, Result, WsPath};
use place::{Place, path, soon};

/// What a tree holds: each path with its mode, its time, and its bytes or target.
fn looked(top: &Path) -> Vec<(String, u32, i64, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![top.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let here = entry.unwrap().path();
            let stat = fs::symlink_metadata(&here).unwrap();
            let content = if stat.is_dir() {
                open.push(here.clone());
                Vec::new()
            } else if stat.is_symlink() {
                fs::read_link(&here).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&here).unwrap()
            };
            let name = here.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            found.push((name, stat.permissions().mode() & 0o777, stat.mtime(), content));
        }
    }
    found.sort();
    found
}

fn how(format: Format) -> Restore {
    let (clobber, unfit) = (Clobber::Refuse, Unfit::Refuse);
    Restore { format, clobber, strip: 0, unfit, bounds: Bounds::usual() }
}

async fn packed(files: &Arc<dyn DynFilesystem>, from: &WsPath, format: Format) -> Vec<Bytes> {
    let how = Pack { format, exclude: Vec::new(), sieve: None };
    let mut packing = soon(pack(Arc::clone(files), from, &how)).await.unwrap();
    let mut pieces = Vec::new();
    while let Some(piece) = soon(packing.next()).await {
        pieces.push(piece.unwrap());
    }
    assert_eq!(packing.packed().unwrap().mishaps, []);
    pieces
}

fn incoming(pieces: Vec<Bytes>) -> Incoming {
    Box::pin(futures::stream::iter(pieces.into_iter().map(Result::Ok)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_goes_out_and_comes_back_as_it_was() {
    let place = Place::new();
    let tree = place.root().join("tree");
    fs::create_dir_all(tree.join("d/empty")).unwrap();
    fs::write(tree.join("d/f"), "text").unwrap();
    // More than one message holds, or one piece of an archive.
    let large: Vec<u8> = (0..500_000_u32).flat_map(|n| (n % 251).to_le_bytes()).collect();
    fs::write(tree.join("large"), large).unwrap();
    fs::set_permissions(tree.join("d/f"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("../large", tree.join("d/link")).unwrap();
    for number in 0..60 {
        fs::write(tree.join(format!("many{number}")), number.to_string()).unwrap();
    }
    let before = looked(&tree);
    let files: Arc<dyn DynFilesystem> = Arc::new(place.child(&[]).await);
    for (number, format) in [Format::Tar, Format::TarZst, Format::Zip].into_iter().enumerate() {
        let archive = packed(&files, &path("tree"), format).await;
        let to = path(&format!("copies/{number}"));
        let here = place.root().join(format!("copies/{number}"));
        let how = how(format);
        let told = soon(restore(&*files, &to, incoming(archive.clone()), &how)).await;
        assert_eq!(told.unwrap().files, 62);
        assert!(looked(&here) == before, "{format:?}");
        // Once more it finds itself there, and nothing is changed.
        let again = soon(restore(&*files, &to, incoming(archive), &how)).await;
        assert_eq!(again.unwrap_err().code(), Code::DestinationExists);
        assert!(looked(&here) == before, "{format:?}");
    }
    let all = place.names();
    assert_eq!(all, ["copies", "tree"], "no temporary file is left");
}
