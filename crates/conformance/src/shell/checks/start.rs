//! A command in the background: it outlives the call, and ends in one of four ways.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use garth_contract::{Cause, Command, Exit, Timeout};
use tokio::{task::JoinSet, time};

use super::super::{
    Subject,
    arrange::{UNTIL_GO, patiently, program, reading, script},
    beat::{BEAT, beats},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, same},
};

checks! { "start"
    it_returns_while_the_command_runs [] covers "start.background";
    it_ends_by_itself_and_says_how [] covers "start.after.ends" "cause.itself";
    it_ends_when_its_time_is_up [] covers "start.after.time" "cause.timeout";
    it_ends_when_it_is_ended [] covers "start.after.ended" "cause.ended";
    it_ends_when_the_workspace_stops [] covers "start.after.stops";
    whoever_started_it_may_go_away [] covers "start.after.starter";
    it_reads_what_it_was_given [] covers "start.background" "stdin.empty" "stdin.bytes";
    a_missing_program_ends_with_127 [] covers "start.errors" "run.errors.missing_program";
    a_number_is_never_used_twice [] covers "id.unique";
}

async fn it_returns_while_the_command_runs(ws: Subject) -> Verdict {
    let id = ws.start(format!("echo one; {UNTIL_GO}; echo two")).await?;
    ws.until(id, "one").await?;
    same("its end", ws.now(id, 0, 100).await?.ended, None)?;
    ws.go().await?;
    same("what it printed", ws.whole(id).await?.0.both, "one\ntwo\n")
}

async fn it_ends_by_itself_and_says_how(ws: Subject) -> Verdict {
    for (text, exit) in [("exit 7", Exit::Code(7)), ("kill -USR1 $$", Exit::Signal(10))] {
        let ended = ws.ended(ws.start(text).await?).await?;
        same("its end", (ended.exit, ended.cause), (exit, Cause::Itself))?;
    }
    Ok(())
}

async fn it_ends_when_its_time_is_up(ws: Subject) -> Verdict {
    let timeout = Timeout::millis(200)?;
    let id = ws.shell.start(Command { timeout, ..script("sleep 1000")? }).await?;
    let ended = ws.ended(id).await?;
    same("its end", (ended.exit, ended.cause), (Exit::Signal(15), Cause::Timeout))
}

async fn it_ends_when_it_is_ended(ws: Subject) -> Verdict {
    let id = ws.start("sleep 1000").await?;
    let ended = ws.shell.end(id).await?;
    same("its end", (ended.exit, ended.cause), (Exit::Signal(15), Cause::Ended))?;
    same("its end as its output tells it", ws.ended(id).await?, ended)
}

/// How long a heart that beats fifty times a second must be quiet to have stopped.
const QUIET: Duration = Duration::from_millis(600);

async fn it_ends_when_the_workspace_stops(ws: Subject) -> Verdict {
    ws.start(format!("{BEAT} (trap '' TERM HUP; beat deaf) & beat plain")).await?;
    ws.beating("deaf").await?;
    ws.beating("plain").await?;
    let Subject { shell, files, around: _around, .. } = ws;
    holds("the check alone has the shell", Arc::strong_count(&shell) == 1)?;
    drop(shell);
    // No clock of this workspace goes on, so this one check must look at the time.
    patiently("nothing beats any more", async || {
        let before = (beats(&files, "deaf").await?, beats(&files, "plain").await?);
        time::sleep(QUIET).await;
        let after = (beats(&files, "deaf").await?, beats(&files, "plain").await?);
        Ok((before == after).then_some(()))
    })
    .await
}

async fn whoever_started_it_may_go_away(ws: Subject) -> Verdict {
    let shell = Arc::clone(&ws.shell);
    let command = script(format!("{BEAT} beat child"))?;
    let starter = tokio::spawn(async move { shell.start(command).await });
    let id = starter.await.map_err(|error| failed(error.to_string()))??;
    ws.beating("child").await?;
    ws.run("true").await?;
    ws.beating("child").await?;
    same("its end", ws.listed(id).await?.ended, None)
}

async fn it_reads_what_it_was_given(ws: Subject) -> Verdict {
    let (whole, ended) = ws.whole(ws.start("cat; echo end").await?).await?;
    same("without input", whole.both, "end\n")?;
    same("its end", ended.exit, Exit::Code(0))?;
    let id = ws.shell.start(reading("cat; echo end", "given\n")?).await?;
    same("with input", ws.whole(id).await?.0.both, "given\nend\n")
}

async fn a_missing_program_ends_with_127(ws: Subject) -> Verdict {
    let id = ws.shell.start(program(&["no-such-program"])?).await?;
    same("its end", ws.ended(id).await?.exit, Exit::Code(127))
}

async fn a_number_is_never_used_twice(ws: Subject) -> Verdict {
    let mut numbers = BTreeSet::new();
    for _ in 0..5 {
        let started = ws.start("true").await?;
        let ran = ws.run("true").await?.id;
        ws.ended(started).await?;
        numbers.extend([started, ran]);
    }
    let mut starts = JoinSet::new();
    for _ in 0..10 {
        let (shell, command) = (Arc::clone(&ws.shell), script("true")?);
        starts.spawn(async move { shell.start(command).await });
    }
    for id in starts.join_all().await {
        numbers.insert(id?);
    }
    same("different numbers", numbers.len(), 20)
}
