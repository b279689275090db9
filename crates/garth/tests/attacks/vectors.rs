//! Edits that other agents' tools are tested with, sent as calls: what the edit
//! engine gives is what stands in the file, and a refusal writes nothing.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use garth_text::{
    edit::{Edit, FileError, Mode, Replace, Why, apply_to_file},
    encoding::Encoding,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::Client,
    yard::{Outcome, outcome},
};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases");

/// One file of cases and the names that it has for things.
struct Source {
    file: &'static str,
    old: &'static str,
    new: &'static str,
    all: &'static str,
}

const SOURCES: [Source; 3] = [
    Source {
        file: "opencode_edit_golden.json",
        old: "oldString",
        new: "newString",
        all: "replaceAll",
    },
    Source {
        file: "gemini_edit_vectors.json",
        old: "old_string",
        new: "new_string",
        all: "allow_multiple",
    },
    Source { file: "crush_whitespace_vectors.json", old: "old", new: "new", all: "replace_all" },
];

struct Vector {
    id: String,
    content: String,
    old: String,
    new: String,
    replace: Replace,
}

/// The vectors of all files, or none where there are none.
fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for Source { file, old, new, all } in SOURCES {
        let Ok(text) = fs::read_to_string(format!("{CASES}/{file}")) else {
            println!("skipped: no shared cases");
            return Vec::new();
        };
        let cases: Value = serde_json::from_str(&text).unwrap();
        for case in cases["cases"].as_array().unwrap() {
            let text = |key: &str| case[key].as_str().unwrap().to_owned();
            vectors.push(Vector {
                id: text("id"),
                content: text("content"),
                old: text(old),
                new: text(new),
                replace: if case[all] == true { Replace::All } else { Replace::One },
            });
        }
    }
    vectors
}

impl Vector {
    /// What the engine makes of it, or the code of its refusal.
    fn by_the_library(&self, replace: Replace) -> Result<Vec<u8>, &'static str> {
        let bytes = self.content.as_bytes();
        let edit = Edit { old: &self.old, new: &self.new, replace };
        let encoding = Encoding::of_file(bytes, None);
        match apply_to_file(bytes, encoding, &[edit], Mode::Forgiving) {
            Ok(edited) => Ok(edited.bytes),
            Err(FileError::Encoding(_)) => Err("UNSUPPORTED_ENCODING"),
            Err(FileError::Edit(failure)) => Err(match failure.why {
                Why::NotFound { .. } => "TEXT_NOT_FOUND",
                Why::Ambiguous { .. } => "AMBIGUOUS_MATCH",
                Why::Same | Why::EmptyOld | Why::Omission { .. } => "INVALID_PARAMS",
                Why::TooLarge { .. } => "FILE_TOO_LARGE",
            }),
        }
    }

    fn in_reference(&self) -> Value {
        json!({"path": "file.txt", "edits": [{"oldText": self.old, "newText": self.new}]})
    }

    fn in_workspace(&self) -> Value {
        let all = matches!(self.replace, Replace::All);
        json!({"path": "file.txt", "old_string": self.old, "new_string": self.new, "replace_all": all})
    }
}

/// One file that a server may edit.
pub(crate) struct Bench {
    _dir: TempDir,
    file: PathBuf,
    client: Client,
}

/// A file as it stands: another inode or time says that it was written again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Standing(Vec<u8>, u64, SystemTime);

impl Bench {
    pub(crate) fn new(dialect: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let client = Client::start(dir.path(), &["--dialect", dialect, "--no-redact", "--fast"]);
        Self { file: dir.path().join("file.txt"), _dir: dir, client }
    }

    pub(crate) fn put(&self, bytes: &[u8]) -> Standing {
        fs::write(&self.file, bytes).unwrap();
        self.standing()
    }

    pub(crate) fn standing(&self) -> Standing {
        let metadata = fs::metadata(&self.file).unwrap();
        Standing(self.bytes(), metadata.ino(), metadata.modified().unwrap())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(&self.file).unwrap()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Outcome {
        outcome(&self.client.call(tool, arguments))
    }

    pub(crate) fn names(&self) -> Vec<PathBuf> {
        let dir: &Path = self.file.parent().unwrap();
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|name| name.unwrap().path()).collect();
        names.sort();
        names
    }
}

