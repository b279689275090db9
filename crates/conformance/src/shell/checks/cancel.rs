//! Calls dropped before they ended: what is left is what the contract says.

use std::{collections::BTreeMap, time::Duration};

use garth_contract::{Announce, Ask, Cause, Exit, Input, Signal, Size};

use super::super::{
    Subject,
    arrange::{LINGER, TERMINAL, open, patiently, printed, script, typing},
    beat::BEAT,
    check::checks,
};
use crate::{
    Verdict,
    drops::{Drops, cut, everywhere},
    stop::{failed, holds, same},
};

checks! { "cancel"
    a_dropped_run_is_killed_with_its_tree [] covers "run.cancel" "shell.tree";
    a_dropped_run_is_not_asked_first [] covers "run.cancel";
    a_dropped_run_runs_no_more_in_the_list [] covers "run.cancel" "process.ended";
    a_dropped_run_disturbs_no_other [] covers "run.cancel";
    wherever_a_run_is_dropped_nothing_runs [] covers "run.cancel";
    a_dropped_start_runs_and_is_listed_or_never_was [] covers "start.cancel";
    a_dropped_end_ends_it_all_the_same [] covers "end.cancel";
    a_dropped_question_leaves_nothing [] covers "output.cancel" "list.cancel";
    a_dropped_write_is_whole_or_nothing [] covers "input.cancel";
    a_dropped_signal_was_sent_or_was_not [] covers "signal.cancel";
    a_dropped_resize_was_done_or_was_not [Terminals] covers "resize.cancel";
}

async fn a_dropped_run_is_killed_with_its_tree(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let tree = format!(
        "{BEAT} trap '' TERM HUP; beat child & ( (beat orphan) & )
        command -v setsid > /dev/null && setsid bash -c 'beat session' &
        beat main"
    );
    let running = ws.running(script(tree)?);
    for name in ["main", "child", "orphan"] {
        ws.beating(name).await?;
    }
    running.drop().await;
    ws.stops(&clock, &["main", "child", "orphan", "session"]).await
}

async fn a_dropped_run_is_not_asked_first(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let traps = format!("trap 'echo asked > asked; exit' TERM HUP INT; {BEAT} beat main");
    let running = ws.running(script(traps)?);
    ws.beating("main").await?;
    running.drop().await;
    ws.stops(&clock, &["main"]).await?;
    holds("it was not asked", ws.files.stat("asked").await.is_err())
}

async fn nothing_runs(ws: &Subject) -> Verdict {
    patiently("no process is listed as running", async || {
        let listed = ws.shell.list().await?;
        Ok(listed.iter().all(|process| process.ended.is_some()).then_some(()))
    })
    .await
}

async fn a_dropped_run_runs_no_more_in_the_list(ws: Subject) -> Verdict {
    let mut running = ws.running(script("echo one; sleep 1000")?);
    let id = running.id().await?;
    ws.until(id, "one").await?;
    running.drop().await;
    nothing_runs(&ws).await?;
    // Where it is still known, it died.
    let listed = ws.shell.list().await?;
    let ended = listed.iter().find(|process| process.id == id).and_then(|process| process.ended);
    holds("it was killed", ended.is_none_or(|ended| ended.exit == Exit::Signal(9)))
}

async fn a_dropped_run_disturbs_no_other(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    for _ in 0..5 {
        let mut running = ws.running(script("sleep 1000")?);
        running.id().await?;
        running.drop().await;
    }
    printed(&ws.run("echo well").await?, "well\n")?;
    same("the end of another", ws.listed(clock.0).await?.ended, None)?;
    ws.beating("clock").await
}

async fn wherever_a_run_is_dropped_nothing_runs(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    // It is polled again only when it has ended, which it never does.
    let polls = [0, 1].map(Drops::AfterPolls);
    let waits = (0..25).map(|step| Drops::AfterWait(step * step * 2));
    for drops in polls.into_iter().chain(waits) {
        let command = script(format!("{BEAT} beat dropped"))?;
        let report = cut(drops, ws.shell.run(command, Announce::nobody())).await;
        holds("it did not end by itself", report.is_none())?;
    }
    ws.stops(&clock, &["dropped"]).await?;
    patiently("only the clock is listed as running", async || {
        let listed = ws.shell.list().await?;
        Ok((listed.iter().filter(|process| process.ended.is_none()).count() == 1).then_some(()))
    })
    .await
}

