//! Files that pass through a sieve: none goes round it, and what it did is counted.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use garth_archive::{Format, MOST_SIFTED, Mishap, Pack, Packed, Sieve, Sifted, What};
use garth_contract::{DynFilesystem, WsPath};

use crate::fixture::{FORMATS, memory, packed_as, path, plainly, read, restored, tree, write};

const SECRET: &[u8] = b"hunter2";
const SHOWN: &[u8] = b"[hidden away]";

/// Hides a word in text, and all of what says that it is private.
#[derive(Debug)]
struct Hide;

impl Sieve for Hide {
    fn covers(&self, path: &WsPath, begins: &[u8]) -> bool {
        path.name() != Some(b"open.txt") && !begins.contains(&0)
    }

    fn sift(&self, _: &WsPath, content: &Bytes) -> Sifted {
        if content.starts_with(b"private") {
            return Sifted::Nothing;
        }
        let mut shown = Vec::new();
        let mut rest = &content[..];
        while let Some(at) = rest.windows(SECRET.len()).position(|word| word == SECRET) {
            shown.extend_from_slice(&rest[..at]);
            shown.extend_from_slice(SHOWN);
            rest = &rest[at + SECRET.len()..];
        }
        if rest.len() == content.len() {
            return Sifted::Same;
        }
        shown.extend_from_slice(rest);
        Sifted::Instead(shown.into())
    }
}

/// A text with the secret at a place.
fn text(size: usize, at: usize) -> Vec<u8> {
    let mut text = vec![b'.'; size];
    text[at..at + SECRET.len()].copy_from_slice(SECRET);
    text
}

async fn sifted(files: &Arc<dyn DynFilesystem>, format: Format) -> (Vec<u8>, Packed) {
    let sieve: Option<Arc<dyn Sieve>> = Some(Arc::new(Hide));
    let how = Pack { format, exclude: Vec::new(), sieve };
    packed_as(files, &WsPath::root(), &how).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_covered_goes_in_as_the_sieve_says() {
    const CHUNK: usize = 1 << 20;
    let files = memory();
    let hidden =
        |size, at| [&text(size, at)[..at], SHOWN, &vec![b'.'; size - at - SECRET.len()]].concat();
    let binary = [&[0][..], &text(3 * CHUNK, 5)].concat();
    let mut want = BTreeMap::new();
    for (name, content, goes_in) in [
        ("alone", SECRET.to_vec(), SHOWN.to_vec()),
        ("binary", binary.clone(), binary),
        ("empty", vec![], vec![]),
        // Where it would be cut in two if the file were read in parts.
        ("large", text(3 * CHUNK, CHUNK - 3), hidden(3 * CHUNK, CHUNK - 3)),
        ("large2", text(2 * CHUNK, 2 * CHUNK - 7), hidden(2 * CHUNK, 2 * CHUNK - 7)),
        ("medium", text(100_000, 99_000), hidden(100_000, 99_000)),
        ("d/open.txt", text(100, 50), text(100, 50)),
        ("plain", b"nothing".to_vec(), b"nothing".to_vec()),
    ] {
        write(&files, name, content).await;
        want.insert(name, goes_in);
    }
    write(&files, "private", "private: hunter2").await;
    for format in FORMATS {
        let (archive, told) = sifted(&files, format).await;
        assert_eq!((told.files, told.sifted, told.withheld), (8, 4, 1), "{told:?}");
        assert_eq!(told.mishaps, [Mishap { path: path("private"), what: What::Withheld }]);
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        for (name, content) in &want {
            assert!(read(&to, name).await == content[..], "{name} in {format:?}");
        }
        assert_eq!(tree(&to, "").await.len(), want.len() + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_to_be_sifted_is_withheld() {
    let files = memory();
    let size = usize::try_from(MOST_SIFTED).unwrap();
    write(&files, "fits", text(size, size - 7)).await;
    write(&files, "over", text(size + 1, 0)).await;
    write(&files, "binary", vec![0; size + 1]).await;
    for format in FORMATS {
        let (archive, told) = sifted(&files, format).await;
        assert_eq!((told.files, told.sifted, told.withheld), (2, 1, 1), "{told:?}");
        assert_eq!(told.mishaps, [Mishap { path: path("over"), what: What::Withheld }]);
        let to = memory();
        restored(&to, "", archive, &plainly(format)).await.unwrap();
        assert!(read(&to, "fits").await.ends_with(SHOWN));
        assert_eq!(tree(&to, "").await.into_keys().collect::<Vec<_>>(), ["binary", "fits"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_large_files_pass_one_after_the_other() {
    let files = memory();
    for number in 0..40 {
        write(&files, format!("large{number}"), text(400_000, 300_000)).await;
        write(&files, format!("small{number}"), text(100, 50)).await;
    }
    let (_, told) = sifted(&files, Format::Tar).await;
    assert_eq!((told.files, told.sifted), (80, 80));
}
