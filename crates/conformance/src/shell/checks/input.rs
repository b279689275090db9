//! What a process reads: nothing, bytes, or what is written while it runs.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{Code, Command, Exit, Input, Keep, MOST_WAITING_INPUT, ProcessId, Size};

use super::super::{
    Subject,
    arrange::{UNTIL_GO, open, patiently, printed, reading, script},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, refused, same},
};

checks! { "input"
    nothing_is_its_end_at_once [] covers "stdin.empty";
    bytes_come_and_then_the_end [] covers "stdin.bytes";
    many_bytes_come_whole [] covers "stdin.bytes";
    bytes_that_nobody_reads_hold_nothing_up [] covers "stdin.bytes" "shell.never_waits";
    what_is_written_comes_in_order [] covers "stdin.open" "input.writes" "input.after.order" "input.bytes";
    a_question_is_answered_while_it_stays_open [] covers "stdin.open" "input.writes";
    closing_is_its_end [] covers "input.closes" "input.close" "stdin.open";
    a_foreground_command_can_be_written_to [] covers "stdin.open" "run.announce";
    nothing_is_taken_after_it_was_closed [] covers "input.errors.closed";
    nothing_is_taken_where_it_never_was_open [] covers "input.errors.closed";
    nothing_is_taken_after_the_end [] covers "input.errors.ended";
    an_unknown_process_is_refused [] covers "shell.unknown";
    a_flood_is_refused [] covers "input.errors.rate" "waiting_input.bound" "shell.never_waits";
    what_was_refused_was_not_taken [] covers "input.after.none_on_error";
    who_reads_makes_room [] covers "input.errors.rate";
}

async fn nothing_is_its_end_at_once(ws: Subject) -> Verdict {
    printed(&ws.run("cat; echo end").await?, "end\n")
}

async fn bytes_come_and_then_the_end(ws: Subject) -> Verdict {
    printed(&ws.run_as(reading("cat; echo end", "one\ntwo")?).await?, "one\ntwoend\n")?;
    printed(&ws.run_as(reading("cat; echo end", "")?).await?, "end\n")
}

async fn many_bytes_come_whole(ws: Subject) -> Verdict {
    let bytes: Bytes = (0..=255).cycle().take(3 << 20).collect();
    let keep = Keep { head: bytes.len(), tail: 0 };
    let report = ws.run_as(Command { keep, ..reading("cat", bytes.clone())? }).await?;
    same("how many", report.stdout.total, bytes.len() as u64)?;
    holds("they are the same", report.stdout.head == bytes)
}

async fn bytes_that_nobody_reads_hold_nothing_up(ws: Subject) -> Verdict {
    let bytes = vec![b'x'; 4 << 20];
    let report = ws.run_as(reading("exit 3", bytes.clone())?).await?;
    same("its end", report.ended.exit, Exit::Code(3))?;
    let id = ws.shell.start(reading("sleep 1000", bytes)?).await?;
    same("its end", ws.listed(id).await?.ended, None)
}

async fn what_is_written_comes_in_order(ws: Subject) -> Verdict {
    let id = ws.shell.start(open("cat")?).await?;
    let mut want = Vec::new();
    for number in 0..200 {
        let line = format!("{number} {}\n", "x".repeat(number));
        want.extend_from_slice(line.as_bytes());
        ws.write(id, line).await?;
    }
    let all: Vec<u8> = (0..=255).collect();
    want.extend_from_slice(&all);
    ws.write(id, all).await?;
    ws.write(id, "").await?;
    ws.close(id).await?;
    let (whole, ended) = ws.whole(id).await?;
    holds("what came back is what was written", whole.stdout == want)?;
    same("its end", ended.exit, Exit::Code(0))
}

async fn a_question_is_answered_while_it_stays_open(ws: Subject) -> Verdict {
    let adder = "while read a b; do echo \"= $((a + b))\"; done";
    let id = ws.shell.start(open(adder)?).await?;
    for (question, answer) in [("1 2\n", "= 3\n"), ("20 22\n", "= 42\n"), ("5 5\n", "= 10\n")] {
        ws.write(id, question).await?;
        ws.until(id, answer).await?;
    }
    Ok(())
}

async fn closing_is_its_end(ws: Subject) -> Verdict {
    let id = ws.shell.start(open("cat; echo end; exit 4")?).await?;
    ws.write(id, "text ").await?;
    ws.close(id).await?;
    let (whole, ended) = ws.whole(id).await?;
    same("what it read", whole.both, "text end\n")?;
    same("its end", ended.exit, Exit::Code(4))
}

