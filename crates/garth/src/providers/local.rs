//! The provider `local`: a sandbox of this machine's own kernel, which ends with this
//! program.

use garth_contract::{Access, Code, Error, Result, Seat};
use garth_egress::Rules;
use garth_remote::{Lazy, Patience, providers::Local};
use garth_sandbox::{Limits, Needs, Network, Root, Spec, Tenure, environment_of};
use rustix::fs::{CWD, Mode, OFlags, openat};

use super::{Opened, System, USUAL, Wanted};

pub(super) struct Provider(pub(super) System);

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        USUAL
    }

    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened> {
        let rules = Rules::parse(wanted.reach.iter().map(String::as_str))?;
        let access = match wanted.policy.access {
            Access::ReadWrite => garth_sandbox::Access::ReadWrite,
            Access::ReadOnly => garth_sandbox::Access::ReadOnly,
        };
        let mut roots = Vec::new();
        for (path, place) in wanted.roots {
            let root = Root::named(path, place, access);
            roots.push(root.map_err(|_| Error::of(Code::WorkspaceNotFound))?);
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let itself = openat(CWD, "/proc/self/exe", flags, Mode::empty());
        let itself = itself.map_err(|_| no_program())?;
        let tenure = match (wanted.seat, self.0) {
            (Seat::Workspace, _) | (Seat::Home, System::Shown) => Tenure::Shown,
            // Whoever works in a whole sandbox expects to change all of it.
            (Seat::Home, System::Own) => {
                Tenure::Own { sudo: itself.try_clone().map_err(|_| no_program())? }
            }
        };
        let spec = Spec {
            roots,
            seat: wanted.seat,
            system: wanted.system.unwrap_or("/").into(),
            tenure,
            visible: wanted.visible.to_vec(),
            environment: environment_of(wanted.seat),
            limits: Limits::usual(),
            network: Network::None,
            needs: Needs::all(),
        };
        let mut arguments = vec!["garth".into(), "guest".into()];
        if let Some(bytes) = wanted.policy.quota {
            arguments.extend(["--quota".into(), bytes.to_string().into()]);
        }
        let local = if wanted.reach.is_empty() {
            Local::new(spec, itself, arguments)
        } else {
            Local::reaching(spec, itself, arguments, rules)?
        };
        Opened::seated(Lazy::new(local, Patience::USUAL), wanted.seat)
    }
}

fn no_program() -> Error {
    Error::new(Code::ProviderUnavailable, "this program cannot open itself")
}
