//! What a policy forbids, and what there is no room for.

use garth_contract::{
    Access, Code, Depth, Detail, Filesystem, Ignored, Links, Parents, Policy, Query,
};
use garth_memory::Memory;

use crate::fixture::{
    REFUSE, REPLACE, Ws, everything, now, path, paths, workspace, workspace_under,
};

fn denying(globs: &[&str], entries: &[(&str, &str)]) -> Ws {
    let deny = globs.iter().map(|glob| (*glob).to_owned()).collect();
    workspace_under(Policy { deny, ..Policy::open() }, entries)
}

fn protecting(globs: &[&str], entries: &[(&str, &str)]) -> Ws {
    let protect = globs.iter().map(|glob| (*glob).to_owned()).collect();
    workspace_under(Policy { protect, ..Policy::open() }, entries)
}

#[test]
fn a_wrong_glob_of_a_policy_is_refused() {
    let policy = Policy { deny: vec!["a[".into()], ..Policy::open() };
    assert_eq!(Memory::new(policy).map(drop).unwrap_err().code(), Code::InvalidPattern);
}

#[test]
fn a_read_only_workspace_is_not_changed() {
    let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
    let ws = workspace_under(policy, &[("d/a", "1")]);
    assert_eq!(ws.write("d/a", "2").map(drop), Err(Code::ReadOnly));
    assert_eq!(ws.make_dir("d", Parents::Create).map(drop), Err(Code::ReadOnly));
    assert_eq!(ws.remove("d/a", Depth::One).map(drop), Err(Code::ReadOnly));
    assert_eq!(ws.rename("d/a", "d/a", REFUSE).map(drop), Err(Code::ReadOnly));
    let link = ws.0.symlink(&path("l"), b"d").map_err(|error| error.code());
    assert_eq!(link, Err(Code::ReadOnly));
    assert_eq!((ws.read("d/a"), ws.0.abilities().write), (Ok("1".into()), false));
}

#[test]
fn a_denied_path_answers_the_same_whether_or_not_it_is_there() {
    let ws = denying(&["*.key", "private"], &[("d/a.key", ""), ("private/x", ""), ("f", "")]);
    let paths = [
        "d/a.key",
        "d/b.key",
        "private",
        "private/x",
        "private/y/z",
        "no/way/b.key",
        "f/b.key",
        "private/x/y",
    ];
    for name in paths {
        let denied = Code::PermissionDenied;
        assert_eq!(ws.read(name).map(drop), Err(denied), "{name}");
        assert_eq!(ws.stat(name, Links::Keep).map(drop), Err(denied), "{name}");
        assert_eq!(ws.list(name).map(drop), Err(denied), "{name}");
        assert_eq!(ws.write(name, "x").map(drop), Err(denied), "{name}");
        assert_eq!(ws.make_dir(name, Parents::Create).map(drop), Err(denied), "{name}");
        assert_eq!(ws.remove(name, Depth::All).map(drop), Err(denied), "{name}");
        assert_eq!(ws.rename(name, "z", REFUSE).map(drop), Err(denied), "{name}");
        assert_eq!(ws.rename("f", name, REPLACE).map(drop), Err(denied), "{name}");
        let query = Query { base: path(name), ..everything() };
        assert_eq!(ws.find(&query).map(drop), Err(denied), "{name}");
    }
}

#[test]
fn what_is_denied_is_left_out_of_what_is_listed() {
    let ws = denying(&["*.key", "private"], &[("a", ""), ("b.key", ""), ("private/x", "")]);
    assert_eq!(ws.list("").unwrap(), ["a"]);
    assert_eq!(ws.tree(), ["a"]);
}

#[test]
fn a_link_is_no_way_round_a_rule() {
    let ws = denying(
        &["secret"],
        &[
            ("secret/a", "1"),
            ("secret/out", "-> ../open"),
            ("open", "2"),
            ("l", "-> secret/a"),
            ("d", "-> secret"),
            ("through", "-> secret/../open"),
        ],
    );
    for name in ["l", "d", "d/a", "d/no", "secret/out", "through"] {
        assert_eq!(ws.read(name), Err(Code::PermissionDenied), "{name}");
        assert_eq!(ws.write(name, "x"), Err(Code::PermissionDenied), "{name}");
    }
    assert_eq!(ws.read("open"), Ok("2".into()));
}

#[test]
fn a_denied_link_leads_nowhere() {
    let ws = denying(&["*.link"], &[("open", "1"), ("a.link", "-> open"), ("b", "-> a.link")]);
    for name in ["a.link", "b"] {
        assert_eq!(ws.read(name), Err(Code::PermissionDenied), "{name}");
    }
}

#[test]
fn a_rule_is_judged_on_the_place_and_not_on_the_text() {
    let ws = denying(&["l/a"], &[("d/a", "1"), ("l", "-> d")]);
    assert_eq!(ws.read("l/a"), Ok("1".into()));
    let ws = denying(&["d/a"], &[("d/a", "1"), ("d/b", "2"), ("l", "-> d")]);
    assert_eq!(ws.read("l/a"), Err(Code::PermissionDenied));
    assert_eq!(ws.list("l").unwrap(), ["l/b"]);
}

