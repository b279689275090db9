//! Commands on a gateway's data directory: agents, tokens, the audit.
//!
//! They open the same database that a gateway has open, which sees what was changed
//! within a second. Whoever can write the directory is its operator, and every change
//! is recorded as theirs.

mod agent;
mod audit;
mod columns;
mod token;
mod when;

use std::path::Path;

use garth_contract::{Code, Error, Result};
use garth_gateway::{
    Clock, Registry, Store,
    audit::{Audit, Begin},
};
use serde::Serialize;
use serde_json::{Map, Value};

pub(crate) use agent::run as agent;
pub(crate) use audit::run as audit;
pub(crate) use token::run as token;

use crate::{
    args,
    output::{Format, Outcome, Output},
    serve::{data, settings::Settings},
};

/// A gateway's data, opened.
struct Office {
    settings: Settings,
    registry: Registry,
    audit: Audit,
}

/// Whether a directory that is not there is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Made,
    Refused,
}

impl Office {
    /// Opens the data of a gateway.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_FOUND` where there is none; `INVALID_PARAMS` for a configuration
    /// that is wrong; `INTERNAL` for a database that cannot be used.
    fn open(place: &args::Place, missing: Missing) -> Result<Self> {
        let mut settings = Settings::of_place(place)?;
        let made = settings.data.join(data::DATABASE).is_file();
        match missing {
            Missing::Made => data::make(&settings.data)?,
            Missing::Refused if made => {}
            Missing::Refused => return Err(nothing_there(&settings.data)),
        }
        settings.data = std::path::absolute(&settings.data)
            .map_err(|_| Error::new(Code::Internal, "the current directory is gone"))?;
        let store = Store::open(&settings.data.join(data::DATABASE), Clock::system())?;
        let audit = Audit::new(store.clone(), settings.audit_config())?;
        Ok(Self { settings, registry: Registry::new(store), audit })
    }

    /// Does something that changes the gateway, and records it.
    async fn change<T>(
        &self,
        operation: &str,
        summary: String,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let begin = Begin {
            caller: "local".into(),
            role: "operator".into(),
            session: "command line".into(),
            operation: operation.to_owned().into(),
            summary: summary.into(),
            ..Begin::default()
        };
        let record = self.audit.open(begin).await?;
        let result = work.await;
        let outcome = result.as_ref().map(|_| 0).map_err(Error::code);
        record.close(outcome).await?;
        result
    }
}

fn nothing_there(data: &Path) -> Error {
    let message = format!("there is no gateway's data in {}", data.display());
    Error::new(Code::WorkspaceNotFound, message)
        .hint("garth serve makes it; --data DIR says where it is.")
}

/// Runs a command on the data of a gateway, and writes what came of it.
fn run<F>(
    place: &args::Place,
    missing: Missing,
    (output, format): (&Output, Format),
    work: impl FnOnce(Office) -> F,
) -> Outcome
where
    F: Future<Output = Result<Outcome>>,
{
    let done = runtime().and_then(|runtime| {
        let office = Office::open(place, missing)?;
        let store = office.registry.store().clone();
        runtime.block_on(async {
            let done = work(office).await;
            store.close().await;
            done
        })
    });
    done.unwrap_or_else(|error| {
        output.failure(&error, format);
        let usage = [Code::InvalidParams, Code::InvalidPattern].contains(&error.code());
        if usage { Outcome::WrongUsage } else { Outcome::Failed }
    })
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|_| Error::new(Code::Internal, "the runtime could not be started"))
}

fn format(json: bool) -> Format {
    if json { Format::Json } else { Format::Text }
}

/// A value as the JSON object that a program reads.
fn facts(value: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(value) {
        Ok(Value::Object(facts)) => Ok(facts),
        Ok(_) | Err(_) => {
            Err(Error::new(Code::Internal, "the answer could not be written as JSON"))
        }
    }
}
