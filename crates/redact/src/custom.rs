//! The rules of a configuration: checked when they are loaded, applied line by line.
//!
//! A custom pattern may be anything the `regex` crate takes, so nothing is known about its length.
//! It sees one line at a time, which keeps the result the same however a text arrives; a line that
//! is longer than a block is seen in blocks that overlap.

use std::ops::Range;

use regex::{Captures, Regex, RegexBuilder};
use regex_automata::util::syntax;

use crate::config::{BadPattern, CustomPattern};
use crate::placeholder;

/// A line is searched in blocks of so many bytes.
pub(crate) const BLOCK: usize = 32 << 10;

/// A block sees so many bytes of the next one, so a shorter secret is never cut.
pub(crate) const OVERLAP: usize = 32 << 10;

/// Compiled size of a pattern; bounds the memory and time that a configuration can ask for.
const MAX_COMPILED: usize = 1 << 20;

/// A custom rule, ready to use.
#[derive(Debug)]
pub(crate) struct Custom {
    pub(crate) name: String,
    regex: Regex,
    replacement: Option<String>,
}

/// What a custom rule found in a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CustomMatch {
    /// All that matched.
    pub(crate) range: Range<usize>,
    pub(crate) secret: Range<usize>,
    pub(crate) replacement: Option<String>,
}

impl Custom {
    pub(crate) fn new(pattern: &CustomPattern) -> Result<Self, BadPattern> {
        let bad = |position, message: &str| BadPattern {
            name: pattern.name.clone(),
            position,
            message: message.to_owned(),
        };
        if !placeholder::is_name(&pattern.name) {
            return Err(bad(None, "a name is 1 to 64 of A-Z a-z 0-9 _ - ."));
        }
        let regex = RegexBuilder::new(&pattern.regex)
            .size_limit(MAX_COMPILED)
            .build()
            .map_err(|error| explain(&pattern.name, &error))?;
        let least =
            syntax::parse(&pattern.regex).ok().and_then(|hir| hir.properties().minimum_len());
        if regex.is_match("") || least == Some(0) {
            return Err(bad(Some(0), "it matches the empty string"));
        }
        if takes_anything(&regex) {
            return Err(bad(Some(0), "it takes any text, however long, and would hide all of it"));
        }
        if let Some(template) = &pattern.replacement {
            check_template(template, &regex).map_err(|(position, message)| {
                bad(Some(position), &format!("in the replacement, {message}"))
            })?;
        }
        Ok(Self { name: pattern.name.clone(), regex, replacement: pattern.replacement.clone() })
    }

    /// Whether something else than the usual placeholder stands for what it finds.
    pub(crate) fn has_own_words(&self) -> bool {
        self.replacement.is_some()
    }

    /// The finds in a line, or in a block of one, in order.
    pub(crate) fn matches<'a>(&'a self, line: &'a str) -> impl Iterator<Item = CustomMatch> + 'a {
        self.regex.captures_iter(line).filter_map(|captures| self.read(&captures))
    }

    fn read(&self, captures: &Captures<'_>) -> Option<CustomMatch> {
        let range = captures.get(0)?.range();
        let (secret, replacement) = match &self.replacement {
            Some(template) => {
                let mut text = String::new();
                captures.expand(template, &mut text);
                (range.clone(), Some(text))
            }
            None => (captures.get(1).map_or(range.clone(), |group| group.range()), None),
        };
        (!secret.is_empty()).then_some(CustomMatch { range, secret, replacement })
    }
}

/// Whether a pattern has no bound at all: it takes whatever stands there.
fn takes_anything(regex: &Regex) -> bool {
    ["x", "7 - 7", "~!", "\u{fc} \u{fc}"]
        .iter()
        .all(|text| regex.find(text).is_some_and(|found| found.len() == text.len()))
}