async fn a_dropped_start_runs_and_is_listed_or_never_was(ws: Subject) -> Verdict {
    let polls = (0..4).map(Drops::AfterPolls);
    let waits = (0..16).map(|step| Drops::AfterWait(step * step * 2));
    for (number, drops) in polls.chain(waits).enumerate() {
        let command = script(format!("touch ran-{number}; exit 3"))?;
        // Dropped or not, the list and the files tell what became of it.
        let _ = cut(drops, ws.shell.start(command)).await.transpose()?;
    }
    nothing_runs(&ws).await?;
    let mut listed = Vec::new();
    for process in ws.shell.list().await? {
        same("its end", process.ended.map(|ended| ended.exit), Some(Exit::Code(3)))?;
        let name = process.command.split([' ', ';']).nth(1).unwrap_or_default().to_owned();
        listed.push(name);
    }
    listed.sort();
    let ran = ws.files.names("").await?;
    same("what ran is what is listed", ran, listed)
}

async fn a_dropped_end_ends_it_all_the_same(ws: Subject) -> Verdict {
    for polls in [1, 2] {
        let id = ws.start(format!("trap 'echo asked; exit 5' TERM; echo ready; {LINGER}")).await?;
        ws.until(id, "ready").await?;
        let _ = cut(Drops::AfterPolls(polls), ws.shell.end(id)).await.transpose()?;
        let (whole, ended) = ws.whole(id).await?;
        same("what it printed", whole.stdout, "ready\nasked\n")?;
        same("its end", (ended.exit, ended.cause), (Exit::Code(5), Cause::Ended))?;
    }
    Ok(())
}

async fn a_dropped_question_leaves_nothing(ws: Subject) -> Verdict {
    let ws = &ws;
    let id = ws.shell.start(open("echo one; read; echo two")?).await?;
    ws.until(id, "one").await?;
    let ask = |from| Ask { from, most: 100, wait: Duration::from_millis(1) };
    everywhere(async |_, drops| {
        cut(drops, ws.shell.output(id, ask(4))).await.transpose()?;
        cut(drops, ws.shell.list()).await.transpose()?;
        Ok(cut(drops, ws.shell.output(id, ask(0))).await.transpose()?.is_some())
    })
    .await?;
    ws.write(id, "\n").await?;
    same("what it printed", ws.whole(id).await?.0.both, "one\ntwo\n")
}

/// The bytes of one write: many times the same letter, with its number around.
fn wave(number: u64) -> String {
    format!("<{number}{}{number}>\n", "x".repeat(20_000))
}

async fn a_dropped_write_is_whole_or_nothing(ws: Subject) -> Verdict {
    ws.keeps(4 << 20)?;
    let ws = &ws;
    let id = ws.shell.start(open("cat")?).await?;
    let answered = std::sync::Mutex::new(BTreeMap::new());
    everywhere(async |number, drops| {
        let input = Input::Bytes(wave(number).into());
        let ended = cut(drops, ws.shell.input(id, input)).await.transpose()?.is_some();
        if let Ok(mut answered) = answered.lock() {
            answered.insert(number, ended);
        }
        Ok(ended)
    })
    .await?;
    ws.close(id).await?;
    let (whole, _) = ws.whole(id).await?;
    let mut rest = String::from_utf8_lossy(&whole.stdout).into_owned();
    let answered = answered.into_inner().map_err(|_| failed("a call panicked"))?;
    for (number, ended) in answered {
        match rest.strip_prefix(&wave(number)) {
            Some(after) => rest = after.to_owned(),
            None => holds("what was taken arrives, whole and in order", !ended)?,
        }
    }
    same("nothing else arrives", rest, "")
}

/// Some points of a call that changes something, for calls that cost more than a look.
fn a_few() -> impl Iterator<Item = Drops> {
    let waits = [0, 1, 5, 25, 100, 400].map(Drops::AfterWait);
    (0..4).map(Drops::AfterPolls).chain(waits)
}

async fn a_dropped_signal_was_sent_or_was_not(ws: Subject) -> Verdict {
    let traps = "trap 'echo got' USR1; trap 'exit 4' USR2; echo ready";
    let id = ws.start(format!("{traps}; {LINGER}")).await?;
    ws.until(id, "ready").await?;
    for drops in a_few() {
        let _ = cut(drops, ws.shell.signal(id, Signal::parse("WINCH")?)).await.transpose()?;
    }
    ws.shell.signal(id, Signal::parse("USR1")?).await?;
    ws.until(id, "got").await?;
    ws.shell.signal(id, Signal::parse("USR2")?).await?;
    same("its end", ws.ended(id).await?.exit, Exit::Code(4))
}

async fn a_dropped_resize_was_done_or_was_not(ws: Subject) -> Verdict {
    let shows = "stty -echo; echo ready; while read; do stty size; done";
    let id = ws.shell.start(typing(shows)?).await?;
    ws.until(id, "ready").await?;
    for drops in a_few() {
        let _ = cut(drops, ws.shell.resize(id, TERMINAL)).await.transpose()?;
    }
    ws.shell.resize(id, Size { rows: 11, columns: 22 }).await?;
    ws.write(id, "\n").await?;
    ws.until(id, "11 22\r\n").await?;
    Ok(())
}
