//! A command run to its end: how it ended, what it printed, who hears of it.

use std::time::{Duration, Instant};

use garth_contract::{Cause, Code, Command, Exit, Program};

use super::super::{
    Subject,
    arrange::{UNTIL_GO, printed, program, reading, script, text},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, refused, same},
};

checks! { "run"
    an_exit_code_is_reported [] covers "run.to_its_end" "exit.code";
    a_death_by_signal_is_told_as_one [] covers "exit.signal" "exit.shell_code";
    it_ends_by_itself [] covers "cause.itself";
    how_long_it_ran_is_told [] covers "ended.ran";
    a_script_runs_to_its_last_line [] covers "run.to_its_end" "program.script";
    arguments_are_passed_as_they_are [] covers "run.to_its_end";
    a_missing_program_is_127 [] covers "run.errors.missing_program";
    a_program_that_may_not_be_run_is_126 [] covers "run.errors.forbidden_program";
    a_program_of_the_workspace_is_run [] covers "run.to_its_end" "command.workdir";
    both_streams_are_told_apart [] covers "run.after.report" "report.stdout" "report.stderr";
    each_stream_keeps_its_order [] covers "run.after.report";
    nothing_printed_is_nothing_told [] covers "run.after.report" "kept.total";
    output_without_a_newline_is_whole [] covers "run.after.report";
    text_of_any_language_passes [] covers "run.after.report";
    every_byte_passes [] covers "run.after.report" "stdin.bytes";
    closed_streams_are_not_its_end [] covers "run.to_its_end";
    its_last_words_are_heard [] covers "run.after.report";
    it_is_announced_while_it_runs [] covers "run.announce" "report.id";
    its_output_is_followed_meanwhile [] covers "run.followed";
    a_refused_one_is_neither_announced_nor_listed [] covers "run.announce" "run.errors.workdir_missing";
}

async fn an_exit_code_is_reported(ws: Subject) -> Verdict {
    for code in [0, 1, 2, 42, 255] {
        let report = ws.run(format!("exit {code}")).await?;
        same("the end", report.ended.exit, Exit::Code(code))?;
        same("the code", report.ended.exit.code(), i32::from(code))?;
    }
    Ok(())
}

async fn a_death_by_signal_is_told_as_one(ws: Subject) -> Verdict {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("INT", 2)] {
        let report = ws.run(format!("kill -{name} $$; exit 3")).await?;
        same("the end", report.ended.exit, Exit::Signal(number))?;
        same("the code", report.ended.exit.code(), 128 + i32::from(number))?;
    }
    Ok(())
}

async fn it_ends_by_itself(ws: Subject) -> Verdict {
    same("the cause", ws.run("exit 3").await?.ended.cause, Cause::Itself)?;
    same("the cause", ws.run("kill -KILL $$").await?.ended.cause, Cause::Itself)
}

async fn how_long_it_ran_is_told(ws: Subject) -> Verdict {
    let started = Instant::now();
    let ran = ws.run("sleep 0.2").await?.ended.ran;
    // Another clock may have measured it, so the bounds are wide.
    holds("it ran as long as it slept", ran >= Duration::from_millis(150))?;
    holds("it ran no longer than the call", ran <= started.elapsed() + Duration::from_secs(1))
}

async fn a_script_runs_to_its_last_line(ws: Subject) -> Verdict {
    let lines = "echo one\nfalse\nfor word in two three; do\n  echo $word\ndone\ncat <<< \"four\"";
    printed(&ws.run(lines).await?, "one\ntwo\nthree\nfour\n")
}

async fn arguments_are_passed_as_they_are(ws: Subject) -> Verdict {
    let odd: [&[u8]; 8] =
        [b"a b", b"'\"", b"$HOME", b"*", b"", b"two\nlines", b"\\n%s", b"\xff\xfe"];
    let words = [&b"printf"[..], b"%s|"].into_iter().chain(odd).map(<[u8]>::to_vec).collect();
    let report = ws.run_as(Command::new(Program::arguments(words)?)).await?;
    let mut want = odd.join(&b"|"[..]);
    want.push(b'|');
    same("the arguments", report.stdout.head, want)
}

async fn a_missing_program_is_127(ws: Subject) -> Verdict {
    for command in [
        program(&["no-such-program"])?,
        program(&["./no/such/program"])?,
        script("no-such-program")?,
    ] {
        same("the end", ws.run_as(command).await?.ended.exit, Exit::Code(127))?;
    }
    Ok(())
}

