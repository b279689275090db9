//! A command whose time is up: it is asked first, and what it printed is not lost.

use garth_contract::{Cause, Command, Exit, Timeout};

use super::super::{
    Subject,
    arrange::{LINGER, printed, script, text},
    check::checks,
};
use crate::{
    Verdict,
    stop::{holds, same},
};

checks! { "timeout"
    it_is_told_and_no_error [] covers "run.timeout.told" "cause.timeout";
    the_shortest_one_is_told_too [] covers "run.timeout.told";
    what_was_printed_is_held [] covers "run.timeout.held";
    the_whole_can_be_asked_for_after [] covers "run.after.whole";
    it_asks_first [] covers "run.timeout.told" "run.timeout.held" "end.term";
    there_is_time_to_tidy_up [] covers "run.timeout.held" "end.kill";
    who_ends_in_time_is_left_alone [] covers "cause.itself";
    the_next_command_runs [] covers "run.timeout.told";
}

async fn it_is_told_and_no_error(ws: Subject) -> Verdict {
    let report = ws.overrun("echo ready; sleep 1000; echo never").await?;
    same("its cause", report.ended.cause, Cause::Timeout)?;
    same("its end", report.ended.exit, Exit::Signal(15))?;
    same("its end in the list", ws.listed(report.id).await?.ended, Some(report.ended))
}

async fn the_shortest_one_is_told_too(ws: Subject) -> Verdict {
    let timeout = Timeout::millis(1)?;
    let report = ws.run_as(Command { timeout, ..script("sleep 1000")? }).await?;
    same("its cause", report.ended.cause, Cause::Timeout)
}

async fn what_was_printed_is_held(ws: Subject) -> Verdict {
    let report = ws.overrun("seq 1000 >&2; echo ready; printf half; sleep 1000").await?;
    let want: String = (1..=1000).map(|number| format!("{number}\n")).collect();
    same("standard error", text(&report.stderr)?, want)?;
    let out = text(&report.stdout)?;
    holds("standard output is there", out == "ready\nhalf" || out == "ready\n")
}

async fn the_whole_can_be_asked_for_after(ws: Subject) -> Verdict {
    let report = ws.overrun("echo ready; sleep 1000").await?;
    let (whole, ended) = ws.whole(report.id).await?;
    same("what it printed", whole.stdout, "ready\n")?;
    same("its end", ended, report.ended)
}

async fn it_asks_first(ws: Subject) -> Verdict {
    let caught = format!("trap 'echo caught; exit 5' TERM; echo ready; {LINGER}");
    let report = ws.overrun(&caught).await?;
    same("what it printed", text(&report.stdout)?, "ready\ncaught\n")?;
    let end = (report.ended.exit, report.ended.cause);
    same("its end", end, (Exit::Code(5), Cause::Timeout))
}

async fn there_is_time_to_tidy_up(ws: Subject) -> Verdict {
    let tidies = format!("trap 'sleep 0.3 && echo tidy; exit' TERM; echo ready; {LINGER}");
    same("what it printed", text(&ws.overrun(&tidies).await?.stdout)?, "ready\ntidy\n")
}

async fn who_ends_in_time_is_left_alone(ws: Subject) -> Verdict {
    for timeout in [Timeout::millis(60_000)?, Timeout::MOST] {
        let report = ws.run_as(Command { timeout, ..script("sleep 0.05; echo well")? }).await?;
        printed(&report, "well\n")?;
        same("its cause", report.ended.cause, Cause::Itself)?;
    }
    Ok(())
}

async fn the_next_command_runs(ws: Subject) -> Verdict {
    let beside = ws.start("read < /dev/null; sleep 1000").await?;
    ws.overrun("echo ready; sleep 1000").await?;
    printed(&ws.run("echo next").await?, "next\n")?;
    same("the end of another", ws.listed(beside).await?.ended, None)
}
