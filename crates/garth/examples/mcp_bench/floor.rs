//! The floor: a server that does what was asked and checks nothing.
//!
//! It parses and prints the least that MCP needs, on one thread, with no runtime. A
//! file that it writes goes to the disk as ours do: a temporary file beside it, a sync
//! of that, a rename, a sync of the directory.

use std::{
    fs::{self, File},
    io::{BufRead, Write, stdin, stdout},
    path::Path,
};

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    method: String,
    params: Option<Params>,
}

#[derive(Deserialize)]
struct Params {
    name: Option<String>,
    arguments: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    content: Option<String>,
    edits: Option<Vec<Edit>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edit {
    old_text: String,
    new_text: String,
}

/// Serves until standard input ends.
pub(crate) fn serve() {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line).unwrap() > 0 {
        let message: Message = serde_json::from_str(&line).unwrap();
        if let Some(id) = message.id {
            let result = answer(message);
            let mut line =
                serde_json::to_vec(&json!({"jsonrpc": "2.0", "id": id, "result": result})).unwrap();
            line.push(b'\n');
            output.write_all(&line).unwrap();
            output.flush().unwrap();
        }
        line.clear();
    }
}

fn answer(message: Message) -> Value {
    let Some(Params { name: Some(tool), arguments: Some(arguments) }) = message.params else {
        assert_eq!(message.method, "initialize");
        let info = json!({"name": "floor", "version": "1"});
        let capabilities = json!({"tools": {}});
        return json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info});
    };
    let path = Path::new(&arguments.path);
    let text = match tool.as_str() {
        "read_text_file" => fs::read_to_string(path).unwrap(),
        "list_directory" => list(path),
        "write_file" => {
            write(path, arguments.content.unwrap().as_bytes());
            format!("wrote {}", arguments.path)
        }
        "edit_file" => {
            let mut text = fs::read_to_string(path).unwrap();
            let mut shown = String::new();
            for Edit { old_text, new_text } in arguments.edits.unwrap() {
                text = text.replacen(&old_text, &new_text, 1);
                shown = format!("{shown}-{old_text}+{new_text}");
            }
            write(path, text.as_bytes());
            shown
        }
        tool => format!("there is no {tool}"),
    };
    // The reference server's clients look for the text in both places.
    json!({"content": [{"type": "text", "text": text}], "structuredContent": {"content": text}})
}

fn list(path: &Path) -> String {
    let mut lines: Vec<String> = fs::read_dir(path)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let mark = if entry.file_type().unwrap().is_dir() { "[DIR]" } else { "[FILE]" };
            format!("{mark} {}", entry.file_name().display())
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

fn write(path: &Path, content: &[u8]) {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary).unwrap();
    file.write_all(content).unwrap();
    file.sync_all().unwrap();
    fs::rename(&temporary, path).unwrap();
    File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
}
