//! The attacks on files, one function each, named by their id in the shared corpus.

mod links;

use std::{collections::BTreeSet, ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use serde_json::{Value, json};

use crate::yard::Yard;
use links::{
    dangling_link, denied_by_a_link, hard_links, link_loops, link_then_dots, link_to_a_directory,
    magic_links, outside_reveals_nothing, pipe, planted_link_to_a_home, resources,
    swap_between_dry_run_and_edit,
};

struct Attack {
    id: &'static str,
    options: &'static [&'static str],
    run: fn(&mut Yard),
}

const PROTECTED: &[&str] = &[
    "--protect",
    ".agent/settings.json",
    "--protect",
    ".git/hooks/**",
    "--protect",
    ".vscode",
    "--deny",
    "secrets/**",
];

const ATTACKS: &[Attack] = &[
    Attack { id: "P01", options: &[], run: traversal },
    Attack { id: "P02", options: &[], run: prefix },
    Attack { id: "P04", options: &[], run: link_to_a_directory },
    Attack { id: "P05", options: &[], run: dangling_link },
    Attack { id: "P07", options: &[], run: link_then_dots },
    Attack { id: "P08", options: &[], run: dots_on_a_missing_path },
    Attack { id: "P10", options: &[], run: traversal },
    Attack { id: "P11", options: &["--deny", "/etc"], run: absolute_paths },
    Attack { id: "P13", options: &[], run: swap_between_dry_run_and_edit },
    Attack { id: "P14", options: &[], run: hard_links },
    Attack { id: "P16", options: &[], run: pipe },
    Attack { id: "P17", options: &[], run: magic_links },
    Attack { id: "P19", options: &[], run: null_bytes },
    Attack { id: "P20", options: &[], run: temporary_file_outside },
    Attack { id: "P22", options: PROTECTED, run: protected_before_it_exists },
    Attack { id: "P23", options: &[], run: planted_link_to_a_home },
    Attack { id: "P25", options: &["--protect", ".cursor/mcp.json"], run: case_aliases },
    Attack { id: "P28", options: &[], run: quotes_and_spaces },
    Attack { id: "P29", options: &[], run: tilde },
    Attack { id: "P31", options: &[], run: names_that_forge_lines },
    Attack { id: "P35", options: &[], run: absolute_paths },
    Attack { id: "P37", options: &[], run: names_that_look_like_options },
    Attack { id: "own: link loops", options: &[], run: link_loops },
    Attack { id: "own: rules through links", options: &["--deny", "*.pem"], run: denied_by_a_link },
    Attack { id: "own: outside reveals nothing", options: &[], run: outside_reveals_nothing },
    Attack { id: "own: resources", options: &[], run: resources },
];

/// Attacks whose operation this dialect does not have, and where it will be met.
const ELSEWHERE: &[(&str, &str)] = &[
    ("P26", "a working directory belongs to processes"),
    ("P34", "agent ids belong to the gateway"),
    ("Z01", "archives belong to the gateway"),
    ("Z03", "archives belong to the gateway"),
    ("Z04", "archives belong to the gateway"),
];

#[test]
fn every_attack_is_held() {
    for attack in ATTACKS {
        let mut yard = Yard::with(attack.options);
        (attack.run)(&mut yard);
        yard.assert_outside_is_untouched(attack.id);
        yard.leave(attack.id);
    }
    println!("{} attacks replayed over the protocol: 0 escapes, 0 hangs", ATTACKS.len());
}

#[test]
fn every_shared_attack_on_files_is_replayed_or_placed() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/attacks.json");
    let Ok(text) = fs::read_to_string(corpus) else {
        println!("skipped: no shared cases");
        return;
    };
    let corpus: Value = serde_json::from_str(&text).unwrap();
    let here = ATTACKS.iter().map(|attack| attack.id);
    let known: BTreeSet<&str> = here.chain(ELSEWHERE.iter().map(|(id, _)| *id)).collect();
    let attacks = corpus["attacks"].as_array().unwrap().iter();
    let missing: Vec<&str> = attacks
        .filter(|attack| attack["surface"] == "file")
        .map(|attack| attack["id"].as_str().unwrap())
        .filter(|id| !known.contains(id))
        .collect();
    assert_eq!(missing, [""; 0]);
}

