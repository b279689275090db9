//! How long a question for output waits, and for what.

use std::{sync::Arc, time::Duration};

use garth_contract::{Ask, Printed, ProcessId, Result};
use tokio::{
    task::{JoinHandle, JoinSet},
    time,
};

use super::super::{
    Subject,
    arrange::{PATIENCE, open, script},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, same},
};

checks! { "output"
    a_wait_of_zero_returns_at_once [] covers "output.after.none" "ask.wait" "shell.never_waits";
    a_wait_is_over_when_its_time_is [] covers "output.after.none" "ask.wait";
    a_wait_ends_with_the_first_output [] covers "output.after.none" "ask.wait";
    a_wait_ends_with_the_process [] covers "output.after.none" "printed.ended";
    a_wait_does_not_end_before [] covers "output.after.none";
    all_who_wait_are_woken [] covers "output.after.none";
    a_line_without_its_end_is_seen [] covers "output.after.none";
}

/// The longest wait there is; a check that needs all of it has failed before.
fn waiting(ws: &Subject, id: ProcessId, from: u64) -> JoinHandle<Result<Printed>> {
    let shell = Arc::clone(&ws.shell);
    let ask = Ask { from, most: 100, wait: Ask::LONGEST };
    tokio::spawn(async move { shell.output(id, ask).await })
}

/// The answer, well before the wait would be over by itself.
async fn woken(task: JoinHandle<Result<Printed>>) -> Verdict<Printed> {
    match time::timeout(PATIENCE / 2, task).await {
        Ok(answer) => Ok(answer.map_err(|error| failed(error.to_string()))??),
        Err(_) => Err(failed("the wait goes on although something happened")),
    }
}

/// Says nothing until it reads something, then says that.
const ECHO: &str = "read line; printf %s \"$line\"; read line; exit 3";

async fn a_wait_of_zero_returns_at_once(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(ECHO)?).await?;
    let page = time::timeout(PATIENCE / 2, ws.now(id, 0, 100)).await;
    let page = page.map_err(|_| failed("it waits"))??;
    same("what there is", (page.pieces, page.next, page.total), (vec![], 0, 0))?;
    same("its end", page.ended, None)
}

async fn a_wait_is_over_when_its_time_is(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(ECHO)?).await?;
    let ask = Ask { from: 0, most: 100, wait: Duration::from_millis(100) };
    let page = time::timeout(PATIENCE / 2, ws.shell.output(id, ask)).await;
    let page = page.map_err(|_| failed("it waits for longer"))??;
    same("what there is", (page.pieces, page.next, page.total), (vec![], 0, 0))?;
    same("its end", page.ended, None)
}

async fn a_wait_ends_with_the_first_output(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(ECHO)?).await?;
    let task = waiting(&ws, id, 0);
    ws.write(id, "hello\n").await?;
    let page = woken(task).await?;
    holds("something came", page.next > 0)?;
    same("its end", page.ended, None)
}

async fn a_wait_ends_with_the_process(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(ECHO)?).await?;
    ws.write(id, "hello\n").await?;
    ws.until(id, "hello").await?;
    let task = waiting(&ws, id, 5);
    ws.write(id, "\n").await?;
    let page = woken(task).await?;
    same("what came", (page.pieces, page.next), (vec![], 5))?;
    same("its end", page.ended.map(|ended| ended.exit.code()), Some(3))
}

async fn a_wait_does_not_end_before(ws: Subject) -> Verdict {
    // Nothing is not an answer while the wait lasts and the process runs.
    let id = ws.start("sleep 0.3; echo late").await?;
    let page = woken(waiting(&ws, id, 0)).await?;
    holds("something came", page.next > 0)
}

async fn all_who_wait_are_woken(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(ECHO)?).await?;
    let mut readers = JoinSet::new();
    for _ in 0..8 {
        readers.spawn(woken(waiting(&ws, id, 0)));
    }
    ws.write(id, "hello\n").await?;
    for page in readers.join_all().await {
        holds("something came", page?.next > 0)?;
    }
    Ok(())
}

async fn a_line_without_its_end_is_seen(ws: Subject) -> Verdict {
    let mut running = ws.running(script("printf 'a prompt: '; sleep 1000")?);
    let id = running.id().await?;
    same("what is seen", ws.until(id, "prompt: ").await?, "a prompt: ")?;
    running.drop().await;
    Ok(())
}
