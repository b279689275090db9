//! Patches as they may be shown, line by line, as many as are asked for.
//!
//! A hunk is two texts, the old and the new; each is redacted as the text that it is, since
//! the signs before its lines would hide a secret that has several. One that begins inside of
//! a key shows none of it.

use std::borrow::Cow;

use garth_contract::{WsPath, escape};
use garth_git::{FileDiff, Hunk, Line, Patch, Sign};
use garth_redact::{Clean, CleanWriter, Raw, clean};
use garth_workspace::{Shown, Workspace};

use crate::{
    placeholders::has_any,
    words::{Ours, cut},
};

/// The lines of a diff that are asked for.
pub(in super::super) struct Page {
    skip: u64,
    take: u64,
    line_chars: usize,
    seen: u64,
    given: u64,
    text: CleanWriter,
    redacted: Vec<String>,
}

impl Page {
    pub(super) fn new(skip: u64, take: u64, line_chars: usize) -> Self {
        let (text, redacted) = (CleanWriter::new(), Vec::new());
        Self { skip, take, line_chars, seen: 0, given: 0, text, redacted }
    }

    pub(super) fn skip(&self) -> u64 {
        self.skip
    }

    /// How many lines were written.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// How many lines there were.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// The text, and the names of the rules whose placeholders stand in it.
    pub(super) fn finish(self) -> (Clean, Vec<String>) {
        (self.text.finish(), self.redacted)
    }

    /// Whether any of the next lines is asked for.
    fn wants(&self, lines: u64) -> bool {
        let (first, last) = (self.seen, self.seen.saturating_add(lines));
        last > self.skip && first < self.skip.saturating_add(self.take)
    }

    /// Writes a line, where it is asked for.
    pub(super) fn line(&mut self, line: impl FnOnce() -> Clean) {
        if self.wants(1) {
            let (line, rest) = cut(&line(), self.line_chars);
            self.text.put(if self.given == 0 { "" } else { "\n" }).put(line).put(rest);
            self.given += 1;
        }
        self.seen += 1;
    }

    /// Writes the patch of a file.
    pub(super) fn file(&mut self, workspace: &Workspace, file: &FileDiff) {
        let patch = Patch::parse(&file.patch);
        for header in &patch.headers {
            // Names as git quotes them, modes and ids: no content. It is escaped all the same.
            self.line(|| clean![Ours(escape(&shown_header(file, header)))]);
        }
        for hunk in &patch.hunks {
            let lines = hunk.lines.len() as u64 + 1;
            if self.wants(lines) {
                self.hunk(workspace, &file.path, hunk);
            } else {
                self.seen += lines;
            }
        }
    }

    fn hunk(&mut self, workspace: &Workspace, path: &WsPath, hunk: &Hunk<'_>) {
        let context = match hunk.context {
            b"" => Clean::default(),
            // The line before a hunk, where that is no heading.
            context if is_body(context) => Clean::default(),
            context => match workspace.clean(path, Raw::from(context)) {
                Ok(context) => clean![" ", context],
                Err(_) => Clean::default(),
            },
        };
        self.line(|| clean![Ours(escape(hunk.range)), context]);
        let is_old = |line: &&Line<'_>| matches!(line.sign, Sign::Both | Sign::Removed);
        let is_new = |line: &&Line<'_>| matches!(line.sign, Sign::Both | Sign::Added);
        let [before, after] = [b'-', b'+'].map(|side| !begins_file(hunk.range, side));
        let old = shown(workspace, path, before, hunk.lines.iter().filter(is_old));
        let new = shown(workspace, path, after, hunk.lines.iter().filter(is_new));
        let (Some(old), Some(new)) = (old, new) else {
            hunk.lines.iter().for_each(|_| self.line(held_back));
            return;
        };
        for rule in old.redacted.into_iter().chain(new.redacted) {
            if !self.redacted.contains(&rule) {
                self.redacted.push(rule);
            }
        }
        let (mut old, mut new) = (old.lines.into_iter(), new.lines.into_iter());
        for line in &hunk.lines {
            let (sign, text) = match line.sign {
                Sign::Both => {
                    let (before, after) = (old.next(), new.next());
                    // One side may show a secret for what it is where the other cannot.
                    let raw = String::from_utf8_lossy(line.text);
                    let plain =
                        after.as_deref().is_some_and(|after| after == raw.trim_end_matches('\r'));
                    (" ", if plain { before } else { after })
                }
                Sign::Removed => ("-", old.next()),
                Sign::Added => ("+", new.next()),
                Sign::NoEnd => ("\\", Some(Clean::fixed(" No newline at end of file"))),
            };
            self.line(|| clean![sign, text.unwrap_or_default()]);
        }
    }
}

