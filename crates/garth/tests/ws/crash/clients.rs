//! Clients that work until the program is gone, and remember what they were told.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::client::Client;

/// Files by their path, with their content.
pub(super) type Files = BTreeMap<String, String>;

/// An operation whose reply came, as its record is to say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) operation: String,
    pub(super) outcome: String,
    pub(super) summary: String,
}

/// What a client leaves when the program is gone.
pub(super) struct Left {
    pub(super) told: Vec<Told>,
    /// Whether a request was on its way.
    pub(super) pending: bool,
}

/// A client that asks one thing after the other.
struct Asking<'a> {
    client: Client,
    replies: &'a AtomicU64,
    told: Vec<Told>,
}

impl<'a> Asking<'a> {
    fn new(client: Client, replies: &'a AtomicU64) -> Self {
        Self { client, replies, told: Vec::new() }
    }

    /// Asks, and gives the reply; `None` once nobody answers.
    fn ask(&mut self, request: &Request) -> Option<Value> {
        let Request { method, params, summary } = request;
        let id = self.told.len().to_string();
        let frame = json!({"type": "req", "id": id, "method": method, "params": params});
        self.client.try_send(Message::text(frame.to_string())).ok()?;
        let reply = loop {
            let frame = self.client.receive().ok()?;
            if frame["type"] == "res" {
                break frame;
            }
        };
        assert_eq!(reply["id"], id);
        let outcome = if reply["ok"] == true { "OK" } else { reply["error"]["code"].as_str()? };
        let told = (*method, outcome.to_owned(), summary.clone());
        let (operation, outcome, summary) = (told.0.to_owned(), told.1, told.2);
        self.told.push(Told { operation, outcome, summary });
        self.replies.fetch_add(1, Ordering::Relaxed);
        Some(reply)
    }

    fn left(self) -> Left {
        Left { told: self.told, pending: true }
    }
}

/// A request, and what its record says it is about.
struct Request {
    method: &'static str,
    params: Value,
    summary: String,
}

/// A client that changes the files of a directory of its own.
pub(super) struct Writer {
    directory: String,
    random: Random,
    serial: u64,
    /// What is there by all that it was told.
    files: Files,
    /// What is there if the change happened that it heard nothing of.
    perhaps: Option<Files>,
}

impl Writer {
    pub(super) fn new(number: usize) -> Self {
        let random = Random::new(number as u64 * 7_919 + 1);
        let directory = format!("w{number}");
        Self { directory, random, serial: 0, files: Files::new(), perhaps: None }
    }

    pub(super) fn directory(&self) -> &str {
        &self.directory
    }

    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// Works until nobody answers.
    pub(super) fn work(&mut self, client: Client, replies: &AtomicU64) -> Left {
        let mut asking = Asking::new(client, replies);
        loop {
            let (request, after) = self.next();
            let Some(reply) = asking.ask(&request) else {
                self.perhaps = Some(after);
                return asking.left();
            };
            assert_eq!(reply["ok"], true, "{} {}: {reply}", request.method, request.summary);
            self.files = after;
        }
    }

    /// Compares what it was told with what is there, and goes on with that.
    pub(super) fn settle(&mut self, found: Files) {
        let perhaps = self.perhaps.take();
        if found != self.files && Some(&found) != perhaps.as_ref() {
            let sizes = |files: &Files| -> Vec<String> {
                files.iter().map(|(path, text)| format!("{path}: {}", text.len())).collect()
            };
            panic!(
                "there is neither what was told nor what was under way\nfound {:?}\ntold {:?}\n\
                 under way {:?}",
                sizes(&found),
                sizes(&self.files),
                perhaps.as_ref().map(sizes)
            );
        }
        self.files = found;
    }

