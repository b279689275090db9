//! `garth redact --check`: where secrets stand, for a person or for CI. The secrets are not told.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use garth_contract::{Code, Error, Result};
use garth_redact::Redactor;
use serde_json::{Map, Value, json};

use super::{open, tally::Tally};
use crate::output::{Format, Outcome, Output};

/// A file is looked at whole; of a longer one this much.
const MOST_BYTES: u64 = 64 << 20;

/// So many places are listed; all are counted.
const MOST_PLACES: usize = 10_000;

/// A tree of more files gets a line that says how far it is, on a terminal.
const LARGE_TREE: usize = 200;

/// As many bytes say whether a file is text.
const HEAD: usize = 8 << 10;

/// Where a secret stands.
struct Place {
    path: String,
    line: usize,
    rule: String,
}

/// Looks through files and folders, or standard input without any.
pub(super) fn run(
    redactor: &Redactor,
    paths: &[PathBuf],
    output: &Output,
    format: Format,
) -> Result<Outcome> {
    let mut found = Found::default();
    if paths.is_empty() {
        found.look(redactor, "-", &read(io::stdin().lock())?);
    }
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    for (index, path) in files.iter().enumerate() {
        if files.len() > LARGE_TREE && index % 64 == 0 {
            output.progress(&format!("{index} of {} files", files.len()));
        }
        found.look(redactor, &path.display().to_string(), &read(open(path)?)?);
    }
    if files.len() > LARGE_TREE {
        output.progress("");
    }
    found.tell(output, format);
    Ok(if found.tally.is_empty() { Outcome::Done } else { Outcome::Failed })
}

#[derive(Default)]
struct Found {
    files: usize,
    tally: Tally,
    places: Vec<Place>,
}

impl Found {
    fn look(&mut self, redactor: &Redactor, path: &str, bytes: &[u8]) {
        if bytes.iter().take(HEAD).any(|&byte| byte == 0) {
            return;
        }
        self.files += 1;
        let text = String::from_utf8_lossy(bytes);
        let (mut line, mut at) = (1, 0);
        for span in redactor.find(&text) {
            line += text.get(at..span.start).unwrap_or_default().matches('\n').count();
            at = span.start;
            self.tally.add(span.rule, 1);
            if self.places.len() < MOST_PLACES {
                let (path, rule) = (path.to_owned(), span.rule.to_owned());
                self.places.push(Place { path, line, rule });
            }
        }
    }

    fn tell(&self, output: &Output, format: Format) {
        match format {
            Format::Text => {
                let lines = self
                    .places
                    .iter()
                    .map(|Place { path, line, rule }| format!("{path}:{line}: {rule}\n"));
                output.piece(&lines.collect::<String>());
                let files = match self.files {
                    1 => "1 file".to_owned(),
                    files => format!("{files} files"),
                };
                match self.tally.is_empty() {
                    true => output.note(&format!("no secret in {files}")),
                    false => output.note(&format!("{} in {files}", self.tally.sentence())),
                }
            }
            Format::Json => {
                let mut payload = Map::new();
                payload.insert("files".to_owned(), self.files.into());
                payload.insert("secrets".to_owned(), self.tally.total().into());
                payload.insert("rules".to_owned(), json!(self.tally.counts()));
                let places: Vec<Value> = self
                    .places
                    .iter()
                    .map(
                        |place| json!({"path": place.path, "line": place.line, "rule": place.rule}),
                    )
                    .collect();
                payload.insert("places".to_owned(), places.into());
                output.payload(&payload);
            }
        }
    }
}

fn read(input: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match input.take(MOST_BYTES).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(Error::new(Code::Internal, "the input could not be read")),
    }
}

/// The files at or below a path, in order; links and version control are left out.
#[allow(clippy::disallowed_methods, reason = "a person's own files, outside any workspace")]
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(path) else {
        files.push(path.to_owned());
        return Ok(());
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && entry.file_name() != ".git" {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}
