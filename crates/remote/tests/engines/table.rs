//! The same command has the same reply wherever it runs.
//!
//! One Debian, one user, one umask, one set of variables; what differs is who runs
//! it. Numbers of processes and durations aside, replies are equal as a whole.

mod cases;

use futures::{StreamExt, stream};
use garth_contract::{Announce, Cause, Command, Exit, Kept, Shell};

use self::cases::{Case, cases};
use crate::{
    guests::{DEADLINE, Shared, in_gvisor, in_local, in_podman, in_qemu},
    machine::{machine, machine_parts, machines_are_asked_for, run},
};

/// What an engine truly cannot do: where, which command, and why.
const EXCEPTED: &[(&str, &str, &str)] = &[(
    "gvisor",
    "a terminal",
    "Debian's passes ^C and ^D on like any other byte, so there are no terminals",
)];

/// How many commands run at once in one place.
const AT_ONCE: usize = 4;

/// A reply without what may differ.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Report { exit: Exit, cause: Cause, stdout: Kept, stderr: Kept },
    Error { code: &'static str, message: String },
}

impl Reply {
    /// The code of a report as a shell has it, or the name of an error.
    fn outcome(&self) -> String {
        match self {
            Self::Report { exit, .. } => exit.code().to_string(),
            Self::Error { code, .. } => (*code).to_owned(),
        }
    }
}

#[test]
fn the_same_command_has_the_same_reply_in_every_sandbox() {
    let Some(machine) = machine() else { return };
    run(async {
        let (local, podman, gvisor) =
            tokio::join!(in_local(machine), in_podman(machine), in_gvisor(machine));
        let cases = cases();
        assert!(cases.len() >= 88, "{}", cases.len());
        let (in_local, in_podman, in_gvisor) =
            tokio::join!(replies(local, &cases), replies(podman, &cases), replies(gvisor, &cases));
        compare(&cases, &in_local, &[("podman", in_podman), ("gvisor", in_gvisor)]);
    });
}

#[test]
fn the_same_command_has_the_same_reply_in_a_virtual_machine() {
    if !machines_are_asked_for() {
        return;
    }
    let (Some(machine), Some(parts)) = (machine(), machine_parts()) else { return };
    run(async {
        let cases = cases();
        let of = |number| [format!("table/{number}"), format!("table/{number}/sub dir")];
        let directories: Vec<_> = (0..cases.len()).flat_map(of).collect();
        let qemu = in_qemu(machine, &parts, &directories).await;
        let local = in_local(machine).await;
        let (in_local, in_qemu) = tokio::join!(replies(local, &cases), replies(qemu, &cases));
        compare(&cases, &in_local, &[("qemu", in_qemu)]);
        println!("in qemu {} commands have the replies that they have in local", cases.len());
    });
}

/// Claims that each command came to what it should, and everywhere to the same.
fn compare(cases: &[Case], in_local: &[Reply], elsewhere: &[(&str, Vec<Reply>)]) {
    let mut wrong = Vec::new();
    for (number, (case, local)) in cases.iter().zip(in_local).enumerate() {
        if local.outcome() != case.outcome {
            wrong.push(format!("{}: {local:?}, not {}", case.name, case.outcome));
        }
        for (name, replies) in elsewhere {
            let excepted = EXCEPTED.iter().find(|one| (one.0, one.1) == (*name, case.name));
            let other = &replies[number];
            if let Some((_, _, why)) = excepted {
                println!("excepted in {name}: {}: {why}", case.name);
            } else if other != local {
                wrong.push(format!("{}:\n  local {local:?}\n  {name} {other:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What each command comes to, in order.
async fn replies(place: &'static Shared, cases: &[Case]) -> Vec<Reply> {
    let one = async |(number, case): (usize, &Case)| {
        let directory = format!("table/{number}");
        let mut command: Command = case.command.clone();
        let own = place.directory(&directory);
        place.directory(&format!("{directory}/sub dir"));
        let inside =
            case.workdir.map(|below| crate::guests::path_of(&format!("{directory}/{below}")));
        command.workdir = inside.unwrap_or(own);
        let reply = Shell::run(&place.remote, command, Announce::nobody());
        let reply = tokio::time::timeout(DEADLINE, reply).await;
        match reply.unwrap_or_else(|_| panic!("{} hangs in {}", case.name, place.name)) {
            Ok(report) => Reply::Report {
                exit: report.ended.exit,
                cause: report.ended.cause,
                stdout: report.stdout,
                stderr: report.stderr,
            },
            Err(error) => {
                Reply::Error { code: error.code().row().name, message: error.to_string() }
            }
        }
    };
    stream::iter(cases.iter().enumerate()).map(one).buffered(AT_ONCE).collect().await
}
