//! The shared rules for backends: each has its check here, or a reason why not.

use garth_conformance::checks;
use serde_json::Value;

const FILE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/fs_backend_conformance.json");

/// Where a rule is kept.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// By this check.
    By(&'static str),
    /// Not by a filesystem, and why.
    Elsewhere(&'static str),
}
use Kept::{By, Elsewhere};

/// One row per rule, in the file's order: its operation, and where it is kept.
const RULES: &[(&str, Kept)] = &[
    ("exists", By("stat.a_missing_entry_is_not_found")),
    ("exists", By("stat.the_root_is_a_directory")),
    ("read", By("lines.a_window_that_reached_the_end_knows_the_count")),
    ("read", By("lines.a_window_that_reached_the_end_knows_the_count")),
    ("read", By("read.a_missing_file_is_not_found")),
    ("read", By("read.a_directory_is_not_a_file")),
    ("read", Elsewhere("the trait carries bytes; what is text the operations decide")),
    ("read_bytes", By("read.bytes_are_cut_at_the_end")),
    ("read_bytes", Elsewhere("a negative number cannot be written in the trait's types")),
    ("read", By("read.nothing_is_lost_or_added_at_a_block_boundary")),
    ("read", By("concurrency.a_reader_of_a_span_sees_one_file")),
    ("read", By("read.a_special_file_is_refused_at_once")),
    ("write", By("write.a_special_file_is_refused_at_once")),
    ("write", By("guard.absent_refuses_a_file_that_is_there")),
    ("write", Elsewhere("the trait replaces files whole; appending is read, then a guarded write")),
    ("write", By("write.missing_parents_are_made")),
    ("write", By("write.a_missing_parent_is_refused_when_required")),
    ("write", By("write.nothing_appears_next_to_the_root")),
    ("write", By("limits.a_file_over_the_bound_is_refused_and_nothing_changes")),
    ("write", By("write.an_empty_file_is_written")),
    ("write", By("limits.a_write_breaks_a_hard_link")),
    ("stat", By("stat.a_link_is_kept_or_followed_as_asked")),
    ("list", By("list.links_are_listed_as_links")),
    ("list", By("list.a_file_is_not_a_directory")),
    ("list", By("list.entries_are_sorted_by_the_bytes_of_their_names")),
    ("list", By("paths.odd_names_round_trip")),
    ("glob", By("glob.a_path_pattern_matches_the_whole_path")),
    ("glob", By("glob.no_match_is_no_error")),
    ("grep", By("grep.a_bad_pattern_is_refused_with_its_position")),
    ("grep", By("grep.binary_files_are_passed_over_and_counted")),
    ("grep", By("grep.matches_stand_where_the_spans_say")),
    ("grep", By("grep.skip_and_take_count_results")),
    ("delete", By("remove.a_directory_that_is_not_empty_stays")),
    ("delete", By("remove.the_root_cannot_be_removed")),
    ("delete", By("remove.a_link_goes_and_its_target_stays")),
    ("delete", By("remove.a_missing_entry_is_not_found")),
    ("mkdir", By("make_dir.a_directory_that_is_there_existed")),
    ("mkdir", By("make_dir.a_file_in_its_place_exists")),
    ("mkdir", By("make_dir.several_at_once_make_their_parents_once")),
    ("mkdir", By("make_dir.a_directory_that_cannot_be_listed_is_passed_through")),
    ("move", By("rename.a_missing_source_is_not_found")),
    ("move", By("rename.a_directory_does_not_move_into_itself")),
    ("copy", Elsewhere("the trait does not copy")),
    ("copy", Elsewhere("the trait does not copy")),
    ("walk", By("find.skip_and_take_cut_the_results")),
    ("walk", By("find.a_loop_of_links_ends")),
    ("snapshot", Elsewhere("the trait takes no snapshots; the memory backend tests its own")),
    ("snapshot", Elsewhere("the trait takes no snapshots; a snapshot there is a value, not an id")),
    ("snapshot", Elsewhere("the trait takes no snapshots; they are in no workspace's tree")),
    ("concurrency", By("concurrency.no_counted_update_is_lost")),
    (
        "permission",
        Elsewhere("the trait does not edit; a denied path is refused before it is read"),
    ),
    ("permission", By("concurrency.no_call_is_led_out_by_a_swap")),
];

#[test]
fn every_shared_rule_has_its_check_or_a_reason() {
    #[allow(clippy::disallowed_methods, reason = "a test's data lies beside the repository")]
    let Ok(text) = std::fs::read_to_string(FILE) else {
        println!("skipped: no shared cases");
        return;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    let rules = file["rules"].as_array().unwrap();
    for (number, rule) in rules.iter().enumerate() {
        let row = RULES.get(number);
        assert_eq!(
            row.map(|(operation, _)| *operation),
            rule["op"].as_str(),
            "rule {number}: {rule}"
        );
    }
    assert_eq!(RULES.len(), rules.len());
    let kept = RULES.iter().filter(|(_, kept)| matches!(kept, By(_))).count();
    println!("{kept} shared rules are checked, {} are no filesystem's", RULES.len() - kept);
}

#[test]
fn every_rule_names_a_check_that_there_is() {
    for (operation, kept) in RULES {
        match kept {
            By(name) => assert!(checks().any(|check| check.name == *name), "{operation}: {name}"),
            Elsewhere(why) => assert!(!why.is_empty()),
        }
    }
}
