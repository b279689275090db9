//! What can be wrong with a backend, and which check is there for it.

/// Makes the enum of faults and the table of their checks from one row each.
macro_rules! faults {
    ($($fault:ident $check:literal;)*) => {
        /// One thing that is wrong with a backend.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault { $($fault,)* }

        /// Every fault with the check that must catch it.
        pub(crate) const FAULTS: &[(Fault, &str)] = &[$((Fault::$fault, $check),)*];
    };
}

faults! {
    BlocksOnPipes          "read.a_special_file_is_refused_at_once";
    BlocksTheThread        "write.a_special_file_is_refused_at_once";
    Panics                 "read.huge_numbers_do_not_overflow";
    FollowsWhatItShouldKeep "stat.a_link_is_kept_or_followed_as_asked";
    SizesDirectories       "stat.a_directory_has_size_zero";
    TellsAtOnceWhatWas     "stat.what_is_told_at_once_is_what_is_told_after_waiting";
    FollowsAtOnce          "stat.a_link_is_told_at_once_as_after_waiting";
    ReadsAtOnceTooMuch     "read.what_is_read_at_once_is_what_is_read_after_waiting";
    TellsDeniedAtOnce      "deny.every_call_refuses_what_is_there";
    ReadsDeniedAtOnce      "deny.every_call_refuses_what_is_there";
    ForgetsTheFileOnTheWay "stat.a_file_on_the_way_is_not_a_directory";
    ListsUnsorted          "list.entries_are_sorted_by_the_bytes_of_their_names";
    CountsThePage          "list.pages_cut_and_total_counts_all";
    ListsFilesAsEmpty      "list.a_file_is_not_a_directory";
    HidesDotfiles          "list.dotfiles_are_listed";
    ReadsDirectories       "read.a_directory_is_not_a_file";
    IgnoresTheBound        "read.a_file_over_its_bound_is_too_large";
    RefusesPastTheEnd      "read.bytes_past_the_end_are_none";
    VersionsParts          "read.bytes_of_a_part_have_no_version";
    MistakesTheVersion     "read.bytes_that_are_all_of_it_have_a_version";
    DropsCarriageReturns   "lines.lines_are_cut_as_a_plain_reader_would";
    MiscountsLines         "lines.a_window_that_reached_the_end_knows_the_count";
    CutsTheTailInFront     "lines.last_lines_are_cut_as_a_plain_reader_would";
    LosesMode              "write.a_replaced_file_keeps_its_mode";
    LeavesTemporary        "write.no_temporary_is_left";
    MakesParentsFirst      "write.a_refused_write_leaves_nothing";
    ReplacesLinks          "write.a_link_stays_and_its_target_changes";
    WritesOverDirectories  "write.a_directory_is_not_a_file";
    SaysCreated            "write.a_replaced_file_has_exactly_these_bytes";
    SkipsUnchanged         "guard.unchanged_refuses_another_version";
    SkipsHolding           "guard.holding_refuses_other_bytes";
    ComparesFronts         "guard.holding_sees_the_same_length_and_front";
    SkipsAbsent            "guard.absent_refuses_a_file_that_is_there";
    TakesEmptyForMissing   "guard.a_version_of_an_empty_file_is_not_a_missing_one";
    ComparesLengths        "guard.unchanged_sees_the_same_length";
    MakesDirsTwice         "make_dir.several_at_once_all_succeed_and_one_made_it";
    ReplacesFilesByDirs    "make_dir.a_file_in_its_place_exists";
    FollowsLinkOnRemove    "remove.a_link_goes_and_its_target_stays";
    RemovesFullDirs        "remove.a_directory_that_is_not_empty_stays";
    RemovesTheRoot         "remove.the_root_cannot_be_removed";
    MiscountsRemovals      "remove.a_tree_is_gone_and_counted";
    RemovesByPrefix        "remove.nothing_next_to_it_is_changed";
    FollowsLinkOnRename    "rename.a_link_moves_and_its_target_stays";
    ClobbersOnRename       "rename.a_destination_that_is_there_stays";
    MovesIntoItself        "rename.a_directory_does_not_move_into_itself";
    LosesOnSelfRename      "rename.a_path_onto_itself_changes_nothing";
    MovesWithoutMode       "rename.mode_and_time_move_along";
    FindsUnordered         "find.a_whole_tree_is_walked_in_order";
    TakesTooMuch           "find.skip_and_take_cut_the_results";
    BeginsAnew             "find.results_begin_behind_a_path";
    BeginsAnewWhereItWent  "find.a_path_behind_which_results_begin_may_be_gone";
    FollowsLinksInFind     "find.links_are_reported_and_not_followed";
    CallsAfterStop         "find.a_sink_that_has_enough_ends_the_search";
    FindsHidden            "find.dotfiles_are_passed_over_when_asked";
    OldestFirst            "find.the_newest_come_first";
    TellsTooMuch           "find.names_are_the_paths_and_kinds_of_the_entries";
    NamesLinkTargets       "find.a_link_is_one_by_its_name_too";
    NamesPipesAsFiles      "find.special_files_are_told_apart_by_name";
    NamesInsteadOfLines    "find.facts_change_nothing_about_lines";
    NamesDenied            "deny.a_walk_leaves_it_out";
    StarsCrossSlashes      "glob.a_path_pattern_matches_the_whole_path";
    FiltersTheTopOnly      "glob.a_filter_matches_names_at_any_depth";
    ExcludesFilesOnly      "glob.an_excluded_directory_hides_what_is_below";
    ForgetsIgnoreFiles     "ignored.an_ignore_file_is_respected_without_git";
    ForgetsNestedIgnores   "ignored.a_nested_ignore_file_speaks_for_its_directory";
    SearchesBinary         "grep.binary_files_are_passed_over_and_counted";
    GivesNoPosition        "grep.a_bad_pattern_is_refused_with_its_position";
    ReadsFixedAsRegex      "grep.fixed_text_is_itself";
    KeepsLineEndings       "grep.line_endings_are_not_part_of_a_line";
    CountsContext          "grep.context_comes_with_a_match";
    WatchForgets           "watch.many_changes_are_all_reported_or_an_overflow_is";
    WatchSaysCreated       "watch.a_replaced_file_is_modified";
    WatchShowsHidden       "watch.hidden_files_are_reported_only_when_asked";
    WatchShowsIgnored      "watch.ignored_files_are_reported_only_when_asked";
    WatchNeverEnds         "watch.a_watch_ends_with_its_path";
    TellsAbsoluteLinks     "read_link.an_absolute_link_inside_is_told_as_a_relative_one";
    ReadsFilesAsLinks      "read_link.anything_but_a_link_is_refused";
    ShowsStaged            "stage.nothing_is_seen_before_it_lands";
    KeepsSetId             "stage.modes_and_times_land_too";
    StagesLinksOut         "stage.a_link_that_may_lead_out_is_refused";
    OverwritesStaged       "stage.what_was_staged_exists";
    StagesBelowLinks       "stage.nothing_goes_below_a_file_or_a_link";
    StagesOverQuota        "stage.the_quota_bounds_what_lands";
    LandsDenied            "stage.what_is_denied_or_protected_does_not_land";
    LandsUnallowed         "stage.what_is_not_allowed_does_not_land";
    LeavesStaged           "stage.a_discarded_stage_leaves_nothing";
    LandsInPieces          "landing.what_is_there_stays";
    ReplacesUnasked        "landing.the_second_of_two_stages_finds_the_first";
    FollowsLinksOnLand     "landing.a_link_in_its_place_is_not_followed";
    LandsInAMovedBase      "landing.a_base_that_was_moved_is_a_conflict";
    CutsLandings           "landing.a_dropped_landing_is_whole_or_not_at_all";
    LeavesTheRoot          "links.a_link_out_is_refused_by_every_call";
    CreatesOutside         "links.nothing_is_created_through_a_dangling_link_out";
    TellsWhatIsOutside     "links.what_is_outside_and_what_is_missing_look_alike";
    TakesLoopsForMissing   "links.a_loop_is_an_invalid_path";
    FoldsCase              "paths.upper_and_lower_case_are_two_names";
    ComposesNames          "paths.composed_and_decomposed_letters_are_two_names";
    MakesNamesText         "paths.names_that_are_not_text_round_trip";
    RefusesLongNames       "paths.the_longest_name_can_be_used";
    WritesReadOnly         "limits.a_read_only_workspace_refuses_every_change";
    ForgetsTheLargest      "limits.a_file_over_the_bound_is_refused_and_nothing_changes";
    ForgetsTheQuota        "limits.the_quota_bounds_all_files_together";
    NeverFreesQuota        "limits.a_removal_frees_quota";
    DeniesByText           "deny.a_link_is_no_way_round";
    DeniesOnlyWhatIsThere  "deny.every_call_refuses_what_is_not_there";
    ListsDenied            "deny.a_list_leaves_it_out";
    FindsDenied            "deny.a_walk_leaves_it_out";
    RemovesDenied          "deny.its_directory_cannot_be_removed";
    MovesDenied            "deny.its_directory_cannot_be_moved";
    WatchShowsDenied       "deny.a_watcher_is_not_told";
    ShowsUnallowed         "allow.every_call_refuses_what_is_there";
    AllowsWhatIsNotThere   "allow.every_call_refuses_what_is_not_there";
    ListsUnallowed         "allow.a_list_leaves_the_rest_out";
    FindsUnallowed         "allow.a_walk_leaves_the_rest_out";
    HidesTheWay            "allow.the_way_there_is_seen";
    RefusesTheWay          "allow.the_way_there_can_be_made";
    TakesFilesForTheWay    "allow.a_file_is_no_way_there";
    TakesUnallowedAlong    "allow.what_holds_the_rest_stays";
    CarriesToUnallowed     "allow.a_moved_directory_carries_nothing_out";
    AllowsDenied           "allow.what_is_denied_stays_denied";
    WatchShowsUnallowed    "allow.a_watcher_is_not_told_of_the_rest";
    ChangesProtected       "protect.it_is_not_changed";
    CarriesToProtected     "protect.a_moved_directory_carries_nothing_there";
    TearsWrites            "cancel.a_dropped_write_leaves_old_or_new_content";
    WritesAfterItsDrop     "cancel.a_dropped_write_never_lands_after_a_later_one";
    KeepsItsLock           "cancel.a_dropped_write_holds_nobody_up";
    CallsAfterItsDrop      "cancel.a_dropped_search_calls_its_sink_no_more";
    GuardsInTwoSteps       "concurrency.of_guarded_writers_exactly_one_wins";
    ShowsTemporary         "concurrency.a_lister_sees_no_temporary_file";
    ReadsInTwoSteps        "concurrency.a_reader_sees_one_file_whole";
}
