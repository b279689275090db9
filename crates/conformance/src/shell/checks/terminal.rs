//! Commands on a terminal: its size, its keys, and that everything comes through it.

use garth_contract::{Cause, Code, Command, Exit, Input, Size};

use super::super::{
    Subject,
    arrange::{TERMINAL, open, reading, script, typing},
    check::checks,
};
use crate::{
    Verdict,
    stop::{holds, refused, same},
};

checks! { "terminal"
    it_is_one [Terminals] covers "command.terminal" "shell_abilities.terminals";
    it_is_the_one_that_controls [Terminals] covers "command.terminal";
    it_has_the_size_asked_for [Terminals] covers "command.terminal";
    a_new_size_is_seen [Terminals] covers "resize.changes";
    a_new_size_is_told_by_a_signal [Terminals] covers "resize.changes";
    everything_comes_as_standard_output [Terminals] covers "report.stdout" "stream.stdout";
    what_is_typed_arrives [Terminals] covers "input.bytes" "stdin.open";
    control_c_interrupts [Terminals] covers "input.bytes";
    closing_is_the_end_of_file_character [Terminals] covers "input.close";
    nothing_to_read_is_its_end [Terminals] covers "stdin.empty" "stdin.bytes";
    a_run_can_have_one [Terminals] covers "command.terminal" "report.stdout";
    it_is_listed [Terminals] covers "process.terminal";
    its_tree_ends_as_one [Terminals] covers "shell.tree" "end.after.nothing_runs";
    without_one_there_is_no_size [] covers "resize.errors.none";
    an_ended_one_has_no_size [Terminals] covers "resize.errors.ended";
    where_there_are_none_it_is_unsupported [NoTerminals] covers "run.errors.no_terminals" "start.errors" "shell_abilities.terminals";
}

async fn it_is_one(ws: Subject) -> Verdict {
    let asks = "for fd in 0 1 2; do [ -t $fd ] && echo yes $fd; done; echo done; read";
    let id = ws.shell.start(typing(asks)?).await?;
    let printed = ws.until(id, "done").await?;
    holds("each of the three is one", printed.contains("yes 0\r\nyes 1\r\nyes 2\r\n"))
}

async fn it_is_the_one_that_controls(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("echo by name > /dev/tty; read")?).await?;
    ws.until(id, "by name").await?;
    Ok(())
}

async fn it_has_the_size_asked_for(ws: Subject) -> Verdict {
    for (rows, columns) in [(24, 80), (50, 132), (1, 1)] {
        let terminal = Some(Size { rows, columns });
        let id = ws.shell.start(Command { terminal, ..typing("stty size; read")? }).await?;
        ws.until(id, &format!("{rows} {columns}\r\n")).await?;
    }
    Ok(())
}

async fn a_new_size_is_seen(ws: Subject) -> Verdict {
    let id =
        ws.shell.start(typing("stty -echo; echo ready; while read; do stty size; done")?).await?;
    ws.until(id, "ready").await?;
    for (rows, columns) in [(40, 100), (10, 200)] {
        ws.shell.resize(id, Size { rows, columns }).await?;
        ws.write(id, "\n").await?;
        ws.until(id, &format!("{rows} {columns}\r\n")).await?;
    }
    Ok(())
}

async fn a_new_size_is_told_by_a_signal(ws: Subject) -> Verdict {
    let waits = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done";
    let id = ws.shell.start(typing(waits)?).await?;
    ws.until(id, "ready").await?;
    ws.shell.resize(id, Size { rows: 33, columns: 77 }).await?;
    ws.until(id, "33 77\r\n").await?;
    Ok(())
}

async fn everything_comes_as_standard_output(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("echo out; echo err >&2; echo done")?).await?;
    let (whole, _) = ws.whole(id).await?;
    same("standard error", whole.stderr, "")?;
    same("standard output", whole.stdout, "out\r\nerr\r\ndone\r\n")
}

