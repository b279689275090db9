//! Cases that several tools of this kind are measured by, read where they are.

use serde_json::Value;

/// Where the cases stand, beside the repository.
pub(crate) const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases");

/// The cases of one file, or `None` where there are none to run.
pub(crate) fn cases(name: &str) -> Option<Value> {
    let Ok(text) = std::fs::read_to_string(format!("{CASES}/{name}")) else {
        println!("skipped: no shared cases");
        return None;
    };
    Some(serde_json::from_str(&text).expect("the case file is JSON"))
}
