//! `garth doctor`: what keeps commands in their place on this machine, tried; and which
//! other places there are for them.

use std::fmt::Write as _;

use garth_contract::{Code, Error, Result};
use garth_sandbox::{Probed, State, probe};
use serde_json::{Map, Value, json};

use crate::{
    args,
    output::{Format, Outcome, Output},
    providers,
};

/// A provider of containers, and why it cannot be had if it cannot.
type Place = (&'static str, Result<()>);

/// Nothing where KVM can be used, or why not.
type Kvm = std::result::Result<(), String>;

/// How a quota binds commands.
const QUOTA: &str = "files are counted while commands run, which are killed beyond it";

/// Tries every layer and writes what was found.
pub(crate) fn run(args: &args::Doctor, output: &Output) -> Outcome {
    let found = probe();
    let kvm = kvm();
    let places = match places(args) {
        Ok(places) => places,
        Err(error) => {
            output.failure(&error, if args.json { Format::Json } else { Format::Text });
            return Outcome::Failed;
        }
    };
    if args.json {
        output.payload(&payload(&found, &places, &kvm));
    } else {
        output.answer(&page(&found, &places, &kvm));
    }
    // Containers are wanted by few; what holds the usual place is wanted by all.
    let all = found.iter().all(|probed| probed.state == State::Holds);
    if all { Outcome::Done } else { Outcome::Failed }
}

/// Asks the providers of containers whether they could be had.
fn places(args: &args::Doctor) -> Result<Vec<Place>> {
    let asked =
        args::Provide { provider: None, set: args.set.clone(), config: args.config.clone() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_| Error::new(Code::Internal, "no runtime could be started"))?;
    runtime.block_on(providers::readiness(&asked))
}

/// Tries whether the processor can run virtual machines itself.
fn kvm() -> Kvm {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_| "no runtime could be started".to_owned())?;
    runtime.block_on(providers::Processor::default().helps())
}

fn word(state: State) -> &'static str {
    match state {
        State::Holds => "holds",
        State::Degraded => "degraded",
        State::Missing => "missing",
    }
}

fn payload(found: &[Probed], places: &[Place], kvm: &Kvm) -> Map<String, Value> {
    let providers = places.iter().map(|(name, ready)| match ready {
        Ok(()) => json!({"provider": name, "ready": true}),
        Err(error) => json!({
            "provider": name, "ready": false, "why": error.message(), "advice": error.advice(),
        }),
    });
    let rows = found.iter().map(|probed| {
        json!({
            "layer": probed.layer.name(),
            "state": word(probed.state),
            "how": probed.how,
            "advice": probed.advice,
        })
    });
    Map::from_iter([
        ("layers".to_owned(), rows.collect()),
        ("quota".to_owned(), QUOTA.into()),
        ("providers".to_owned(), providers.collect()),
        ("kvm".to_owned(), json!({"usable": kvm.is_ok(), "why": kvm.as_ref().err()})),
    ])
}

fn page(found: &[Probed], places: &[Place], kvm: &Kvm) -> String {
    let mut page = String::from("The sandbox that commands run in, layer by layer:\n");
    let width = found.iter().map(|probed| probed.layer.name().len()).max().unwrap_or(0);
    for Probed { layer, state, how, advice } in found {
        let _ = writeln!(page, "  {:width$}  {:8}  {how}", layer.name(), word(*state));
        if let Some(advice) = advice {
            let _ = writeln!(page, "  {:width$}  {:8}  {advice}", "", "");
        }
    }
    let holding = found.iter().filter(|probed| probed.state == State::Holds).count();
    let _ = writeln!(page, "{holding} of {} hold.", found.len());
    let _ = writeln!(page, "Quotas of workspaces: {QUOTA}.");
    let _ = write!(page, "\nOther places for commands, where they are asked for:");
    let width = places.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, ready) in places {
        let _ = match ready {
            Ok(()) => write!(page, "\n  {name:width$}  ready"),
            Err(error) => {
                write!(
                    page,
                    "\n  {name:width$}  not ready: {}. {}",
                    error.message(),
                    error.advice()
                )
            }
        };
    }
    let _ = match kvm {
        Ok(()) => write!(page, "\nKVM runs virtual machines."),
        Err(why) => write!(page, "\nKVM cannot be used: {why}."),
    };
    page
}
