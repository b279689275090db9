//! The suites of files and of processes, over E2B's wire.
//!
//! A sandbox has one guest for one directory, and the suites want hundreds of directories,
//! each fresh. So one sandbox holds them all, with a guest and a pipe for each.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use garth_conformance::{
    Arranged, Backend, Beyond, Directory, Outside, Report, Subject, Suite, shell,
};
use garth_contract::{Aliases, Durability, DynFilesystem, Policy, ProcessId, Result, WsPath};
use garth_host::Host;
use garth_remote::{
    Connect, Link, Patience, Remote,
    container::VARIABLES,
    e2b::{Account, Reached, Secret, Url},
    providers::{E2b, E2bWorkspace},
};
use tokio::runtime::Handle;

use crate::keeper::{Keeper, guest};

/// After how long a check hangs: the machine may be busy.
const HANGS: Duration = Duration::from_secs(200);

/// A sandbox for the suites.
struct Place {
    keeper: Keeper,
    account: Account,
    run: tempfile::TempDir,
    guest: PathBuf,
    /// Where its directories are on this machine; the same is below the home inside.
    files: PathBuf,
}

impl Place {
    fn make() -> Option<Self> {
        let keeper = Keeper::start()?;
        let url = Url::parse(&format!("http://{}", keeper.address)).unwrap();
        let key = Secret::new(&keeper.key).unwrap();
        let account = Account::new(url.clone(), Reached::At(url), key, None);
        let run = tempfile::tempdir().unwrap();
        let mut place = Self { keeper, account, run, guest: guest()?, files: PathBuf::new() };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let first = runtime.block_on(async {
            let e2b = place.e2b("/home/user/suites", &Policy::open());
            drop(link(e2b.clone()).await.unwrap());
            e2b.rest().await.unwrap();
            e2b
        });
        place.files = place.keeper.home(&first.id().unwrap()).join("suites");
        Some(place)
    }

    fn e2b(&self, directory: &str, policy: &Policy) -> E2b {
        let workspace = E2bWorkspace {
            workspace: "suites".into(),
            owner: "suites".into(),
            installation: "suites".into(),
            run: self.run.path().to_owned(),
            guest: self.guest.clone(),
            template: "base".into(),
            timeout: Duration::from_secs(3_600),
            directory: directory.to_owned(),
            variables: variables(),
            internet: false,
            policy: policy.clone(),
        };
        E2b::new(self.account.clone(), workspace).unwrap()
    }

    /// A guest for a directory below the sandbox's.
    async fn guest(&self, root: &Path, policy: &Policy) -> Result<Remote> {
        let below = root.strip_prefix(&self.files).unwrap();
        let inside = Path::new("/home/user/suites").join(below);
        link(self.e2b(inside.to_str().unwrap(), policy)).await
    }
}

/// The variables of commands: there is the home directory of E2B's templates.
fn variables() -> Vec<(String, String)> {
    let pair = |(name, value): (&str, &str)| {
        let value = if name == "HOME" { "/home/user" } else { value };
        (name.to_owned(), value.to_owned())
    };
    VARIABLES.map(pair).into()
}

async fn link(e2b: E2b) -> Result<Remote> {
    let (end, runtime) = (e2b.clone(), Handle::current());
    let ended = Ended { e2b, _end: Arc::new(End { e2b: end, runtime }) };
    Ok(Remote::new(Link::open(ended, ProcessId(1), Patience::USUAL).await?))
}

/// A guest that ends when its last link does.
#[derive(Clone)]
struct Ended {
    e2b: E2b,
    _end: Arc<End>,
}

struct End {
    e2b: E2b,
    runtime: Handle,
}

impl Drop for End {
    fn drop(&mut self) {
        let e2b = self.e2b.clone();
        // One that has ended by itself is as good.
        self.runtime.spawn(async move { drop(e2b.rest().await) });
    }
}

impl Connect for Ended {
    type Pipe = <E2b as Connect>::Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.e2b.connect(first).await
    }
}

impl Backend for Place {
    fn name(&self) -> &str {
        "e2b"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let directory = Directory::within(&self.files, |root, policy| {
            Ok(Arc::new(Host::open(root, policy, Aliases::none().with(Directory::ALIAS))?))
        });
        let guest = self.guest(&directory.root(), &policy).await?;
        let root = directory.root().strip_prefix(&self.files).unwrap().to_owned();
        let inside = Path::new("/home/user/suites").join(root);
        Ok(Subject::new(guest).with(Kept { directory, inside }))
    }
}

/// The directory that a guest serves. There are no devices in it: a sandbox's file system
/// opens none, whoever makes them.
struct Kept {
    directory: Directory,
    /// Where it is inside.
    inside: PathBuf,
}

