//! Compiles what is looked for inside files, and says where a pattern is wrong.

use garth_contract::{Case, Code, Detail, Error, Grep, Lines, Result, Syntax};
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 64 << 10;
/// The most memory that a compiled pattern takes.
const MAX_COMPILED: usize = 16 << 20;
/// The most memory in which one thread caches a pattern's states.
const MAX_CACHE: usize = 32 << 20;

/// Compiles the pattern the way ripgrep does, within bounds.
///
/// # Errors
/// `INVALID_PATTERN` with the position of what is wrong.
pub(crate) fn compile(grep: &Grep) -> Result<RegexMatcher> {
    let pattern = grep.pattern.as_str();
    if pattern.len() > MAX_PATTERN {
        let message = format!("the pattern is longer than {MAX_PATTERN} bytes");
        return Err(Error::new(Code::InvalidPattern, message)
            .with(Detail::Position(MAX_PATTERN as u64))
            .with(Detail::Limit { limit: MAX_PATTERN as u64, actual: pattern.len() as u64 }));
    }
    match grep.syntax {
        Syntax::Fixed => {}
        Syntax::Regex | Syntax::Word => check(pattern)?,
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .octal(false)
        .ban_byte(Some(0))
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_CACHE)
        .fixed_strings(grep.syntax == Syntax::Fixed)
        .word(grep.syntax == Syntax::Word)
        .case_insensitive(grep.case == Case::Insensitive)
        .case_smart(grep.case == Case::Smart);
    match grep.lines {
        Lines::Single if ends_lines(grep) => builder.crlf(true).dot_matches_new_line(false),
        Lines::Single => builder.line_terminator(Some(b'\n')).dot_matches_new_line(false),
        Lines::Multi => builder.dot_matches_new_line(true),
    };
    builder.build(pattern).map_err(|error| explain(pattern, error.kind()))
}

/// Tells whether a pattern may ask for the end of a line: then a line's end is
/// `\r\n` too, or `;$` would find nothing in a file from Windows.
///
/// A pattern that names the `\r` itself finds it, as `\r$` is meant to.
pub(crate) fn ends_lines(grep: &Grep) -> bool {
    let names_it = ["\r", r"\r", r"\x0d", r"\x0D", r"\x{d}", r"\x{D}"];
    grep.syntax != Syntax::Fixed
        && grep.lines == Lines::Single
        && grep.pattern.contains('$')
        && !names_it.iter().any(|name| grep.pattern.contains(name))
}

/// Parses the pattern by itself.
///
/// The searching engine puts a group around it, in which `a)|(b` would pass, and
/// its positions would count the group. With no room for the result nothing is
/// compiled here, so this costs only the parsing.
fn check(pattern: &str) -> Result<()> {
    let parsed = regex::bytes::RegexBuilder::new(pattern).multi_line(true).size_limit(0).build();
    match parsed {
        Err(regex::Error::Syntax(message)) => {
            let what = message.rsplit_once("error: ").map_or("it does not parse", |(_, what)| what);
            Err(refuse(position(pattern, &message), what))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Finds the byte of the pattern that the parser's message points at.
///
/// The message repeats the pattern line by line, each with a margin, and puts
/// carets under what is wrong.
fn position(pattern: &str, message: &str) -> usize {
    let mut start = 0;
    let mut current = None;
    let mut lines = pattern.split('\n').peekable();
    for shown in message.lines() {
        let is_marks = shown.contains('^') && shown.trim_matches([' ', '^']).is_empty();
        let expected = lines.peek().map_or("", |line| line.trim_end_matches('\r'));
        if let (Some((line, at, margin)), true) = (current, is_marks) {
            let column = shown.chars().take_while(|mark| *mark == ' ').count();
            let column = column.saturating_sub(margin);
            let bytes: usize = str::chars(line).take(column).map(char::len_utf8).sum();
            return at + bytes;
        }
        if let Some(margin) = shown.strip_suffix(expected).filter(|margin| is_margin(margin)) {
            let line = lines.next().unwrap_or("");
            current = Some((line, start, margin.len()));
            start += line.len() + 1;
        }
    }
    0
}

/// Tells whether text is what the parser puts before a line of the pattern.
fn is_margin(text: &str) -> bool {
    text == "    "
        || text
            .strip_suffix(": ")
            .is_some_and(|number| number.trim_start().bytes().all(|digit| digit.is_ascii_digit()))
}

fn explain(pattern: &str, kind: &ErrorKind) -> Error {
    match kind {
        ErrorKind::NotAllowed(_) => {
            let at = pattern.find('\n').or_else(|| pattern.find("\\n")).unwrap_or(0);
            refuse(at, "it spans lines").hint("Ask for a multi-line search to match a line's end.")
        }
        ErrorKind::Banned(_) => {
            let at = pattern.find(['\0']).or_else(|| pattern.find("\\x00")).unwrap_or(0);
            refuse(at, "it needs a NUL, which no text file has")
        }
        ErrorKind::Regex(what) if what.contains("size limit") => {
            refuse(0, "it is too large once compiled").hint("Repeat less, or search for less.")
        }
        // The kinds are another crate's and may grow.
        ErrorKind::Regex(_) | ErrorKind::InvalidLineTerminator(_) | _ => {
            refuse(0, "it does not compile")
        }
    }
}

fn refuse(position: usize, what: &str) -> Error {
    let message = format!("the pattern is wrong at byte {position}: {what}");
    Error::new(Code::InvalidPattern, message).with(Detail::Position(position as u64))
}

#[cfg(test)]
mod tests;
