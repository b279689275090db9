//! The suites of files and of processes, on guests inside a virtual machine.
//!
//! A machine has one guest for one workspace, and the suites want hundreds, each fresh. So
//! one machine holds them all: each further guest is started by the first one, and spoken
//! to at a serial port of its own, which is plugged in for it while the machine runs.
//! What others do to its files is done by scripts inside.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use garth_conformance::{
    Arranged, Backend, Beyond, Cannot, Outside, Report, SECRET, Subject, Suite, shell,
};
use garth_contract::{Access, Durability, DynFilesystem, HardLinks, Policy, Result, WsPath};
use garth_remote::{Remote, container::VARIABLES};

use crate::{
    ports::{Inside, run},
    scene::{parts, say_bytes},
};

/// What the machine of the suites truly cannot do: a check, and what it would take.
const EXCEPT: &[(&str, &str)] = &[];

/// The absolute path that leads to the root of a check's workspace, for its links.
const KNOWN: &str = "/known";

/// After how long a check hangs: the processor is emulated, and the machine may be busy.
const HANGS: Duration = Duration::from_secs(400);

/// The checks that are made unless all are asked for: a few of each kind, since an
/// emulated processor takes minutes for all of them.
const SAMPLE: [&str; 1] = ["read.a_"];
const SAMPLE_OF_PROCESSES: [&str; 1] = ["run.a"];

/// The directory of one check, inside.
#[derive(Clone)]
struct Workplace {
    inside: &'static Inside,
    at: String,
}

impl Workplace {
    async fn make(inside: &'static Inside) -> Self {
        let at = format!("/workspace/suites/{}", inside.next());
        let workplace = Self { inside, at };
        let script = "mkdir -p \"$0/ws\" \"$0/beyond/dir\"; printf '%s' \"$1\" > \"$0/beyond/secret\"; \
                      printf '%s' \"$1\" > \"$0/beyond/dir/inner\"";
        workplace.script(script, &[SECRET]).await.unwrap();
        workplace
    }

    /// Runs a script with the directory and these words.
    async fn script(&self, text: &str, words: &[&[u8]]) -> std::result::Result<Vec<u8>, String> {
        let mut all =
            vec![b"bash".to_vec(), b"-c".to_vec(), format!("set -e; {text}").into_bytes()];
        all.push(self.at.clone().into_bytes());
        all.extend(words.iter().map(|word| word.to_vec()));
        say_bytes(&self.inside.first, all).await
    }

    /// The same for who cannot wait.
    fn arrange(&self, what: &'static str, text: &str, words: &[&[u8]]) -> Arranged<Vec<u8>> {
        let done = run(self.script(text, words));
        done.map_err(|why| {
            println!("cannot {what}: {why}");
            Cannot(what)
        })
    }

