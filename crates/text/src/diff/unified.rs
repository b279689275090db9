//! A difference written as a unified diff.

use super::{Diff, Hunk, Line, Span, Tag};

/// What the two texts are called in the header.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The name of the old text.
    pub old: &'a str,
    /// The name of the new text.
    pub new: &'a str,
}

/// How much of a difference is written.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The most lines.
    pub lines: usize,
    /// The most bytes.
    pub bytes: usize,
}

impl Limit {
    /// Everything.
    pub const NONE: Self = Self { lines: usize::MAX, bytes: usize::MAX };
}

/// A unified diff, whole or cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unified {
    /// The diff; whole lines of it, also when it was cut.
    pub text: Vec<u8>,
    /// How many of its lines were left out at the end. A diff that was cut is
    /// there to be read, not to be applied.
    pub missing: usize,
}

impl Diff<'_> {
    /// Writes the difference as a unified diff; equal texts give no bytes.
    pub fn unified(&self, names: Names<'_>, limit: Limit) -> Unified {
        let mut page = Page { text: Vec::new(), lines: 0, limit, missing: 0 };
        if !self.hunks.is_empty() {
            page.put(format!("--- {}\n", quoted(names.old)).as_bytes());
            page.put(format!("+++ {}\n", quoted(names.new)).as_bytes());
        }
        for hunk in &self.hunks {
            page.put(header(hunk).as_bytes());
            for line in &hunk.lines {
                page.put_line(line);
            }
        }
        Unified { text: page.text, missing: page.missing }
    }
}

/// A text that takes whole lines until it is full.
struct Page {
    text: Vec<u8>,
    lines: usize,
    limit: Limit,
    missing: usize,
}

impl Page {
    fn put_line(&mut self, line: &Line<'_>) {
        let sign: &[u8] = match line.tag {
            Tag::Context => b" ",
            Tag::Removed => b"-",
            Tag::Added => b"+",
        };
        if line.text.ends_with(b"\n") {
            self.put_parts(&[sign, line.text]);
        } else {
            self.put_parts(&[sign, line.text, b"\n"]);
            self.put(b"\\ No newline at end of file\n");
        }
    }

    fn put(&mut self, line: &[u8]) {
        self.put_parts(&[line]);
    }

    fn put_parts(&mut self, parts: &[&[u8]]) {
        let size: usize = parts.iter().map(|part| part.len()).sum();
        let fits = self.lines < self.limit.lines
            && self.text.len().saturating_add(size) <= self.limit.bytes;
        if self.missing > 0 || !fits {
            self.missing += 1;
            return;
        }
        for part in parts {
            self.text.extend_from_slice(part);
        }
        self.lines += 1;
    }
}

fn header(hunk: &Hunk<'_>) -> String {
    format!("@@ -{} +{} @@\n", range(hunk.old), range(hunk.new))
}

/// No lines are counted from the line before them, one line needs no count.
fn range(span: Span) -> String {
    match span.count {
        0 => format!("{},0", span.first - 1),
        1 => span.first.to_string(),
        count => format!("{},{count}", span.first),
    }
}

/// A name that cannot forge a line of the diff: one with control characters,
/// quotes or backslashes is quoted.
fn quoted(name: &str) -> String {
    let plain = |character: char| !character.is_control() && !matches!(character, '"' | '\\');
    if name.chars().all(plain) {
        return name.to_owned();
    }
    let escaped: String = name
        .chars()
        .map(|character| match character {
            '"' | '\\' => format!("\\{character}"),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            character if character.is_control() => format!("\\{:03o}", u32::from(character)),
            character => character.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::diff;

    const NAMES: Names<'_> = Names { old: "a/x", new: "b/x" };

    fn unified(old: &str, new: &str) -> String {
        let written = diff(old.as_bytes(), new.as_bytes()).unified(NAMES, Limit::NONE);
        assert_eq!(written.missing, 0);
        String::from_utf8(written.text).unwrap()
    }

    #[test]
    fn a_change_reads_as_the_usual_tools_write_it() {
        assert_eq!(
            unified("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nX\nY\n5\n6\n"),
            "--- a/x\n+++ b/x\n@@ -1,6 +1,7 @@\n 1\n 2\n 3\n-4\n+X\n+Y\n 5\n 6\n"
        );
    }

    #[test]
    fn equal_texts_give_nothing() {
        assert_eq!(unified("a\n", "a\n"), "");
    }

    #[test]
    fn an_empty_side_is_counted_from_the_line_before() {
        assert_eq!(unified("", "a\nb\n"), "--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(unified("a\n", ""), "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn a_missing_final_newline_is_marked_on_the_side_that_lacks_it() {
        let mark = "\\ No newline at end of file\n";
        assert_eq!(
            unified("a\nb", "a\nb\n"),
            format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n{mark}+b\n")
        );
        assert_eq!(
            unified("a\nb\n", "a\nb"),
            format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n{mark}")
        );
        assert_eq!(
            unified("a\nb", "c\nb"),
            format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n{mark}")
        );
    }

    #[test]
    fn returns_belong_to_the_lines() {
        assert_eq!(
            unified("a\r\nb\r\n", "a\r\nb\n"),
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n"
        );
    }

    #[test]
    fn a_cut_diff_has_whole_lines_and_says_how_many_are_missing() {
        let found = diff(b"a\nb\n", b"c\nd");
        let whole = found.unified(NAMES, Limit::NONE);
        let total = whole.text.iter().filter(|byte| **byte == b'\n').count();
        for lines in 0..=total {
            let cut = found.unified(NAMES, Limit { lines, bytes: usize::MAX });
            assert!(whole.text.starts_with(&cut.text));
            assert_eq!(cut.missing, total - lines);
        }
        for bytes in 0..whole.text.len() {
            let cut = found.unified(NAMES, Limit { lines: usize::MAX, bytes });
            assert!(cut.text.len() <= bytes, "{bytes}");
            assert!(cut.missing > 0 && whole.text.starts_with(&cut.text));
        }
    }

    #[test]
    fn a_name_cannot_forge_a_line() {
        let names = Names { old: "a\n+++ b/evil", new: "tab\t\"q\"\u{1b}" };
        let text = diff(b"a\n", b"b\n").unified(names, Limit::NONE).text;
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.starts_with("--- \"a\\n+++ b/evil\"\n+++ \"tab\\t\\\"q\\\"\\033\"\n@@"),
            "{text}"
        );
    }
}
