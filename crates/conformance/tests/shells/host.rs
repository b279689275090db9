//! The suite on this machine's own processes, in each way of keeping trees together.
#![allow(clippy::disallowed_methods, reason = "a harness makes its directories by plain paths")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
    thread,
};

use garth_conformance::{
    Arranged, Suite, conform_shell,
    shell::{Around, Backend, Subject, Traits},
};
use garth_contract::{Aliases, Durability, Policy, Result};
use garth_host::{Bounds, Host, Processes, Settings, Strays, Trees};

const USUAL: OnHost = OnHost { name: "", trees: Trees::Subreaper, bounds: Bounds::usual() };

conform_shell!(below_a_subreaper, OnHost { name: "host below a subreaper", ..USUAL });
conform_shell!(
    in_a_namespace,
    OnHost { name: "host in a namespace", trees: Trees::Namespace, ..USUAL }
);
conform_shell!(within_bounds, OnHost { name: "host within bounds", ..OnHost::narrow() });

/// The processes of this machine.
#[derive(Clone, Copy)]
pub(crate) struct OnHost {
    pub(crate) name: &'static str,
    pub(crate) trees: Trees,
    pub(crate) bounds: Bounds,
}

impl OnHost {
    /// With bounds that a check can reach.
    pub(crate) const fn narrow() -> Self {
        let bounds = Bounds { processes: 24, kept: 64, spool_each: 64 << 10, ..Bounds::usual() };
        Self { name: "", trees: Trees::Detect, bounds }
    }

    /// A new workspace, and another handle on its processes.
    pub(crate) fn open(&self) -> Result<(Subject, Processes)> {
        let place = Place(tempfile::tempdir().unwrap());
        for name in ["ws", "home"] {
            fs::create_dir(place.0.path().join(name)).unwrap();
        }
        let home = place.at("home");
        let environment = [
            ("HOME", home.to_str().unwrap()),
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            ("LANG", "C.UTF-8"),
            ("USER", "agent"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let settings = Settings {
            environment: environment.to_vec(),
            spool: place.at("spool"),
            bounds: self.bounds,
            trees: self.trees,
            strays: Strays::Leave,
            first: 1,
        };
        let root = place.at("ws");
        let policy = Policy { durability: Durability::Fast, ..Policy::open() };
        let files = Host::open(&root, policy, Aliases::none())?;
        let processes = Processes::open(&root, settings)?;
        let traits = Traits {
            environment: environment.to_vec(),
            spool: Some(self.bounds.spool_each).filter(|bytes| *bytes <= 16 << 20),
            processes: Some(self.bounds.processes).filter(|count| *count <= 64),
            kept: Some(self.bounds.kept).filter(|count| *count <= 64),
        };
        Ok((Subject::new(processes.clone(), Arc::new(files), traits).with(place), processes))
    }
}

impl Backend for OnHost {
    fn name(&self) -> &str {
        self.name
    }

    fn missing(&self) -> Option<&'static str> {
        let may = self.trees != Trees::Namespace || may_make_namespaces();
        (!may).then_some("this system lets nobody make a pid namespace")
    }

    async fn make(&self) -> Result<Subject> {
        Ok(self.open()?.0)
    }
}

/// Asks another program, so that a fault of ours is not taken for the system's.
fn may_make_namespaces() -> bool {
    let tries = |more: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.args(more).args(["--pid", "--fork", "true"]).stderr(Stdio::null());
        unshare.status().map_or(true, |status| status.success())
    };
    tries(&[]) || tries(&["--user", "--map-root-user"])
}

/// A directory `ws` for the workspace, `home` for its home, `spool` for output.
struct Place(tempfile::TempDir);

impl Place {
    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

impl Around for Place {}

/// The same, and a hand that can stop it.
struct Stoppable(OnHost);

impl Backend for Stoppable {
    fn name(&self) -> &str {
        "host, stopped"
    }

    async fn make(&self) -> Result<Subject> {
        let (subject, processes) = self.0.open()?;
        let Subject { shell, files, traits, around } = subject;
        let around = Box::new(Hand { processes, _place: around });
        Ok(Subject { shell, files, traits, around })
    }
}

struct Hand {
    processes: Processes,
    _place: Box<dyn Around>,
}

impl Around for Hand {
    fn lose(&self) -> Arranged {
        let processes = self.processes.clone();
        let stop = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(processes.stop());
        };
        thread::spawn(stop).join().unwrap();
        Ok(())
    }
}

#[test]
fn processes_that_were_stopped_are_gone() {
    let suite = Suite { only: "place.one_that", ..Suite::default() };
    let report = suite.run_shell(&Stoppable(USUAL)).unwrap();
    println!("{report}");
    assert!(report.failed.is_empty() && report.passed.len() == 2, "{report}");
}
