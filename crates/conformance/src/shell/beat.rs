//! Whether something still runs, shown by its heart.
//!
//! A process that *beats* adds a byte to a file of the workspace again and again,
//! so one that is gone is seen from anywhere, in whatever namespace it ran. That a
//! heart has stopped is shown without a guess about time: another process beats
//! too, and when it has beaten many times, the first has not once.

use garth_contract::{Code, ProcessId};

use super::{Subject, arrange::patiently};
use crate::{Verdict, stop::failed};

/// Defines `beat NAME` for a script and its children.
///
/// It ends by itself after some minutes, or when the workspace is gone, so that a
/// place which leaves it running does not leave it for ever.
pub(super) const BEAT: &str = r#"
    beat() {
        exec 9<> <(:)
        for ((n = 0; n < 9000; n++)); do
            echo >> "beat-$1" || exit
            read -t 0.02 -u 9
            [ $? -gt 128 ] || sleep 0.02
        done
    } 2> /dev/null
    export -f beat
"#;

/// How many beats of the clock show that another heart has stopped.
const ENOUGH: u64 = 10;

/// A process that beats beside others.
pub(super) struct Clock(pub(super) ProcessId);

/// How often something has beaten.
pub(super) async fn beats(files: &crate::Subject, name: &str) -> Verdict<u64> {
    match files.stat(format!("beat-{name}")).await {
        Ok(entry) => Ok(entry.size),
        Err(error) if error.code() == Code::FileNotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}

impl Subject {
    /// Starts the clock.
    pub(super) async fn clock(&self) -> Verdict<Clock> {
        Ok(Clock(self.start(format!("{BEAT} beat clock")).await?))
    }

    async fn beats(&self, name: &str) -> Verdict<u64> {
        beats(&self.files, name).await
    }

    /// Waits until something has beaten again.
    pub(super) async fn beating(&self, name: &str) -> Verdict {
        let before = self.beats(name).await?;
        self.beaten(name, before).await
    }

    async fn beaten(&self, name: &str, more_than: u64) -> Verdict {
        patiently(&format!("{name} beats on"), async || {
            Ok((self.beats(name).await? > more_than).then_some(()))
        })
        .await
    }

    /// Those that have beaten while the clock did, many times.
    async fn alive<'a>(&self, names: &[&'a str]) -> Verdict<Vec<&'a str>> {
        let mut before = Vec::new();
        for name in names {
            before.push(self.beats(name).await?);
        }
        let start = self.beats("clock").await?;
        self.beaten("clock", start + ENOUGH).await?;
        let mut alive = Vec::new();
        for (name, before) in names.iter().zip(before) {
            if self.beats(name).await? > before {
                alive.push(*name);
            }
        }
        Ok(alive)
    }

    /// Claims that these had stopped before this was asked, and that the clock goes on.
    #[track_caller]
    pub(super) fn stopped<'a>(
        &'a self,
        _: &'a Clock,
        names: &'a [&'a str],
    ) -> impl Future<Output = Verdict> + 'a {
        let line = std::panic::Location::caller();
        async move {
            match self.alive(names).await?.as_slice() {
                [] => Ok(()),
                alive => Err(failed(format!("still runs at {line}: {}", alive.join(", ")))),
            }
        }
    }

    /// Waits until these have stopped while the clock goes on.
    pub(super) async fn stops(&self, _: &Clock, names: &[&str]) -> Verdict {
        let what = format!("of these nothing runs: {}", names.join(", "));
        patiently(&what, async || Ok(self.alive(names).await?.is_empty().then_some(()))).await
    }
}