#[test]
fn what_is_protected_is_read_and_never_changed() {
    let ws = protecting(&["vendor", "*.lock"], &[("vendor/a", "1"), ("d/x.lock", "2"), ("f", "")]);
    let denied = Code::PermissionDenied;
    assert_eq!(ws.read("vendor/a"), Ok("1".into()));
    assert_eq!(ws.list("vendor").unwrap(), ["vendor/a"]);
    for name in ["vendor/a", "vendor/new", "d/x.lock", "new.lock"] {
        assert_eq!(ws.write(name, "x").map(drop), Err(denied), "{name}");
        assert_eq!(ws.make_dir(name, Parents::Create).map(drop), Err(denied), "{name}");
        assert_eq!(ws.rename("f", name, REPLACE).map(drop), Err(denied), "{name}");
        assert_eq!(ws.rename(name, "g", REPLACE).map(drop), Err(denied), "{name}");
        assert_eq!(ws.remove(name, Depth::One).map(drop), Err(denied), "{name}");
    }
    assert_eq!(ws.tree(), ["d", "d/x.lock", "f", "vendor", "vendor/a"]);
}

#[test]
fn a_directory_goes_nowhere_with_what_must_stay() {
    let ws = protecting(&["d/keep"], &[("d/keep", "1"), ("d/other", "2"), ("e/", "")]);
    assert_eq!(ws.remove("d", Depth::All).map(drop), Err(Code::PermissionDenied));
    assert_eq!(ws.rename("d", "x", REFUSE).map(drop), Err(Code::PermissionDenied));
    assert_eq!(ws.tree(), ["d", "d/keep", "d/other", "e"]);
    let ws = denying(&["*.key"], &[("d/a.key", "1"), ("e/f", "2")]);
    assert_eq!(ws.remove("d", Depth::All).map(drop), Err(Code::PermissionDenied));
    assert_eq!(ws.remove("e", Depth::All).map(|removed| removed.count), Ok(2));
}

#[test]
fn nothing_is_moved_to_where_it_may_not_be_made() {
    let ws = protecting(&["x/keep"], &[("d/keep", "1"), ("e/other", "2")]);
    assert_eq!(ws.rename("d", "x", REFUSE).map(drop), Err(Code::PermissionDenied));
    assert_eq!(ws.rename("e", "x", REFUSE).map(drop), Ok(()));
}

#[test]
fn a_file_over_the_bound_is_refused_before_any_change() {
    let ws = workspace_under(Policy { max_file: 3, ..Policy::open() }, &[]);
    let error = ws.put("d/a", "1234", crate::fixture::ANY).unwrap_err();
    assert_eq!(error.code(), Code::FileTooLarge);
    assert_eq!(error.details(), [Detail::Limit { limit: 3, actual: 4 }]);
    assert!(ws.tree().is_empty());
    assert!(ws.write("d/a", "123").is_ok());
}

#[test]
fn a_quota_counts_every_byte_and_gives_every_byte_back() {
    let ws = workspace_under(Policy { quota: Some(10), ..Policy::open() }, &[]);
    ws.write("d/a", "12345").unwrap();
    ws.write("b", "12345").unwrap();
    let error = ws.put("e/c", "1", crate::fixture::ANY).unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
    assert_eq!(error.details(), [Detail::Limit { limit: 10, actual: 11 }]);
    assert_eq!(ws.tree(), ["b", "d", "d/a"]);
    ws.write("b", "1234").unwrap();
    ws.write("c", "1").unwrap();
    ws.rename("c", "b", REPLACE).unwrap();
    ws.write("x", "1234").unwrap();
    ws.remove("d", Depth::All).unwrap();
    ws.write("y", "12345").unwrap();
    assert_eq!(ws.write("z", "1"), Err(Code::QuotaExceeded));
    assert!(ws.write("z", "").is_ok());
}

#[test]
fn a_workspace_over_its_quota_can_still_shrink() {
    let full = workspace(&[("a", "123456")]);
    let small = workspace_under(Policy { quota: Some(6), ..Policy::open() }, &[]);
    small.0.restore(&full.0.snapshot()).unwrap();
    assert_eq!(small.write("a", "1234567"), Err(Code::QuotaExceeded));
    assert!(small.write("a", "12345").is_ok());
}

#[test]
fn a_move_needs_no_room_of_its_own() {
    let ws = workspace_under(Policy { quota: Some(4), ..Policy::open() }, &[("d/a", "1234")]);
    assert!(ws.rename("d", "e", REFUSE).is_ok());
    assert_eq!(ws.read("e/a"), Ok("1234".into()));
}

#[test]
fn the_same_files_can_be_under_two_policies() {
    let ws = workspace(&[("a", "1")]);
    let policy = Policy { access: Access::ReadOnly, deny: vec!["*.key".into()], ..Policy::open() };
    let reader = Ws(ws.0.under(policy).unwrap());
    ws.write("b", "2").unwrap();
    ws.write("c.key", "3").unwrap();
    assert_eq!((reader.tree(), reader.read("b")), (vec!["a".into(), "b".into()], Ok("2".into())));
    assert_eq!(reader.write("b", "3"), Err(Code::ReadOnly));
    drop(ws);
    assert_eq!(reader.read("a"), Ok("1".into()));
}

#[test]
fn abilities_are_what_memory_can_do() {
    let can = workspace(&[]).0.abilities();
    assert!(can.write && can.rename && can.empty_dirs && can.symlinks && can.modes);
    assert!(can.any_names && can.watch && can.find);
    assert!(!can.special_files && !can.durable);
}

#[test]
fn a_denied_directory_is_not_entered_by_a_search() {
    let ws = denying(&["private"], &[("private/a", "x"), ("b", "x")]);
    let query = Query { ignored: Ignored::Skip, ..everything() };
    let (found, summary) = ws.find(&query).unwrap();
    assert_eq!((paths(&found), summary.unreadable), (vec!["b".to_owned()], 0));
    assert_eq!(now(ws.0.stat(&path("b"), Links::Keep)).map(|entry| entry.size), Ok(1));
}
