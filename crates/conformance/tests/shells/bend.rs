//! How each fault bends a command, and what is told of it.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use garth_contract::{
    Announce, Cause, Command, DynShell, Ended, Exit, Keep, Kept, Printed, Process, ProcessId,
    Program, Report, Result, Signal, Size, Timeout, Variables, WsPath,
};

use crate::{
    fault::Fault,
    faulty::{Faulty, named, stdin},
};

/// The command as a shell with this fault runs it.
pub(crate) fn command(faulty: &Faulty, mut command: Command) -> Result<Command> {
    let fault = faulty.fault;
    command.program = program(fault, command.program)?;
    command.stdin = stdin(fault, command.stdin);
    if fault == Fault::StaysInTheRoot {
        command.workdir = WsPath::root();
    }
    if fault == Fault::KeepsTheUsual {
        command.keep = Keep::USUAL;
    }
    if fault == Fault::CutsWhatFits {
        command.keep.tail /= 2;
    }
    if fault == Fault::GivesNoTerminal {
        command.terminal = None;
    }
    if fault == Fault::AlwaysGivesATerminal {
        command.terminal = Some(Size { rows: 24, columns: 80 });
    }
    if fault == Fault::ForgetsTheTime {
        command.timeout = Timeout::MOST;
    }
    let mut pairs: Vec<(String, String)> =
        command.variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
    pairs.retain(|(name, _)| match fault {
        Fault::ForgetsVariables => false,
        Fault::OverridesNothing => faulty.own.iter().all(|(own, _)| own != name),
        _ => true,
    });
    if fault == Fault::LeaksItsEnvironment {
        pairs.push(("CARGO_MANIFEST_DIR".into(), env!("CARGO_MANIFEST_DIR").into()));
    }
    command.variables = Variables::new(pairs)?;
    Ok(command)
}

/// The program with something before it, or around it.
fn program(fault: Fault, program: Program) -> Result<Program> {
    let words = program.words().into_iter().map(<[u8]>::to_vec);
    let around = |before: &str| {
        let shell = ["bash", "-c", before, "bash"].map(|word| word.as_bytes().to_vec());
        Program::arguments(shell.into_iter().chain(words.clone()).collect())
    };
    match fault {
        Fault::OpensTheUmask => around("umask 0; exec \"$@\""),
        Fault::IgnoresInterrupts => around("trap '' INT; exec \"$@\""),
        Fault::IgnoresBrokenPipes => around("trap '' PIPE; exec \"$@\""),
        Fault::LeaksDescriptors => around("exec 7< /dev/null; exec \"$@\""),
        Fault::LogsIn => around("shift; exec bash -l \"$@\""),
        Fault::ReadsTheProfile => around("for file in ~/.bashrc; do . $file; done; exec \"$@\""),
        Fault::JoinsArguments => {
            let text: Vec<_> =
                words.clone().map(|word| String::from_utf8_lossy(&word).into_owned()).collect();
            Program::script(text.join(" "))
        }
        _ => Ok(program),
    }
}

/// The same command in the root.
pub(crate) fn in_the_root(command: &Command) -> Command {
    Command { workdir: WsPath::root(), ..command.clone() }
}

/// The same command, with a main process that does not end by itself.
pub(crate) fn undying(command: &Command) -> Result<Command> {
    let text = command.program.as_script().unwrap_or("true");
    let program = Program::script(format!("{text}\nsleep 1000"))?;
    Ok(Command { program, timeout: Timeout::MOST, ..command.clone() })
}

/// Runs a command that is asked to end, not killed, when the call is dropped.
pub(crate) async fn asked_on_drop(inner: Arc<dyn DynShell>, command: Command) -> Result<Report> {
    struct Asks(Arc<dyn DynShell>, ProcessId);
    impl Drop for Asks {
        fn drop(&mut self) {
            let (inner, id) = (Arc::clone(&self.0), self.1);
            tokio::spawn(async move { inner.end(id).await });
        }
    }
    let (tell, told) = tokio::sync::oneshot::channel();
    let announce = Announce::to(move |id| tell.send(id).unwrap());
    let runner = Arc::clone(&inner);
    let task = tokio::spawn(async move { runner.run(command, announce).await });
    let _asks = Asks(inner, told.await.unwrap());
    task.await.unwrap()
}

