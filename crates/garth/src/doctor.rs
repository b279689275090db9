//! `garth doctor`: what keeps commands in their place on this machine, tried.

use std::fmt::Write as _;

use garth_sandbox::{Probed, State, probe};
use serde_json::{Map, Value, json};

use crate::{
    args,
    output::{Outcome, Output},
};

/// How a quota binds commands.
const QUOTA: &str = "files are counted while commands run, which are killed beyond it";

/// Tries every layer and writes what was found.
pub(crate) fn run(args: &args::Doctor, output: &Output) -> Outcome {
    let found = probe();
    if args.json {
        output.payload(&payload(&found));
    } else {
        output.answer(&page(&found));
    }
    let all = found.iter().all(|probed| probed.state == State::Holds);
    if all { Outcome::Done } else { Outcome::Failed }
}

fn word(state: State) -> &'static str {
    match state {
        State::Holds => "holds",
        State::Degraded => "degraded",
        State::Missing => "missing",
    }
}

fn payload(found: &[Probed]) -> Map<String, Value> {
    let rows = found.iter().map(|probed| {
        json!({
            "layer": probed.layer.name(),
            "state": word(probed.state),
            "how": probed.how,
            "advice": probed.advice,
        })
    });
    Map::from_iter([("layers".to_owned(), rows.collect()), ("quota".to_owned(), QUOTA.into())])
}

fn page(found: &[Probed]) -> String {
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
    let _ = write!(page, "Quotas of workspaces: {QUOTA}.");
    page
}