impl Outside for Kept {
    fn write(&self, at: &WsPath, content: &[u8]) -> Arranged {
        self.directory.write(at, content)
    }

    fn symlink(&self, at: &WsPath, target: &[u8]) -> Arranged {
        self.directory.symlink(at, target)
    }

    fn fifo(&self, at: &WsPath) -> Arranged {
        self.directory.fifo(at)
    }

    fn socket(&self, at: &WsPath) -> Arranged {
        self.directory.socket(at)
    }

    fn hard_link_to_secret(&self, at: &WsPath) -> Arranged {
        self.directory.hard_link_to_secret(at)
    }

    fn hard_link(&self, of: &WsPath, at: &WsPath) -> Arranged {
        self.directory.hard_link(of, at)
    }

    fn sparse(&self, at: &WsPath, size: u64, tail: &[u8]) -> Arranged {
        self.directory.sparse(at, size, tail)
    }

    fn remove(&self, at: &WsPath) -> Arranged {
        self.directory.remove(at)
    }

    fn exchange(&self, one: &WsPath, other: &WsPath) -> Arranged {
        self.directory.exchange(one, other)
    }

    fn set_modified(&self, at: &WsPath, seconds: u64) -> Arranged {
        self.directory.set_modified(at, seconds)
    }

    fn set_mode(&self, at: &WsPath, mode: u32) -> Arranged {
        self.directory.set_mode(at, mode)
    }

    fn forbid(&self, at: &WsPath) -> Arranged {
        self.directory.forbid(at)
    }

    fn absolute(&self, below: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        let mut path = self.inside.to_str().unwrap().as_bytes().to_vec();
        for name in below.components() {
            path.extend([b"/", name].concat());
        }
        Ok(vec![path])
    }

    fn beyond(&self) -> Arranged<Beyond> {
        let absolute = self.inside.parent().unwrap().join("beyond");
        let absolute = absolute.to_str().unwrap().as_bytes().to_vec();
        Ok(Beyond { absolute, relative: b"../beyond".to_vec() })
    }

    fn beyond_now(&self) -> Arranged<BTreeMap<Vec<u8>, Vec<u8>>> {
        self.directory.beyond_now()
    }

    fn everything(&self) -> Arranged<Vec<Vec<u8>>> {
        self.directory.everything()
    }

    fn open_again(&self, policy: Policy) -> Arranged<Arc<dyn DynFilesystem>> {
        self.directory.open_again(policy)
    }
}

impl shell::Backend for Place {
    fn name(&self) -> &str {
        "e2b"
    }

    async fn make(&self) -> Result<shell::Subject> {
        let directory = tempfile::tempdir_in(&self.files).unwrap();
        let policy = Policy { durability: Durability::Fast, ..Policy::open() };
        let files = Host::open(directory.path(), policy.clone(), Aliases::none())?;
        let remote = self.guest(directory.path(), &policy).await?;
        let traits =
            shell::Traits { environment: variables(), spool: None, processes: None, kept: None };
        let subject = shell::Subject::new(remote, Arc::new(files), traits);
        Ok(subject.with(Workplace { _directory: directory }))
    }
}

struct Workplace {
    _directory: tempfile::TempDir,
}

impl shell::Around for Workplace {}

/// Claims that every check holds, and prints what was found.
fn judge(report: &Report) {
    println!("{report}");
    let mut took = report.took.clone();
    took.sort_by(|one, other| other.cmp(one));
    took.iter().take(8).for_each(|(took, name)| println!("  {took:.1?} {name}"));
    assert!(report.failed.is_empty(), "{} checks do not hold", report.failed.len());
    assert!(!report.passed.is_empty(), "no check was made");
}

/// Runs the checks of a kind: all of them where `GARTH_E2B_SUITES` names it (`files`,
/// `processes` or `all`), or a sample.
fn judged(kind: &str, sample: &[&str], run: impl Fn(&Suite<'_>) -> std::io::Result<Report>) {
    let all = std::env::var("GARTH_E2B_SUITES").is_ok_and(|named| named == kind || named == "all");
    for only in if all { &[""] } else { sample } {
        judge(&run(&Suite { only, except: &[], deadline: HANGS }).unwrap());
    }
}

#[test]
fn the_files_of_a_guest_in_a_sandbox_of_e2b_are_as_any_other() {
    let Some(place) = Place::make() else { return };
    judged("files", &["read.", "rename."], |suite| suite.run(&place));
}

#[test]
fn the_processes_of_a_guest_in_a_sandbox_of_e2b_are_as_any_other() {
    let Some(place) = Place::make() else { return };
    judged("processes", &["tree.", "environment."], |suite| suite.run_shell(&place));
}
