//! Calls whose parameters are hostile: each is answered with an error that says what
//! is wrong, changes nothing, and leaves a server that works.

mod wrong;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{client::Client, outside::Survey};

/// The longest answer to a call that is refused: a caller's megabyte is not repeated.
const MOST_ANSWERED: usize = 16 << 10;

/// A server whose complaints are kept, and the tree that it must leave alone.
struct Target {
    dir: TempDir,
    root: PathBuf,
    client: Client,
    before: Survey,
    last: u64,
}

impl Target {
    fn new(dialect: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("d/e")).unwrap();
        for name in ["a.txt", "b.txt", "d/c.txt"] {
            fs::write(root.join(name), "hello\n").unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
        let complaints = File::create(dir.path().join("stderr")).unwrap();
        command.args(["mcp", "--dialect", dialect]).arg(&root).stderr(complaints);
        let mut client = Client::of(&mut command);
        client.greet();
        let before = Survey::of(&root, None);
        // Ids of raw messages stand far from those that the client gives.
        Self { dir, root, client, before, last: 1 << 32 }
    }

    /// Sends a message with an id of its own, and gives the answer and that id.
    fn raw(&mut self, message: impl Fn(u64) -> String) -> (Value, u64) {
        self.last += 1;
        let id = self.last;
        self.client.send_raw(message(id).as_bytes());
        self.client.send_raw(b"\n");
        (self.client.next(), id)
    }

    /// A call whose arguments are given as they go over the wire.
    fn call_raw(&mut self, tool: &str, arguments: &str) -> Value {
        let (answer, id) = self.raw(|id| call(id, tool, arguments));
        assert_eq!(answer["id"], id, "{}: {answer}", head(arguments));
        answer
    }

    fn assert_unchanged(&self, what: &str) {
        assert_eq!(Survey::of(&self.root, None), self.before, "{} changed the tree", head(what));
    }

    fn assert_works(&mut self) {
        let tools = self.client.ask("tools/list", &json!({}));
        assert!(!tools["result"]["tools"].as_array().unwrap().is_empty());
    }

    /// Leaves the server, which never complained and ends well.
    fn leave(self) {
        let (rest, code) = self.client.close();
        assert_eq!((rest.len(), code), (0, Some(0)));
        let complaints = fs::read_to_string(Path::new(self.dir.path()).join("stderr")).unwrap();
        assert_eq!(complaints, "");
    }
}