    /// What to ask for next, and the files after it.
    fn next(&mut self) -> (Request, Files) {
        let mut after = self.files.clone();
        let name = format!("f{}", self.random.below(6));
        let file = format!("{}/{name}", self.directory);
        let other = format!("{}/g{}", self.directory, self.random.below(6));
        let tree = format!("{}/tree", self.directory);
        let below = format!("{tree}/{name}");
        let about = |path: &str| json!({"agentId": "default", "path": path});
        match self.random.below(8) {
            3 if after.contains_key(&file) => self.edit(file, after),
            4 if after.contains_key(&file) => {
                let content = after.remove(&file).unwrap();
                after.insert(other.clone(), content);
                let mut params = json!({"agentId": "default", "overwrite": true});
                params["fromPath"] = file.clone().into();
                params["toPath"] = other.clone().into();
                let summary = format!("{file}, {other}");
                (Request { method: "worktree.move", params, summary }, after)
            }
            5 if after.remove(&other).is_some() => {
                let params = about(&other);
                (Request { method: "worktree.delete", params, summary: other }, after)
            }
            6 => self.write(below, after),
            7 if after.keys().any(|path| path.starts_with(&tree)) => {
                after.retain(|path, _| !path.starts_with(&tree));
                let mut params = about(&tree);
                params["recursive"] = true.into();
                (Request { method: "worktree.delete", params, summary: tree }, after)
            }
            _ => self.write(file, after),
        }
    }

    fn write(&mut self, path: String, mut after: Files) -> (Request, Files) {
        self.serial += 1;
        let sizes = [0, 40, 5_000, 200_000];
        let size = sizes[usize::try_from(self.random.below(4)).unwrap()] + self.random.below(50);
        let body = "x".repeat(usize::try_from(size).unwrap());
        let content = format!("{size} {}\n{body}\nend\n", self.serial);
        let params = json!({"agentId": "default", "path": path, "content": content});
        after.insert(path.clone(), content);
        (Request { method: "worktree.write", params, summary: path }, after)
    }

    fn edit(&mut self, path: String, mut after: Files) -> (Request, Files) {
        self.serial += 1;
        let more = format!("edit {}\nend\n", self.serial);
        let content = after.get_mut(&path).unwrap();
        content.truncate(content.len() - "end\n".len());
        content.push_str(&more);
        let edits = json!([{"oldText": "end\n", "newText": more}]);
        let params = json!({"agentId": "default", "path": path, "edits": edits});
        (Request { method: "worktree.edit", params, summary: path }, after)
    }
}

/// Tells whether a content has the length that it says, and its end.
fn is_whole(content: &str) -> bool {
    let Some((head, rest)) = content.split_once('\n') else { return false };
    let size = head.split(' ').next().and_then(|size| size.parse().ok());
    let Some(body) = rest.split('\n').next() else { return false };
    Some(body.len()) == size && body.bytes().all(|byte| byte == b'x') && rest.ends_with("\nend\n")
}

/// A client that reads what the others write.
pub(super) struct Reader {
    random: Random,
    writers: usize,
}

impl Reader {
    pub(super) fn new(seed: u64, writers: usize) -> Self {
        Self { random: Random::new(seed), writers }
    }

    /// Works until nobody answers.
    pub(super) fn work(mut self, client: Client, replies: &AtomicU64) -> Left {
        let mut asking = Asking::new(client, replies);
        loop {
            let directory = format!("w{}", self.random.below(self.writers as u64));
            let (method, path) = match self.random.below(3) {
                0 => ("worktree.list", directory),
                1 => ("worktree.stat", format!("{directory}/f{}", self.random.below(6))),
                _ => ("worktree.read", format!("{directory}/f{}", self.random.below(6))),
            };
            let params = json!({"agentId": "default", "path": path});
            let request = Request { method, params, summary: path };
            let Some(reply) = asking.ask(&request) else { return asking.left() };
            if reply["ok"] != true {
                assert_eq!(reply["error"]["code"], "FILE_NOT_FOUND", "{reply}");
            } else if let Some(content) = reply["payload"]["content"].as_str() {
                assert!(is_whole(content), "{}: half of a file was read", request.summary);
            }
        }
    }
}

/// The same numbers at each run.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
