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

/// How a quota binds commands.
const QUOTA: &str = "files are counted while commands run, which are killed beyond it";

/// Tries every layer and writes what was found.
pub(crate) fn run(args: &args::Doctor, output: &Output) -> Outcome {
    let found = probe();
    let places = match places(args) {
        Ok(places) => places,
        Err(error) => {
            output.failure(&error, if args.json { Format::Json } else { Format::Text });
            return Outcome::Failed;
        }
    };
    if args.json {
        output.payload(&payload(&found, &places));
    } else {
        output.answer(&page(&found, &places));
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

fn word(state: State) -> &'static str {
    match state {
        State::Holds => "holds",
        State::Degraded => "degraded",
        State::Missing => "missing",
    }
}

fn payload(found: &[Probed], places: &[Place]) -> Map<String, Value> {
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
    ])
}

fn page(found: &[Probed], places: &[Place]) -> String {
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
    page
}
