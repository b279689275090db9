//! What allow, deny and protect globs cover, one fact each.

use garth_contract::{Code, Detail};

use super::*;

fn denying(globs: &[&str]) -> Rules {
    let deny = globs.iter().map(ToString::to_string).collect();
    Rules::compile(&Policy { deny, ..Policy::open() }).unwrap()
}

fn denied(glob: &str, path: &str) -> bool {
    denying(&[glob]).denies(path.as_bytes(), Fold::Exact, Stands::Other)
}

#[test]
fn a_pattern_without_a_slash_covers_names_at_any_depth() {
    for path in [".env", "a/.env", "a/b/.env", ".env/below/it"] {
        assert!(denied(".env", path), "{path}");
    }
    for path in ["x.env", ".env2", "a/.envrc", ""] {
        assert!(!denied(".env", path), "{path}");
    }
    assert!(denied("*.pem", "keys/id.pem"));
    assert!(denied("secrets/", "a/secrets/b"));
}

#[test]
fn a_pattern_with_a_slash_covers_the_path_from_the_root() {
    for glob in ["etc/secret", "/etc/secret", "./etc/secret", "etc//secret", "etc/secret/"] {
        assert!(denied(glob, "etc/secret"), "{glob}");
        assert!(denied(glob, "etc/secret/below"), "{glob}");
        assert!(!denied(glob, "x/etc/secret"), "{glob}");
    }
    assert!(denied("/top", "top"));
    assert!(!denied("/top", "a/top"));
}

#[test]
fn a_star_never_crosses_a_slash() {
    assert!(denied("a/*.key", "a/x.key"));
    assert!(!denied("a/*.key", "a/b/x.key"));
    assert!(denied("a/**/*.key", "a/b/c/x.key"));
    assert!(!denied("a/?b", "a//b"));
}

#[test]
fn a_protected_path_is_not_denied() {
    let policy = Policy { protect: vec!["*.lock".into()], ..Policy::open() };
    let rules = Rules::compile(&policy).unwrap();
    assert!(rules.protects(b"d/Cargo.lock", Fold::Exact));
    assert!(!rules.denies(b"d/Cargo.lock", Fold::Exact, Stands::Other));
    assert!(!rules.is_empty());
    assert!(Rules::compile(&Policy::open()).unwrap().is_empty());
}

#[test]
fn a_name_that_is_no_text_is_held_against_the_pattern() {
    assert!(denying(&["*.key"]).denies(b"\xff\xfe.key", Fold::Exact, Stands::Other));
}

#[test]
fn an_entry_is_judged_by_its_own_path_alone() {
    let rules = denying(&[".git", "a/b"]);
    assert!(rules.denies_entry(b"x/.git", Fold::Exact, Stands::Other));
    assert!(rules.denies_entry(b"a/b", Fold::Exact, Stands::Other));
    assert!(!rules.denies_entry(b".git/config", Fold::Exact, Stands::Other));
}

#[test]
fn a_folding_directory_cannot_hide_a_name_behind_its_case() {
    let rules = denying(&[".env", "Été/[A-Z]x", "[A-_]"]);
    for path in [".ENV", "d/.Env", ".e\u{200c}nv", "ÉTÉ/bX", "été/Bx", "a"] {
        assert!(rules.denies(path.as_bytes(), Fold::Caseless, Stands::Other), "{path}");
    }
    assert!(!rules.denies(b".ENV", Fold::Exact, Stands::Other));
    assert!(!rules.denies(b"environment", Fold::Caseless, Stands::Other));
}

#[test]
fn a_directory_that_holds_nothing_forbidden_can_go_as_a_whole() {
    let rules = denying(&["a/b/secret", "c/*/d", "e/f{g,/h}", "q/**/r"]);
    for path in ["", "a", "a/b", "A", "c", "c/x", "c/x/d/below", "e", "q", "q/z/z/z"] {
        assert!(rules.covers_below(path.as_bytes()), "{path}");
    }
    for path in ["b", "a/c", "c/x/e", "src", "a/b/other"] {
        assert!(!rules.covers_below(path.as_bytes()), "{path}");
    }
    assert!(denying(&["*.pem"]).covers_below(b"anything"));
    assert!(!denying(&[]).covers_below(b""));
}

#[test]
fn a_rule_that_could_cover_nothing_is_refused_with_its_position() {
    for (glob, position) in [("", 0), ("/", 0), ("a/../b", 2), ("a/[b", 2), ("..", 0), ("a/./b", 2)]
    {
        let policy = Policy { deny: vec![glob.into()], ..Policy::open() };
        let error = Rules::compile(&policy).unwrap_err();
        assert_eq!(error.code(), Code::InvalidPattern, "{glob}");
        assert_eq!(error.details(), [Detail::Position(position)], "{glob}");
    }
}

fn allowing(globs: &[&str]) -> Rules {
    let allow = globs.iter().map(ToString::to_string).collect();
    Rules::compile(&Policy { allow, ..Policy::open() }).unwrap()
}

#[test]
fn only_what_is_allowed_and_what_is_below_it_is_seen() {
    let rules = allowing(&["src/*.rs", "docs"]);
    let seen = |path: &str| !rules.denies(path.as_bytes(), Fold::Exact, Stands::Other);
    for path in ["src/a.rs", "src/a.rs/below", "docs", "docs/deep/a.md", "x/docs/a"] {
        assert!(seen(path), "{path}");
    }
    for path in ["", "a", "src", "src/a.txt", "src/deep/a.rs", "x/src/a.rs", "docs2"] {
        assert!(!seen(path), "{path}");
    }
}

#[test]
fn a_directory_that_can_lead_to_it_is_seen_as_one() {
    let seen = |globs: &[&str], path: &str| {
        !allowing(globs).denies(path.as_bytes(), Fold::Exact, Stands::Dir)
    };
    for (glob, dirs, others) in [
        ("src/deep/*.rs", &["", "src", "src/deep"][..], &["x", "deep", "src/x", "src/deep/x"][..]),
        ("*.rs", &["", "a", "a/b/c"], &[]),
        ("a/**/z", &["", "a", "a/b/c"], &["b", "z/a"]),
        ("top", &["", "a", "a/b"], &[]),
    ] {
        dirs.iter().for_each(|dir| assert!(seen(&[glob], dir), "{glob} {dir}"));
        others.iter().for_each(|dir| assert!(!seen(&[glob], dir), "{glob} {dir}"));
    }
    let rules = allowing(&["src/*.rs"]);
    assert!(rules.shows_dirs_only(b"src", Fold::Exact));
    assert!(!rules.shows_dirs_only(b"src/a.rs", Fold::Exact));
    assert!(!allowing(&[]).shows_dirs_only(b"src", Fold::Exact));
}

#[test]
fn what_is_denied_is_not_allowed() {
    let (allow, deny) = (vec!["src".to_owned()], vec!["*.pem".to_owned()]);
    let rules = Rules::compile(&Policy { allow, deny, ..Policy::open() }).unwrap();
    assert!(rules.denies(b"src/a.pem", Fold::Exact, Stands::Other));
    assert!(!rules.denies(b"src/a.rs", Fold::Exact, Stands::Other));
}

#[test]
fn a_tree_is_whole_only_where_all_of_it_is_allowed() {
    let rules = allowing(&["src/*.rs", "docs"]);
    assert!(!rules.is_empty());
    for (path, covered) in [("src", true), ("docs", false), ("docs/deep", false), ("x", true)] {
        assert_eq!(rules.covers_below(path.as_bytes()), covered, "{path}");
    }
}