fn call(id: u64, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// The beginning of a text that may be a megabyte.
fn head(text: &str) -> String {
    text.chars().take(200).collect()
}

/// An answer is an error with a code and a sentence, and not longer than one.
fn assert_refused(answer: &Value, what: &str) {
    let what = head(what);
    let said = answer.to_string();
    assert!(said.len() < MOST_ANSWERED, "{what}: {} bytes: {}", said.len(), head(&said));
    let sentence = if answer["error"].is_object() {
        assert!(answer["error"]["code"].is_i64(), "{what}: {said}");
        &answer["error"]["message"]
    } else {
        assert_eq!(answer["result"]["isError"], true, "{what}: {said}");
        assert!(answer["result"]["structuredContent"]["code"].is_string(), "{what}: {said}");
        &answer["result"]["content"][0]["text"]
    };
    assert!(sentence.as_str().is_some_and(|text| text.contains(' ')), "{what}: {said}");
}

fn assert_all_refused(tool: &str, all: &[String]) {
    let mut target = Target::new("reference");
    for arguments in all {
        let answer = target.call_raw(tool, arguments);
        assert_refused(&answer, arguments);
        target.assert_unchanged(arguments);
    }
    target.assert_works();
    target.leave();
}

#[test]
fn deep_nesting_is_refused() {
    let mut all = Vec::new();
    for depth in [100, 1_000, 100_000] {
        let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let objects = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        for deep in [lists.as_str(), &objects] {
            all.push(format!(r#"{{"path":{deep},"content":"x"}}"#));
            all.push(format!(r#"{{"path":"a.txt","content":{deep}}}"#));
            all.push(format!(r#"{{"path":"a.txt","content":"x","more":{deep}}}"#));
        }
    }
    assert_all_refused("write_file", &all);
    let lists = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let quoted = [
        format!(r#"{{"path":"a.txt","edits":"{lists}"}}"#),
        format!(r#"{{"path":"a.txt","edits":["{lists}"]}}"#),
        r#"{"path":"a.txt","edits":"[{\"oldText\":\"hello\",\"newText\":\"[[\"}"}"#.to_owned(),
    ];
    assert_all_refused("edit_file", &quoted);
}

#[test]
fn numbers_that_no_count_can_be_are_refused() {
    let numbers = [
        "1e400",
        "-1e400",
        "1e300",
        "18446744073709551616",
        "123456789012345678901234567890",
        "-9223372036854775809",
        "-1",
        "-1.0",
        "1.0000001",
        "9007199254740993.5",
        r#""18446744073709551616""#,
        r#""-5""#,
        r#""1e3""#,
        r#""NaN""#,
    ];
    let all: Vec<_> = numbers
        .iter()
        .flat_map(|number| {
            ["head", "tail"].map(|name| format!(r#"{{"path":"a.txt","{name}":{number}}}"#))
        })
        .collect();
    assert_all_refused("read_text_file", &all);
}

#[test]
fn strings_that_are_no_text_or_no_name_are_refused() {
    let paths = [
        r"a.txt\u0000",
        r"\u0000",
        r"a\u0000/../b.txt",
        r"\ud800",
        r"a.txt\udfff",
        r"\udc00\ud800",
        r"\ud800\u0041",
        r"\uD83D.txt",
    ];
    let all: Vec<_> =
        paths.iter().map(|path| format!(r#"{{"path":"{path}","content":"x"}}"#)).collect();
    assert_all_refused("write_file", &all);
    let others = [
        r#"{"path":"a.txt","content":"\ud800"}"#.to_owned(),
        r#"{"path":"a.txt","content":"x","\ud800":1}"#.to_owned(),
        r#"{"path":"a.txt","content":"x","pa\u0000th":"b.txt"}"#.to_owned(),
        r#"{"path":"a.txt","content":"x","":1}"#.to_owned(),
    ];
    assert_all_refused("write_file", &others);
}

#[test]
fn a_parameter_that_is_given_twice_is_refused() {
    let write = [
        r#"{"path":"a.txt","path":"b.txt","content":"x"}"#,
        r#"{"path":"a.txt","content":"x","content":"y"}"#,
        r#"{"path":"a.txt","file_path":"b.txt","content":"x"}"#,
        r#"{"path":"a.txt","p\u0061th":"b.txt","content":"x"}"#,
    ];
    assert_all_refused("write_file", &write.map(str::to_owned));
    let edit = [
        r#"{"path":"a.txt","edits":[{"oldText":"hello","oldText":"x","newText":"y"}]}"#,
        r#"{"path":"a.txt","edits":[{"oldText":"hello","old_text":"x","newText":"y"}]}"#,
        r#"{"path":"a.txt","edits":[{"oldText":"hello","newText":"y"}],"dryRun":true,"dryRun":false}"#,
        r#"{"path":"a.txt","edits":"[{\"oldText\":\"hello\",\"oldText\":\"x\",\"newText\":\"y\"}]"}"#,
    ];
    assert_all_refused("edit_file", &edit.map(str::to_owned));
}

#[test]
fn an_envelope_that_says_two_things_is_refused() {
    let mut target = Target::new("reference");
    let arguments = r#"{"path":"a.txt","content":"x"}"#;
    let start = r#""jsonrpc":"2.0","method":"tools/call""#;
    let messages: [&dyn Fn(u64) -> String; 3] = [
        &|id| {
            format!(
                r#"{{{start},"id":{id},"params":{{"name":"list_directory","name":"write_file","arguments":{arguments}}}}}"#
            )
        },
        &|id| {
            format!(
                r#"{{{start},"id":{id},"params":{{"name":"write_file","arguments":{{}},"arguments":{arguments}}}}}"#
            )
        },
        &|id| {
            format!(
                r#"{{{start},"method":"tools/list","id":{id},"params":{{"name":"write_file","arguments":{arguments}}}}}"#
            )
        },
    ];
    for message in messages {
        let (answer, _) = target.raw(message);
        assert_refused(&answer, &message(0));
        target.assert_unchanged(&message(0));
    }
    target.assert_works();
    target.leave();
}

#[test]
fn a_path_of_a_megabyte_is_refused_and_not_repeated() {
    let million = 1 << 20;
    let paths = [
        "a".repeat(million),
        "/".repeat(million) + "etc",
        "a/".repeat(million / 2),
        "../".repeat(million / 3),
        "./".repeat(million / 2) + "../x",
        "~".repeat(million),
        r"\\x61".repeat(million / 6),
        "é".repeat(million / 2),
        r"\n".repeat(million / 2),
    ];
    let all: Vec<_> =
        paths.iter().map(|path| format!(r#"{{"path":"{path}","content":"x"}}"#)).collect();
    assert_all_refused("write_file", &all);
    let all: Vec<_> = paths
        .iter()
        .flat_map(|path| {
            [("a.txt", path.as_str()), (path, "new")]
                .map(|(from, to)| format!(r#"{{"source":"{from}","destination":"{to}"}}"#))
        })
        .collect();
    assert_all_refused("move_file", &all);
    let name = "n".repeat(million);
    let unknown = [
        format!(r#"{{"path":"a.txt","{name}":1}}"#),
        format!(r#"{{"path":"a.txt","head":"{name}"}}"#),
    ];
    assert_all_refused("read_text_file", &unknown);
}

#[test]
fn a_million_paths_or_patterns_are_bounded() {
    let mut target = Target::new("reference");
    for (tool, arguments) in [
        ("search_files", json!({"path": ".", "pattern": "**/".repeat(300_000)})),
        ("search_files", json!({"path": ".", "pattern": "{".repeat(100_000)})),
        ("search_files", json!({"path": ".", "pattern": "{a,b}".repeat(100_000)})),
        ("search_files", json!({"path": ".", "pattern": "[".repeat(1 << 20)})),
        ("search_files", json!({"path": ".", "pattern": "*a".repeat(100_000)})),
        (
            "search_files",
            json!({"path": ".", "pattern": "**", "excludePatterns": vec!["*a*b*"; 100_000]}),
        ),
        ("directory_tree", json!({"path": ".", "excludePatterns": vec!["{".repeat(1000); 100]})),
    ] {
        let answer = target.call_raw(tool, &arguments.to_string());
        assert!(answer["result"].is_object(), "{tool} {}", head(&answer.to_string()));
        target.assert_unchanged(tool);
    }
    target.assert_works();
    target.leave();
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    let all = ["[]", "5", "true", r#""path""#, r#"[{"path":"a.txt","content":"x"}]"#];
    assert_all_refused("write_file", &all.map(str::to_owned));
    assert_all_refused("write_file", &["null".to_owned(), "{}".to_owned()]);
}

#[test]
fn every_parameter_of_every_tool_refuses_what_is_of_another_type() {
    for dialect in garth_ops::DIALECTS {
        let mut target = Target::new(dialect.name);
        let tools = target.client.ask("tools/list", &json!({}))["result"]["tools"].take();
        let mut count = 0;
        for tool in tools.as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            for arguments in wrong::calls(&tool["inputSchema"]) {
                let answer = target.call_raw(name, &arguments.to_string());
                let what = format!("{name} {arguments}");
                assert_refused(&answer, &what);
                let code = &answer["result"]["structuredContent"]["code"];
                assert_eq!(code, "INVALID_PARAMS", "{what}: {answer}");
                count += 1;
            }
            target.assert_unchanged(name);
        }
        println!("{count} wrong calls in the dialect {}", dialect.name);
        assert!(count > 100);
        target.assert_works();
        target.leave();
    }
}
