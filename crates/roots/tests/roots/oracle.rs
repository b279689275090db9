//! Searches over the top, beside one tree that holds the same under the same names.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use garth_contract::{
    Case, Facts, Filesystem, Glob, Grep, Hidden, Ignored, Kinds, Lines, Order, Output, Policy,
    Query, Reach, Summary, Syntax, Total,
};
use garth_memory::Memory;
use garth_roots::Roots;

use crate::fixture::{ANY, everything, find, now, path, roots};

const NAMES: [&str; 4] = [".dot", "a", "a-2", "b"];
const FILES: [(&str, &str); 14] = [
    ("a/.gitignore", "*.log\n"),
    ("a/x.rs", "one\nneedle\nneedle two\nthree\n"),
    ("b/x.rs", "needle\n"),
    ("a/old.log", "needle\n"),
    ("b/new.log", "1\n2\nneedle\n4\nneedle\n6\n"),
    ("a/src/main.rs", "fn main() {}\n"),
    ("a-2/src/main.rs", "needle\n"),
    (".dot/x.rs", "needle\n"),
    ("b/.hidden/x.rs", "needle\n"),
    ("b/a/x.rs", "needle\nneedle\n"),
    ("a/a/src/deep.rs", "no\n"),
    ("a-2/.git/config", "needle\n"),
    ("b/bin", "needle\0\n"),
    ("a/b/c/d.txt", "needle\n"),
];

/// The same files as several roots and as one tree, written at the same times.
fn pair() -> (Roots, Memory) {
    let time = Arc::new(Mutex::new(std::time::SystemTime::UNIX_EPOCH));
    let fresh = || {
        let time = Arc::clone(&time);
        Memory::new(Policy::open()).unwrap().with_clock(move || *time.lock().unwrap())
    };
    let parts = NAMES.map(|name| (name, Arc::new(fresh())));
    let one = fresh();
    for (at, content) in FILES {
        *time.lock().unwrap() += std::time::Duration::from_secs(1);
        let (name, below) = at.split_once('/').unwrap();
        let (_, part) = parts.iter().find(|(part, _)| *part == name).unwrap();
        let content = Bytes::from(content);
        now(Filesystem::write(&**part, &path(below), content.clone(), ANY)).unwrap();
        now(Filesystem::write(&one, &path(at), content, ANY)).unwrap();
    }
    (roots(parts.map(|(name, part)| (name, part as _))), one)
}

/// Asks both, in every order and with every bound, and compares the answers.
fn compare(pair: &(Roots, Memory), query: &Query) {
    for order in [Order::Path, Order::Newest] {
        let query = Query { order, ..query.clone() };
        let (all, whole) = find(&pair.1, &query).unwrap();
        assert_eq!(find(&pair.0, &query), Ok((all, whole)), "{query:?}");
        let Total::Exact(count) = whole.total else { panic!("{query:?}") };
        for skip in 0..=count + 1 {
            for take in [0, 1, 2, 3, count, count + 1] {
                let query = Query { skip, take, ..query.clone() };
                let (found, here) = find(&pair.0, &query).unwrap();
                let (expected, there) = find(&pair.1, &query).unwrap();
                assert_eq!(found, expected, "{query:?}");
                let counts = |summary: Summary| (summary.given, summary.total);
                assert_eq!(counts(here), counts(there), "{query:?}");
            }
        }
    }
}

#[test]
fn everything_is_found_as_in_one_tree() {
    let pair = pair();
    for kinds in [Kinds::All, Kinds::Dirs, Kinds::Files] {
        for hidden in [Hidden::Include, Hidden::Skip] {
            for ignored in [Ignored::Skip, Ignored::IncludeNoGit, Ignored::Include] {
                for reach in [Reach::Tree, Reach::Entries] {
                    for facts in [Facts::All, Facts::Names] {
                        let query = Query { kinds, hidden, ignored, reach, facts, ..everything() };
                        compare(&pair, &query);
                    }
                }
            }
        }
    }
}

#[test]
fn globs_mean_what_they_mean_in_one_tree() {
    let pair = pair();
    for glob in [
        "*",
        "**",
        "a",
        "a/",
        "a/*",
        "*/*.rs",
        "**/*.rs",
        "*.rs",
        "a/**",
        "**/a/**",
        "a*/**/main.rs",
        "{a,b}/x.rs",
        "{a/src,b}/*",
        "{a,b/a}/x.rs",
        "/a/x.rs",
        "./b/**/x.rs",
        "**/a",
        "[ab]/?.rs",
        "a-2/src/main.rs",
        "**/src/**/*.rs",
        "**/**/x.rs",
        "no/such",
        ".dot/**",
        "*/.git",
        "{**/c,a}/*",
    ] {
        for glob in [Glob::Path(glob.to_owned()), Glob::Filter(glob.to_owned())] {
            compare(&pair, &Query { include: vec![glob.clone()], ..everything() });
            compare(&pair, &Query { exclude: vec![glob], ..everything() });
        }
    }
}

#[test]
fn lines_files_and_counts_are_found_as_in_one_tree() {
    let pair = pair();
    for output in [Output::Content, Output::Files, Output::Count] {
        for around in [0, 1, 2] {
            let grep = Grep {
                pattern: "needle".to_owned(),
                syntax: Syntax::Regex,
                case: Case::Sensitive,
                lines: Lines::Single,
                output,
                before: around,
                after: around,
            };
            let query = Query { grep: Some(grep), kinds: Kinds::Files, ..everything() };
            compare(&pair, &query);
            compare(&pair, &Query { include: vec![Glob::Path("{a,b}/**".to_owned())], ..query });
        }
    }
}
