//! `garth redact`: text in, the same text without its secrets out, or a list of where they stand.

mod check;
mod tally;

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use garth_contract::{Code, Error, Result};
use garth_redact::{Config, Raw, Redactor, Stream};

use crate::{
    args,
    output::{Format, Outcome, Output},
};
use tally::Tally;

/// How much is read at a time; memory does not depend on the size of the input.
const CHUNK: usize = 64 << 10;

/// Redacts the files of the command line, or standard input without any.
pub(crate) fn run(args: &args::Redact, output: &Output) -> Outcome {
    let format = if args.json { Format::Json } else { Format::Text };
    let done = redactor().and_then(|redactor| match args.check || args.json {
        true => check::run(&redactor, &args.files, output, format),
        false => redact(&redactor, args, output),
    });
    done.unwrap_or_else(|error| {
        output.failure(&error, format);
        Outcome::Failed
    })
}

fn redactor() -> Result<Redactor> {
    Redactor::new(&Config::standard())
        .map_err(|bad| Error::new(Code::InvalidPattern, bad.to_string()))
}

fn redact(redactor: &Redactor, args: &args::Redact, output: &Output) -> Result<Outcome> {
    let mut tally = Tally::default();
    if args.files.is_empty() {
        pass(io::stdin().lock(), redactor.stream(), output, &mut tally)?;
    }
    for path in &args.files {
        pass(open(path)?, redactor.stream(), output, &mut tally)?;
    }
    if !tally.is_empty() {
        output.note(&tally.sentence());
    }
    Ok(Outcome::Done)
}

/// Opens a file that the person at the shell named; no workspace is concerned.
fn open(path: &Path) -> Result<File> {
    #[allow(clippy::disallowed_methods, reason = "a person's own file, outside any workspace")]
    let opened = File::open(path);
    opened.map_err(|error| {
        let code = [
            (io::ErrorKind::NotFound, Code::FileNotFound),
            (io::ErrorKind::PermissionDenied, Code::PermissionDenied),
        ];
        let code = code.iter().find(|(kind, _)| *kind == error.kind());
        let code = code.map_or(Code::Internal, |(_, code)| *code);
        Error::new(code, format!("{}: {}", code.row().phrase, path.display()))
    })
}

fn pass(
    mut input: impl Read,
    mut stream: Stream,
    output: &Output,
    tally: &mut Tally,
) -> Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                return Err(Error::of(Code::NotAFile));
            }
            Err(_) => return Err(Error::new(Code::Internal, "the input could not be read")),
        };
        let piece = Raw::from(chunk.get(..read).unwrap_or_default());
        output.piece(&stream.feed(&piece).map_err(|_| held_back())?);
    }
    let end = stream.finish().map_err(|_| held_back())?;
    output.piece(&end.clean);
    for (name, count) in end.counts {
        tally.add(&name, count);
    }
    Ok(())
}

fn held_back() -> Error {
    Error::of(Code::PermissionDenied)
}
