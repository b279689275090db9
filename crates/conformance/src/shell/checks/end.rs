//! Ending a process: asked first, the same answer however often.

use std::sync::Arc;

use garth_contract::{Cause, Code, Command, Exit, ProcessId, Timeout};
use tokio::task::JoinSet;

use super::super::{
    Subject,
    arrange::{LINGER, printed, script},
    check::checks,
};
use crate::{
    Verdict,
    stop::{refused, same},
};

checks! { "end"
    it_asks_first [] covers "end.term" "ended.exit";
    who_does_not_care_dies_of_it [] covers "end.term" "cause.ended";
    who_had_ended_says_how_it_did [] covers "end.after.had_ended";
    one_whose_time_was_up_says_so [] covers "end.after.had_ended" "cause.timeout";
    a_second_time_says_the_same [] covers "end.after.had_ended";
    several_at_once_say_the_same [] covers "end.after.had_ended";
    what_was_printed_stays [] covers "list.kept" "run.after.whole";
    a_foreground_command_can_be_ended [] covers "cause.ended";
    an_unknown_process_is_refused [] covers "shell.unknown";
}

/// Tidies up for a while when asked to end, then ends with a code of its own.
fn tidies() -> String {
    format!("trap 'echo tidying; sleep 0.3 && echo tidy; exit 6' TERM; echo ready; {LINGER}")
}

async fn it_asks_first(ws: Subject) -> Verdict {
    let id = ws.start(tidies()).await?;
    ws.until(id, "ready").await?;
    let ended = ws.shell.end(id).await?;
    same("its end", (ended.exit, ended.cause), (Exit::Code(6), Cause::Ended))?;
    same("what it printed", ws.whole(id).await?.0.stdout, "ready\ntidying\ntidy\n")
}

async fn who_does_not_care_dies_of_it(ws: Subject) -> Verdict {
    let id = ws.start("sleep 1000; echo never").await?;
    let ended = ws.shell.end(id).await?;
    same("its end", (ended.exit, ended.cause), (Exit::Signal(15), Cause::Ended))?;
    same("its end in the list", ws.listed(id).await?.ended, Some(ended))
}

async fn who_had_ended_says_how_it_did(ws: Subject) -> Verdict {
    let report = ws.run("exit 7").await?;
    same("the end of one that ran", ws.shell.end(report.id).await?, report.ended)?;
    let id = ws.start("exit 8").await?;
    let ended = ws.ended(id).await?;
    same("its end", (ended.exit, ended.cause), (Exit::Code(8), Cause::Itself))?;
    same("the end of one that was started", ws.shell.end(id).await?, ended)
}

async fn one_whose_time_was_up_says_so(ws: Subject) -> Verdict {
    let timeout = Timeout::millis(50)?;
    let report = ws.run_as(Command { timeout, ..script("sleep 1000")? }).await?;
    same("its cause", ws.shell.end(report.id).await?.cause, Cause::Timeout)
}

async fn a_second_time_says_the_same(ws: Subject) -> Verdict {
    let id = ws.start("sleep 1000").await?;
    let first = ws.shell.end(id).await?;
    same("the second time", ws.shell.end(id).await?, first)
}

async fn several_at_once_say_the_same(ws: Subject) -> Verdict {
    let id = ws.start(tidies()).await?;
    ws.until(id, "ready").await?;
    let mut callers = JoinSet::new();
    for _ in 0..5 {
        let shell = Arc::clone(&ws.shell);
        callers.spawn(async move { shell.end(id).await });
    }
    for answer in callers.join_all().await {
        let ended = answer?;
        same("its end", (ended.exit, ended.cause), (Exit::Code(6), Cause::Ended))?;
    }
    same("how often it tidied", ws.whole(id).await?.0.stdout, "ready\ntidying\ntidy\n")
}

async fn what_was_printed_stays(ws: Subject) -> Verdict {
    let id = ws.start("echo before; echo wrong >&2; echo ready; sleep 1000").await?;
    ws.until(id, "ready").await?;
    ws.shell.end(id).await?;
    let (whole, _) = ws.whole(id).await?;
    same("standard output", whole.stdout, "before\nready\n")?;
    same("standard error", whole.stderr, "wrong\n")
}

async fn a_foreground_command_can_be_ended(ws: Subject) -> Verdict {
    let mut running = ws.running(script("echo one; sleep 1000")?);
    let id = running.id().await?;
    ws.until(id, "one").await?;
    let ended = ws.shell.end(id).await?;
    let report = running.report().await?;
    same("its end", report.ended, ended)?;
    same("its cause", ended.cause, Cause::Ended)?;
    same("its code", ended.exit.code(), 143)?;
    printed(&ws.run("echo after").await?, "after\n")
}

async fn an_unknown_process_is_refused(ws: Subject) -> Verdict {
    let unknown = ProcessId(ws.run("true").await?.id.0 + 1_000);
    refused(ws.shell.end(unknown).await, Code::InvalidParams)
}
