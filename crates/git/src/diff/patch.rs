//! A patch, line by line: what is a header, what is content, and of which side.

/// The patch of one file, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch<'a> {
    /// The lines before the first hunk, without their ends: names and modes.
    pub headers: Vec<&'a [u8]>,
    /// The hunks.
    pub hunks: Vec<Hunk<'a>>,
}

/// Lines that stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// `@@ -1,2 +1,3 @@`.
    pub range: &'a [u8],
    /// The line of the file that git shows behind it: content.
    pub context: &'a [u8],
    /// The lines.
    pub lines: Vec<Line<'a>>,
}

/// A line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// What it is.
    pub sign: Sign,
    /// The line, without its sign and its end: content.
    pub text: &'a [u8],
}

/// Which side a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Both.
    Both,
    /// The new one.
    Added,
    /// The old one.
    Removed,
    /// None: it says that the line before has no end.
    NoEnd,
}

impl<'a> Patch<'a> {
    /// Takes a patch apart. What is no patch is all headers.
    ///
    /// A hunk has as many lines as its range says, so that content which looks like a header
    /// is content.
    #[must_use]
    pub fn parse(bytes: &'a [u8]) -> Self {
        let mut patch = Self::default();
        let mut left = (0, 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            if let Some((counts, range, context)) = range(line).filter(|_| left == (0, 0)) {
                left = counts;
                patch.hunks.push(Hunk { range, context, lines: Vec::new() });
                continue;
            }
            let Some(hunk) = patch.hunks.last_mut() else {
                patch.headers.push(line);
                continue;
            };
            // An empty line is one of both sides whose sign was dropped.
            let (sign, text) = line.split_first().unwrap_or((&b' ', line));
            let sign = match sign {
                b'+' => Sign::Added,
                b'-' => Sign::Removed,
                b'\\' => Sign::NoEnd,
                _ => Sign::Both,
            };
            left = match sign {
                Sign::Added => (left.0, left.1.saturating_sub(1)),
                Sign::Removed => (left.0.saturating_sub(1), left.1),
                Sign::Both => (left.0.saturating_sub(1), left.1.saturating_sub(1)),
                Sign::NoEnd => left,
            };
            hunk.lines.push(Line { sign, text });
        }
        patch
    }
}

type Counts = (u64, u64);

/// `@@ -1,2 +1,3 @@ context`: how many lines of each side, the range, the context.
fn range(line: &[u8]) -> Option<(Counts, &[u8], &[u8])> {
    let rest = line.strip_prefix(b"@@ -")?;
    let end = rest.windows(3).position(|part| part == b" @@")?;
    let (numbers, context) = rest.split_at_checked(end)?;
    let numbers = str::from_utf8(numbers).ok()?;
    let (old, new) = numbers.split_once(" +")?;
    let count = |side: &str| match side.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => side.parse::<u64>().ok().map(|_| 1),
    };
    let range = line.get(..b"@@ -".len() + end + b" @@".len())?;
    Some(((count(old)?, count(new)?), range, context.get(3..)?.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_that_looks_like_a_header_is_content() {
        let text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ fn main()\n a\n--- b\n+++ c\n @@ -9 +9 @@\n\\ No newline at end of file\n@@ -9 +9 @@\n-x\n+y\n";
        let patch = Patch::parse(text);
        assert_eq!(patch.headers.len(), 3);
        let [first, second] = patch.hunks.as_slice() else { panic!("{patch:?}") };
        assert_eq!((first.range, first.context), (&b"@@ -1,3 +1,3 @@"[..], &b"fn main()"[..]));
        let lines: Vec<_> = first.lines.iter().map(|line| (line.sign, line.text)).collect();
        assert_eq!(
            lines,
            [
                (Sign::Both, &b"a"[..]),
                (Sign::Removed, b"-- b"),
                (Sign::Added, b"++ c"),
                (Sign::Both, b"@@ -9 +9 @@"),
                (Sign::NoEnd, b" No newline at end of file"),
            ]
        );
        assert_eq!(second.lines.len(), 2);
    }

    #[test]
    fn what_is_no_patch_is_headers() {
        let patch = Patch::parse(b"Binary files a/x and b/x differ\n");
        assert_eq!((patch.headers.len(), patch.hunks.len()), (1, 0));
        assert_eq!(Patch::parse(b"@@ -x +y @@\n").hunks, []);
    }
}
