//! The Python libraries `mcp` and `fastmcp`, each in both eras of the protocol.

use serde_json::json;

use crate::{
    calls, installed,
    run::{bounded, printed},
};

/// Shows that a fact holds, as drive/__main__.py names it.
fn holds(library: &str, era: &str, fact: &str) {
    let Some(python) = installed::python(library) else { return };
    let directory = tempfile::tempdir().unwrap();
    let scene = json!({
        "garth": env!("CARGO_BIN_EXE_garth"),
        "directory": directory.path(),
        "dialects": calls::dialects(),
    });
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/drive");
    let mut client = bounded(&python);
    // No bytecode is left beside the drivers.
    client.arg("-B").args([driver, library, era, fact, &scene.to_string()]);
    printed(&mut client);
}

macro_rules! facts {
    ($module:ident: $library:literal, $era:literal) => {
        mod $module {
            use super::holds;

            #[test]
            fn every_tool_of_every_dialect_answers_as_it_says() {
                holds($library, $era, "tools_answer");
            }

            #[test]
            fn every_tool_is_described_in_order() {
                holds($library, $era, "tools_are_described");
            }

            #[test]
            fn resources_are_listed_and_read() {
                holds($library, $era, "resources_are_read");
            }

            #[test]
            fn paths_are_completed() {
                holds($library, $era, "paths_are_completed");
            }

            #[test]
            fn a_change_of_a_file_that_is_followed_is_heard() {
                holds($library, $era, "changes_are_heard");
            }

            #[test]
            fn a_long_search_tells_of_its_progress() {
                holds($library, $era, "progress_is_told");
            }

            #[test]
            fn a_search_that_is_given_up_ends() {
                holds($library, $era, "searches_are_given_up");
            }
        }
    };
}

facts!(mcp_after_a_handshake: "mcp", "handshake");
facts!(mcp_stateless: "mcp", "stateless");
facts!(fastmcp_after_a_handshake: "fastmcp", "handshake");
facts!(fastmcp_stateless: "fastmcp", "stateless");
