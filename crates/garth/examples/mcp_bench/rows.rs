//! What is measured: one tool on one kind of file a row.

use serde_json::{Value, json};

use crate::{
    contender::Who,
    plant::{Planted, place, prose},
};

/// One row.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) rounds: usize,
    /// The tool and its arguments in a round; nothing for who has no such tool.
    pub(crate) call: fn(Who, &Planted, usize) -> Option<(&'static str, Value)>,
    /// Tells whether a text is what was asked for.
    pub(crate) holds: fn(&str) -> bool,
}

/// All rows, in the order in which they are measured.
pub(crate) const ROWS: &[Row] = &[
    Row {
        name: "read 4 KB",
        rounds: 500,
        call: |who, planted, _| read(who, planted, "4k.txt"),
        holds: |text| text.len() >= 4 << 10,
    },
    Row {
        name: "read 1 MB",
        rounds: 40,
        call: |who, planted, _| read(who, planted, "1m.txt"),
        holds: |text| text.len() >= 1 << 20,
    },
    Row { name: "write 4 KB", rounds: 150, call: write, holds: |text| !text.is_empty() },
    Row { name: "edit 66 KB", rounds: 150, call: edit, holds: |text| text.contains("marker = ") },
    Row {
        name: "list 10,000",
        rounds: 15,
        call: |who, planted, _| on_directory(who, planted, ("list_directory", "list")),
        holds: |text| text.lines().count() >= 10_000,
    },
    Row {
        name: "tree 20,000",
        rounds: 9,
        call: |who, planted, _| {
            let call = on_directory(who, planted, ("directory_tree", "tree"));
            call.filter(|_| who != Who::Floor)
        },
        holds: |text| text.matches("\"name\"").count() >= 20_000,
    },
    Row {
        name: "search 30,000",
        rounds: 9,
        call: search,
        holds: |text| text.matches("Kconfig").count() >= 300,
    },
    Row {
        name: "grep 4,000",
        rounds: 9,
        call: grep,
        holds: |text| text.matches("PM_RESUME").count() >= 40,
    },
];

fn read(who: Who, planted: &Planted, file: &str) -> Option<(&'static str, Value)> {
    match who {
        Who::Fast | Who::Workspace => None,
        Who::Garth | Who::RustMcp | Who::Reference | Who::Floor => {
            Some(("read_text_file", json!({"path": planted.at(file)})))
        }
    }
}

fn write(who: Who, planted: &Planted, round: usize) -> Option<(&'static str, Value)> {
    if who == Who::Workspace {
        return None;
    }
    let path = planted.at(place(who)).join("written.txt");
    let content = format!("{round}\n{}", prose(4 << 10));
    Some(("write_file", json!({"path": path, "content": content})))
}

fn edit(who: Who, planted: &Planted, round: usize) -> Option<(&'static str, Value)> {
    if who == Who::Workspace {
        return None;
    }
    let path = planted.at(place(who)).join("edited.txt");
    let line = |number| format!("marker = {number}\n");
    let edits = json!([{"oldText": line(round), "newText": line(round + 1)}]);
    Some(("edit_file", json!({"path": path, "edits": edits})))
}

fn on_directory(
    who: Who,
    planted: &Planted,
    (tool, directory): (&'static str, &str),
) -> Option<(&'static str, Value)> {
    match who {
        Who::Fast | Who::Workspace => None,
        Who::Garth | Who::RustMcp | Who::Reference | Who::Floor => {
            Some((tool, json!({"path": planted.at(directory)})))
        }
    }
}

fn search(who: Who, planted: &Planted, _: usize) -> Option<(&'static str, Value)> {
    match who {
        Who::Fast | Who::Floor => None,
        Who::Workspace => Some(("glob", json!({"path": "search", "pattern": "**/Kconfig"}))),
        Who::Garth | Who::RustMcp | Who::Reference => {
            let path = planted.at("search");
            Some(("search_files", json!({"path": path, "pattern": "**/Kconfig"})))
        }
    }
}

fn grep(who: Who, planted: &Planted, _: usize) -> Option<(&'static str, Value)> {
    match who {
        Who::Garth | Who::Fast | Who::Reference | Who::Floor => None,
        Who::Workspace => {
            let arguments =
                json!({"path": "grep", "pattern": "PM_RESUME", "fixed": true, "include": "*.c"});
            Some(("grep", arguments))
        }
        Who::RustMcp => {
            let path = planted.at("grep");
            let arguments =
                json!({"path": path, "pattern": "**/*.c", "query": "PM_RESUME", "is_regex": false});
            Some(("search_files_content", arguments))
        }
    }
}
