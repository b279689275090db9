//! One glob pattern: its bounds, what can be wrong with it and where.
//!
//! The matching is `globset`'s. Its errors have no position, so a pattern is
//! read here first; what passes here can still be refused by the compiler there.

use garth_contract::{Code, Detail, Error, Result};
use globset::GlobBuilder;

use crate::fold::Fold;

/// The longest pattern, in bytes: that of a path.
const MAX_PATTERN: usize = garth_contract::MAX_PATH;
/// The most alternatives in all braces of one pattern.
const MAX_ALTERNATES: usize = 1024;
/// How deep braces nest; the compiler recurses over them.
const MAX_DEPTH: usize = 16;

/// Checks and compiles one pattern.
///
/// # Errors
/// `INVALID_PATTERN`, with the position where something is wrong.
pub(crate) fn compile(pattern: &str, fold: Fold) -> Result<globset::Glob> {
    check(pattern)?;
    build(pattern, fold).map_err(|_| refuse(pattern, 0, "the pattern is too large"))
}

/// Compiles a pattern that was checked, in `fold`'s sense of case.
pub(crate) fn build(pattern: &str, fold: Fold) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .case_insensitive(fold == Fold::Caseless)
        .build()
}

/// An `INVALID_PATTERN` that says what is wrong and where.
pub(crate) fn refuse(pattern: &str, position: usize, what: &str) -> Error {
    let shown: String = pattern.chars().take(80).collect();
    let shown = garth_contract::escape(shown.as_bytes());
    let message = format!("the glob {shown:?} is wrong at byte {position}: {what}");
    Error::new(Code::InvalidPattern, message).with(Detail::Position(position as u64))
}

/// Reads the pattern once and finds the first thing that is wrong.
fn check(pattern: &str) -> Result<()> {
    if pattern.len() > MAX_PATTERN {
        let message = format!("a glob is longer than {MAX_PATTERN} bytes");
        return Err(Error::new(Code::InvalidPattern, message)
            .with(Detail::Position(MAX_PATTERN as u64))
            .with(Detail::Limit { limit: MAX_PATTERN as u64, actual: pattern.len() as u64 }));
    }
    let mut scan = Scan { pattern, rest: pattern.char_indices().peekable(), open: Vec::new() };
    let mut alternates = 0;
    while let Some((position, character)) = scan.rest.next() {
        match character {
            '\\' if scan.rest.next().is_none() => {
                return Err(scan.refuse(position, r"a '\' escapes nothing"));
            }
            '[' => scan.class(position)?,
            '{' => scan.open.push(position),
            '}' if scan.open.pop().is_none() => {
                return Err(scan.refuse(position, "this '}' closes nothing; write '[}]' for one"));
            }
            ',' if !scan.open.is_empty() => alternates += 1,
            _ => {}
        }
        if scan.open.len() > MAX_DEPTH {
            return Err(scan.refuse(position, "the braces are nested too deep"));
        }
        if alternates > MAX_ALTERNATES {
            return Err(scan.refuse(position, "there are too many alternatives"));
        }
    }
    match scan.open.first() {
        None => Ok(()),
        Some(position) => {
            Err(scan.refuse(*position, "this '{' is not closed; write '[{]' for one"))
        }
    }
}

struct Scan<'a> {
    pattern: &'a str,
    rest: std::iter::Peekable<std::str::CharIndices<'a>>,
    /// Where the braces stand that are open.
    open: Vec<usize>,
}

impl Scan<'_> {
    /// Reads a class whose `[` was just read.
    fn class(&mut self, start: usize) -> Result<()> {
        self.rest.next_if(|(_, next)| matches!(next, '!' | '^'));
        let mut low = None;
        let mut first = true;
        loop {
            let Some((position, character)) = self.rest.next() else {
                return Err(self.refuse(start, "this '[' is not closed; write '[[]' for one"));
            };
            if character == ']' && !first {
                return Ok(());
            }
            let ranged = low.filter(|_| character == '-');
            let end = ranged.and_then(|_| self.rest.next_if(|(_, next)| *next != ']'));
            low = match (ranged, end) {
                (Some(low), Some((_, high))) if high < low => {
                    return Err(self.refuse(position, "the range ends before it starts"));
                }
                (Some(low), Some(_)) => Some(low),
                (Some(_), None) | (None, _) => Some(character),
            };
            first = false;
        }
    }

    fn refuse(&self, position: usize, what: &str) -> Error {
        refuse(self.pattern, position, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(pattern: &str) -> Option<u64> {
        let error = compile(pattern, Fold::Exact).err()?;
        assert_eq!(error.code(), Code::InvalidPattern);
        error.details().iter().find_map(|detail| {
            let Detail::Position(position) = detail else { return None };
            Some(*position)
        })
    }

    #[test]
    fn a_wrong_pattern_is_refused_where_it_is_wrong() {
        for (pattern, wrong) in [
            ("src/[a-z", 4),
            ("[]", 0),
            ("[!]", 0),
            ("é{a,b", 2),
            ("a}b", 1),
            ("ab\\", 2),
            ("x[z-a]", 3),
            ("x[0-9z-a]", 6),
        ] {
            assert_eq!(position(pattern), Some(wrong), "{pattern}");
        }
    }

    #[test]
    fn an_odd_pattern_that_means_something_is_accepted() {
        for pattern in
            ["[]]", "[!]]", "[a-]", "[-a]", "[[]", "[{]", "{a,{b,c}}", r"\{", "a,b", "{}"]
        {
            assert_eq!(position(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_huge_pattern_is_refused() {
        assert!(position(&"a".repeat(10 << 20)).is_some());
        assert!(position(&format!("{{{}}}", ",".repeat(2000))).is_some());
        assert!(position(&"{".repeat(100)).is_some());
        assert!(position(&format!("{}{}", "{".repeat(200), "}".repeat(200))).is_some());
    }

    #[test]
    fn what_the_check_accepts_the_compiler_accepts() {
        let alphabet = ['a', '[', ']', '-', '!', '{', '}', ',', '\\', '*', '/', '?'];
        let mut state = 1_u64;
        for _ in 0..200_000 {
            let mut pattern = String::new();
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                pattern.push(alphabet[usize::try_from((state >> 33) % 12).unwrap()]);
            }
            let built = build(&pattern, Fold::Exact);
            assert_eq!(check(&pattern).is_ok(), built.is_ok(), "{pattern} {built:?}");
        }
    }
}
