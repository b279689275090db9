//! The suites of files and of processes, on guests inside containers.
//!
//! A container has one guest for one workspace, and the suites want hundreds, each
//! fresh. So one container holds them all: guests that listen are started in it by
//! the first one, and end when their check does.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use garth_conformance::{
    Arranged, Backend, Beyond, Directory, Outside, Report, Subject, Suite, shell,
};
use garth_contract::{
    Access, Aliases, Durability, DynFilesystem, HardLinks, Policy, Result, WsPath,
};
use garth_host::Host;
use garth_remote::{Remote, container::VARIABLES};

use crate::{
    guests::{Suites, suites_in_gvisor, suites_in_podman},
    machine::{machine, run},
};

/// Guests in a container.
struct Inside {
    place: &'static Suites,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Inside {
    /// A guest for a directory below the workspace's.
    async fn guest(&self, root: &Path, policy: &Policy) -> Result<Remote> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let below = root.strip_prefix(&self.place.files).unwrap();
        let inside = Path::new("/workspace").join(below);
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let mut arguments = vec!["--root".to_owned(), text(&inside)];
        arguments.extend(["--alias".into(), "/workspace".into()]);
        arguments.extend(["--alias".into(), text(root)]);
        arguments.extend(["--spool".into(), format!("/tmp/spool-{number}")]);
        arguments.push("--refuse-calls".into());
        arguments.extend(rules(policy));
        for (name, value) in VARIABLES {
            arguments.extend(["--env".into(), format!("{name}={value}")]);
        }
        self.place.another(&format!("g{number}"), arguments).await
    }
}

/// A policy in the guest's words.
fn rules(policy: &Policy) -> Vec<String> {
    let mut words = vec!["--max-file".to_owned(), policy.max_file.to_string()];
    words.extend(policy.allow.iter().flat_map(|glob| ["--allow".to_owned(), glob.clone()]));
    words.extend(policy.deny.iter().flat_map(|glob| ["--deny".to_owned(), glob.clone()]));
    words.extend(policy.protect.iter().flat_map(|glob| ["--protect".to_owned(), glob.clone()]));
    words.extend(policy.quota.iter().flat_map(|most| ["--quota".to_owned(), most.to_string()]));
    let flags = [
        (policy.access == Access::ReadOnly, "--read-only"),
        (policy.hard_links == HardLinks::Refuse, "--refuse-hard-links"),
        (policy.durability == Durability::Fast, "--fast"),
    ];
    words.extend(flags.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag.to_owned()));
    words
}

impl Backend for Inside {
    fn name(&self) -> &str {
        self.place.name
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let directory = Directory::new(|root, policy| {
            Ok(Arc::new(Host::open(root, policy, Aliases::none().with(Directory::ALIAS))?))
        });
        let guest = self.guest(&directory.root(), &policy).await?;
        Ok(Subject::new(guest).with(Kept { directory }))
    }
}

/// The directory that a guest serves.
struct Kept {
    directory: Directory,
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

