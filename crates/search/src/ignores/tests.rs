//! Which ignore rule wins, one fact each.

use super::*;

fn files<'a>(ignore: &'a str, gitignore: &'a str) -> IgnoreFiles<'a> {
    let some = |text: &'a str| (!text.is_empty()).then_some(text.as_bytes());
    IgnoreFiles { ignore: some(ignore), gitignore: some(gitignore), exclude: None }
}

fn file(ignores: &Ignores, path: &str) -> Verdict {
    ignores.verdict(path.as_bytes(), Kind::File)
}

#[test]
fn a_deeper_file_wins_over_a_shallower_one() {
    let root = Ignores::none().below(b"", files("", "*.log"));
    let deep = root.below(b"a/b", files("", "!keep.log"));
    assert_eq!(file(&root, "a/b/keep.log"), Verdict::Ignored);
    assert_eq!(file(&deep, "a/b/keep.log"), Verdict::Wanted);
    assert_eq!(file(&deep, "a/b/other.log"), Verdict::Ignored);
}

#[test]
fn any_ignore_wins_over_any_gitignore() {
    let root = Ignores::none().below(b"", files("*.log", ""));
    let deep = root.below(b"a", files("", "!keep.log"));
    assert_eq!(file(&deep, "a/keep.log"), Verdict::Ignored);
}

#[test]
fn the_repositorys_own_excludes_count_last() {
    let exclude = IgnoreFiles { exclude: Some(b"*.log\n*.tmp"), ..IgnoreFiles::default() };
    let root = Ignores::none().below(b"", exclude);
    let deep = root.below(b"a", files("", "!keep.log"));
    assert_eq!(file(&deep, "a/keep.log"), Verdict::Wanted);
    assert_eq!(file(&deep, "a/x.tmp"), Verdict::Ignored);
}

#[test]
fn a_rule_for_directories_spares_files() {
    let root = Ignores::none().below(b"", files("", "build/\n/top"));
    assert_eq!(root.verdict(b"a/build", Kind::Dir), Verdict::Ignored);
    assert_eq!(root.verdict(b"a/build", Kind::File), Verdict::Silent);
    assert_eq!(file(&root, "top"), Verdict::Ignored);
    assert_eq!(file(&root, "a/top"), Verdict::Silent);
}

#[test]
fn a_rule_with_a_slash_is_read_from_its_own_directory() {
    let deep = Ignores::none().below(b"a", files("", "b/*.o"));
    assert_eq!(file(&deep, "a/b/x.o"), Verdict::Ignored);
    assert_eq!(file(&deep, "a/a/b/x.o"), Verdict::Silent);
}

#[test]
fn a_line_that_is_wrong_spoils_no_other() {
    let content = b"\xef\xbb\xbf*.first\r\n\xff\xfe\n{unclosed\n# *.comment\n*.last".as_slice();
    let files = IgnoreFiles { gitignore: Some(content), ..IgnoreFiles::default() };
    let root = Ignores::none().below(b"", files);
    assert_eq!(file(&root, "a.first"), Verdict::Ignored);
    assert_eq!(file(&root, "a.last"), Verdict::Ignored);
    assert_eq!(file(&root, "a.comment"), Verdict::Silent);
}

#[test]
fn a_name_that_is_no_text_is_held_against_the_rules() {
    let root = Ignores::none().below(b"", files("", "*.log"));
    assert_eq!(root.verdict(b"\xff\xfe.log", Kind::File), Verdict::Ignored);
}

#[test]
fn a_huge_ignore_file_is_cut_at_a_line() {
    let mut content = b"*.kept\n".repeat(10);
    content.extend_from_slice(&b"#".repeat(MAX_IGNORE_FILE));
    content.extend_from_slice(b"\n*.late\n");
    let files = IgnoreFiles { ignore: Some(&content), ..IgnoreFiles::default() };
    let root = Ignores::none().below(b"", files);
    assert_eq!(file(&root, "a.kept"), Verdict::Ignored);
    assert_eq!(file(&root, "a.late"), Verdict::Silent);
}

#[test]
fn a_hostile_ignore_file_is_compiled_within_bounds() {
    let line = "**/{a*b,c?d}*[x-z]**{e,f,g}\n";
    let content = line.repeat(MAX_IGNORE_FILE / line.len());
    let root = Ignores::none().below(b"", files(&content, ""));
    let _ = file(&root, "a/b/c");
}
