//! Globs: a compiled filter agrees with a matcher that tries everything, and its
//! walk enters every directory that a match stands in.

use garth_contract::{
    Code, Facts, Glob, Hidden, Ignored, Kind, Kinds, Order, Query, Reach, WsPath,
};
use garth_search::{Filter, Ignores, Met};

/// Checks one pattern against one path, as a filter and as a whole path.
pub fn check(data: &[u8]) {
    let Some([pattern, path]) = super::texts(data) else { return };
    let Ok(path) = WsPath::from_bytes(path.as_bytes()) else { return };
    if path.is_root() {
        return;
    }
    for glob in [Glob::Path(pattern.to_owned()), Glob::Filter(pattern.to_owned())] {
        match Filter::compile(&query(glob.clone())) {
            Ok(filter) => agrees(&filter, &glob, pattern, &path),
            Err(error) => {
                assert_eq!(error.code(), Code::InvalidPattern);
                assert!(!is_plain(pattern), "a plain pattern was refused: {pattern:?}");
            }
        }
    }
}

fn query(glob: Glob) -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: vec![glob],
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

/// Tells whether a pattern has nothing in it that could be wrong.
fn is_plain(pattern: &str) -> bool {
    let mut names = pattern.split('/');
    pattern.bytes().any(|byte| byte != b'/')
        && !pattern.contains(['[', ']', '{', '}', '\\'])
        && pattern.len() < 1000
        && names.all(|name| name != "." && name != "..")
}

fn agrees(filter: &Filter, glob: &Glob, pattern: &str, path: &WsPath) {
    let counts = judged(filter, path, Kind::File).counts;
    if counts {
        let mut parent = path.parent();
        while let Some(dir) = parent.filter(|dir| !dir.is_root()) {
            assert!(judged(filter, &dir, Kind::Dir).enters, "{pattern:?} never reaches {path}");
            parent = dir.parent();
        }
    }
    // Classes and `?` count bytes, not characters, so only ASCII can be compared.
    if !is_simple(pattern) || !path.as_bytes().is_ascii() || !pattern.is_ascii() {
        return;
    }
    let body = pattern.strip_prefix("./").unwrap_or(pattern).trim_matches('/');
    let names: Vec<&str> = body.split('/').filter(|name| !name.is_empty()).collect();
    let whole: Vec<&[u8]> = path.components().collect();
    let subject = match glob {
        Glob::Filter(_) if !pattern.trim_end_matches('/').contains('/') => {
            &whole[whole.len() - 1..]
        }
        Glob::Filter(_) | Glob::Path(_) => &whole[..],
    };
    assert_eq!(counts, matches_path(&names, subject), "{glob:?} on {path}");
}

fn judged(filter: &Filter, path: &WsPath, kind: Kind) -> garth_search::Judged {
    let name = path.name().unwrap_or_default();
    filter.judge(&Met { path: path.as_bytes(), name, kind }, &Ignores::none())
}

/// Tells whether a pattern is made of names, `*`, `?` and `**` only.
fn is_simple(pattern: &str) -> bool {
    is_plain(pattern) && !pattern.contains("***")
}

/// Matches component by component, trying every length for `**`.
fn matches_path(pattern: &[&str], path: &[&[u8]]) -> bool {
    match (pattern, path) {
        ([], path) => path.is_empty(),
        // At the end it stands for one name or more, elsewhere for any number.
        (["**"], path) => !path.is_empty(),
        (["**", rest @ ..], path) => (0..=path.len()).any(|skip| matches_path(rest, &path[skip..])),
        ([_, ..], []) => false,
        ([name, rest @ ..], [first, others @ ..]) => {
            matches_name(name.as_bytes(), first) && matches_path(rest, others)
        }
    }
}

fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], name) => name.is_empty(),
        ([b'*', rest @ ..], name) => (0..=name.len()).any(|skip| matches_name(rest, &name[skip..])),
        ([b'?', rest @ ..], [_, others @ ..]) => matches_name(rest, others),
        ([byte, rest @ ..], [first, others @ ..]) => byte == first && matches_name(rest, others),
        ([_, ..], []) => false,
    }
}
