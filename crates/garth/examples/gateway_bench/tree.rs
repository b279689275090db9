//! A recursive list of very many entries, page by page, and what it takes in memory.

use std::{fs, time::Instant};

use serde_json::{Value, json};

use crate::{
    load::{Load, Socket},
    server::Server,
    verdict,
};

/// Directories, and files in each.
const SHAPE: (usize, usize) = (100, 1_000);
/// Entries a page.
const PAGE: usize = 1_000;
/// How much memory it may take, in bytes.
const MOST: u64 = 64 << 20;

/// Lists everything once.
pub(crate) async fn measure(garth: &Server) {
    let root = garth.files().join("many");
    for number in 0..SHAPE.0 {
        let directory = root.join(format!("d{number:03}"));
        fs::create_dir_all(&directory).unwrap();
        for number in 0..SHAPE.1 {
            fs::File::create(directory.join(format!("f{number:04}"))).unwrap();
        }
    }
    let mut socket = Socket::connect(garth).await;
    let before = garth.resident();
    garth.forget_peak();
    let begun = Instant::now();
    let (mut cursor, mut entries) = (Value::Null, 0);
    loop {
        let params = json!({"agentId": "default", "path": "many", "recursive": true,
                            "limit": PAGE, "cursor": cursor});
        let reply = socket.ask(&Load::new("worktree.list", &params)).await;
        let reply: Value = serde_json::from_str(&reply).unwrap();
        entries += reply["payload"]["entries"].as_array().unwrap().len();
        cursor = reply["payload"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let took = begun.elapsed();
    let grown = garth.peak().saturating_sub(before);
    let all = SHAPE.0 * (SHAPE.1 + 1);
    println!(
        "{} list of {entries} of {all} entries in pages of {PAGE}: {took:?}, {} KiB more in memory \
         (goal < {} KiB)",
        verdict(entries == all && grown < MOST),
        grown >> 10,
        MOST >> 10,
    );
    fs::remove_dir_all(root).unwrap();
}
