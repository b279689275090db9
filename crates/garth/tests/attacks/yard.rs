//! A served workspace beside a directory that must stay untouched and unseen.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::Client,
    outside::{ONLY_OUTSIDE, SECRET, Survey, plant},
};

/// What a call came to: its text, or the code that it was refused with.
pub(crate) type Outcome = Result<String, String>;

/// A workspace, a client of the server that serves it, and what is outside.
pub(crate) struct Yard {
    dir: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
    client: Client,
    before: Survey,
}

impl Yard {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// A yard whose server has more options than the dialect.
    pub(crate) fn with(options: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (root, out) = (dir.path().join("root"), dir.path().join("OUT"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/in.txt"), "inside\n").unwrap();
        plant(&out).unwrap();
        fs::create_dir(dir.path().join("root_evil")).unwrap();
        fs::write(dir.path().join("root_evil/secret"), SECRET).unwrap();
        let options = [&["--dialect", "reference"], options].concat();
        let client = Client::start(&root, &options);
        let before = Survey::of(dir.path(), Some(&root));
        Self { dir, root, out, client, before }
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, at: &str) {
        symlink(target, self.root.join(at)).unwrap();
    }

    /// The absolute path of a place inside.
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.root.display())
    }

    /// Calls a tool. Panics when it hangs, or when the answer shows what is outside.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Outcome {
        let result = self.client.call(tool, arguments);
        self.assert_nothing_is_shown(&result, arguments);
        outcome(&result)
    }

    pub(crate) fn read(&mut self, path: &str) -> Outcome {
        self.call("read_text_file", &json!({"path": path}))
    }

    pub(crate) fn write(&mut self, path: &str, content: &str) -> Outcome {
        self.call("write_file", &json!({"path": path, "content": content}))
    }

    /// Calls every tool that takes a path with this one.
    pub(crate) fn every_tool(&mut self, path: &str) -> BTreeMap<String, Outcome> {
        let mut outcomes = BTreeMap::new();
        for (tool, arguments) in calls(path) {
            outcomes.insert(format!("{tool} {arguments}"), self.call(tool, &arguments));
        }
        outcomes
    }

    /// Calls every tool that takes a path with this one, and gives all it answers.
    pub(crate) fn every_answer(&mut self, path: &str) -> Vec<(String, Value)> {
        calls(path)
            .into_iter()
            .map(|(tool, arguments)| {
                let result = self.client.call(tool, &arguments);
                self.assert_nothing_is_shown(&result, &arguments);
                (format!("{tool} {arguments}"), result)
            })
            .collect()
    }

    /// Every tool refuses this path as one that leads outside.
    pub(crate) fn assert_outside(&mut self, path: &str) {
        for (call, outcome) in self.every_tool(path) {
            assert_eq!(outcome, Err("PATH_OUTSIDE_WORKSPACE".to_owned()), "{call}");
        }
        let several = self.call("read_multiple_files", &json!({"paths": [path, "a/in.txt"]}));
        let several = several.unwrap();
        assert!(several.contains(": Error - Access denied"), "{path}: {several}");
        assert!(several.contains("inside"), "{path}: {several}");
    }

    /// Asks for a resource by its address; the code of a refusal.
    pub(crate) fn resource(&mut self, uri: &str) -> Outcome {
        let asked = json!({"uri": uri});
        let answer = self.client.ask("resources/read", &asked);
        self.assert_nothing_is_shown(&answer, &asked);
        match answer["error"]["data"]["code"].as_str() {
            Some(code) => Err(code.to_owned()),
            None => Ok(answer["result"]["contents"].to_string()),
        }
    }

    /// The paths that the server offers to complete what was typed.
    pub(crate) fn completions(&mut self, typed: &str) -> Value {
        let asked = json!({
            "ref": {"type": "ref/resource", "uri": "workspace:///{+path}"},
            "argument": {"name": "path", "value": typed},
        });
        let mut answer = self.client.ask("completion/complete", &asked);
        self.assert_nothing_is_shown(&answer, &asked);
        answer["result"]["completion"]["values"].take()
    }

    /// An answer holds nothing of what is outside: no content, no name, no place.
    fn assert_nothing_is_shown(&self, answer: &Value, asked: &Value) {
        let mut shown = String::new();
        collect(answer, &mut shown);
        let mut sent = Vec::new();
        strings(asked, &mut sent);
        for (text, word) in sent.iter().map(|text| (text.as_str(), "SENT")) {
            // What the caller said itself tells it nothing.
            shown = if text.len() > 3 { shown.replace(text, word) } else { shown };
        }
        let shown = shown.replace(self.root.to_str().unwrap(), "ROOT");
        // What is no text is answered in base64.
        let encoded = STANDARD.encode(SECRET);
        let above = self.dir.path().to_str().unwrap();
        for word in [SECRET, &encoded, ONLY_OUTSIDE, above, "/proc/", "/etc/"] {
            assert!(!shown.contains(word), "{asked} shows {word}: {shown}");
        }
    }

    pub(crate) fn assert_outside_is_untouched(&self, attack: &str) {
        let now = Survey::of(self.dir.path(), Some(&self.root));
        assert_eq!(now, self.before, "{attack} changed something outside");
    }

    /// The server still answers, and ends well when it is left.
    pub(crate) fn leave(mut self, attack: &str) {
        let works = self.call("list_allowed_directories", &json!({}));
        assert!(works.unwrap().contains(self.root.to_str().unwrap()), "{attack}");
        let (rest, code) = self.client.close();
        assert_eq!((rest.len(), code), (0, Some(0)), "{attack}");
    }
}

/// What came of a call, from its result.
pub(crate) fn outcome(result: &Value) -> Outcome {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    if result["isError"] == true {
        assert!(!text.is_empty(), "a refusal without a sentence: {result}");
        return Err(result["structuredContent"]["code"].as_str().unwrap_or("no code").to_owned());
    }
    assert!(result["content"].is_array(), "no result: {result}");
    Ok(text.to_owned())
}

/// A call of every tool that takes a path, with this one.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let below = format!("{path}/new.txt");
    let edits = json!([{"oldText": "outside", "newText": "x"}]);
    vec![
        ("read_file", json!({"path": path})),
        ("read_text_file", json!({"path": path})),
        ("read_text_file", json!({"path": path, "head": 1})),
        ("read_text_file", json!({"path": path, "tail": 1})),
        ("read_media_file", json!({"path": path})),
        ("list_directory", json!({"path": path})),
        ("list_directory_with_sizes", json!({"path": path})),
        ("directory_tree", json!({"path": path})),
        ("search_files", json!({"path": path, "pattern": "**"})),
        ("get_file_info", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("write_file", json!({"path": below, "content": "x"})),
        ("edit_file", json!({"path": path, "edits": edits})),
        ("edit_file", json!({"path": path, "edits": edits, "dryRun": true})),
        ("create_directory", json!({"path": below})),
        ("move_file", json!({"source": "a/in.txt", "destination": below})),
        ("move_file", json!({"source": below, "destination": "elsewhere"})),
    ]
}

/// All texts in a value, one after the other.
fn collect(value: &Value, into: &mut String) {
    let mut texts = Vec::new();
    strings(value, &mut texts);
    for text in texts {
        into.push_str(&text);
        into.push('\n');
    }
}

fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            into.push(name.clone());
            strings(value, into);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