    fn device(&self, at: &WsPath) -> Arranged {
        self.directory.device(at)
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

    fn absolute(&self, inside: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        self.directory.absolute(inside)
    }

    fn beyond(&self) -> Arranged<Beyond> {
        self.directory.beyond()
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

/// Commands in a container, beside files that this machine serves: as a workspace is
/// put together whose directory both see.
impl shell::Backend for Inside {
    fn name(&self) -> &str {
        self.place.name
    }

    async fn make(&self) -> Result<shell::Subject> {
        let directory = tempfile::tempdir().unwrap();
        let policy = Policy { durability: Durability::Fast, ..Policy::open() };
        let aliases = Aliases::none().with(b"/workspace");
        let files = Host::open(directory.path(), policy.clone(), aliases)?;
        let remote = self.guest(directory.path(), &policy).await?;
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let environment = VARIABLES.iter().map(pair).collect();
        let traits = shell::Traits { environment, spool: None, processes: None, kept: None };
        let subject = shell::Subject::new(remote, Arc::new(files), traits);
        Ok(subject.with(Workplace { _directory: directory }))
    }
}

struct Workplace {
    _directory: tempfile::TempDir,
}

impl shell::Around for Workplace {}

/// What an engine truly cannot do: a check, and what it would take. The report prints
/// them.
type Exception = (&'static str, &'static str);

/// None: podman has the machine's own kernel.
const IN_PODMAN: &[Exception] = &[];

/// gVisor has a kernel of its own, and Debian's is of 2022. Of a directory of the
/// machine it neither opens nor looks at what is no file, directory or link, and its
/// inotify hears only of what is done inside; so files of the machine are best served
/// from outside it, which is tested as any other host.
const IN_GVISOR: &[Exception] = &[
    ("stat.a_special_file_shows_its_kind", PIPES),
    ("list.special_files_are_listed_with_their_kind", PIPES),
    ("list.a_pipe_is_not_a_directory", PIPES),
    ("read.a_special_file_is_refused_at_once", PIPES),
    ("read.a_link_to_a_special_file_is_refused_at_once", PIPES),
    ("write.a_special_file_is_refused_at_once", PIPES),
    ("make_dir.a_special_file_exists", PIPES),
    ("remove.special_files_go", PIPES),
    ("rename.a_special_file_moves", PIPES),
    ("find.a_special_base_is_not_a_file", PIPES),
    ("find.special_files_are_reported_and_not_opened", PIPES),
    ("watch.what_others_change_is_reported", OTHERS),
    ("paths.the_deepest_path_can_be_used", DEEP),
];

const PIPES: &str = "look at pipes and sockets of the machine";
// It has no `openat2`, and each step down costs it as much as all those above.
const DEEP: &str = "go two thousand directories deep within minutes";
const OTHERS: &str = "hear of what is done outside";

/// After how long a check hangs: gVisor is slow, and the machine may be busy.
const HANGS: Duration = Duration::from_secs(400);

/// Runs the checks of files.
fn files(place: &'static Suites, except: &[Exception]) {
    let only = only();
    let suite = Suite { only: &only, except, deadline: HANGS };
    judge(&suite.run(&Inside { place }).unwrap());
}

/// Runs the checks of processes.
fn processes(place: &'static Suites, except: &[Exception]) {
    let only = only();
    let suite = Suite { only: &only, except, deadline: HANGS };
    judge(&suite.run_shell(&Inside { place }).unwrap());
}

/// Claims that every check holds, and prints what was found.
fn judge(report: &Report) {
    println!("{report}\n{}", slowest(report));
    assert!(report.failed.is_empty(), "{} checks do not hold", report.failed.len());
    assert!(!report.passed.is_empty(), "no check was made");
}

/// The checks that took longest, so that a suite which grows slow says where.
fn slowest(report: &Report) -> String {
    let mut took = report.took.clone();
    took.sort_by(|one, other| other.cmp(one));
    let line = |(took, name): &(Duration, &str)| format!("  {took:.1?} {name}");
    took.iter().take(8).map(line).collect::<Vec<_>>().join("\n")
}

/// The checks that are asked for, all of them as a rule.
fn only() -> String {
    std::env::var("GARTH_CHECK").unwrap_or_default()
}

#[test]
fn the_files_of_a_guest_in_podman_are_as_any_other() {
    let Some(machine) = machine() else { return };
    files(run(suites_in_podman(machine)), IN_PODMAN);
}

#[test]
fn the_files_of_a_guest_in_gvisor_are_as_any_other() {
    let Some(machine) = machine() else { return };
    files(run(suites_in_gvisor(machine)), IN_GVISOR);
}

#[test]
fn the_processes_of_a_guest_in_podman_are_as_any_other() {
    let Some(machine) = machine() else { return };
    processes(run(suites_in_podman(machine)), IN_PODMAN);
}

#[test]
fn the_processes_of_a_guest_in_gvisor_are_as_any_other() {
    let Some(machine) = machine() else { return };
    processes(run(suites_in_gvisor(machine)), IN_GVISOR);
}