/// Runs a command that is killed, not asked, when its time is up.
pub(crate) async fn killed_at_the_time(
    inner: Arc<dyn DynShell>,
    command: Command,
) -> Result<Report> {
    let time = command.timeout.duration();
    let (tell, told) = tokio::sync::oneshot::channel();
    let announce = Announce::to(move |id| tell.send(id).unwrap());
    let killer = Arc::clone(&inner);
    tokio::spawn(async move {
        let id = told.await.unwrap();
        tokio::time::sleep(time).await;
        // One that has ended meanwhile was in time.
        let _ = killer.signal(id, Signal::KILL).await;
    });
    let command = Command { timeout: Timeout::MOST, ..command };
    let mut report = inner.run(command, announce).await?;
    if report.ended.exit == Exit::Signal(9) {
        report.ended.cause = Cause::Timeout;
    }
    Ok(report)
}

/// Bends the two streams of a report.
pub(crate) fn streams(fault: Fault, report: &mut Report) {
    if fault == Fault::SwapsStreams {
        std::mem::swap(&mut report.stdout, &mut report.stderr);
    }
    if fault == Fault::JoinsStreams {
        let both = [&*report.stdout.head, &report.stderr.head].concat();
        let total = both.len() as u64;
        report.stdout = Kept { head: both.into(), tail: Bytes::new(), total };
        report.stderr = Kept::default();
    }
    for kept in [&mut report.stdout, &mut report.stderr] {
        if fault == Fault::DropsHalfLines {
            let end = kept.head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            kept.head.truncate(end);
        }
        if fault == Fault::MakesTextOfBytes {
            kept.head = String::from_utf8_lossy(&kept.head).into_owned().into();
        }
        if fault == Fault::CountsWhatItHolds {
            kept.total = (kept.head.len() + kept.tail.len()) as u64;
        }
        if fault == Fault::ForgetsTheTail {
            kept.tail = Bytes::new();
        }
    }
}

/// Bends an end.
pub(crate) fn ended(fault: Fault, mut ended: Ended) -> Ended {
    match (fault, ended.exit) {
        (Fault::LosesTheCode, _) => ended.exit = Exit::Code(0),
        (Fault::TellsSignalsAsCodes, Exit::Signal(number)) => ended.exit = Exit::Code(128 + number),
        (Fault::RunsNoTime, _) => ended.ran = Duration::ZERO,
        _ => {}
    }
    if fault == Fault::BlamesTheCommand {
        ended.cause = Cause::Itself;
    }
    ended
}

/// An answer with nothing in it.
pub(crate) fn nothing(at: u64) -> Printed {
    Printed { start: at, pieces: Vec::new(), next: at, missing: 0, total: at, ended: None }
}

/// Bends an answer.
pub(crate) fn printed(fault: Fault, printed: &mut Printed) {
    printed.pieces.iter_mut().for_each(|piece| named(fault, piece));
    if fault == Fault::GoesBackOne && !printed.pieces.is_empty() {
        printed.next -= 1;
    }
    if fault == Fault::StartsAtZero {
        printed.start = 0;
    }
    if fault == Fault::ForgetsTheMissing {
        printed.missing = 0;
    }
    let half_line = printed.pieces.last().is_some_and(|piece| !piece.bytes.ends_with(b"\n"));
    if fault == Fault::WaitsForLines && half_line && printed.ended.is_none() {
        printed.pieces.clear();
        printed.next = printed.start;
    }
}

/// Bends a row of the list.
pub(crate) fn listed(fault: Fault, process: &mut Process) {
    if fault == Fault::CountsNothing {
        process.printed = 0;
    }
    if fault == Fault::ShowsTheShell {
        process.command = format!("bash -c {}", process.command);
    }
    if fault == Fault::NeverAges {
        process.age = Duration::ZERO;
    }
}
