//! Edits at random, made from redacted text with every tool that changes a file: no secret is
//! lost that was not taken out, no placeholder is ever written, and no secret is told.

use std::collections::HashMap;

use garth_redact::{Config, Redactor};
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage};

/// So many edits are tried; `GARTH_FUZZED_EDITS` asks for more.
const EDITS: usize = 300;

/// Numbers that only look random, so that a failure comes again.
struct Dice {
    state: u64,
}

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % u64::try_from(most.max(1)).unwrap()).unwrap()
    }

    fn text(&mut self, len: usize) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
        (0..len).map(|_| char::from(LETTERS[self.below(LETTERS.len())])).collect()
    }

    /// A line with a secret in it, or one without.
    fn line(&mut self) -> String {
        match self.below(8) {
            0 => format!("key = \"sk_{}_{}7a\"", "live", self.text(22)),
            1 => format!("token: gh{}_{}7a", "p", self.text(34)),
            2 => format!("DB_PASSWORD={}9", self.text(11)),
            3 => format!("url = \"postgres://app:{}9@db/x\"", self.text(9)),
            4 => format!("port = {}", 1_000 + self.below(9_000)),
            5 => String::new(),
            6 => format!(
                "a = \"gh{0}_{1}7a\", b = \"gh{0}_{2}7a\"",
                "p",
                self.text(34),
                self.text(34)
            ),
            _ => format!("name_{} = value", self.below(50)),
        }
    }
}

/// What placeholders stand for in a text.
fn meaning(redactor: &Redactor, text: &str) -> HashMap<String, String> {
    let mark = |rule: &str, nth: u32| match nth {
        1 => format!("[REDACTED: {rule}]"),
        nth => format!("[REDACTED: {rule}#{nth}]"),
    };
    let spans = redactor.find(text).into_iter();
    spans.map(|span| (mark(span.rule, span.nth), text[span.start..span.end].to_owned())).collect()
}

/// Changes the lines of a view in one of the ways that people and models do.
fn change(dice: &mut Dice, view: &[String]) -> Vec<String> {
    let mut lines = view.to_vec();
    let (at, to) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(10) {
        0 => lines[at] = format!("changed_{} = 1", dice.below(9)),
        1 => lines.insert(at, format!("inserted_{} = 1", dice.below(9))),
        2 => drop(lines.remove(at)),
        3 => lines.swap(at, to),
        4 => lines.insert(to, lines[at].clone()),
        5 => lines[at] = lines[at].replace("REDACTED: ", "REDACTED: X"),
        6 => lines[at] = lines[at].replace(']', "#7]"),
        7 => lines[at].push_str(" # noted"),
        8 => lines[at] = format!("# {}", lines[at]),
        _ => lines[at] = lines[at].replace("[REDACTED: ", "[REDACTED"),
    }
    lines
}

/// The lines in which two texts differ: how many before them are the same, and how many behind.
fn same(old: &[String], new: &[String]) -> (usize, usize) {
    let most = old.len().min(new.len());
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other);
    (head, tail.count().min(most - head))
}

/// The call that makes one text of the other.
fn call(dice: &mut Dice, old: &[String], new: &[String]) -> (&'static str, Value) {
    let (head, tail) = same(old, new);
    // A few lines around say which place is meant.
    let from = head.saturating_sub(dice.below(3));
    let more = dice.below(3).min(tail);
    let part = |lines: &[String]| lines[from..lines.len() - tail + more].to_vec();
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    // Lines that stand in several places say nothing, and no line at all says the end.
    let lines = text(&part(old));
    let placed = !lines.trim().is_empty() && text(old).matches(&lines).count() == 1;
    match dice.below(3) * usize::from(placed) {
        0 => ("write", json!({"path": "file", "content": text(new)})),
        1 => {
            let (old, new) = (text(&part(old)), text(&part(new)));
            ("edit", json!({"path": "file", "old_string": old, "new_string": new}))
        }
        _ => {
            let sign = |sign: &str, lines: &[String]| -> String {
                lines.iter().map(|line| format!("{sign}{line}\n")).collect()
            };
            let body = [
                sign(" ", &old[from..head]),
                sign("-", &old[head..old.len() - tail]),
                sign("+", &new[head..new.len() - tail]),
                sign(" ", &old[old.len() - tail..old.len() - tail + more]),
            ];
            let body = body.concat();
            let patch =
                format!("*** Begin Patch\n*** Update File: file\n@@\n{body}*** End Patch\n");
            ("apply_patch", json!({"patch": patch}))
        }
    }
}