async fn a_foreground_command_can_be_written_to(ws: Subject) -> Verdict {
    let mut running = ws.running(open("read line; echo \"got $line\"; cat")?);
    let id = running.id().await?;
    ws.write(id, "one\n").await?;
    ws.until(id, "got one\n").await?;
    ws.write(id, "two\n").await?;
    ws.close(id).await?;
    printed(&running.report().await?, "got one\ntwo\n")
}

async fn nothing_is_taken_after_it_was_closed(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(format!("cat; {UNTIL_GO}"))?).await?;
    ws.write(id, "before").await?;
    ws.close(id).await?;
    refused(ws.write(id, "after").await, Code::InvalidParams)?;
    refused(ws.close(id).await, Code::InvalidParams)?;
    ws.go().await?;
    same("what it read", ws.whole(id).await?.0.both, "before")
}

async fn nothing_is_taken_where_it_never_was_open(ws: Subject) -> Verdict {
    for command in [script("sleep 1000")?, reading("cat; sleep 1000", "given")?] {
        let id = ws.shell.start(command).await?;
        refused(ws.write(id, "more").await, Code::InvalidParams)?;
        refused(ws.close(id).await, Code::InvalidParams)?;
    }
    Ok(())
}

async fn nothing_is_taken_after_the_end(ws: Subject) -> Verdict {
    let id = ws.shell.start(open("true")?).await?;
    ws.ended(id).await?;
    refused(ws.write(id, "late").await, Code::InvalidParams)?;
    refused(ws.close(id).await, Code::InvalidParams)
}

async fn an_unknown_process_is_refused(ws: Subject) -> Verdict {
    let unknown = ProcessId(ws.run("true").await?.id.0 + 1_000);
    let size = Size { rows: 10, columns: 10 };
    refused(ws.write(unknown, "x").await, Code::InvalidParams)?;
    refused(ws.close(unknown).await, Code::InvalidParams)?;
    refused(ws.shell.resize(unknown, size).await, Code::InvalidParams)
}

/// What goes in one write of a flood.
const WAVE: usize = 1 << 20;
/// What a pipe and whoever stands between may hold beside what waits.
const IN_PIPES: usize = 4 << 20;

/// Writes until it is refused; returns how many bytes were taken.
async fn flood(ws: &Subject, id: ProcessId) -> Verdict<usize> {
    let wave = Bytes::from(vec![b'x'; WAVE]);
    let mut taken = 0;
    while taken <= MOST_WAITING_INPUT + IN_PIPES {
        match ws.shell.input(id, Input::Bytes(wave.clone())).await {
            Ok(()) => taken += WAVE,
            refusal @ Err(_) => {
                refused(refusal, Code::RateLimitExceeded)?;
                return Ok(taken);
            }
        }
    }
    Err(failed(format!("{taken} bytes were taken and nobody read them")))
}

async fn a_flood_is_refused(ws: Subject) -> Verdict {
    let id = ws.shell.start(open("sleep 1000")?).await?;
    let taken = flood(&ws, id).await?;
    holds("a good deal was taken before", taken >= MOST_WAITING_INPUT / 2)?;
    same("its end", ws.listed(id).await?.ended, None)
}

async fn what_was_refused_was_not_taken(ws: Subject) -> Verdict {
    let id = ws.shell.start(open(format!("{UNTIL_GO}; wc -c"))?).await?;
    let taken = flood(&ws, id).await?;
    ws.go().await?;
    ws.close(id).await?;
    let (whole, _) = ws.whole(id).await?;
    let counted = String::from_utf8_lossy(&whole.stdout).trim().to_owned();
    same("bytes that came", counted, taken.to_string())
}

async fn who_reads_makes_room(ws: Subject) -> Verdict {
    let reads =
        format!("{UNTIL_GO}; head -c {WAVE} > /dev/null; head -c {WAVE} > /dev/null; wc -c");
    let id = ws.shell.start(open(reads)?).await?;
    let taken = flood(&ws, id).await?;
    ws.go().await?;
    // It reads now, so sooner or later there is room.
    let shell = Arc::clone(&ws.shell);
    patiently("there is room again", async || {
        match shell.input(id, Input::Bytes(Bytes::from_static(b"more"))).await {
            Ok(()) => Ok(Some(())),
            refusal @ Err(_) => refused(refusal, Code::RateLimitExceeded).map(|()| None),
        }
    })
    .await?;
    ws.close(id).await?;
    let (whole, _) = ws.whole(id).await?;
    let counted = String::from_utf8_lossy(&whole.stdout).trim().to_owned();
    same("bytes that came after", counted, (taken - 2 * WAVE + 4).to_string())
}
