//! Names of every kind, made at random: what is packed comes back, and what an
//! archive names lands below where it is restored, or is refused.

use std::collections::BTreeMap;

use garth_archive::Format;
use garth_contract::{Code, Part, is_temporary};
use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_oneof, proptest},
    test_runner::Config,
};

use crate::{
    craft::{Entry, Header, PLAIN, Tar, Zip},
    fixture::{
        FORMATS, Yard, memory, packed, path, plainly, plant, restored, runtime, stamp, tree,
    },
};

/// One component: short or long, text or not, often odd.
fn component() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[a-z]{1,8}".prop_map(String::into_bytes),
        "\\PC{1,20}".prop_map(String::into_bytes),
        vec(1_u8.., 1..12),
        vec(any::<u8>(), 90..256),
        Just(b"..x".to_vec()),
        Just(b" ".to_vec()),
        Just(b"-rf".to_vec()),
        Just(br"a\x00\n".to_vec()),
    ]
    .prop_map(|mut name| {
        name.retain(|byte| !matches!(byte, 0 | b'/'));
        name.truncate(255);
        name
    })
    .prop_filter("a name", |name| {
        !matches!(name.as_slice(), b"" | b"." | b"..")
            && !is_temporary(name)
            && !name.split(|byte| *byte == b'\\').any(|part| part == b"..")
    })
}

fn paths() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let path = vec(component(), 1..6).prop_map(|names| names.join(&b'/'));
    vec(path.prop_filter("a path", |path| path.len() < 1500), 1..12)
}

/// Any name at all that can stand in an archive.
fn raw() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"..".to_vec()),
        Just(b".".to_vec()),
        Just(b"".to_vec()),
        Just(br"..\..".to_vec()),
        component(),
        vec(any::<u8>(), 0..10),
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.join(&b'/'))
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn what_is_packed_comes_back(names in paths()) {
        runtime().block_on(async {
            let from = memory();
            let mut files = BTreeMap::new();
            for name in names {
                let name = path(&name);
                let clash = files.keys().any(|other: &garth_contract::WsPath| {
                    other.below(&name).is_some() || name.below(other).is_some()
                });
                if !clash {
                    files.insert(name.clone(), name.as_bytes().to_vec());
                }
            }
            let parts = files.iter().flat_map(|(path, content)| {
                let (path, stamp) = (path.clone(), stamp(0o644, 5, 0));
                [Part::File { path, stamp }, Part::Bytes(content.clone().into())]
            });
            plant(&from, parts.collect()).await;
            let before = tree(&from, "").await;
            for format in FORMATS {
                let archive = packed(&from, format).await;
                let to = memory();
                restored(&to, "", archive, &plainly(format)).await.unwrap();
                let after = tree(&to, "").await;
                let dirs = |things: BTreeMap<_, crate::fixture::Thing>| -> Vec<_> {
                    things.into_iter().map(|(name, thing)| (name, thing.content)).collect()
                };
                assert_eq!(dirs(after), dirs(before.clone()), "{format:?}");
            }
        });
    }

    #[test]
    fn what_an_archive_names_lands_inside_or_is_refused(name in raw()) {
        runtime().block_on(async {
            let yard = Yard::new();
            let host = yard.host();
            let before = yard.really();
            let long = Header { name: b"././@LongLink", flag: b'L', ..PLAIN };
            for (format, archive) in [
                (Format::Tar, Tar::default().pax(&[("path", &name)]).file("shown", "x").end()),
                (Format::Tar, Tar::default().put(long, &name).file("shown", "x").end()),
                (Format::Zip, Zip::default().put(&Entry::new(&name, "x")).end()),
            ] {
                match restored(&host, "to", archive, &plainly(format)).await {
                    Ok(_) => {
                        let mut after = yard.really();
                        after.retain(|path, _| !path.starts_with(yard.root().join("to")));
                        assert_eq!(after, before);
                        let to = yard.root().join("to");
                        std::fs::remove_dir_all(to).unwrap();
                    }
                    Err(error) => {
                        let codes =
                            [Code::PathOutsideWorkspace, Code::InvalidPath, Code::InvalidParams];
                        assert!(codes.contains(&error.code()), "{error:?}");
                        assert_eq!(yard.really(), before);
                    }
                }
            }
        });
    }
}