#[test]
fn edits_of_redacted_text_lose_nothing_and_tell_nothing() {
    let edits = std::env::var("GARTH_FUZZED_EDITS").ok().and_then(|asked| asked.parse().ok());
    let edits: usize = edits.unwrap_or(EDITS);
    let seed = std::env::var("GARTH_MODEL_SEED").ok().and_then(|asked| asked.parse().ok());
    let mut dice = Dice { state: seed.unwrap_or(0x2545_f491_4f6c_dd1d) | 1 };
    let redactor = Redactor::new(&Config::standard()).unwrap();
    let stage = Stage::new(Ground::Memory, &[], Setting::usual());
    let mut done: HashMap<&str, [usize; 2]> = HashMap::new();
    for round in 0..edits {
        let ending = if dice.below(5) == 0 { "\r\n" } else { "\n" };
        let count = 2 + dice.below(7);
        let raw: String = (0..count).map(|_| dice.line() + ending).collect();
        stage.put("file", raw.as_bytes());
        let meaning = meaning(&redactor, &raw);
        let mut view = raw.replace("\r\n", "\n");
        for (mark, secret) in &meaning {
            view = view.replace(secret, mark);
        }
        let view: Vec<String> = view.lines().map(str::to_owned).collect();
        let read = stage.text("read", json!({"path": "file"}));
        for (shown, line) in read.lines().zip(&view) {
            assert_eq!(shown.split_once(": ").unwrap().1, line);
        }
        let sent = change(&mut dice, &view);
        let (tool, params) = call(&mut dice, &view, &sent);
        let answer = stage.call(tool, params.clone());
        let (ok, told) = match answer {
            Ok(reply) => (true, format!("{} {}", reply.text, Value::Object(reply.payload))),
            Err(error) => (false, format!("{error:?}")),
        };
        let now = stage.content("file");
        let seen = format!("round {round} {tool} {params}\nbefore:\n{raw}\nnow:\n{now}\n{told}");
        assert!(!now.contains("[REDACTED"), "a placeholder was written: {seen}");
        let again = stage.text("read", json!({"path": "file"}));
        for secret in meaning.values() {
            assert!(!told.contains(secret.as_str()), "a secret was told: {seen}");
            assert!(!again.contains(secret.as_str()), "a secret came to light: {seen}");
        }
        let count = |lines: &[String], mark: &str| -> usize {
            lines.iter().map(|line| line.matches(mark).count()).sum()
        };
        let twice = meaning.keys().any(|mark| count(&sent, mark) > count(&view, mark));
        assert!(!(ok && twice), "a secret was written twice: {seen}");
        if ok {
            let mut expected: String = sent.iter().map(|line| format!("{line}{ending}")).collect();
            for (mark, secret) in &meaning {
                expected = expected.replace(mark, secret);
            }
            assert_eq!(now, expected, "{seen}");
        } else {
            assert_eq!(now, raw, "refused, and changed: {seen}");
        }
        done.entry(tool).or_default()[usize::from(ok)] += 1;
    }
    println!("{edits} edits of redacted text, refused and done: {done:?}");
    for (tool, [refused, done]) in done {
        assert!(done * 2 > refused, "{tool}: {done} done, {refused} refused");
    }
}
