//! `garth redact`: text in, the same text without its secrets out.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use garth_contract::{Code, Error, Result};
use garth_redact::{Clean, Config, Raw, Redactor, Stream};

use crate::{
    args,
    output::{Format, Outcome, Output},
};

/// How much is read at a time; memory does not depend on the size of the input.
const CHUNK: usize = 64 << 10;

/// Redacts the files of the command line, or standard input without any.
pub(crate) fn run(args: &args::Redact, output: &Output) -> Outcome {
    match redact(args, output) {
        Ok(()) => Outcome::Done,
        Err(error) => {
            output.failure(&error, Format::Text);
            Outcome::Failed
        }
    }
}

fn redact(args: &args::Redact, output: &Output) -> Result<()> {
    let redactor = Redactor::new(&Config::standard())
        .map_err(|bad| Error::new(Code::InvalidPattern, bad.to_string()))?;
    if args.files.is_empty() {
        return pass(io::stdin().lock(), redactor.stream(), output);
    }
    for path in &args.files {
        pass(open(path)?, redactor.stream(), output)?;
    }
    Ok(())
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

fn pass(mut input: impl Read, mut stream: Stream, output: &Output) -> Result<()> {
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
    let rest: Clean = stream.finish().map_err(|_| held_back())?.clean;
    output.piece(&rest);
    Ok(())
}

fn held_back() -> Error {
    Error::of(Code::PermissionDenied)
}