/// The lines of one side, which something may stand `before`; `None` where they are held back.
fn shown<'a>(
    workspace: &Workspace,
    path: &WsPath,
    before: bool,
    lines: impl Iterator<Item = &'a Line<'a>>,
) -> Option<Shown> {
    let mut lines = lines.peekable();
    let inside = before && lines.peek().is_some_and(|line| is_body(line.text));
    let mut text = String::from(if inside { BEGIN } else { "" });
    let from = text.len();
    for line in lines {
        text.push_str(&String::from_utf8_lossy(line.text));
        text.push('\n');
    }
    workspace.lines(path, text.as_bytes(), from..text.len()).ok()
}

/// The line that tells of a key, where a hunk has only a part of it.
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----\n";

/// So many letters of base64 in a row are no word.
const LEAST_BODY: usize = 32;

/// Whether a line may be one of the body of a key: base64 and nothing else, but for what quotes and
/// joins such lines.
fn is_body(line: &[u8]) -> bool {
    const AROUND: &[u8] = b" \t\r\"'`+,;\\";
    let in_body = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let start = line.iter().position(|byte| !AROUND.contains(byte)).unwrap_or(line.len());
    let body = line.get(start..).unwrap_or_default();
    let len = body.iter().take_while(|byte| in_body(byte)).count();
    let rest = body.get(len..).unwrap_or_default();
    // A line feed that is written out ends it too; behind a hash stands the name of a file.
    let ends = rest.starts_with(b"\\") || rest.iter().all(|byte| AROUND.contains(byte));
    len >= LEAST_BODY && ends
}

/// Whether a hunk begins where the file does, on the side that a sign stands for.
fn begins_file(range: &[u8], side: u8) -> bool {
    let mut parts = range.split(|byte| *byte == b' ').filter_map(|part| part.strip_prefix(&[side]));
    let line = parts.next().and_then(|part| part.split(|byte| *byte == b',').next());
    matches!(line, Some(b"0" | b"1"))
}

fn held_back() -> Clean {
    Clean::fixed(" [held back: it holds a secret]")
}

/// A header of a file whose name holds a secret, with the names that are shown, from the
/// workspace's root. Git quotes odd names, and a quoted one is not known for what it is; so such
/// names are never looked for in what git printed.
fn shown_header<'h>(file: &FileDiff, header: &'h [u8]) -> Cow<'h, [u8]> {
    let to = file.path.to_string();
    let from = file.from.as_ref().map_or_else(|| to.clone(), WsPath::to_string);
    if !has_any(&to) && !has_any(&from) {
        return Cow::Borrowed(header);
    }
    let known: [(&[u8], String); 8] = [
        (b"diff ", format!("diff --git a/{from} b/{to}")),
        (b"--- ", format!("--- a/{from}")),
        (b"+++ ", format!("+++ b/{to}")),
        (b"rename from ", format!("rename from {from}")),
        (b"rename to ", format!("rename to {to}")),
        (b"copy from ", format!("copy from {from}")),
        (b"copy to ", format!("copy to {to}")),
        (b"Binary files ", format!("Binary files a/{from} and b/{to} differ")),
    ];
    let nothing = header.ends_with(b" /dev/null");
    let found = known.into_iter().find(|(start, _)| !nothing && header.starts_with(start));
    found.map_or(Cow::Borrowed(header), |(_, shown)| Cow::Owned(shown.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_base64_may_be_inside_of_a_key_and_a_hash_of_a_file_is_not() {
        let body = "IEpAIBAAKCAQEA7Yw8ZrCzPT5wS3b0mXyT1pQm";
        for line in [body.to_owned(), format!("  \"{body}\\n\" +"), format!("\t{body}==\r")] {
            assert!(is_body(line.as_bytes()), "{line}");
        }
        for line in ["", "fn main() {", "d41d8cd98f00b204e9800998ecf8427e  a.txt", "IEpAIBAAKC"] {
            assert!(!is_body(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_hunk_says_where_it_begins() {
        for (range, first) in [
            ("@@ -1,4 +1,5 @@", [true, true]),
            ("@@ -0,0 +1 @@", [true, true]),
            ("@@ -12,4 +1,5 @@", [false, true]),
            ("@@ -1 +10 @@", [true, false]),
        ] {
            assert_eq!(
                [b'-', b'+'].map(|side| begins_file(range.as_bytes(), side)),
                first,
                "{range}"
            );
        }
    }
}
