//! The largest of everything works, and what goes over a bound is refused.

use garth_contract::{Code, Command, Keep, Program, Timeout, Variables};

use super::super::{
    Subject,
    arrange::{printed, program, script},
    check::checks,
};
use crate::{
    Verdict,
    stop::{holds, refused, same},
};

checks! { "bounds"
    the_longest_script_runs [] covers "program.script" "run.to_its_end";
    the_most_arguments_are_passed [] covers "run.to_its_end";
    the_largest_environment_is_passed [] covers "command.variables";
    the_most_output_can_be_held [] covers "keep.each" "kept.head";
    output_that_nobody_reads_holds_nothing_up [] covers "shell.never_waits" "kept.total";
    too_many_processes_are_refused [FewProcesses] covers "run.errors.too_many" "start.errors";
    an_ended_process_makes_room [FewProcesses] covers "run.errors.too_many";
    the_oldest_that_ended_are_forgotten [FewKept] covers "shell.no_longer_kept" "list.kept";
}

/// The bound of a script, and of all arguments together.
const PROGRAM: usize = 128 * 1024 - 64;

async fn the_longest_script_runs(ws: Subject) -> Verdict {
    let (before, after) = ("word=", "; echo ${#word}");
    let room = PROGRAM - before.len() - after.len();
    let text = format!("{before}{}{after}", "x".repeat(room));
    printed(&ws.run(text).await?, &format!("{room}\n"))
}

async fn the_most_arguments_are_passed(ws: Subject) -> Verdict {
    let mut words = vec![b"printf".to_vec(), b"%s".to_vec()];
    words.resize(4_096, b"y".repeat(31));
    let report = ws.run_as(Command::new(Program::arguments(words)?)).await?;
    same("bytes printed", report.stdout.total, 4_094 * 31)
}

async fn the_largest_environment_is_passed(ws: Subject) -> Verdict {
    let pair = |number: usize| (format!("NAME_{number:03}"), "v".repeat(1_000));
    let variables = Variables::new((0..64).map(pair))?;
    let counts = "n=0; for name in ${!NAME_*}; do
        value=${!name}; n=$((n + ${#name} + ${#value}))
    done; echo $n";
    let report = ws.run_as(Command { variables, ..script(counts)? }).await?;
    printed(&report, &format!("{}\n", 64 * 1_008))
}

async fn the_most_output_can_be_held(ws: Subject) -> Verdict {
    let keep = Keep { head: Keep::MOST, tail: Keep::MOST };
    let report = ws.run_as(Command { keep, ..script("seq 500000")? }).await?;
    let want: String = (1..=500_000).map(|number| format!("{number}\n")).collect();
    holds("all of it is held", report.stdout.head == want.as_bytes())
}

async fn output_that_nobody_reads_holds_nothing_up(ws: Subject) -> Verdict {
    let report = ws.run("head -c 40000000 /dev/zero; echo end >&2").await?;
    same("what it printed in all", report.stdout.total, 40_000_000)?;
    same("its last word", report.stderr.head, "end\n")
}

/// Starts as many processes as there may be.
async fn full(ws: &Subject) -> Verdict<Vec<garth_contract::ProcessId>> {
    let mut ids = Vec::new();
    for _ in 0..ws.traits.processes.unwrap_or_default() {
        ids.push(ws.shell.start(long()?).await?);
    }
    Ok(ids)
}

fn long() -> garth_contract::Result<Command> {
    Ok(Command { timeout: Timeout::MOST, ..program(&["sleep", "1000"])? })
}

async fn too_many_processes_are_refused(ws: Subject) -> Verdict {
    let ids = full(&ws).await?;
    refused(ws.shell.start(long()?).await, Code::QuotaExceeded)?;
    refused(ws.run("true").await, Code::QuotaExceeded)?;
    let listed: Vec<_> = ws.shell.list().await?.iter().map(|process| process.id).collect();
    same("what is listed", listed, ids)
}

async fn an_ended_process_makes_room(ws: Subject) -> Verdict {
    for id in full(&ws).await?.into_iter().take(1) {
        ws.shell.end(id).await?;
    }
    printed(&ws.run("echo well").await?, "well\n")?;
    ws.shell.start(long()?).await?;
    refused(ws.run("true").await, Code::QuotaExceeded)
}

async fn the_oldest_that_ended_are_forgotten(ws: Subject) -> Verdict {
    let runs = ws.start("echo long; sleep 1000").await?;
    let first = ws.run("echo first").await?.id;
    let most = ws.traits.kept.unwrap_or_default();
    let mut last = first;
    for _ in 0..most + 2 {
        last = ws.run("echo more").await?.id;
    }
    refused(ws.now(first, 0, 10).await, Code::InvalidParams)?;
    refused(ws.shell.end(first).await, Code::InvalidParams)?;
    let listed = ws.shell.list().await?;
    let ended = listed.iter().filter(|process| process.ended.is_some()).count();
    holds("no more are known than may be", ended <= most)?;
    same("one that runs is known", ws.until(runs, "long\n").await?, "long\n")?;
    same("the last is known", ws.whole(last).await?.0.both, "more\n")
}
