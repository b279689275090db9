//! Reads a key and the value given to it, in the forms that code, configuration and shells have.
//!
//! `KEY=value`, `key: "value"`, `"key" => 'value'`, `--key value`, `<key>value</key>`,
//! `set_key("value")` and a few more. Whether the value is a secret is decided in `judge`; here it
//! is only found, within one line and a bounded number of bytes.

mod given;
mod name;
mod relation;
mod value;
mod words;

use memchr::memrchr;

use crate::memo::Memo;
use crate::tail::Tail;
use given::Given;
pub(crate) use given::{Asks, LastGiven};
pub(crate) use name::LastName;
use name::{joins, plain_suffix};
use relation::{before_last_word, read_relation};
use value::read_value;
pub(crate) use words::Words;

/// Bytes of a name that are read to the left of a keyword.
pub(crate) const MAX_PREFIX: usize = 48;

/// Bytes of a name that are read to the right of a keyword.
const MAX_SUFFIX: usize = 32;

/// Bytes that say whether a name is one of a key, from the keyword on.
pub(crate) const MAX_NAME: usize = 64;

/// Blanks in an aligned assignment.
const MAX_BLANKS: usize = 64;

/// A value found behind a key.
#[derive(Debug)]
pub(crate) struct Claim<'t> {
    /// Where the key's name begins.
    pub(crate) start: usize,
    /// The key's name up to the word that made it interesting, without leading dashes.
    pub(crate) prefix: &'t str,
    /// That word.
    pub(crate) word: &'static str,
    pub(crate) relation: Relation,
    pub(crate) value_at: usize,
    pub(crate) value: &'t str,
    pub(crate) dress: Dress,
    /// What stands before the key, as far as it is looked at.
    lead: &'t str,
    /// The byte behind the value.
    pub(crate) after: Option<u8>,
    pub(crate) tail: Tail,
}

/// How the value is given to the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// `key=value`, with nothing between.
    Tight,
    /// `key = value` or `key := value`.
    Spaced,
    /// `key: value` or `key => value`.
    Colon,
    /// `key == value`.
    Compare,
    /// `"key", "value"`.
    Comma,
    /// `key("value")` or `key = wrap("value")`.
    Call,
    /// `<key>value</key>`.
    Element,
    /// `--key value`.
    Beside,
    /// `secret value`, with nothing but a blank between.
    Loose,
}

/// What the value is dressed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dress {
    /// Between two quotes.
    Quoted,
    /// Behind a quote that nothing closes on this line.
    Unclosed,
    /// Bare, as in source code.
    Bare,
    /// Bare, on a line of an environment file or behind `export`.
    Environment,
}

/// Whether the name of a key may have one of `words` where `rest` begins, as far as what is behind the
/// word says; there are at least [`MAX_NAME`] bytes.
///
/// A name whose value is a path, as in `key://host`, is none that `only_keys` are given to.
pub(crate) fn may_be(rest: &[u8], words: &Words, only_keys: bool) -> bool {
    let behind = words.find(rest).and_then(|word| rest.get(word.len()..));
    let may_be =
        |behind: &[u8]| plain_suffix(behind).is_some() && !(only_keys && behind.starts_with(b":/"));
    behind.is_some_and(may_be)
}

/// Reads the assignment whose key has one of `words` at `at`, where their keyword stands.
#[inline(never)]
pub(crate) fn read<'t>(
    chunk: &'t str,
    at: usize,
    words: &Words,
    memo: &mut Memo,
) -> Option<Claim<'t>> {
    let bytes = chunk.as_bytes();
    let here = bytes.get(at..)?;
    let word = words.find(here)?.text;
    let word_end = at + word.len();
    let suffix_len = plain_suffix(bytes.get(word_end..)?)?;
    let start = memo.names.begin(memo.origin, (at, word_end + suffix_len), bytes);
    let (lead, prefix) = (before(chunk, start), chunk.get(start..at)?);
    // A path of a programming language ends in the name of a type, not of a value.
    if lead.as_bytes().ends_with(b"::") || !joins(prefix, word, *here.first()?) {
        return None;
    }
    let given = given(chunk, (start, word_end + suffix_len), word, memo)?;
    let value_at = given.at - memo.origin;
    Some(Claim {
        start,
        prefix: prefix.trim_start_matches('-'),
        word,
        relation: given.relation,
        lead,
        value_at,
        value: chunk.get(value_at..value_at + given.len)?,
        dress: given.dress,
        after: given.after,
        tail: given.tail,
    })
}

/// What the name between two places is given, which `memo` may know.
fn given(chunk: &str, (start, end): (usize, usize), word: &str, memo: &mut Memo) -> Option<Given> {
    let name = (memo.origin + start, memo.origin + end);
    if let Some(known) = memo.given.get(name) {
        return known.cloned();
    }
    let mut cursor = Cursor { bytes: chunk.as_bytes(), at: end };
    let relation = read_relation(&mut cursor, chunk, (start, word), memo)?;
    let mut given = read_value(cursor, chunk, (start, relation), (word, memo));
    if let Some(given) = &mut given {
        given.at += memo.origin;
    }
    // Where nothing stands between, the words before the name have decided.
    let beside = matches!(relation, Relation::Beside | Relation::Loose);
    let far = beside && before_last_word(chunk, start).len() < 2 * MAX_PREFIX;
    if !far && given.as_ref().is_none_or(|given| given.close && given.after.is_some()) {
        memo.given.set(name, given.clone());
    }
    given
}

impl Claim<'_> {
    /// Whether only blanks, a quote or a list mark stand before the key on its line.
    pub(crate) fn opens_line(&self) -> bool {
        last_line(self.lead).trim_start_matches(BULLETS).is_empty()
    }

    /// Whether the key stands in a list like `Server=h;Pwd=x;`, where no variable can stand.
    pub(crate) fn is_in_list(&self) -> bool {
        self.lead.trim_end_matches(' ').ends_with(';')
    }
}

struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Cursor<'t> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, byte: u8) -> usize {
        let eaten = usize::from(self.peek(0) == Some(byte));
        self.at += eaten;
        eaten
    }

    fn skip_blanks(&mut self) -> usize {
        let blanks =
            self.rest().iter().take(MAX_BLANKS).take_while(|byte| matches!(byte, b' ' | b'\t'));
        let count = blanks.count();
        self.at += count;
        count
    }

    /// The quote at the cursor and how many backslashes stand before it.
    fn quote(&self) -> Option<(usize, u8)> {
        let slashes = self.rest().iter().take(8).take_while(|&&byte| byte == b'\\').count();
        self.peek(slashes).filter(|&byte| is_quote(byte)).map(|quote| (slashes, quote))
    }
}

/// What stands before the first word of a line without making it part of a sentence.
const BULLETS: &[char] = &[' ', '\t', '#', '-', '"', '\''];

/// The line up to the key.
fn lead_of_line(chunk: &str, start: usize) -> &str {
    last_line(before(chunk, start))
}

fn last_line(text: &str) -> &str {
    let begin = memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
    text.get(begin..).unwrap_or_default()
}

fn before(chunk: &str, start: usize) -> &str {
    chunk.get(..start).unwrap_or_default()
}

/// Words for what a machine makes: a value may follow them with nothing but a blank between.
fn is_machine_made(word: &str) -> bool {
    // Asked at every hit, so byte by byte.
    matches!(
        word.as_bytes(),
        [.., b'k', b'e', b'y']
            | [.., b't', b'o', b'k', b'e', b'n']
            | [.., b's', b'e', b'c', b'r', b'e', b't']
    )
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

#[cfg(test)]
mod tests;
