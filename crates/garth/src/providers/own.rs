//! The sandbox of a program that a person starts: it is made for that program alone and
//! ends with it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use garth_contract::{Code, Error, Policy, Result, Seat};
use garth_workspace::Commands;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{Config, Kept, NONE, Opened, Owner, Placed, Providers, USUAL, Wanted, check_name};
use crate::{
    args,
    serve::{data, settings::Settings},
};

/// How long the end of a sandbox is waited for; the next program of the same person
/// finds what is left.
const GRACE: Duration = Duration::from_secs(30);

/// The sandbox of this program, if it has one that must be ended.
pub(crate) struct Own {
    held: Option<(Providers, Arc<dyn Kept>)>,
}

impl Own {
    /// Where the commands of a program run that works on these directories.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a provider that there is not, or a configuration that is
    /// wrong; those of the provider.
    pub(crate) fn open(
        asked: &args::Provide,
        roots: &[Placed],
        (policy, reach): (&Policy, &[String]),
    ) -> Result<(Commands, Self)> {
        Self::open_seeing(asked, roots, (policy, reach, &[]))
    }

    /// The same for commands that see more directories of this machine.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub(crate) fn open_seeing(
        asked: &args::Provide,
        roots: &[Placed],
        (policy, reach, visible): (&Policy, &[String], &[PathBuf]),
    ) -> Result<(Commands, Self)> {
        let name = asked.name();
        check_name(&name)?;
        let plain = [USUAL, NONE].contains(&&*name) && asked.says_nothing();
        let providers = if plain { plain_providers() } else { set_up(asked)? };
        // Theirs ends with this program, and nobody looks for it by its name.
        let name_it = || format!("{}-{}", std::process::id(), born(std::process::id()));
        let workspace = if plain { String::new() } else { name_it() };
        let seat = Seat::Workspace;
        let wanted =
            Wanted { workspace: &workspace, roots, policy, reach, visible, seat, system: None };
        let Opened { commands, kept, whole, .. } = providers.open(&name, &wanted)?;
        if whole.is_some() {
            let message = format!("provider {name} keeps files on a disk of its own");
            return Err(Error::new(Code::InvalidParams, message).hint(
                "What a command changed there would be lost with it. Use it for agents of \
                 `garth serve`, or another provider here.",
            ));
        }
        if kept.is_some() {
            data::make(&providers.owner().run)?;
        }
        Ok((commands, Self { held: kept.map(|kept| (providers, kept)) }))
    }

    /// Where git runs for a program whose own commands run nowhere: a sandbox of this
    /// machine, which ends with the program.
    ///
    /// # Errors
    /// Those of the provider `local`.
    pub(crate) fn for_git(
        commands: &Commands,
        (roots, policy): (&[Placed], &Policy),
    ) -> Result<Commands> {
        match commands {
            Commands::None => {}
            Commands::In(_) | Commands::Held(_) => return Ok(Commands::None),
        }
        let (seat, system) = (Seat::Workspace, None);
        let wanted =
            Wanted { workspace: "git", roots, policy, reach: &[], visible: &[], seat, system };
        Ok(plain_providers().open(USUAL, &wanted)?.commands)
    }

    /// Does something that ends early when this program is asked to stop, and then ends
    /// the sandbox, and those that earlier programs could not end.
    pub(crate) async fn during<T>(self, work: impl Future<Output = T>) -> Option<T> {
        if self.held.is_none() {
            return Some(work.await);
        }
        let until_stopped = async {
            tokio::select! {
                done = work => Some(done),
                () = stopped() => None,
            }
        };
        self.around(until_stopped).await
    }

    /// The same for what ends by itself when this program is asked to stop.
    pub(crate) async fn around<T>(self, work: impl Future<Output = T>) -> T {
        let done = work.await;
        let Some((providers, kept)) = self.held else { return done };
        let clean = async {
            // It is found by the next program where it cannot be ended now.
            let _ = kept.remove().await;
            sweep(&providers).await;
        };
        let _ = tokio::time::timeout(GRACE, clean).await;
        done
    }
}

/// Looks which providers of containers could be had, and makes nothing: each by its name.
///
/// # Errors
/// `INVALID_PARAMS` for a configuration that is wrong.
pub(crate) async fn readiness(asked: &args::Provide) -> Result<Vec<(&'static str, Result<()>)>> {
    let providers = set_up(asked)?;
    // Any directory will do, since nothing is made of it.
    let roots = [(std::env::temp_dir(), String::new())];
    let policy = Policy::open();
    let wanted = Wanted {
        workspace: "doctor",
        roots: &roots,
        policy: &policy,
        reach: &[],
        visible: &[],
        seat: Seat::Workspace,
        system: None,
    };
    let mut found = Vec::new();
    for provider in providers.all().filter(|provider| ![USUAL, NONE].contains(&provider.name())) {
        found.push((provider.name(), provider.ready(&wanted).await));
    }
    Ok(found)
}

/// Providers as they are where nothing is set up; none of them makes a container.
fn plain_providers() -> Providers {
    let owner = Owner { name: String::new(), run: "/".into() };
    Providers::new(&Config::usual(), owner)
}

fn set_up(asked: &args::Provide) -> Result<Providers> {
    let place = args::Place { data: None, config: asked.config.clone() };
    let settings = Settings::with(&place, &asked.set)?;
    let data = std::path::absolute(&settings.data)
        .map_err(|_| Error::new(Code::Internal, "the current directory is gone"))?;
    // Beside those of a gateway and of other people.
    let owner =
        Owner { name: format!("command line {}", data.display()), run: data.join("command-line") };
    Ok(Providers::new(&settings.containers, owner))
}

/// Ends the sandboxes of programs that are gone.
async fn sweep(providers: &Providers) {
    for provider in providers.all() {
        for left in provider.left().await.unwrap_or_default() {
            if !lives(&left.workspace) {
                let _ = provider.remove(&left).await;
            }
        }
    }
    let Owner { name, run } = providers.owner();
    let _ = garth_remote::container::forget(run, name, lives);
}

/// Whether the program of a sandbox lives.
fn lives(workspace: &str) -> bool {
    let parts = workspace
        .split_once('-')
        .and_then(|(pid, born)| Some((pid.parse::<u32>().ok()?, born.parse::<u64>().ok()?)));
    parts.is_some_and(|(pid, then)| then != 0 && born(pid) == then)
}

/// When a process began, in the kernel's own count; 0 for one that is not there.
#[allow(clippy::disallowed_methods, reason = "it is the kernel's, and lies in no workspace")]
fn born(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    // What follows the name, which may hold anything but a last bracket, is numbers: the
    // state is the third of all, and this the twenty-second.
    let stat = stat.unwrap_or_default();
    let rest = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
    rest.split(' ').nth(19).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Waits until this program is asked to stop.
pub(crate) async fn stopped() {
    let wait = async |kind| match signal(kind) {
        Ok(mut signal) => drop(Signal::recv(&mut signal).await),
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_lives_as_long_as_its_number_means_it() {
        let own = std::process::id();
        assert!(born(own) > 0);
        assert!(lives(&format!("{own}-{}", born(own))));
        assert!(!lives(&format!("{own}-{}", born(own) + 1)));
        assert!(!lives("4294967295-0"));
        assert!(!lives("default"));
    }
}