fn refused(code: &str) -> Result<String, String> {
    Err(code.to_owned())
}

fn outside() -> Result<String, String> {
    refused("PATH_OUTSIDE_WORKSPACE")
}

fn traversal(yard: &mut Yard) {
    for path in [
        "../OUT/secret",
        "a/../../OUT/secret",
        "./../OUT/secret",
        "a//..//..//OUT/secret",
        "/workspace/../OUT/secret",
        &yard.at("../OUT/secret"),
        &yard.at("a/b/../../../OUT"),
        yard.out.clone().to_str().unwrap(),
    ] {
        yard.assert_outside(path);
    }
}

fn prefix(yard: &mut Yard) {
    let sibling = format!("{}_evil/secret", yard.root.display());
    for path in [&sibling, "/workspace_evil/secret", "../root_evil/secret"] {
        yard.assert_outside(path);
    }
}

fn dots_on_a_missing_path(yard: &mut Yard) {
    let made = yard.call("create_directory", &json!({"path": "dir1/../dir2"}));
    assert!(made.is_ok() && yard.root.join("dir2").is_dir());
    yard.write("dir1/../dir2/pwned.txt", "x").unwrap();
    assert!(yard.root.join("dir2/pwned.txt").exists());
    assert!(!yard.root.join("dir1").exists());
    yard.assert_outside("dir1/../../dir2/pwned.txt");
}

fn absolute_paths(yard: &mut Yard) {
    for path in
        ["/etc/shadow", "/etc", "/proc/self/environ", "//etc/passwd", "/./etc/passwd", "/", "/.."]
    {
        yard.assert_outside(path);
    }
}

fn null_bytes(yard: &mut Yard) {
    for path in ["a.txt\0.png", "a/in.txt\0", "\0", r"a/in.txt\x00"] {
        for (call, outcome) in yard.every_tool(path) {
            assert_eq!(outcome, refused("INVALID_PATH"), "{call}");
        }
    }
}

fn temporary_file_outside(yard: &mut Yard) {
    for path in ["", ".", "/workspace", &yard.at(""), yard.root.clone().to_str().unwrap()] {
        assert_eq!(yard.write(path, "x"), refused("NOT_A_FILE"), "{path:?}");
        let edits = json!([{"oldText": "a", "newText": "b"}]);
        let edited = yard.call("edit_file", &json!({"path": path, "edits": edits}));
        assert_eq!(edited, refused("NOT_A_FILE"), "{path:?}");
        let moved = json!({"source": path, "destination": "below"});
        assert!(yard.call("move_file", &moved).is_err(), "{path:?}");
    }
}

fn protected_before_it_exists(yard: &mut Yard) {
    let denied = refused("PERMISSION_DENIED");
    for dir in [".git/hooks/x", ".vscode", ".vscode/x", "secrets/x"] {
        assert_eq!(yard.call("create_directory", &json!({"path": dir})), denied, "{dir}");
        assert!(!yard.root.join(dir).exists(), "{dir}");
    }
    for dir in [".agent", ".git/hooks", ".vscode", "secrets", "mine"] {
        fs::create_dir_all(yard.root.join(dir)).unwrap();
    }
    for path in [
        ".agent/settings.json",
        ".git/hooks/pre-commit",
        ".vscode/tasks.json",
        "x/../.agent/settings.json",
        "secrets/key",
    ] {
        assert_eq!(yard.write(path, "x"), denied, "{path}");
        let moved = json!({"source": "a/in.txt", "destination": path});
        assert_eq!(yard.call("move_file", &moved), denied, "{path}");
        assert!(!yard.root.join(path).exists(), "{path}");
    }
    yard.write(".agent/other.json", "x").unwrap();
    // Nor can a directory be renamed into what holds a protected file once it is there.
    fs::remove_dir_all(yard.root.join(".agent")).unwrap();
    fs::write(yard.root.join("mine/settings.json"), "{}").unwrap();
    let moved = json!({"source": "mine", "destination": ".agent"});
    assert_eq!(yard.call("move_file", &moved), denied);
}

