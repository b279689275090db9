//! What can be wrong with a place that runs commands, and which check is there for it.

/// How a fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// A claim does not hold.
    False,
    /// The check does not end.
    Hangs,
}

/// Makes the enum of faults and the table of their checks from one row each.
macro_rules! faults {
    ($($fault:ident $shows:ident $check:literal;)*) => {
        /// One thing that is wrong with a place that runs commands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault { $($fault,)* }

        /// Every fault with the check that must catch it.
        pub(crate) const FAULTS: &[(Fault, Shows, &str)] =
            &[$((Fault::$fault, Shows::$shows, $check),)*];
    };
}

faults! {
    LosesTheCode          False "run.an_exit_code_is_reported";
    TellsSignalsAsCodes   False "run.a_death_by_signal_is_told_as_one";
    RunsNoTime            False "run.how_long_it_ran_is_told";
    JoinsArguments        False "run.arguments_are_passed_as_they_are";
    RefusesMissing        False "run.a_missing_program_is_127";
    SwapsStreams          False "run.both_streams_are_told_apart";
    JoinsStreams          False "run.both_streams_are_told_apart";
    DropsHalfLines        False "run.output_without_a_newline_is_whole";
    MakesTextOfBytes      False "run.every_byte_passes";
    AnnouncesToNobody     False "run.it_is_announced_while_it_runs";
    AnnouncesLate         Hangs "run.it_is_announced_while_it_runs";
    AnnouncesTooSoon      False "run.a_refused_one_is_neither_announced_nor_listed";
    CutsWhatFits          False "run.what_fits_is_held_whole";
    CountsWhatItHolds     False "run.one_byte_more_is_cut_in_the_middle";
    ForgetsTheTail        False "run.huge_output_is_held_at_both_ends_and_counted";
    KeepsTheUsual         False "run.nothing_is_held_when_nothing_is_asked_for";
    StaysInTheRoot        False "workdir.a_directory_below_is_one";
    RunsAnywhere          False "workdir.a_missing_one_is_not_found";
    FollowsLinksOut       False "workdir.one_outside_through_a_link_is_refused";
    LeaksItsEnvironment   False "environment.it_is_the_places_own";
    ForgetsVariables      False "environment.variables_are_added";
    OverridesNothing      False "environment.variables_override_the_places_own";
    LogsIn                False "environment.bash_is_neither_login_nor_interactive";
    ReadsTheProfile       False "environment.no_profile_is_read";
    OpensTheUmask         False "environment.the_umask_is_the_usual_one";
    IgnoresInterrupts     False "environment.no_signal_is_ignored_or_blocked";
    IgnoresBrokenPipes    False "environment.a_broken_pipe_ends_who_writes_to_it";
    LeaksDescriptors      False "environment.no_other_descriptor_is_open";
    AlwaysGivesATerminal  False "environment.there_is_no_terminal_unless_asked_for";
    StartsInTheForeground Hangs "start.it_returns_while_the_command_runs";
    OutlivesTheWorkspace  Hangs "start.it_ends_when_the_workspace_stops";
    ReusesNumbers         False "start.a_number_is_never_used_twice";
    ReadsOneFurther       False "output.any_position_can_be_read_again";
    GoesBackOne           Hangs "output.pages_of_any_size_join_to_the_whole";
    StartsAtZero          False "output.an_answer_says_where_it_is";
    IgnoresTheMost        False "output.no_answer_has_more_than_was_asked_for";
    AnswersBeyond         False "output.a_position_beyond_is_refused";
    KnowsEverybody        False "output.an_unknown_process_is_refused";
    NamesOneStream        False "output.streams_share_one_count_in_their_order";
    ForgetsTheEnded       False "output.the_output_of_an_ended_one_is_kept";
    ForgetsTheMissing     False "output.what_a_full_spool_dropped_is_counted";
    WaitsAlways           Hangs "output.a_wait_of_zero_returns_at_once";
    WaitsNever            False "output.a_wait_does_not_end_before";
    SleepsOn              Hangs "output.a_wait_ends_with_the_first_output";
    WaitsForLines         Hangs "output.a_line_without_its_end_is_seen";
    LeavesInputOpen       Hangs "input.nothing_is_its_end_at_once";
    NeverCloses           Hangs "input.closing_is_its_end";
    WritesTwice           False "input.what_is_written_comes_in_order";
    TakesAfterTheEnd      False "input.nothing_is_taken_after_the_end";
    TakesEverything       False "input.a_flood_is_refused";
    TakesSomeOnError      False "input.what_was_refused_was_not_taken";
    KillsInstead          False "signal.a_signal_can_be_caught";
    SignalsNobody         Hangs "signal.each_signal_arrives_as_itself";
    SignalsEverybody      False "signal.nobody_else_gets_it";
    SignalsTheEnded       False "signal.an_ended_process_is_refused";
    KillsToEnd            False "end.it_asks_first";
    EndsByItself          False "end.who_does_not_care_dies_of_it";
    EndsOnce              False "end.a_second_time_says_the_same";
    ListsNewestFirst      False "list.the_oldest_come_first";
    HidesTheEnded         False "list.one_that_ended_is_listed_with_its_end";
    HidesTheForeground    False "list.a_foreground_one_is_listed_too";
    CountsNothing         False "list.what_was_printed_is_counted";
    ShowsTheShell         False "list.the_command_is_shown";
    NeverAges             False "list.ages_grow";
    GivesNoTerminal       False "terminal.it_is_one";
    NeverResizes          Hangs "terminal.a_new_size_is_seen";
    ResizesNothing        False "terminal.without_one_there_is_no_size";
    FailsOnTimeout        False "timeout.it_is_told_and_no_error";
    BlamesTheCommand      False "timeout.it_is_told_and_no_error";
    LosesErrorsOnTimeout  False "timeout.what_was_printed_is_held";
    KillsAtTheTime        False "timeout.it_asks_first";
    ForgetsTheTime        Hangs "timeout.the_shortest_one_is_told_too";
    LeavesChildren        False "tree.a_child_left_behind_is_gone";
    LeavesTrees           False "tree.all_of_it_goes_when_its_time_is_up";
    LeavesStarted         False "tree.all_of_it_goes_when_it_is_ended";
    RunsOn                Hangs "cancel.a_dropped_run_is_killed_with_its_tree";
    AsksOnDrop            False "cancel.a_dropped_run_is_not_asked_first";
    DropsTheEnd           Hangs "cancel.a_dropped_end_ends_it_all_the_same";
    SplitsWrites          False "cancel.a_dropped_write_is_whole_or_nothing";
    RefusesNobody         False "bounds.too_many_processes_are_refused";
    MixesReports          False "concurrency.each_of_fifty_runs_has_its_own_output";
    RunsOneAtATime        Hangs "concurrency.a_run_waits_for_no_other";
    ChangesItsMind        False "place.its_abilities_never_change";
}