/// Turns the error of the `regex` crate into ours.
///
/// The crate shows the place as a caret under the indented pattern; that is the only form in which
/// it tells, and it tells it for patterns of one line.
fn explain(name: &str, error: &regex::Error) -> BadPattern {
    let text = error.to_string();
    let mut lines = text.lines();
    let shown = lines.by_ref().nth(1).and_then(|line| line.strip_prefix("    "));
    let caret = lines.next().and_then(|line| line.strip_prefix("    "));
    let position = match (shown, caret) {
        (Some(shown), Some(caret)) if caret.trim_start().starts_with('^') => {
            let columns = caret.chars().take_while(|&letter| letter == ' ').count();
            Some(shown.chars().take(columns).map(char::len_utf8).sum())
        }
        _ => None,
    };
    let last = text.lines().last().unwrap_or_default();
    let message = last.strip_prefix("error: ").unwrap_or(last).to_owned();
    BadPattern { name: name.to_owned(), position, message }
}

/// Checks that every group a template names exists.
fn check_template(template: &str, regex: &Regex) -> Result<(), (usize, String)> {
    let mut rest = template;
    while let Some(dollar) = rest.find('$') {
        let at = template.len() - rest.len() + dollar;
        let behind = rest.get(dollar + 1..).unwrap_or_default();
        if let Some(escaped) = behind.strip_prefix('$') {
            rest = escaped;
            continue;
        }
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = match behind.strip_prefix('{') {
            Some(braced) => braced.split_once('}').ok_or((at, "a `{` is not closed".to_owned()))?.0,
            None => behind.split(|letter| !is_name(letter)).next().unwrap_or_default(),
        };
        let known = match name.parse::<usize>() {
            Ok(number) => number < regex.captures_len(),
            Err(_) => name.is_empty() || regex.capture_names().flatten().any(|known| known == name),
        };
        if !known {
            return Err((at, format!("there is no group `{name}`")));
        }
        rest = behind;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(regex: &str, replacement: Option<&str>) -> CustomPattern {
        CustomPattern {
            name: "TICKET".into(),
            regex: regex.into(),
            replacement: replacement.map(Into::into),
        }
    }

    fn refused(regex: &str, replacement: Option<&str>) -> (Option<usize>, String) {
        let bad = Custom::new(&pattern(regex, replacement)).unwrap_err();
        assert_eq!(bad.name, "TICKET");
        (bad.position, bad.message)
    }

    #[test]
    fn a_bad_pattern_is_refused_with_its_place() {
        assert_eq!(refused("ab(cd", None), (Some(2), "unclosed group".into()));
        assert_eq!(refused("ä[z-a]", None).0, Some(3));
        assert_eq!(refused("x{2,1}", None).0, Some(1));
        assert_eq!(refused("a*", None), (Some(0), "it matches the empty string".into()));
        for empty in [r"\b", "(?:ab)?", "^", "x{0,3}"] {
            assert_eq!(refused(empty, None).1, "it matches the empty string", "{empty}");
        }
        for any in [".+", "(?s).+", "^.{1,}$", "[^z]+"] {
            assert!(refused(any, None).1.starts_with("it takes any text"), "{any}");
        }
        assert!(refused("a{1000}{1000}{9}", None).1.contains("size"));
    }

    #[test]
    fn a_replacement_names_only_groups_that_exist() {
        for good in ["[$1]", "${1}", "$user", "$$x", "costs 5$ "] {
            assert!(Custom::new(&pattern("(?<user>a)b", Some(good))).is_ok(), "{good}");
        }
        assert_eq!(refused("ab", Some("x$1")).0, Some(1));
        assert_eq!(refused("ab", Some("${who}")).1, "in the replacement, there is no group `who`");
        assert_eq!(refused("ab", Some("${who")).0, Some(0));
    }

    #[test]
    fn a_name_must_fit_a_placeholder() {
        let named = |name: &str| {
            Custom::new(&CustomPattern { name: name.into(), ..pattern("x", None) }).is_ok()
        };
        assert!(named("MY_SECRET-1.a"));
        assert!(!named(""));
        assert!(!named("A B"));
        assert!(!named("A]"));
        assert!(!named(&"A".repeat(65)));
    }

    #[test]
    fn the_first_group_is_the_secret() {
        let custom = Custom::new(&pattern("ticket=(\\d+)", None)).unwrap();
        let found: Vec<_> = custom.matches("a ticket=12 b").collect();
        assert_eq!(found, [CustomMatch { range: 2..11, secret: 9..11, replacement: None }]);
    }
}
