//! What is not changed is the same bytes on the other side.

use std::collections::VecDeque;

use crate::between::Between;

/// How many messages pass, of both sides together.
const MESSAGES: usize = 2_500;

/// Numbers from a seed: the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        // Xorshift, which is as random as needed here.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Space where JSON allows it.
    fn space(&mut self) -> &'static str {
        self.one(&["", "", "", " ", "  ", "\t"])
    }

    /// A value that a reader could easily write differently.
    fn value(&mut self, depth: usize) -> String {
        let plain = [
            "1.0",
            "1e5",
            "-0",
            "-0.0",
            "0.1E-7",
            "12345678901234567890123",
            "1E+400",
            "true",
            "null",
            "\"\"",
            "\"\\u0041\\n\\/\"",
            "\"\\ud83d\\ude00 😀\"",
            "\"a\u{2028}b\u{7f}\"",
            "\"{\\\"method\\\":\\\"fs/read_text_file\\\"}\"",
            "[ ]",
            "{ }",
            "\"\\u0000\"",
        ];
        if depth == 0 || self.below(3) > 0 {
            return self.one(&plain).to_owned();
        }
        let parts: Vec<_> = (0..self.below(4)).map(|_| self.value(depth - 1)).collect();
        match self.below(2) {
            0 => format!("[{}{}]", self.space(), parts.join(" ,")),
            // The same name over and over, which is nobody's business here.
            _ => {
                let fields: Vec<_> = parts.iter().map(|part| format!("\"x\" :{part}")).collect();
                format!("{{{}{}}}", fields.join(","), self.space())
            }
        }
    }

    /// A message with these fields in any order, among others that nobody knows.
    fn message(&mut self, fields: &[String]) -> String {
        let mut all: Vec<String> = fields.to_vec();
        all.push(format!("\"jsonrpc\":{}\"2.0\"", self.space()));
        for _ in 0..self.below(3) {
            let name = self.one(&["_meta", "traceparent", "x", "\\u0078", "params2", "é"]);
            let unknown = format!("\"{name}\":{}", self.value(3));
            all.push(unknown);
        }
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at + 1));
        }
        let between = format!("{},{}", self.space(), self.space());
        let end = self.one(&["\n", "\n", "\r\n", " \n"]);
        format!("{}{{{}{}}}{end}", self.space(), all.join(&between), self.space())
    }

    /// An id, and another way to write it.
    fn id(&mut self, number: usize) -> (String, String) {
        match self.below(4) {
            0 => (number.to_string(), format!("{number}.0")),
            1 => (format!("\"q{number}\""), format!("\"\\u0071{number}\"")),
            2 => (format!("-{number}"), format!("-{number}")),
            _ => (number.to_string(), number.to_string()),
        }
    }
}

const CLIENT_ASKS: [&str; 7] = [
    "session/prompt",
    "session/set_mode",
    "authenticate",
    "session/set_config_option",
    "_vendor/thing",
    "session/list",
    "a\\/b\\u0063",
];
const AGENT_ASKS: [&str; 4] =
    ["_vendor/other", "elicitation/create", "mcp/message", "session/frobnicate"];
const UPDATES: [&str; 6] =
    ["agent_message_chunk", "tool_call", "tool_call_update", "plan", "usage_update", "_mine"];

/// One side: what it waits for to be answered by the other.
#[derive(Default)]
struct Side {
    asked: VecDeque<(String, String)>,
    count: usize,
}

/// What one side says in a round: questions, notices, and answers out of order.
fn round(dice: &mut Dice, own: &mut Side, other: &mut Side, agent: Option<&str>) -> Vec<String> {
    let mut said = Vec::new();
    for _ in 0..=dice.below(20) {
        match dice.below(3) {
            0 if !other.asked.is_empty() => {
                let at = dice.below(other.asked.len());
                let (_, id) = other.asked.remove(at).unwrap();
                let outcome = match dice.below(3) {
                    0 => format!("\"error\":{{\"code\":-32000.0,\"message\":{}}}", dice.value(0)),
                    _ => format!("\"result\":{}", dice.value(4)),
                };
                said.push(dice.message(&[format!("\"id\":{id}"), outcome]));
            }
            1 => {
                own.count += 1;
                let (id, again) = dice.id(own.count);
                let params = match agent {
                    // Files that the client has: checked, and passed on as they are.
                    Some(root) if dice.below(2) == 0 => {
                        let path = format!("{root}\\/no\\u0074 there {}", own.count);
                        (
                            "fs/read_text_file".to_owned(),
                            format!(
                                "{{ \"line\":1, \"path\" :\"{path}\",\"_x\":{}}}",
                                dice.value(3)
                            ),
                        )
                    }
                    Some(_) => (dice.one(&AGENT_ASKS).to_owned(), dice.value(4)),
                    None => (dice.one(&CLIENT_ASKS).to_owned(), dice.value(4)),
                };
                let (method, params) = params;
                said.push(dice.message(&[
                    format!("\"id\" : {id}"),
                    format!("\"method\":\"{method}\""),
                    format!("\"params\":{params}"),
                ]));
                own.asked.push_back((id, again));
            }
            _ => {
                let kind = dice.one(&UPDATES);
                let (method, params) = match agent {
                    Some(_) => (
                        "session/update",
                        format!(
                            "{{\"update\":{{\"sessionUpdate\":\"{kind}\",\"content\":{}}}}}",
                            dice.value(4)
                        ),
                    ),
                    None => (dice.one(&["session/cancel", "_note"]), dice.value(4)),
                };
                said.push(dice.message(&[
                    format!("\"method\":\"{method}\""),
                    format!("\"params\":{params}"),
                ]));
            }
        }
    }
    said
}

