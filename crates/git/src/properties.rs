//! What holds for the parsers whatever git, or whoever wrote the repository, says.

use bytes::Bytes;
use garth_contract::WsPath;
use proptest::prelude::*;

use crate::{Branch, Kind, Patch, Revision, diff, log, status};

const OID: &str = "cb032b83e53e6e9b79557b3283667a8d76ccce04";

/// A name that a file can have, odd ones among them.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => prop::sample::select(b"ab \n\t\"\\'\x01\x7f-:*?[\xe9\xff".to_vec()),
        1 => any::<u8>(),
    ];
    prop::collection::vec(byte, 1..12).prop_filter("it is no name", |name| {
        !name.contains(&0) && !name.contains(&b'/') && !matches!(name.as_slice(), b"." | b"..")
    })
}

fn path() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(name(), 1..4).prop_map(|names| names.join(&b'/'))
}

/// Bytes that look like what git prints, and are not.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\0".to_vec()),
        Just(b"1 M. N... 100644 100644 100644 a b ".to_vec()),
        Just(b"2 R. N... 100644 100644 100644 a b R1 x".to_vec()),
        Just(b":100644 100644 a b M\0".to_vec()),
        Just(b"1\t2\t".to_vec()),
        Just(b"\ndiff --git a/x b/x\n@@ -1,2 +3 @@ y\n".to_vec()),
        Just(OID.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_break_a_parser(bytes in noise()) {
        let (top, printed) = (WsPath::root(), Bytes::from(bytes));
        let _ = status::parse::status(&printed, &top);
        let _ = diff::parse::diff(&printed, &top);
        let _ = log::parse(&printed);
        let _ = Patch::parse(&printed);
    }

    #[test]
    fn every_name_of_a_status_is_read_as_it_is(
        names in prop::collection::vec((path(), path()), 0..6),
    ) {
        let mut printed = format!("# branch.oid {OID}\0# branch.head main\0").into_bytes();
        for (name, from) in &names {
            printed.extend(format!("2 R. N... 1 1 1 {OID} {OID} R9 ").bytes());
            printed.extend_from_slice(name);
            printed.push(0);
            printed.extend_from_slice(from);
            printed.push(0);
            printed.extend_from_slice(b"? ");
            printed.extend_from_slice(name);
            printed.push(0);
        }
        let read = status::parse::status(&printed, &WsPath::root()).unwrap();
        let paths: Vec<_> = read.changes.iter().map(|change| change.path.as_bytes()).collect();
        let wanted: Vec<_> = names.iter().map(|(name, _)| name.as_slice()).collect();
        prop_assert_eq!(&paths, &wanted);
        for (change, (_, from)) in read.changes.iter().zip(&names) {
            prop_assert_eq!(change.from.as_ref().unwrap().as_bytes(), from.as_slice());
        }
        let untracked: Vec<_> = read.untracked.iter().map(|file| file.path.as_bytes()).collect();
        prop_assert_eq!(untracked, wanted);
    }

    #[test]
    fn every_name_of_a_diff_finds_its_counts_and_its_patch(
        names in prop::collection::btree_set(path(), 0..6),
    ) {
        let (mut raw, mut counts, mut patches) = (Vec::new(), Vec::new(), Vec::new());
        for (index, name) in names.iter().enumerate() {
            raw.extend(format!(":100644 100644 {OID} {OID} M\0").bytes());
            raw.extend_from_slice(name);
            raw.push(0);
            counts.extend(format!("{index}\t7\t").bytes());
            counts.extend_from_slice(name);
            counts.push(0);
            patches.extend_from_slice(&diff::quote::header(name, name));
            patches.extend(format!("\n@@ -1 +1 @@\n-a\n+{index}\n").bytes());
        }
        let printed = Bytes::from([raw, counts, vec![0], patches].concat());
        let read = diff::parse::diff(&printed, &WsPath::root()).unwrap();
        prop_assert_eq!(read.files.len(), names.len());
        for (index, (file, name)) in read.files.iter().zip(&names).enumerate() {
            prop_assert_eq!(file.path.as_bytes(), name.as_slice());
            prop_assert_eq!(file.kind, Kind::Modified);
            prop_assert_eq!(file.lines, Some((index as u64, 7)));
            let last = format!("+{index}\n");
            prop_assert!(file.patch.ends_with(last.as_bytes()));
        }
    }

    #[test]
    fn no_line_of_a_patch_is_lost(bytes in noise()) {
        let patch = Patch::parse(&bytes);
        let inside: usize = patch.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').count();
        prop_assert_eq!(patch.headers.len() + inside, lines);
    }

    #[test]
    fn nothing_that_is_taken_for_a_name_reads_as_an_option(text in "[-a-z.@{}~^:/ \n]{0,12}") {
        if let Ok(branch) = Branch::parse(&text) {
            prop_assert!(!branch.as_str().starts_with('-') && !branch.as_str().contains(' '));
        }
        if let Ok(revision) = Revision::parse(&text) {
            prop_assert!(!revision.as_str().starts_with('-') && !revision.as_str().contains(".."));
        }
    }
}