    async fn guest(&self, policy: &Policy) -> Result<Remote> {
        let root = format!("{}/ws", self.at);
        let mut words = vec!["--root".to_owned(), root.clone()];
        // Another name than the workspace's, which all of this lies below.
        words.extend(["--alias".into(), KNOWN.into(), "--alias".into(), root]);
        words.extend(rules(policy));
        for (name, value) in VARIABLES {
            words.extend(["--env".into(), format!("{name}={value}")]);
        }
        self.inside.another(words).await
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

impl Outside for Workplace {
    fn write(&self, at: &WsPath, content: &[u8]) -> Arranged {
        if content.contains(&0) || content.len() > 64 << 10 {
            return Err(Cannot("write such bytes by a script"));
        }
        let text = "mkdir -p \"$(dirname \"$0/ws/$1\")\"; printf '%s' \"$2\" > \"$0/ws/$1\"";
        self.arrange("write a file", text, &[at.as_bytes(), content]).map(drop)
    }

    fn symlink(&self, at: &WsPath, target: &[u8]) -> Arranged {
        let text = "ln -s -- \"$2\" \"$0/ws/$1\"";
        self.arrange("make a link", text, &[at.as_bytes(), target]).map(drop)
    }

    fn fifo(&self, at: &WsPath) -> Arranged {
        self.arrange("make a pipe", "mkfifo \"$0/ws/$1\"", &[at.as_bytes()]).map(drop)
    }

    fn socket(&self, at: &WsPath) -> Arranged {
        let text = "cd \"$0/ws\"; python3 -c 'import socket, sys; \
                    socket.socket(socket.AF_UNIX).bind(sys.argv[1])' \"$1\"";
        self.arrange("make a socket", text, &[at.as_bytes()]).map(drop)
    }

    fn hard_link_to_secret(&self, at: &WsPath) -> Arranged {
        let text = "ln \"$0/beyond/secret\" \"$0/ws/$1\"";
        self.arrange("make a hard link", text, &[at.as_bytes()]).map(drop)
    }

    fn hard_link(&self, of: &WsPath, at: &WsPath) -> Arranged {
        let text = "ln \"$0/ws/$1\" \"$0/ws/$2\"";
        self.arrange("make a hard link", text, &[of.as_bytes(), at.as_bytes()]).map(drop)
    }

    fn sparse(&self, at: &WsPath, size: u64, tail: &[u8]) -> Arranged {
        let text = "truncate -s \"$2\" \"$0/ws/$1\"; printf '%s' \"$3\" >> \"$0/ws/$1\"";
        let empty = (size - tail.len() as u64).to_string();
        self.arrange("make a sparse file", text, &[at.as_bytes(), empty.as_bytes(), tail]).map(drop)
    }

    fn remove(&self, at: &WsPath) -> Arranged {
        self.arrange("remove", "rm -r -- \"$0/ws/$1\"", &[at.as_bytes()]).map(drop)
    }

    fn set_modified(&self, at: &WsPath, seconds: u64) -> Arranged {
        let (text, time) = ("touch -m -d \"@$2\" \"$0/ws/$1\"", seconds.to_string());
        self.arrange("set a time", text, &[at.as_bytes(), time.as_bytes()]).map(drop)
    }

    fn set_mode(&self, at: &WsPath, mode: u32) -> Arranged {
        let (text, mode) = ("chmod \"$2\" \"$0/ws/$1\"", format!("{mode:o}"));
        self.arrange("set a mode", text, &[at.as_bytes(), mode.as_bytes()]).map(drop)
    }

    fn mark(&self, at: &WsPath) -> Arranged {
        let text = "python3 -c 'import os, sys; os.setxattr(sys.argv[1], \"user.garth\", b\"kept\"); \
                    os.chown(sys.argv[1], 4711, 4711)' \"$0/ws/$1\"";
        self.arrange("set owner and extended attributes", text, &[at.as_bytes()]).map(drop)
    }

    fn marked(&self, at: &WsPath) -> Arranged<bool> {
        let text = "python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], \"user.garth\"), \
                    os.stat(sys.argv[1]).st_uid, os.stat(sys.argv[1]).st_gid)' \"$0/ws/$1\"";
        let told = self.arrange("see owner and extended attributes", text, &[at.as_bytes()])?;
        Ok(told == b"b'kept' 4711 4711\n")
    }

    fn forbid(&self, at: &WsPath) -> Arranged {
        // Permission bits do not stop the superuser, who the suites are inside.
        self.arrange("make the system refuse", "chattr +i \"$0/ws/$1\"", &[at.as_bytes()]).map(drop)
    }

    fn absolute(&self, inside: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        let names = [format!("{}/ws", self.at), KNOWN.to_owned()];
        let whole = |name: String| {
            let mut path = name.into_bytes();
            for part in inside.components() {
                path.extend([b"/", part].concat());
            }
            path
        };
        Ok(names.into_iter().map(whole).collect())
    }

    fn beyond(&self) -> Arranged<Beyond> {
        let absolute = format!("{}/beyond", self.at).into_bytes();
        Ok(Beyond { absolute, relative: b"../beyond".to_vec() })
    }

    fn beyond_now(&self) -> Arranged<BTreeMap<Vec<u8>, Vec<u8>>> {
        let text = "cd \"$0\"; test \"$(ls | wc -l)\" = 2; cd beyond; \
                    find . -type f -printf '%P\\0' | sort -z | while IFS= read -r -d '' f; do \
                    printf '%s\\0' \"$f\"; cat \"$f\"; printf '\\0'; done";
        let told = self.arrange("look outside", text, &[])?;
        let mut words = told.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        let mut found = BTreeMap::new();
        while let (Some(name), Some(content)) = (words.next(), words.next()) {
            found.insert(name, content);
        }
        Ok(found)
    }

    fn everything(&self) -> Arranged<Vec<Vec<u8>>> {
        let text = "find \"$0/ws\" -mindepth 1 -printf '%P\\0'";
        let told = self.arrange("list what is there", text, &[])?;
        let paths = told.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let mut paths: Vec<_> = paths.map(<[u8]>::to_vec).collect();
        paths.sort();
        Ok(paths)
    }

    fn open_again(&self, policy: Policy) -> Arranged<Arc<dyn DynFilesystem>> {
        let again = run(self.guest(&policy));
        Ok(Arc::new(again.map_err(|_| Cannot("open the same files again"))?))
    }
}

struct Suites(&'static Inside);

impl Backend for Suites {
    fn name(&self) -> &str {
        "qemu"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let workplace = Workplace::make(self.0).await;
        Ok(Subject::new(workplace.guest(&policy).await?).with(workplace))
    }
}

impl shell::Backend for Suites {
    fn name(&self) -> &str {
        "qemu"
    }

    async fn make(&self) -> Result<shell::Subject> {
        let workplace = Workplace::make(self.0).await;
        let policy = Policy { durability: Durability::Fast, ..Policy::open() };
        // Files outlive the processes there, so they have a guest of their own.
        let (remote, files) = (workplace.guest(&policy).await?, workplace.guest(&policy).await?);
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let environment = VARIABLES.iter().map(pair).collect();
        let traits = shell::Traits { environment, spool: None, processes: None, kept: None };
        Ok(shell::Subject::new(remote, Arc::new(files), traits))
    }
}

/// The checks of one suite that are made, by how their names begin: those that are asked
/// for by `GARTH_CHECK`, all of those that `GARTH_MACHINE_SUITES` names (`files`,
/// `processes` or `all`) one group after the other, or a sample.
fn chosen(suite: &str, sample: &[&str], names: impl Iterator<Item = &'static str>) -> Vec<String> {
    if let Ok(asked) = std::env::var("GARTH_CHECK") {
        return vec![asked];
    }
    let group = |name: &str| name.split_inclusive('.').next().unwrap_or_default().to_owned();
    match std::env::var("GARTH_MACHINE_SUITES") {
        Ok(asked) if asked == "all" || asked == suite => {
            names.map(group).collect::<BTreeSet<_>>().into_iter().collect()
        }
        Ok(_) => Vec::new(),
        Err(_) => sample.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// What was found of one suite so far.
#[derive(Default)]
struct Found {
    passed: usize,
    skipped: usize,
    failed: Vec<&'static str>,
    took: Duration,
}

impl Found {
    /// Prints a report, so that a run which is ended says how far it came.
    fn add(&mut self, report: &Report) {
        println!("{report}");
        let mut took = report.took.clone();
        took.sort_by(|one, other| other.cmp(one));
        took.iter().take(3).for_each(|(took, name)| println!("  {took:.1?} {name}"));
        self.passed += report.passed.len();
        self.skipped += report.skipped.len();
        self.failed.extend(report.failed.iter().map(|(name, _)| *name));
        self.took += took.iter().map(|(took, _)| *took).sum::<Duration>();
    }

    /// Claims that every check holds.
    fn judge(&self, suite: &str) {
        let Self { passed, skipped, failed, took } = self;
        let made = passed + skipped + failed.len();
        println!(
            "in qemu {passed} of {made} checks of {suite} hold, {skipped} skipped, {took:.1?}"
        );
        assert!(failed.is_empty(), "these do not hold: {failed:?}");
    }
}

#[test]
fn the_files_and_processes_of_a_guest_in_qemu_are_as_any_other() {
    let Some(parts) = parts() else { return };
    let inside = run(Inside::make(parts));
    let (mut files, mut processes) = (Found::default(), Found::default());
    for only in &chosen("files", &SAMPLE, garth_conformance::checks().map(|check| check.name)) {
        files.add(&Suite { only, except: EXCEPT, deadline: HANGS }.run(&Suites(inside)).unwrap());
    }
    let names = shell::checks().map(|check| check.name);
    for only in &chosen("processes", &SAMPLE_OF_PROCESSES, names) {
        let suite = Suite { only, except: EXCEPT, deadline: HANGS };
        processes.add(&suite.run_shell(&Suites(inside)).unwrap());
    }
    run(inside.end());
    files.judge("files");
    processes.judge("processes");
    let asked = std::env::var_os("GARTH_CHECK").is_some();
    assert!(asked || files.passed + processes.passed > 0, "no check was made");
}
