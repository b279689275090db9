//! Pages of the documentation that are made from tables in the code.
//!
//! With `GARTH_WRITE_PAGES` set (`make docs`) the tests write the pages; without
//! it they check that the pages are what they would write.

use std::fs;

use garth_contract::{Retry, TABLE};

use crate::tree;

#[test]
fn pages_of_errors_are_current() {
    compare("docs/errors.md", &errors());
}

/// Writes the page, or checks it.
fn compare(path: &str, page: &str) {
    let file = tree::root().join(path);
    if std::env::var_os("GARTH_WRITE_PAGES").is_some() {
        fs::write(&file, page).unwrap();
    }
    let present = fs::read_to_string(&file).unwrap_or_default();
    assert!(present == page, "{path} is not what the code says; `make docs` writes it");
}

fn errors() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Every refusal and failure carries one of these codes, whatever the interface. This page is\n\
         written by `make docs` from the table in `crates/contract/src/code.rs`.\n\n\
         *Again* says whether the same call can succeed later: never without a change, later as it\n\
         is, or afresh, after reading the current state.\n\n\
         | code | HTTP | errno | again | what happened | what to do |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in TABLE {
        let again = match row.retry {
            Retry::Never => "never",
            Retry::Later => "later",
            Retry::Afresh => "afresh",
        };
        let cells = [
            format!("`{}`", row.name),
            row.http.to_string(),
            row.errno.to_string(),
            again.to_owned(),
            row.phrase.to_owned(),
            row.hint.to_owned(),
        ];
        page.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    page
}
