//! The same trees and patterns given to `rg`, which must find the same.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use garth_contract::{Case, Glob, Hidden, Ignored, Lines, Output, Query, Syntax};

use crate::yard::{Yard, at, files, find, grep, with};

/// Finds `rg` of a version that the engines here are of, or says that it is missing.
fn rg() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|dir| dir.join("rg")).find(|rg| rg.is_file());
    if found.is_none() {
        println!("skipped: no rg");
    }
    found
}

/// The lines that `rg` prints, without a `./` before them.
fn lines(rg: &PathBuf, yard: &Yard, arguments: &[&str]) -> Vec<String> {
    let output = Command::new(rg)
        .args(["--no-config", "--no-require-git", "--no-ignore-global", "--no-messages"])
        .args(["--color=never", "--sort=path", "--no-context-separator", "--no-ignore-parent"])
        .args(arguments)
        .current_dir(yard.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| line.strip_prefix("./").unwrap_or(line).to_string())
        .filter(|line| !line.contains("WARNING: stopped searching binary file"))
        .collect()
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 20) % limit as u64).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const NAMES: &[&str] =
    &["a", "b", "c", "build", "keep", "x.log", "y.log", "z.rs", ".hid", ".x.rs", "a b", "é"];
const RULES: &[&str] = &[
    "*.log",
    "!x.log",
    "build/",
    "/a",
    "a/b",
    "!keep",
    "*",
    "!*.rs",
    "**/c",
    "a/**",
    "/b/*",
    "!/b/keep",
    "[xy].log",
    "?",
    "\\!a",
    "#a",
    ".*",
    "!.hid",
    "a b",
    "é",
    "**/build/**",
    "*/",
    "!*/",
    "{a,b}",
    "c/",
    "a/*/c",
    "!a/b/c",
    " ",
    "[",
    "keep/**/x.log",
];

/// A random tree with ignore files in random places.
fn random_tree(random: &mut Random) -> Yard {
    let yard = Yard::with(&[]);
    let mut dirs = vec![String::new()];
    for _ in 0..12 {
        let parent = dirs[random.below(dirs.len())].clone();
        let dir = format!("{parent}{}/", random.pick(NAMES));
        if !yard.path().join(&dir).exists() {
            yard.add(&dir, b"");
            dirs.push(dir);
        }
    }
    for _ in 0..40 {
        let path = format!("{}{}", dirs[random.below(dirs.len())], random.pick(NAMES));
        if !yard.path().join(&path).exists() {
            yard.add(&path, b"needle\n");
        }
    }
    for _ in 0..4 {
        let dir = &dirs[random.below(dirs.len())];
        let file = random.pick(&[".gitignore", ".ignore", ".gitignore", ".git/info/exclude"]);
        let rules: Vec<&str> = (0..=random.below(4)).map(|_| random.pick(RULES)).collect();
        yard.add(&format!("{dir}{file}"), rules.join("\n").as_bytes());
    }
    yard
}

#[test]
fn the_same_files_are_ignored() {
    let Some(rg) = rg() else { return };
    let mut random = Random(11);
    let mut ignored = 0;
    for round in 0..150 {
        let yard = random_tree(&mut random);
        for (hidden, flag) in [(Hidden::Skip, "--no-hidden"), (Hidden::Include, "--hidden")] {
            let expected = lines(&rg, &yard, &["--files", flag]);
            let found = yard.find(&Query { hidden, ..files() }).0;
            assert_eq!(found, expected, "round {round} {flag} in {}", describe(&yard));
            let all = Query { hidden, ignored: Ignored::Include, ..files() };
            ignored += yard.find(&all).0.len().abs_diff(found.len());
        }
        let unfiltered = lines(&rg, &yard, &["--files", "-uu"]);
        let all = Query { hidden: Hidden::Include, ignored: Ignored::Include, ..files() };
        assert_eq!(yard.find(&all).0, unfiltered);
    }
    assert!(ignored > 500, "the trees ignore too little to show anything: {ignored}");
}