async fn what_is_typed_arrives(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("echo ready; read line; echo \"got <$line>\"; read")?).await?;
    ws.until(id, "ready").await?;
    ws.write(id, "some w").await?;
    ws.write(id, "ords\r").await?;
    let printed = ws.until(id, "got <some words>").await?;
    holds("it is shown as it is typed", printed.contains("some words\r\n"))
}

async fn control_c_interrupts(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("echo ready; sleep 1000; echo never")?).await?;
    ws.until(id, "ready").await?;
    ws.write(id, "\x03").await?;
    let (whole, ended) = ws.whole(id).await?;
    same("its code", ended.exit.code(), 130)?;
    same("its cause", ended.cause, Cause::Itself)?;
    holds("it did not go on", !String::from_utf8_lossy(&whole.both).contains("never"))
}

async fn closing_is_the_end_of_file_character(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("stty -echo; echo ready; cat; echo end; exit 4")?).await?;
    ws.until(id, "ready").await?;
    ws.write(id, "line\n").await?;
    ws.until(id, "line").await?;
    ws.shell.input(id, Input::Close).await?;
    let (whole, ended) = ws.whole(id).await?;
    same("what it printed", String::from_utf8_lossy(&whole.both), "ready\r\nline\r\nend\r\n")?;
    same("its end", ended.exit, Exit::Code(4))
}

async fn nothing_to_read_is_its_end(ws: Subject) -> Verdict {
    let terminal = Some(TERMINAL);
    let report = ws.run_as(Command { terminal, ..script("cat; echo end")? }).await?;
    let printed = String::from_utf8_lossy(&report.stdout.head).into_owned();
    holds("it came to its end", printed.contains("end\r\n"))?;
    let report = ws.run_as(Command { terminal, ..reading("cat; echo end", "given\n")? }).await?;
    let printed = String::from_utf8_lossy(&report.stdout.head).into_owned();
    holds("it read what was given", printed.contains("given\r\n"))?;
    holds("and came to its end", printed.contains("end\r\n"))
}

async fn a_run_can_have_one(ws: Subject) -> Verdict {
    let terminal = Some(TERMINAL);
    let asks = "[ -t 1 ] && echo yes; echo err >&2; exit 3";
    let report = ws.run_as(Command { terminal, ..script(asks)? }).await?;
    same("its end", report.ended.exit, Exit::Code(3))?;
    let printed = String::from_utf8_lossy(&report.stdout.head).into_owned();
    holds("it all came as standard output", printed.ends_with("yes\r\nerr\r\n"))?;
    same("standard error", report.stderr.total, 0)
}

async fn it_is_listed(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("sleep 1000")?).await?;
    let process = ws.listed(id).await?;
    same("terminal, background", (process.terminal, process.background), (true, true))
}

async fn its_tree_ends_as_one(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let beat = super::super::beat::BEAT;
    let id = ws.shell.start(typing(format!("{beat} set -m; beat child & beat main"))?).await?;
    ws.beating("child").await?;
    ws.beating("main").await?;
    ws.shell.end(id).await?;
    ws.stopped(&clock, &["child", "main"]).await
}

async fn without_one_there_is_no_size(ws: Subject) -> Verdict {
    let id = ws.shell.start(open("sleep 1000")?).await?;
    refused(ws.shell.resize(id, TERMINAL).await, Code::InvalidParams)
}

async fn an_ended_one_has_no_size(ws: Subject) -> Verdict {
    let id = ws.shell.start(typing("true")?).await?;
    ws.ended(id).await?;
    refused(ws.shell.resize(id, TERMINAL).await, Code::InvalidParams)
}

async fn where_there_are_none_it_is_unsupported(ws: Subject) -> Verdict {
    refused(ws.shell.start(typing("true")?).await, Code::Unsupported)?;
    refused(ws.run_as(typing("true")?).await, Code::Unsupported)
}
