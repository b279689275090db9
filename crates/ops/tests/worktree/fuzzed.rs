//! Edits at random, made from redacted text: no secret is lost that was not taken out, no
//! placeholder is ever written, and no secret is told.

use std::collections::HashMap;

use garth_redact::{Config, Raw, Redactor};
use serde_json::{Value, json};

use crate::{
    asking::Asking,
    stage::{Ground, Setting, Stage},
};

/// So many edits are tried; `GARTH_FUZZED_EDITS` asks for more.
const EDITS: usize = 1_000;

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
        match self.below(7) {
            0 => format!("key = \"sk_{}_{}7a\"", "live", self.text(22)),
            1 => format!("token: gh{}_{}7a", "p", self.text(34)),
            2 => format!("DB_PASSWORD={}9", self.text(11)),
            3 => format!("url = \"postgres://app:{}9@db/x\"", self.text(9)),
            4 => format!("port = {}", 1_000 + self.below(9_000)),
            5 => String::new(),
            _ => format!("name_{} = value", self.below(50)),
        }
    }
}

/// What placeholders stand for in a text.
fn meaning(redactor: &Redactor, text: &str) -> HashMap<String, String> {
    let mut meaning = HashMap::new();
    for span in redactor.find(text) {
        let mark = match span.nth {
            1 => format!("[REDACTED: {}]", span.rule),
            nth => format!("[REDACTED: {}#{nth}]", span.rule),
        };
        meaning.insert(mark, text[span.start..span.end].to_owned());
    }
    meaning
}

/// A text with its placeholders put back; `None` where one of them means nothing.
fn put_back(view: &str, meaning: &HashMap<String, String>) -> Option<String> {
    let mut text = view.to_owned();
    for (mark, secret) in meaning {
        text = text.replace(mark, secret);
    }
    (!text.contains("[REDACTED: ")).then_some(text)
}

/// Changes the lines of a view in one of the ways that people and models do.
fn change(dice: &mut Dice, view: &str) -> String {
    let mut lines: Vec<String> = view.lines().map(str::to_owned).collect();
    let at = dice.below(lines.len());
    let to = dice.below(lines.len());
    match dice.below(9) {
        0 => lines[at] = format!("changed_{} = 1", dice.below(9)),
        1 => lines.insert(at, format!("inserted_{} = 1", dice.below(9))),
        2 => drop(lines.remove(at)),
        3 => lines.swap(at, to),
        4 => lines.insert(to, lines[at].clone()),
        5 => lines[at] = lines[at].replace("REDACTED: ", "REDACTED: X"),
        6 => lines[at] = lines[at].replace(']', "#7]"),
        7 => lines[at].push_str(" # noted"),
        _ => lines[at] = lines[at].replace("[REDACTED: ", "[REDACTED"),
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Calls a method, and gives all that a caller can see of the answer.
fn ask(asking: &Asking, method: &str, params: Value) -> (bool, String) {
    match asking.call(method, params) {
        Ok(reply) => (true, Value::Object(reply).to_string()),
        Err(error) => (false, format!("{error:?}")),
    }
}

#[test]
fn edits_of_redacted_text_lose_nothing_and_tell_nothing() {
    let edits = std::env::var("GARTH_FUZZED_EDITS").ok().and_then(|asked| asked.parse().ok());
    let edits: usize = edits.unwrap_or(EDITS);
    let seed = std::env::var("GARTH_MODEL_SEED").ok().and_then(|asked| asked.parse().ok());
    let mut dice = Dice { state: seed.unwrap_or(0x9e37_79b9_7f4a_7c15) | 1 };
    let redactor = Redactor::new(&Config::standard()).unwrap();
    let asking = Asking::on(Stage::new(Ground::Memory, &[], Setting::usual()));
    let (mut done, mut refused) = (0, 0);
    for round in 0..edits {
        let lines = 2 + dice.below(7);
        let raw: String = (0..lines).map(|_| dice.line() + "\n").collect();
        asking.stage.put("file", raw.as_bytes());
        let read = asking.ok("read", json!({"path": "file"}));
        let view = read["content"].as_str().unwrap().to_owned();
        assert_eq!(view, redactor.clean(Raw::from(raw.as_str())).unwrap().clean.as_ref());
        let meaning = meaning(&redactor, &raw);
        let sent = change(&mut dice, &view);
        let (ok, told, expected) = if dice.below(2) == 0 {
            let (ok, told) = ask(&asking, "write", json!({"path": "file", "content": sent}));
            (ok, told, put_back(&sent, &meaning))
        } else {
            let (old, new) = difference(&view, &sent);
            let once = !old.is_empty() && view.matches(old).count() == 1;
            let edits = json!([{"oldText": old, "newText": new}]);
            let (ok, told) = ask(&asking, "edit", json!({"path": "file", "edits": edits}));
            (ok, told, once.then(|| put_back(&sent, &meaning)).flatten())
        };
        let now = asking.stage.content("file");
        let seen = format!("round {round}\nbefore:\n{raw}\nsent:\n{sent}\nnow:\n{now}\n{told}");
        assert!(!now.contains("[REDACTED"), "a placeholder was written: {seen}");
        for secret in meaning.values() {
            assert!(!told.contains(secret.as_str()), "a secret was told: {seen}");
        }
        match ok {
            false => assert_eq!(now, raw, "refused, and changed: {seen}"),
            true => assert_eq!(Some(now), expected, "{seen}"),
        }
        done += usize::from(ok);
        refused += usize::from(!ok);
    }
    println!("{edits} edits of redacted text: {done} done, {refused} refused");
    assert!(done * 3 > edits, "{done} of {edits}");
}

/// The lines in which two texts differ, as one stretch of each.
fn difference<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let lines = |text: &'a str| -> Vec<&'a str> { text.split_inclusive('\n').collect() };
    let (old_lines, new_lines) = (lines(old), lines(new));
    let most = old_lines.len().min(new_lines.len());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old_lines.iter().zip(&new_lines).take_while(same).count();
    let pairs = old_lines.iter().rev().zip(new_lines.iter().rev());
    let tail = pairs.take(most - head).take_while(same).count();
    let size = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let start = size(&old_lines[..head]);
    let end = size(&old_lines[old_lines.len() - tail..]);
    (&old[start..old.len() - end], &new[start..new.len() - end])
}
