//! What is listed of each process, and in which order.

use garth_contract::{Cause, Exit, MOST_COMMAND_SHOWN, Process};

use super::super::{
    Subject,
    arrange::{UNTIL_GO, program, script},
    check::checks,
};
use crate::{
    Verdict,
    stop::{holds, same},
};

checks! { "list"
    nothing_is_listed_at_first [] covers "list.running";
    one_that_runs_is_listed [] covers "list.running" "process.background" "process.terminal" "process.ended";
    one_that_ended_is_listed_with_its_end [] covers "list.kept" "process.ended";
    a_foreground_one_is_listed_too [] covers "list.running" "process.background";
    the_oldest_come_first [] covers "list.oldest_first" "process.age";
    ages_grow [] covers "process.age";
    what_was_printed_is_counted [] covers "process.printed" "printed.total";
    the_command_is_shown [] covers "process.command";
    a_long_command_is_shortened [] covers "process.command" "process.most_shown";
}

async fn nothing_is_listed_at_first(ws: Subject) -> Verdict {
    same("what is listed", ws.shell.list().await?, [])
}

/// What can be claimed of a process whatever the time.
fn lasting(process: &Process) -> (bool, bool, Option<(Exit, Cause)>) {
    let ended = process.ended.map(|ended| (ended.exit, ended.cause));
    (process.background, process.terminal, ended)
}

async fn one_that_runs_is_listed(ws: Subject) -> Verdict {
    let id = ws.start("sleep 1000").await?;
    same("what is listed", lasting(&ws.listed(id).await?), (true, false, None))?;
    same("how many", ws.shell.list().await?.len(), 1)
}

async fn one_that_ended_is_listed_with_its_end(ws: Subject) -> Verdict {
    let id = ws.start("exit 3").await?;
    let ended = ws.ended(id).await?;
    let process = ws.listed(id).await?;
    same("its end", process.ended, Some(ended))?;
    holds("it ran no longer than it is old", ended.ran <= process.age)?;
    let state = (true, false, Some((Exit::Code(3), Cause::Itself)));
    same("what is listed", lasting(&process), state)
}

async fn a_foreground_one_is_listed_too(ws: Subject) -> Verdict {
    let mut running = ws.running(script(UNTIL_GO)?);
    let id = running.id().await?;
    same("while it runs", lasting(&ws.listed(id).await?), (false, false, None))?;
    ws.go().await?;
    running.report().await?;
    let state = (false, false, Some((Exit::Code(0), Cause::Itself)));
    same("after its end", lasting(&ws.listed(id).await?), state)
}

async fn the_oldest_come_first(ws: Subject) -> Verdict {
    let mut started = Vec::new();
    for number in 0..4 {
        started.push(ws.start(if number % 2 == 0 { "sleep 1000" } else { "true" }).await?);
        started.push(ws.run("true").await?.id);
    }
    let listed = ws.shell.list().await?;
    let ids: Vec<_> = listed.iter().map(|process| process.id).collect();
    same("their order", ids, started)?;
    holds("the ages say the same", listed.is_sorted_by(|one, other| one.age >= other.age))
}

async fn ages_grow(ws: Subject) -> Verdict {
    let id = ws.start("sleep 1000").await?;
    let before = ws.listed(id).await?.age;
    ws.run("sleep 0.05").await?;
    holds("it is older than before", ws.listed(id).await?.age > before)
}

async fn what_was_printed_is_counted(ws: Subject) -> Verdict {
    let ended = ws.run("printf 12345; printf 678 >&2").await?.id;
    same("of one that ended", ws.listed(ended).await?.printed, 8)?;
    let runs = ws.start("printf 12345; printf 678 >&2; sleep 1000").await?;
    let mut position = 0;
    while position < 8 {
        position = ws.page(runs, position).await?.next;
    }
    same("of one that runs", ws.listed(runs).await?.printed, 8)
}

async fn the_command_is_shown(ws: Subject) -> Verdict {
    let of_script = ws.run("echo from a script").await?.id;
    same("a script", ws.listed(of_script).await?.command, "echo from a script")?;
    let of_words = ws.run_as(program(&["echo", "word"])?).await?.id;
    same("a program", ws.listed(of_words).await?.command, "echo word")
}

async fn a_long_command_is_shortened(ws: Subject) -> Verdict {
    for letter in ["x", "ž", "🐎"] {
        let id = ws.run(format!("echo {}", letter.repeat(1_000))).await?.id;
        let shown = ws.listed(id).await?.command;
        holds("it is shortened", shown.chars().count() <= MOST_COMMAND_SHOWN)?;
        holds("its beginning is shown", shown.starts_with(&format!("echo {letter}{letter}")))?;
    }
    Ok(())
}
