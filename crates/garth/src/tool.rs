//! `garth tool`: one operation, once, without a server.

use std::io::Read;

use garth_contract::{Code, Error, Result};
use garth_ops::{Allows, Dialect, Failure, Reply, Tool};
use serde_json::Value;

use crate::{
    args, catalogue, dialect,
    output::{Format, Outcome, Output},
    providers::NONE,
    root,
};

/// The most bytes of parameters that are read from standard input: a file of the
/// largest size that is written, as base64, and what is around it.
const MOST_INPUT: u64 = 3 << 29;

/// Runs the command and writes what came of it.
pub(crate) fn run(args: &args::Tool, output: &Output) -> Outcome {
    let format = if args.json { Format::Json } else { Format::Text };
    let call = match dialect::named(&args.dialect) {
        Ok(dialect) if args.list => {
            let run = !args.no_exec && args.provide.name() != NONE;
            let allows = Allows { write: true, run, git: true };
            let tools: Vec<_> =
                dialect.tools.iter().filter(|tool| tool.needs.met(allows)).collect();
            match format {
                Format::Json => output.payload(&catalogue::payload(&tools)),
                Format::Text => output.answer(&catalogue::page(&tools)),
            }
            return Outcome::Done;
        }
        Ok(dialect) => Call::of(dialect, args),
        Err(error) => Err(error),
    };
    let call = match call {
        Ok(call) => call,
        Err(error) => {
            output.failure(&error, format);
            return Outcome::WrongUsage;
        }
    };
    match call.run(args) {
        Ok(reply) => {
            match format {
                Format::Json => output.payload(&reply.payload),
                Format::Text => output.answer(&reply.text),
            }
            Outcome::Done
        }
        Err(failure) => {
            output.failed(&failure, format);
            Outcome::Failed
        }
    }
}

/// A tool and what it is called with.
struct Call {
    tool: &'static Tool,
    params: Value,
}

impl Call {
    fn of(dialect: &'static Dialect, args: &args::Tool) -> Result<Self> {
        let name = args.name.as_deref().unwrap_or_default();
        let tool = garth_ops::find(dialect.tools, name).ok_or_else(|| unknown(dialect, name))?;
        let text = if args.params == "-" { from_stdin()? } else { args.params.clone() };
        let params = serde_json::from_str(&text).map_err(|error| malformed(&error))?;
        Ok(Self { tool, params })
    }

    fn run(self, args: &args::Tool) -> Result<Reply, Failure> {
        let (workspace, own) = root::of_tool(args)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|_| Error::new(Code::Internal, "the runtime could not be started"))?;
        let done = runtime.block_on(own.during((self.tool.run)(&workspace, self.params.into())));
        done.unwrap_or_else(|| Err(Error::of(Code::Cancelled).into()))
    }
}

fn from_stdin() -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MOST_INPUT).read_to_string(&mut text);
    read.map_err(|_| {
        Error::new(Code::InvalidRequest, "standard input could not be read as UTF-8 text")
    })?;
    Ok(text)
}

fn unknown(dialect: &Dialect, name: &str) -> Error {
    let names: Vec<_> = dialect.tools.iter().map(|tool| tool.name).collect();
    Error::new(Code::UnknownMethod, format!("there is no tool {name:?}"))
        .hint(format!("The tools are {}; see garth tool --list.", names.join(", ")))
}

fn malformed(error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let message = format!("the parameters are no JSON at line {line}, column {column}");
    Error::new(Code::InvalidRequest, message)
        .hint("Send one JSON object, in single quotes so that the shell leaves it alone.")
}