async fn a_program_that_may_not_be_run_is_126(ws: Subject) -> Verdict {
    ws.files.write("plain", "#!/bin/sh\n").await?;
    ws.files.make_dir("dir").await?;
    for command in
        [program(&["./plain"])?, program(&["./dir"])?, script("./plain")?, script("./dir")?]
    {
        same("the end", ws.run_as(command).await?.ended.exit, Exit::Code(126))?;
    }
    Ok(())
}

async fn a_program_of_the_workspace_is_run(ws: Subject) -> Verdict {
    ws.files.write("sub/tool", "#!/usr/bin/env bash\necho \"tool $1\"\n").await?;
    ws.run("chmod +x sub/tool").await?;
    printed(&ws.run_as(program(&["sub/tool", "one"])?).await?, "tool one\n")?;
    let workdir = crate::arrange::at("sub")?;
    let below = Command { workdir, ..program(&["./tool", "two"])? };
    printed(&ws.run_as(below).await?, "tool two\n")
}

async fn both_streams_are_told_apart(ws: Subject) -> Verdict {
    let report = ws.run("echo out; echo err >&2; echo more").await?;
    same("standard output", text(&report.stdout)?, "out\nmore\n")?;
    same("standard error", text(&report.stderr)?, "err\n")
}

async fn each_stream_keeps_its_order(ws: Subject) -> Verdict {
    let report = ws.run("for n in {1..1500}; do echo $n; echo $n >&2; done").await?;
    let want: String = (1..=1500).map(|number| format!("{number}\n")).collect();
    same("standard output", text(&report.stdout)?, &*want)?;
    same("standard error", text(&report.stderr)?, &*want)
}

async fn nothing_printed_is_nothing_told(ws: Subject) -> Verdict {
    let report = ws.run("true").await?;
    same("standard output", report.stdout, garth_contract::Kept::default())?;
    same("standard error", report.stderr, garth_contract::Kept::default())
}

async fn output_without_a_newline_is_whole(ws: Subject) -> Verdict {
    let report = ws.run("printf 'one\\ntwo'; printf err >&2").await?;
    same("standard output", text(&report.stdout)?, "one\ntwo")?;
    same("standard error", text(&report.stderr)?, "err")
}

async fn text_of_any_language_passes(ws: Subject) -> Verdict {
    let words = "žluťoučký kůň 🐎 日本語 עברית e\u{301} \u{200b}|";
    printed(&ws.run(format!("printf %s '{words}'")).await?, words)?;
    printed(&ws.run_as(program(&["printf", "%s", words])?).await?, words)
}

async fn every_byte_passes(ws: Subject) -> Verdict {
    // NUL, carriage returns, escapes and what is no text are bytes like others.
    let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    let report = ws.run_as(reading("tee /dev/stderr", bytes.clone())?).await?;
    same("standard output", report.stdout.head, &*bytes)?;
    same("standard error", report.stderr.head, &*bytes)
}

async fn closed_streams_are_not_its_end(ws: Subject) -> Verdict {
    let closes = "exec > /dev/null 2>&1; sleep 0.1; echo late > file; exit 7";
    same("the end", ws.run(closes).await?.ended.exit, Exit::Code(7))?;
    same("what it did after", ws.files.read("file").await?, "late\n")
}

async fn its_last_words_are_heard(ws: Subject) -> Verdict {
    // All of it is still on its way when the process is gone.
    for _ in 0..10 {
        let report = ws.run("head -c 40000 /dev/zero; printf err >&2").await?;
        same("bytes of standard output", report.stdout.total, 40_000)?;
        same("standard error", report.stderr.head, "err")?;
    }
    Ok(())
}

async fn it_is_announced_while_it_runs(ws: Subject) -> Verdict {
    let mut running = ws.running(script(UNTIL_GO)?);
    let id = running.id().await?;
    same("its end", ws.listed(id).await?.ended, None)?;
    ws.go().await?;
    same("the number in the report", running.report().await?.id, id)
}

async fn its_output_is_followed_meanwhile(ws: Subject) -> Verdict {
    let mut running = ws.running(script(format!("echo one; {UNTIL_GO}; echo two"))?);
    let id = running.id().await?;
    same("what it printed so far", ws.until(id, "one\n").await?, "one\n")?;
    ws.go().await?;
    printed(&running.report().await?, "one\ntwo\n")
}

async fn a_refused_one_is_neither_announced_nor_listed(ws: Subject) -> Verdict {
    let workdir = crate::arrange::at("missing")?;
    let mut running = ws.running(Command { workdir, ..script("touch ran")? });
    holds("nobody hears a number", running.id().await.is_err())?;
    let answer = running.task.await.map_err(|error| failed(error.to_string()))?;
    refused(answer, Code::FileNotFound)?;
    same("what is listed", ws.shell.list().await?, [])?;
    refused(ws.files.stat("ran").await, Code::FileNotFound)
}
