//! Files say what they are, and are named after it.

use crate::tree;

#[test]
fn every_rust_file_opens_with_a_sentence_that_says_what_it_is() {
    let wrong: Vec<_> = tree::files()
        .iter()
        .filter(|file| file.is_rust() && !opens_with_a_sentence(&file.text))
        .map(|file| file.path.as_str())
        .collect();
    assert!(wrong.is_empty(), "no sentence in `//!` at the top of: {wrong:#?}");
}

fn opens_with_a_sentence(text: &str) -> bool {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let paragraph: Vec<_> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    paragraph.contains(' ') && paragraph.ends_with(['.', ':', '…'])
}

#[test]
fn no_file_is_named_after_nothing() {
    const EMPTY: [&str; 7] = ["utils", "util", "helpers", "helper", "manager", "common", "types"];
    for file in tree::files().iter().filter(|file| file.is_rust()) {
        let mut parts = file.path.trim_end_matches(".rs").split('/');
        let bad = parts.find(|part| {
            EMPTY.contains(part)
                || EMPTY[..5].iter().any(|word| part.ends_with(&format!("_{word}")))
        });
        assert_eq!(bad, None, "{} has a name that says nothing", file.path);
    }
}

#[test]
fn every_script_says_what_it_does() {
    let scripts = tree::files().iter().filter(|file| {
        (file.path.starts_with("scripts/") || file.path.starts_with(".ci/"))
            && file.text.starts_with("#!")
    });
    for script in scripts {
        let mut lines = script.text.lines().skip(1);
        let comment = lines.next().unwrap_or_default();
        assert!(comment.starts_with("# "), "{} opens without a sentence", script.path);
    }
}
