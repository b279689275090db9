//! How long files and functions are: printed, since a number is a hint and no rule.

use crate::{source, tree};

#[test]
fn sizes_of_files_and_functions() {
    let mut files = Vec::new();
    let mut functions = Vec::new();
    for file in tree::files() {
        let in_src = file.path.split('/').nth(2) == Some("src");
        if !file.is_rust() || !in_src || file.crate_name().is_none() {
            continue;
        }
        let code = source::production(&file.text);
        // What precedes the tests counts, comments included: it is what one reads.
        let lines = file.text.split("#[cfg(test)]").next().unwrap().lines().count();
        files.push((lines, file.path.clone()));
        let sizes = source::functions(&code).into_iter();
        functions.extend(sizes.map(|(name, lines)| (lines, format!("{} {name}", file.path))));
    }
    println!("{}", summary("lines a file", &mut files));
    println!("{}", summary("lines a function", &mut functions));
    assert!(!files.is_empty() && !functions.is_empty());
}

fn summary(what: &str, sizes: &mut [(usize, String)]) -> String {
    sizes.sort();
    let at = |percent: usize| sizes[(sizes.len() - 1) * percent / 100].0;
    let (max, place) = sizes.last().expect("there is code");
    format!("{what}: {} of them, p50 {}, p95 {}, max {max} ({place})", sizes.len(), at(50), at(95))
}