fn case_aliases(yard: &mut Yard) {
    for dir in [".cursor", ".cUrSoR"] {
        yard.call("create_directory", &json!({"path": dir})).unwrap();
    }
    assert_eq!(yard.write(".cursor/mcp.json", "x"), refused("PERMISSION_DENIED"));
    // On a file system that tells cases apart this is another file, and free.
    yard.write(".cUrSoR/mcp.json", "x").unwrap();
    assert!(!yard.root.join(".cursor/mcp.json").exists());
}

fn quotes_and_spaces(yard: &mut Yard) {
    let names = ["sp ", " sp", "q'uote'", "\"quoted\"", "sp", "tab\t"];
    for name in names {
        yard.write(name, &format!("[{name}]")).unwrap();
    }
    for name in names {
        assert_eq!(yard.read(name), Ok(format!("[{name}]")));
        assert_eq!(fs::read_to_string(yard.root.join(name)).unwrap(), format!("[{name}]"));
    }
}

fn tilde(yard: &mut Yard) {
    for path in ["~", "~/x", "~/.ssh/authorized_keys"] {
        yard.assert_outside(path);
    }
    assert_eq!(yard.read("~root/x"), refused("FILE_NOT_FOUND"));
    fs::write(yard.root.join("~"), "a file").unwrap();
    assert_eq!(yard.read(&yard.at("~")), Ok("a file".to_owned()));
}

fn names_that_forge_lines(yard: &mut Yard) {
    fs::write(yard.root.join("x\n[DIR] fake"), "1").unwrap();
    fs::write(yard.root.join(OsStr::from_bytes(b"caf\xe9")), "2").unwrap();
    let listed = yard.call("list_directory", &json!({"path": "."})).unwrap();
    assert_eq!(listed, "[DIR] a\n[FILE] caf\\xe9\n[FILE] x\\x0a[DIR] fake");
    let sizes = yard.call("list_directory_with_sizes", &json!({"path": "."})).unwrap();
    assert!(!sizes.lines().any(|line| line.starts_with("[DIR] fake")), "{sizes}");
    let found = yard.call("search_files", &json!({"path": ".", "pattern": "x*"})).unwrap();
    assert_eq!(found, yard.at("x\\x0a[DIR] fake"));
    let tree = yard.call("directory_tree", &json!({"path": "."})).unwrap();
    let tree: Value = serde_json::from_str(&tree).unwrap();
    assert_eq!(tree.as_array().unwrap().len(), 3);
    let several = yard.call("read_multiple_files", &json!({"paths": ["x\n[DIR] fake", "no\nne"]}));
    let several = several.unwrap();
    assert!(!several.lines().any(|line| line.starts_with("[DIR] fake")), "{several}");
    assert_eq!(yard.read(r"x\x0a[DIR] fake"), Ok("1".to_owned()));
    assert_eq!(yard.read(r"caf\xe9"), Ok("2".to_owned()));
}

fn names_that_look_like_options(yard: &mut Yard) {
    for name in ["-rf", "--help", "--include=x", "-e"] {
        yard.write(name, "data").unwrap();
        assert_eq!(yard.read(name), Ok("data".to_owned()));
        let found = yard.call("search_files", &json!({"path": ".", "pattern": name})).unwrap();
        assert_eq!(found, yard.at(name));
        let moved = json!({"source": name, "destination": format!("{name}.moved")});
        yard.call("move_file", &moved).unwrap();
    }
    let found = yard.call("search_files", &json!({"path": ".", "pattern": "-f/etc/passwd"}));
    assert_eq!(found, Ok("No matches found".to_owned()));
}
