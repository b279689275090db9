//! `garth config check`: everything that is wrong with the configuration, at once.

use serde_json::{Map, Value, json};

use super::Fault;
use crate::{
    args,
    output::{Format, Outcome, Output},
    serve::{settings::Settings, tls},
};

/// Looks at the file and at the environment, and says what is wrong.
pub(crate) fn run(args: &args::Config, output: &Output) -> Outcome {
    match &args.verb {
        args::ConfigVerb::Check(args) => check(args, output),
    }
}

fn check(args: &args::ConfigCheck, output: &Output) -> Outcome {
    let format = if args.json { Format::Json } else { Format::Text };
    let (settings, mut faults) = match Settings::gathered(&args.place) {
        Ok(gathered) => gathered,
        Err(error) => {
            output.failure(&error, format);
            return Outcome::Failed;
        }
    };
    let file = args.place.file().map(|file| file.display().to_string());
    if faults.is_empty()
        && let Err(error) = settings
            .check()
            .and_then(|()| tls::acceptor(&settings).map(drop))
            .and_then(|()| settings.git.read().map(drop))
            .and_then(|()| settings.containers.e2b.check())
    {
        let place = file.clone().unwrap_or_else(|| "the environment".to_owned());
        let meant = Some(error.advice().to_owned());
        faults.push(Fault { place, what: error.message().to_owned(), meant });
    }
    match format {
        Format::Json => output.payload(&payload(file.as_deref(), &faults)),
        Format::Text => output.answer(&page(file.as_deref(), &faults)),
    }
    if faults.is_empty() { Outcome::Done } else { Outcome::Failed }
}

fn payload(file: Option<&str>, faults: &[Fault]) -> Map<String, Value> {
    let rows = faults
        .iter()
        .map(|fault| json!({ "place": fault.place, "what": fault.what, "meant": fault.meant }));
    Map::from_iter([
        ("sound".to_owned(), faults.is_empty().into()),
        ("file".to_owned(), file.into()),
        ("faults".to_owned(), rows.collect()),
    ])
}

fn page(file: Option<&str>, faults: &[Fault]) -> String {
    match (faults, file) {
        ([], Some(file)) => format!("{file} is sound"),
        ([], None) => "there is no configuration file, and the rest is sound".to_owned(),
        (faults, _) => {
            let lines: Vec<_> = faults.iter().map(|fault| format!("error: {fault}")).collect();
            lines.join("\n")
        }
    }
}