fn same(said: &[String], hear: impl Fn() -> Vec<u8>) {
    for line in said {
        let heard = hear();
        assert_eq!(String::from_utf8_lossy(&heard), *line);
        assert_eq!(heard, line.as_bytes());
    }
}

#[test]
fn a_long_session_is_the_same_bytes_on_both_sides() {
    let mut between = Between::start(&["--no-server"]);
    let root = between.scene.root.to_str().unwrap().to_owned();
    let start = between.begin(true);
    assert_eq!(start["params"]["clientCapabilities"]["terminal"], true);
    let new = format!(
        "{{\"method\":\"session/new\",\"id\":\"n\" ,\"params\":{{\"mcpServers\": [ ],\"cwd\":\"{root}\",\"_y\":1e3}}}}\n"
    );
    between.client_says(&new);
    same(&[new], || between.agent_hears());
    let answer = "{\"id\":\"n\",\"result\":{\"sessionId\":\"s\" , \"_z\":0.10}}\n".to_owned();
    between.agent_says(&answer);
    same(&[answer], || between.client_hears());

    let mut dice = Dice(20_261_116);
    let (mut client, mut agent) = (Side::default(), Side::default());
    let mut passed = 0;
    while passed < MESSAGES {
        let said = round(&mut dice, &mut client, &mut agent, None);
        between.client_says(said.concat());
        same(&said, || between.agent_hears());
        passed += said.len();
        let said = round(&mut dice, &mut agent, &mut client, Some(&root));
        between.agent_says(said.concat());
        same(&said, || between.client_hears());
        passed += said.len();
    }
}

#[test]
fn ten_megabytes_pass_in_either_direction() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let large = "é\\u00e9 ".repeat((10 << 20) / 9);
    assert!(large.len() > 10_000_000);
    let update = format!("{{\"method\":\"session/update\",\"params\":{{\"x\":\"{large}\"}}}}\n");
    between.agent_says(&update);
    assert!(between.client_hears() == update.as_bytes(), "it is another");
    let prompt =
        format!("{{\"id\":7,\"method\":\"session/prompt\",\"params\":{{\"x\":\"{large}\"}}}}\n");
    between.client_says(&prompt);
    assert!(between.agent_hears() == prompt.as_bytes(), "it is another");
    let answer = format!("{{\"id\":7,\"result\":[\"{large}\"]}}\n");
    between.agent_says(&answer);
    assert!(between.client_hears() == answer.as_bytes(), "it is another");
}

#[test]
fn the_draft_of_the_next_version_passes_untouched() {
    let mut between = Between::start(&[]);
    for line in [
        "{\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":2,\"capabilities\":{}}}\n",
        "{\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/somewhere\",\"mcpServers\":[]}}\n",
        "{\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[]}}\n",
    ] {
        between.client_says(line);
        assert_eq!(String::from_utf8(between.agent_hears()).unwrap(), line);
    }
    for line in [
        "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":\"state_change\"}}}\n",
        "{\"id\":1,\"result\":{\"sessionId\":\"s\"}}\n",
    ] {
        between.agent_says(line);
        assert_eq!(String::from_utf8(between.client_hears()).unwrap(), line);
    }
}

#[test]
fn all_that_a_client_said_before_it_left_is_told() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let text = "x".repeat(1_000);
    let line = |number: usize| format!("{{\"method\":\"_n\",\"params\":[{number},\"{text}\"]}}\n");
    let all: String = (0..3_000).map(line).collect();
    between.client_says(all);
    between.client_leaves();
    for number in 0..3_000 {
        assert_eq!(String::from_utf8(between.agent_hears()).unwrap(), line(number));
    }
    between.agent_leaves();
    between.ends();
}
