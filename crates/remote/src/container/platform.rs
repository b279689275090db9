//! By what gVisor runs programs, and which of these ways works here.

use std::{path::Path, time::Duration};

use garth_contract::Result;
use serde_json::json;

use super::{
    bundle::{make_dir, save},
    program,
    refuse::{self, said},
    runsc::flags,
};

/// By what gVisor catches the system calls of the programs in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Signals: the usual way of younger versions.
    Systrap,
    /// Virtual machines: the fastest, where there is `/dev/kvm`.
    Kvm,
    /// `ptrace`: works nearly everywhere, and is slow.
    Ptrace,
}

impl Platform {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 3] = [Self::Systrap, Self::Kvm, Self::Ptrace];

    /// What `runsc` calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Systrap => "systrap",
            Self::Kvm => "kvm",
            Self::Ptrace => "ptrace",
        }
    }
}

/// How long a platform may take to run a tiny sandbox.
const FIRST_TRY: Duration = Duration::from_secs(5);

/// The same where none did in that time: the machine may be busy.
const SECOND_TRY: Duration = Duration::from_secs(30);

/// How long removing what is left of a try may take.
const CLEAN: Duration = Duration::from_secs(20);

/// Tries each platform on a tiny sandbox.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE`: `runsc` is not installed, or none works.
pub(super) async fn detect(
    runsc: &Path,
    more: &[String],
    (guest, run): (&Path, &Path),
) -> Result<Platform> {
    let probe = Probe::make(guest, run)?;
    let mut why = String::new();
    for patience in [FIRST_TRY, SECOND_TRY] {
        for platform in Platform::ALL {
            match probe.try_on(runsc, (platform, more), patience).await {
                Tried::Works => return Ok(platform),
                Tried::Refused(words) => why = words,
                Tried::TooLong => {}
                Tried::Failed(error) => return Err(error),
            }
        }
    }
    Err(refuse::unavailable(
        format!("gVisor has no platform that works here: {}", said(&why)),
        "Name a platform in the configuration and see what runsc says; some machines need \
         more flags, such as --ignore-cgroups.",
    ))
}

enum Tried {
    Works,
    Refused(String),
    TooLong,
    Failed(garth_contract::Error),
}

/// A bundle whose only program is the guest, which says how it is used and ends.
struct Probe {
    directory: tempfile::TempDir,
}

impl Probe {
    fn make(guest: &Path, run: &Path) -> Result<Self> {
        let make = || {
            make_dir(run)?;
            let directory = tempfile::Builder::new().prefix("probe-").tempdir_in(run)?;
            make_dir(&directory.path().join("rootfs"))?;
            let config = json!({
                "ociVersion": "1.0.2",
                "process": {
                    "user": { "uid": 65534, "gid": 65534 },
                    "args": ["/guest", "--help"],
                    "cwd": "/",
                    "noNewPrivileges": true,
                },
                "root": { "path": "rootfs", "readonly": true },
                "mounts": [
                    { "destination": "/proc", "type": "proc", "source": "proc" },
                    { "destination": "/guest", "type": "bind", "source": guest,
                      "options": ["bind", "ro"] },
                ],
                "linux": { "namespaces": [
                    { "type": "pid" }, { "type": "network" }, { "type": "ipc" },
                    { "type": "uts" }, { "type": "mount" },
                ] },
            });
            save(&directory.path().join("config.json"), config.to_string().as_bytes())?;
            Ok(Self { directory })
        };
        make().map_err(|_: std::io::Error| {
            refuse::unavailable(
                "the directory for containers cannot be written",
                "The gateway must own it.",
            )
        })
    }

    async fn try_on(
        &self,
        runsc: &Path,
        (platform, more): (Platform, &[String]),
        patience: Duration,
    ) -> Tried {
        let state = self.directory.path().join("state");
        let mut call = flags(platform, more, &state);
        let clean = [&call[..], &["delete".into(), "--force".into(), "probe".into()]].concat();
        let bundle = self.directory.path().into();
        call.extend(["run".into(), "--bundle".into(), bundle, "probe".into()]);
        let done = tokio::time::timeout(patience, program::run(runsc, &call, CLEAN)).await;
        let tried = match done {
            Ok(Ok(done)) if done.status.success() => return Tried::Works,
            Ok(Ok(done)) => Tried::Refused(done.stderr),
            Ok(Err(error)) => return Tried::Failed(error),
            Err(_) => Tried::TooLong,
        };
        // Nobody is helped by knowing that this failed, too.
        let _ = program::run(runsc, &clean, CLEAN).await;
        tried
    }
}
