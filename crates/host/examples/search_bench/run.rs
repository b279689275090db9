//! Our contender: one query through the public interface, printed as `rg` and `find` print.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::UNIX_EPOCH,
};

use garth_contract::{Aliases, Filesystem, Flow, Found, LineKind, Policy, Query, Sink, WsPath};
use garth_host::Host;

use crate::{Outcome, queries};

/// Runs the query of a name in the current directory.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let [name] = arguments else { return Err("run needs the name of a query".into()) };
    let query = queries::named(name).ok_or_else(|| format!("no query {name}"))?.query();
    let fail = |error: &dyn std::fmt::Display| error.to_string();
    let host = Host::open(Path::new("."), Policy::open(), Aliases::none())
        .map_err(|error| fail(&error))?;
    let print = Arc::new(Print(Mutex::new(BufWriter::with_capacity(64 << 10, io::stdout()))));
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().map_err(|error| fail(&error))?;
    runtime.block_on(search(&host, &query, &print)).map_err(|error| fail(&error))?;
    print.0.lock().unwrap_or_else(PoisonError::into_inner).flush().map_err(|error| fail(&error))
}

async fn search(host: &Host, query: &Query, print: &Arc<Print>) -> garth_contract::Result<()> {
    let sink: Arc<dyn Sink> = Arc::<Print>::clone(print);
    host.find(query, sink).await.map(|_| ())
}

struct Print(Mutex<BufWriter<io::Stdout>>);

impl Sink for Print {
    fn accept(&self, found: Found<'_>) -> Flow {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match write(&mut *out, found) {
            Ok(()) => Flow::Continue,
            Err(_) => Flow::Stop,
        }
    }
}

fn write(out: &mut impl Write, found: Found<'_>) -> io::Result<()> {
    let path = |out: &mut dyn Write, path: &WsPath| out.write_all(path.as_bytes());
    match found {
        Found::Entry(entry) => {
            path(out, &entry.path)?;
            let since = entry.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let (since, mode) = (since.unwrap_or_default(), entry.mode.unwrap_or_default());
            let (seconds, nanos) = (since.as_secs(), since.subsec_nanos());
            write!(out, " {} {seconds}.{nanos:09}0 {mode:o}", entry.size)?;
        }
        Found::Name(file, _) | Found::File(file) => path(out, file)?,
        Found::Count(file, count) => {
            path(out, file)?;
            write!(out, ":{count}")?;
        }
        Found::Line(line) => {
            let sign = if line.kind == LineKind::Match { b":" } else { b"-" };
            path(out, line.path)?;
            out.write_all(sign)?;
            write!(out, "{}", line.number)?;
            out.write_all(sign)?;
            out.write_all(line.text)?;
        }
    }
    out.write_all(b"\n")
}
