//! Where the program writes: standard output for answers, standard error for
//! what went wrong, both through one door.

use std::{
    io::{self, ErrorKind, IsTerminal, Write},
    process::ExitCode,
};

use garth_contract::Error;
use garth_ops::Failure;
use serde_json::{Map, Value, json};

use crate::paint::{Colour, for_terminal};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did what was asked.
    Done,
    /// It was refused, or it failed.
    Failed,
    /// The command line makes no sense.
    WrongUsage,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Failed => Self::FAILURE,
            Outcome::WrongUsage => Self::from(2),
        }
    }
}

/// How the reader wants the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text for a person.
    Text,
    /// One JSON object.
    Json,
}

/// The standard streams, and whether a person looks at them.
#[derive(Debug)]
pub(crate) struct Output {
    stdout: Reader,
    stderr: Reader,
}

/// Who reads a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Program,
    Terminal(Colour),
}

impl Reader {
    fn of(stream: &impl IsTerminal, colour: Colour) -> Self {
        if stream.is_terminal() { Self::Terminal(colour) } else { Self::Program }
    }

    /// The text as this reader should get it.
    fn prepare(self, text: &str) -> String {
        match self {
            Self::Program => text.to_owned(),
            Self::Terminal(colour) => for_terminal(text, colour),
        }
    }
}

impl Output {
    /// The streams of this process.
    ///
    /// Colours follow <https://no-color.org>: any text in `NO_COLOR` turns them off.
    pub(crate) fn of_process() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colour = if plain || dumb { Colour::Never } else { Colour::Allowed };
        Self {
            stdout: Reader::of(&io::stdout(), colour),
            stderr: Reader::of(&io::stderr(), colour),
        }
    }

    /// Writes an answer to standard output, with a line ending after it.
    pub(crate) fn answer(&self, text: &str) {
        let mut text = self.stdout.prepare(text);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        self.write(io::stdout().lock(), &text);
    }

    /// Writes a piece of a longer text to standard output, without colours.
    pub(crate) fn piece(&self, text: &str) {
        let text = match self.stdout {
            Reader::Program => text.to_owned(),
            Reader::Terminal(_) => for_terminal(text, Colour::Never),
        };
        self.write(io::stdout().lock(), &text);
    }

    /// Writes one of many lines to standard output.
    ///
    /// # Errors
    /// Where it cannot be written, so that whoever has more lines ends.
    pub(crate) fn line(&self, text: &str) -> io::Result<()> {
        let mut line = match self.stdout {
            Reader::Program => text.to_owned(),
            Reader::Terminal(_) => for_terminal(text, Colour::Never),
        };
        line.push('\n');
        io::stdout().lock().write_all(line.as_bytes())
    }

    /// Writes `{"ok":true,"payload":…}` to standard output.
    pub(crate) fn payload(&self, payload: &Map<String, Value>) {
        let body = json!({ "ok": true, "payload": payload });
        self.write(io::stdout().lock(), &format!("{body}\n"));
    }

    /// Writes an answer of a gateway as it came: `{"ok":…}`.
    pub(crate) fn body(&self, body: &Value) {
        self.write(io::stdout().lock(), &format!("{body}\n"));
    }

    /// Says what went wrong elsewhere.
    pub(crate) fn refusal(&self, code: &str, message: &str, advice: &str) {
        let text = format!("error: {message} ({code})\nhint: {advice}\n");
        self.write(io::stderr().lock(), &self.stderr.prepare(&text));
    }

    /// Says what went wrong: a person on standard error, a program on standard output.
    pub(crate) fn failure(&self, error: &Error, format: Format) {
        match format {
            Format::Json => {
                let body = json!({ "ok": false, "error": garth_ops::failure(error) });
                self.write(io::stdout().lock(), &format!("{body}\n"));
            }
            Format::Text => {
                let code = error.code().row().name;
                let text =
                    format!("error: {} ({code})\nhint: {}\n", error.message(), error.advice());
                self.write(io::stderr().lock(), &self.stderr.prepare(&text));
            }
        }
    }

    /// The same of a tool, with what there is to show all the same before it.
    pub(crate) fn failed(&self, failure: &Failure, format: Format) {
        match (format, &failure.partial) {
            (Format::Json, _) => {
                let body = json!({ "ok": false, "error": failure.body() });
                self.write(io::stdout().lock(), &format!("{body}\n"));
            }
            (Format::Text, partial) => {
                partial.iter().for_each(|partial| self.answer(&partial.text));
                self.failure(&failure.error, format);
            }
        }
    }

    /// Says something beside the answer, on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.write(io::stderr().lock(), &self.stderr.prepare(&format!("{text}\n")));
    }

    /// Says how far a long work is, over what was said last; only to a person.
    pub(crate) fn progress(&self, text: &str) {
        match self.stderr {
            Reader::Terminal(_) => self.write(io::stderr().lock(), &format!("\r\u{1b}[K{text}")),
            Reader::Program => {}
        }
    }

    /// Writes to a stream; that its reader went away is no failure of ours.
    fn write(&self, mut stream: impl Write, text: &str) {
        let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            // Nobody is left to be told when standard error fails as well.
            let _ = writeln!(io::stderr().lock(), "error: the output could not be written");
        }
    }
}