#[test]
fn the_same_files_are_ignored_below_a_base() {
    let Some(rg) = rg() else { return };
    let mut random = Random(23);
    for round in 0..100 {
        let yard = random_tree(&mut random);
        let dirs = fs::read_dir(yard.path()).unwrap().map(|entry| entry.unwrap());
        for dir in dirs.filter(|entry| entry.file_type().unwrap().is_dir()) {
            let name = dir.file_name().into_string().unwrap();
            let base = format!("./{name}");
            // Rules above the base count, and the yard itself has none above it.
            let arguments = ["--files", "--ignore-parent", base.as_str()];
            let expected = lines(&rg, &yard, &arguments);
            let found = yard.find(&Query { base: at(&name), ..files() }).0;
            assert_eq!(found, expected, "round {round} below {name} in {}", describe(&yard));
        }
    }
}

fn describe(yard: &Yard) -> String {
    let all = Query { hidden: Hidden::Include, ignored: Ignored::Include, ..files() };
    let shown = yard.find(&all).0.into_iter().map(|path| {
        let content = fs::read_to_string(yard.path().join(&path)).unwrap();
        format!("{path}={content:?}")
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// Text with long and short lines, both endings, no final newline, NULs and marks.
fn random_text(random: &mut Random) -> Vec<u8> {
    let words = [
        "needle", "Needle", "NEEDLE", "needles", "x", "αβγ", "ÄÖ", "0x1f", "_needle_", "foo(bar)",
        "(", "a.b", "\t", "needle\r",
    ];
    let mut text = Vec::new();
    if random.below(12) == 0 {
        text.extend_from_slice(b"\xef\xbb\xbf");
    }
    let lines = [3, 30, 300, 9000][random.below(4)];
    for _ in 0..random.below(lines) {
        for _ in 0..random.below(6) {
            text.extend_from_slice(random.pick(&words).as_bytes());
            text.push(b' ');
        }
        if random.below(4000) == 0 {
            text.push(0);
        }
        if random.below(50) == 0 {
            text.extend_from_slice(b"\xff\xfe");
        }
        text.extend_from_slice(if random.below(9) == 0 { b"\r\n" } else { b"\n" });
    }
    if random.below(2) == 0 {
        text.extend_from_slice(b"needle at the end");
    }
    text
}

/// The searches, and how `rg` is asked for the same.
fn searches() -> Vec<(Query, Vec<&'static str>)> {
    let plain = grep("needle");
    let mut searches = vec![
        (plain.clone(), vec!["-n", "needle"]),
        (grep(r"^\w+ $"), vec!["-n", "--crlf", r"^\w+ $"]),
        (grep(r"x|$"), vec!["-n", "--crlf", r"x|$"]),
        (grep(r"e\s*\r$"), vec!["-n", r"e\s*\r$"]),
        (grep(r"[^a]\s+n"), vec!["-n", r"[^a]\s+n"]),
        (grep("αβ.|Ä"), vec!["-n", "αβ.|Ä"]),
        (grep(""), vec!["-n", ""]),
    ];
    let mut add = |change: &dyn Fn(&mut garth_contract::Grep), flags: &[&'static str]| {
        searches.push((with(&plain, change), flags.to_vec()));
    };
    add(&|grep| grep.case = Case::Insensitive, &["-n", "-i", "needle"]);
    add(&|grep| grep.case = Case::Smart, &["-n", "-S", "needle"]);
    add(&|grep| grep.syntax = Syntax::Word, &["-n", "-w", "needle"]);
    add(&|grep| grep.output = Output::Files, &["-l", "needle"]);
    add(&|grep| grep.output = Output::Count, &["-c", "needle"]);
    add(&|grep| (grep.before, grep.after) = (2, 1), &["-n", "-B2", "-A1", "needle"]);
    add(&|grep| (grep.before, grep.after) = (0, 3), &["-n", "-A3", "needle"]);
    let fixed = |grep: &mut garth_contract::Grep| {
        (grep.pattern, grep.syntax) = ("foo(bar)".into(), Syntax::Fixed);
    };
    add(&fixed, &["-n", "-F", "foo(bar)"]);
    let multi = |grep: &mut garth_contract::Grep| {
        (grep.pattern, grep.lines) = (r"x \r?\n.{0,9}needle".into(), Lines::Multi);
    };
    let flags = ["-n", "-U", "--multiline-dotall", r"x \r?\n.{0,9}needle"];
    add(&multi, &flags);
    let count = |grep: &mut garth_contract::Grep| {
        multi(grep);
        grep.output = Output::Count;
    };
    add(&count, &["-c", "-U", "--multiline-dotall", r"x \r?\n.{0,9}needle"]);
    searches
}

#[test]
fn the_same_lines_are_found() {
    let Some(rg) = rg() else { return };
    let mut random = Random(5);
    let mut total = 0;
    for _ in 0..12 {
        let yard = Yard::with(&[]);
        for number in 0..30 {
            yard.add(&format!("d{}/f{number}", number % 4), &random_text(&mut random));
        }
        for (query, arguments) in searches() {
            let mut flags = vec!["--no-heading", "--with-filename"];
            flags.extend(arguments);
            let expected = lines(&rg, &yard, &flags);
            // A match over several lines is one result here and a line each there.
            let found: Vec<String> =
                yard.find(&query).0.iter().flat_map(|line| split(line)).collect();
            assert_eq!(found.len(), expected.len(), "{flags:?}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.trim_end(), expected.trim_end(), "{flags:?}");
            }
            total += found.len();
        }
    }
    assert!(total > 100_000, "too little was found to show anything: {total}");
}

/// Writes a result over several lines as one result a line.
fn split(shown: &str) -> Vec<String> {
    let mut lines = shown.split('\n');
    let Some(first) = lines.next() else { return Vec::new() };
    let mut parts = first.splitn(3, [':']);
    let place = (parts.next(), parts.next().and_then(|number| number.parse::<u64>().ok()));
    let (Some(path), Some(number)) = place else { return vec![shown.to_string()] };
    let mut out = vec![first.to_string()];
    out.extend(lines.zip(1..).map(|(line, after)| format!("{path}:{}:{line}", number + after)));
    out
}

#[test]
fn a_bom_and_utf16_read_as_text() {
    let Some(rg) = rg() else { return };
    let yard = Yard::with(&[]);
    let utf16 = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
        let mut out = mark.to_vec();
        out.extend("one\nneedle é\n".encode_utf16().flat_map(bytes));
        out
    };
    yard.add("le", &utf16(b"\xff\xfe", u16::to_le_bytes));
    yard.add("be", &utf16(b"\xfe\xff", u16::to_be_bytes));
    yard.add("utf8", b"\xef\xbb\xbfneedle\n");
    for pattern in ["needle", "^needle"] {
        let found = yard.find(&grep(pattern)).0;
        assert_eq!(found, lines(&rg, &yard, &["-n", "--no-heading", pattern]));
        assert_eq!(found.len(), 3);
    }
}

#[test]
fn globs_and_filters_choose_as_they_do_there() {
    let Some(rg) = rg() else { return };
    let mut random = Random(41);
    for glob in ["*.rs", "*.log", "[a-c]", "?.log", "{a,b}", "*é*", "x.*", "a*"] {
        let yard = random_tree(&mut random);
        // There a glob brings back what is ignored; so nothing is ignored here.
        let arguments = ["--files", "--no-ignore", "-g", glob, "-g", "!**/.*"];
        let mut expected = lines(&rg, &yard, &arguments);
        // There a glob for a directory takes all that is in it.
        expected.retain(|path| {
            let name = path.rsplit('/').next().unwrap();
            globset_matches(glob, name)
        });
        let include = vec![Glob::Filter(glob.into())];
        let query = Query { include, ignored: Ignored::Include, ..files() };
        assert_eq!(find(&yard.host(), &query).unwrap().0, expected, "{glob}");
    }
}

/// A naive reading of the few globs above.
fn globset_matches(glob: &str, name: &str) -> bool {
    match glob {
        "*.rs" => name.ends_with(".rs"),
        "*.log" => name.ends_with(".log"),
        "[a-c]" => ["a", "b", "c"].contains(&name),
        "?.log" => name.len() == 5 && name.ends_with(".log"),
        "{a,b}" => ["a", "b"].contains(&name),
        "*é*" => name.contains('é'),
        "x.*" => name.starts_with("x."),
        "a*" => name.starts_with('a'),
        other => panic!("no reading of {other}"),
    }
}
