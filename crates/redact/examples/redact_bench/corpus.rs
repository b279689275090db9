//! The texts that are measured.

use std::fs;
use std::path::{Path, PathBuf};

/// As much source code is read.
const MOST: usize = 64 << 20;

/// Files of the kernel and of this repository, every so many of them, until there is enough.
pub(crate) fn source_code() -> Vec<String> {
    let mut files = Vec::new();
    for root in [".cache/linux-source", "crates", "docs", "scripts", "Cargo.lock"] {
        collect(Path::new(root), &mut files);
    }
    files.sort();
    let step = (files.len() / 4_000).max(1);
    let mut size = 0;
    let mut texts = Vec::new();
    for path in files.iter().step_by(step) {
        let Ok(text) = fs::read_to_string(path) else { continue };
        size += text.len();
        texts.push(text);
        if size > MOST {
            break;
        }
    }
    println!("source code: {} of {} files", texts.len(), files.len());
    texts
}

/// Prose and numbers in which no rule finds a place to begin.
pub(crate) fn without_candidates() -> Vec<String> {
    let line = "The quick brown fox jumps over the lazy dog; 1,024 bits of it were never found.\n";
    vec![line.repeat((32 << 20) / line.len())]
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else {
        if path.is_file() {
            files.push(path.to_owned());
        }
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            collect(&entry.path(), files);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
}
