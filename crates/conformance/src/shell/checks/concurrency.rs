//! Many commands at once: none waits for another, none gets what is another's.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{Announce, Command, Input, Timeout};
use tokio::task::JoinSet;

use super::super::{
    Subject,
    arrange::{UNTIL_GO, open, printed, reading, script, text},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, same},
};

checks! { "concurrency"
    each_of_fifty_runs_has_its_own_output [] covers "run.after.report";
    each_of_several_processes_has_its_own_input [] covers "input.after.order" "output.from";
    a_run_waits_for_no_other [] covers "shell.never_waits";
    two_writers_do_not_mix [] covers "input.after.order";
    a_flood_of_output_holds_nobody_up [] covers "shell.never_waits";
}

/// As many as asked for, or as the place allows.
fn at_most(ws: &Subject, wanted: usize) -> usize {
    ws.traits.processes.map_or(wanted, |most| most.min(wanted))
}

async fn each_of_fifty_runs_has_its_own_output(ws: Subject) -> Verdict {
    let mut runs = JoinSet::new();
    for number in 0..at_most(&ws, 50) {
        let shell = Arc::clone(&ws.shell);
        let lines =
            format!("for n in {{1..20}}; do echo out {number}; echo err {number} >&2; done; cat");
        let command = reading(format!("{lines}; exit {number}"), format!("given {number}"))?;
        runs.spawn(async move { (number, shell.run(command, Announce::nobody()).await) });
    }
    for (number, report) in runs.join_all().await {
        let report = report?;
        let out = format!("{}given {number}", format!("out {number}\n").repeat(20));
        same("its code", report.ended.exit.code(), i32::try_from(number).unwrap_or_default())?;
        same("standard output", text(&report.stdout)?, out)?;
        same("standard error", text(&report.stderr)?, format!("err {number}\n").repeat(20))?;
    }
    Ok(())
}

async fn each_of_several_processes_has_its_own_input(ws: Subject) -> Verdict {
    let mut ids = Vec::new();
    for _ in 0..at_most(&ws, 10) {
        ids.push(ws.shell.start(open("cat")?).await?);
    }
    for round in 0..5 {
        for id in &ids {
            ws.write(*id, format!("{id} {round}\n")).await?;
        }
    }
    for id in ids {
        ws.close(id).await?;
        let want: String = (0..5).map(|round| format!("{id} {round}\n")).collect();
        same("what came back", ws.whole(id).await?.0.both, want.into_bytes())?;
    }
    Ok(())
}

async fn a_run_waits_for_no_other(ws: Subject) -> Verdict {
    let mut first = ws.running(script(format!("{UNTIL_GO}; echo first"))?);
    first.id().await?;
    printed(&ws.run("touch go; echo second").await?, "second\n")?;
    printed(&first.report().await?, "first\n")
}

/// Long enough that no pipe takes it at once.
const LINE: usize = 100_000;

async fn two_writers_do_not_mix(ws: Subject) -> Verdict {
    ws.keeps(4 << 20)?;
    let id = ws.shell.start(open("cat")?).await?;
    let mut writers = JoinSet::new();
    for letter in [b'a', b'b'] {
        let shell = Arc::clone(&ws.shell);
        writers.spawn(async move {
            for _ in 0..10 {
                let mut line = vec![letter; LINE];
                line.push(b'\n');
                shell.input(id, Input::Bytes(Bytes::from(line))).await?;
            }
            Ok::<_, garth_contract::Error>(())
        });
    }
    for answer in writers.join_all().await {
        answer?;
    }
    ws.close(id).await?;
    let (whole, _) = ws.whole(id).await?;
    let mut lines = 0;
    for line in whole.stdout.split_inclusive(|byte| *byte == b'\n') {
        let whole = |letter: u8| line.iter().filter(|byte| **byte == letter).count() == LINE;
        holds("a line is whole", line.len() == LINE + 1 && (whole(b'a') || whole(b'b')))?;
        lines += 1;
    }
    same("lines", lines, 20)
}

async fn a_flood_of_output_holds_nobody_up(ws: Subject) -> Verdict {
    let timeout = Timeout::millis(60_000)?;
    let flood = ws.shell.start(Command { timeout, ..script("yes")? }).await?;
    let mut position = 0;
    while position == 0 {
        position = ws.page(flood, 0).await?.next;
    }
    printed(&ws.run("echo well").await?, "well\n")?;
    let beside = ws.shell.start(open("cat")?).await?;
    ws.write(beside, "also\n").await?;
    ws.until(beside, "also\n").await?;
    let listed = ws.listed(flood).await?;
    same("its end", listed.ended, None)?;
    let ended = ws.shell.end(flood).await?;
    same("its code", ended.exit.code(), 143)?;
    let total = ws.listed(flood).await?.printed;
    if total < listed.printed {
        return Err(failed("what it printed became less"));
    }
    Ok(())
}