/// How often an engine edited and refused, for the line that is printed.
#[derive(Default)]
struct Counts {
    edited: usize,
    refused: usize,
    ambiguous: usize,
}

impl Counts {
    /// One vector: a dry run that writes nothing, then the edit.
    fn check(&mut self, bench: &mut Bench, vector: &Vector, call: (&str, Value, Replace)) {
        let (tool, mut arguments, replace) = call;
        let expected = vector.by_the_library(replace);
        let before = bench.put(vector.content.as_bytes());
        let dry = if tool == "edit_file" { "dryRun" } else { "dry_run" };
        arguments[dry] = json!(true);
        let tried = bench.call(tool, &arguments);
        let id = &vector.id;
        assert_eq!(bench.standing(), before, "{id}: a dry run of {tool} writes");
        arguments[dry] = json!(false);
        let done = bench.call(tool, &arguments);
        match &expected {
            Ok(bytes) => {
                assert!(done.is_ok(), "{id}: {tool} gives {done:?}");
                assert_eq!(bench.bytes(), *bytes, "{id}: {tool}");
                self.edited += 1;
            }
            Err(code) => {
                // To `edit`, an empty old text asks for a new file, and there is one.
                let taken = tool == "edit" && vector.old.is_empty() && !vector.new.is_empty();
                let code = if taken { &"FILE_EXISTS" } else { code };
                assert_eq!(done, Err((*code).to_owned()), "{id}: {tool}");
                assert_eq!(bench.standing(), before, "{id}: a refused {tool} writes");
                self.refused += 1;
                self.ambiguous += usize::from(*code == "AMBIGUOUS_MATCH");
            }
        }
        assert_eq!(tried.is_ok(), done.is_ok(), "{id}: a dry run of {tool} says another thing");
        if tool == "edit_file" {
            assert_eq!(tried, done, "{id}: a dry run shows another difference");
        }
        assert_eq!(bench.names().len(), 1, "{id}: {tool} leaves something behind");
    }

    fn print(&self, tool: &str) {
        let Self { edited, refused, ambiguous } = self;
        println!("{tool}: {edited} vectors edited, {refused} refused, {ambiguous} as ambiguous");
        assert!(*edited > 0 && *refused > 0 && *ambiguous > 0);
    }
}

#[test]
fn edit_file_gives_what_the_engine_gives_and_nothing_when_it_refuses() {
    let vectors = vectors();
    if vectors.is_empty() {
        return;
    }
    let (mut bench, mut counts) = (Bench::new("reference"), Counts::default());
    for vector in &vectors {
        // This dialect has no way to ask for all places: more than one is refused.
        let call = ("edit_file", vector.in_reference(), Replace::One);
        counts.check(&mut bench, vector, call);
    }
    counts.print("edit_file");
}

#[test]
fn edit_gives_what_the_engine_gives_and_nothing_when_it_refuses() {
    let vectors = vectors();
    if vectors.is_empty() {
        return;
    }
    let (mut bench, mut counts) = (Bench::new("workspace"), Counts::default());
    for vector in &vectors {
        counts.check(&mut bench, vector, ("edit", vector.in_workspace(), vector.replace));
    }
    counts.print("edit");
}

#[test]
fn placeholders_for_left_out_text_are_refused() {
    let Ok(text) = fs::read_to_string(format!("{CASES}/gemini_edit_vectors.json")) else {
        println!("skipped: no shared cases");
        return;
    };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let mut bench = Bench::new("reference");
    for line in cases["omission_placeholders"]["reject"].as_array().unwrap() {
        let before = bench.put(b"fn a() {}\n");
        let new = format!("fn b() {{}}\n{}", line.as_str().unwrap());
        let edits = json!([{"oldText": "fn a() {}", "newText": new}]);
        let done = bench.call("edit_file", &json!({"path": "file.txt", "edits": edits}));
        assert_eq!(done, Err("INVALID_PARAMS".to_owned()), "{line}");
        assert_eq!(bench.standing(), before, "{line}");
    }
}
