//! Reads a key and the value given to it, in the forms that code, configuration and shells have.
//!
//! `KEY=value`, `key: "value"`, `"key" => 'value'`, `--key value`, `<key>value</key>`,
//! `set_key("value")` and a few more. Whether the value is a secret is decided in `judge`; here it
//! is only found, within one line and a bounded number of bytes.

mod given;
mod name;
mod value;

use memchr::memrchr;

use crate::class::Class;
use crate::head::{Head, first_bytes};
use crate::judge::LEAST_KEY;
use crate::memo::Memo;
use crate::tail::Tail;
use given::Given;
pub(crate) use given::{Asks, LastGiven};
use name::{NAMES, is_plain_suffix, joins, may_be_plain};
use value::{CODE, read_value};

/// Bytes of a name that are read to the left of a keyword.
pub(crate) const MAX_PREFIX: usize = 48;

/// Bytes of a name that are read to the right of a keyword.
const MAX_SUFFIX: usize = 32;

/// Bytes that say whether a name is one of a key, from the keyword on.
pub(crate) const MAX_NAME: usize = 64;

/// Bytes of the type that a name is declared with.
const MAX_TYPE: usize = 40;

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

/// Whether the name of a key may have one of `words` where `rest` begins, as far as the first letter
/// behind the word says; there are at least [`MAX_NAME`] bytes.
///
/// A name whose value is a path, as in `key://host`, is none that `only_keys` are given to.
pub(crate) fn may_be(rest: &[u8], words: &[Head], only_keys: bool) -> bool {
    let first = first_bytes(rest);
    let word = words.iter().find(|word| word.begins(rest, first));
    let behind = word.and_then(|word| rest.get(word.len()..));
    behind.is_some_and(|behind| may_be_plain(behind) && !(only_keys && behind.starts_with(b":/")))
}

/// Reads the assignment whose key has one of `words` at `at`; the longest word comes first.
#[inline(never)]
pub(crate) fn read<'t>(
    chunk: &'t str,
    at: usize,
    words: &[Head],
    memo: &mut Memo,
) -> Option<Claim<'t>> {
    let bytes = chunk.as_bytes();
    let here = bytes.get(at..)?;
    let first = first_bytes(here);
    let word = words.iter().find(|word| word.begins(here, first))?.text;
    let word_end = at + word.len();
    if !may_be_plain(bytes.get(word_end..)?) {
        return None;
    }
    let suffix_len = NAMES.run(bytes.get(word_end..)?, MAX_SUFFIX);
    if !is_plain_suffix(chunk.get(word_end..word_end + suffix_len)?) {
        return None;
    }
    let names = bytes.get(..at)?.iter().rev().take(MAX_PREFIX);
    let start = at - names.take_while(|&&byte| NAMES.has(byte)).count();
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

fn read_relation(
    cursor: &mut Cursor<'_>,
    chunk: &str,
    (start, word): (usize, &str),
    memo: &mut Memo,
) -> Option<Relation> {
    let quoted = cursor.quote();
    if let Some((slashes, _)) = quoted {
        cursor.at += slashes + 1;
    }
    let indexed = cursor.eat(b']') > 0;
    if skip_alternative(cursor, indexed) {
        return Some(Relation::Spaced);
    }
    if quoted.is_some() && skip_label(cursor) {
        return Some(Relation::Colon);
    }
    let blanks = cursor.skip_blanks();
    if blanks > 0 {
        skip_declared_type(cursor);
    }
    // `password?: string = …` and `PASSWORD ?= …`.
    if matches!((cursor.peek(0), cursor.peek(1)), (Some(b'?'), Some(b':' | b'='))) {
        cursor.at += 1;
    }
    let flag = chunk.get(start..).is_some_and(|key| key.starts_with('-'));
    let (relation, len) = match (cursor.peek(0)?, cursor.peek(1)) {
        (b':', Some(b':')) => (Relation::Spaced, defined(cursor.rest())?),
        (b'=', Some(b'~')) => return None,
        (b'=' | b'!', Some(b'=')) => (Relation::Compare, 2),
        (b'=', Some(b'>')) => (Relation::Colon, 2),
        (b'=', Some(b' ' | b'\t')) => (Relation::Spaced, 1),
        (b'=', _) if blanks > 0 => (Relation::Spaced, 1),
        (b'=', _) => (Relation::Tight, 1),
        (b'+' | b'.', Some(b'=')) => (Relation::Spaced, 2),
        // `${NAME:-value}`.
        (b':', Some(b'-' | b'=')) if before(chunk, start).ends_with("${") => (Relation::Tight, 2),
        (b':', Some(b'=')) => (Relation::Spaced, 2),
        (b':', _) => (Relation::Colon, 1),
        (b',', _) if quoted.is_some() && asks_for_default(before(chunk, start)) => {
            (Relation::Spaced, 1)
        }
        // Not in `open("/etc/passwd", "utf8")`.
        (b',', _) if quoted.is_some() && !before(chunk, start).ends_with('/') => {
            (Relation::Comma, 1)
        }
        // `set :password, "…"`.
        (b',', _) if before(chunk, start).ends_with(" :") => (Relation::Comma, 1),
        (b'(', _) if blanks == 0 && quoted.is_none() => (Relation::Call, 1),
        // `Key key{"…"}`.
        (b'{', Some(b'"')) if blanks == 0 && quoted.is_none() => (Relation::Call, 1),
        (b'>', _) if before(chunk, start).ends_with('<') => (Relation::Element, 1),
        // `<string name="key">…</string>`; that of a password is a label.
        (b'>', _) if is_machine_made(word) && before(chunk, start).ends_with("name=\"") => {
            (Relation::Element, 1)
        }
        (byte, _) if byte.is_ascii_alphanumeric() && is_machine_made(word) && is_short(cursor) => {
            return None;
        }
        (byte, _)
            if blanks > 0 && (flag || matches!(byte, b'"' | b'\'') || is_netrc(chunk, start)) =>
        {
            (Relation::Beside, 0)
        }
        (byte, _) if blanks > 0 && byte.is_ascii_alphanumeric() && is_machine_made(word) => {
            (Relation::Loose, 0)
        }
        _ => return None,
    };
    cursor.at += len;
    if relation == Relation::Compare {
        cursor.eat(b'=');
    }
    if relation == Relation::Colon {
        skip_annotation(cursor, memo);
    }
    cursor.skip_blanks();
    Some(relation)
}

/// Whether a word is at the cursor that is shorter than any key, and no name of something around
/// one: a text may be full of such words.
fn is_short(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let len = CODE.run(rest, LEAST_KEY);
    let wraps = rest.starts_with(b"new ")
        || rest.get(len).is_some_and(|next| is_quote(*next) || matches!(next, b'(' | b'\\'));
    len < LEAST_KEY && !wraps
}

/// Steps over what tells a pair in two fields: `key="password" value="…"` and
/// `"key": "password", "value": "…"`.
fn skip_label(cursor: &mut Cursor<'_>) -> bool {
    let mut ahead = Cursor { bytes: cursor.bytes, at: cursor.at };
    ahead.eat(b',');
    ahead.skip_blanks();
    if ahead.quote().is_some_and(|(slashes, _)| slashes == 0) {
        ahead.at += 1;
    }
    let named = ahead.rest().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"value"));
    ahead.at += 5;
    if ahead.quote().is_some_and(|(slashes, _)| slashes == 0) {
        ahead.at += 1;
    }
    let given = named && matches!(ahead.peek(0), Some(b'=' | b':'));
    if given {
        cursor.at = ahead.at + 1;
        cursor.skip_blanks();
    }
    given
}

/// Steps over what is taken where a name is given nothing: `ENV["KEY"] || "…"`, `env.KEY ?? '…'`,
/// `os.environ.get("KEY") or "…"`, `ENV.fetch("KEY") { "…" }`.
fn skip_alternative(cursor: &mut Cursor<'_>, indexed: bool) -> bool {
    let mut ahead = Cursor { bytes: cursor.bytes, at: cursor.at };
    let closed = ahead.eat(b')') > 0 || indexed;
    let blanks = ahead.skip_blanks();
    let joint = match (ahead.peek(0), ahead.peek(1)) {
        (Some(b'|'), Some(b'|')) | (Some(b'?'), Some(b'?')) => 2,
        // A sentence has the word too.
        (Some(b'o'), Some(b'r')) if closed && blanks > 0 && ahead.peek(2) == Some(b' ') => 2,
        (Some(b'{'), _) if closed && blanks > 0 => 1,
        _ => return false,
    };
    ahead.at += joint;
    ahead.skip_blanks();
    let quoted = ahead.quote().is_some();
    if quoted {
        cursor.at = ahead.at;
    }
    quoted
}

/// The length of `::=` or `:::=`, which makefiles have; what else begins so is a path of code.
fn defined(rest: &[u8]) -> Option<usize> {
    [&b"::="[..], b":::="].into_iter().find(|mark| rest.starts_with(mark)).map(<[u8]>::len)
}

/// Whether `lead` ends in a call whose second argument is what the first one, a name, is given.
fn asks_for_default(lead: &str) -> bool {
    let lead = lead.trim_end_matches(['"', '\'', '`']).trim_end_matches(' ');
    ["env(", "define(", "ENV.fetch(", "environ.get(", ".setdefault("]
        .iter()
        .any(|call| lead.ends_with(call))
}

/// Steps over the type in `Dim password As String = "…"` and `var password string = "…"`.
fn skip_declared_type(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    let named = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"as "));
    let lead = if named { 3 } else { 0 };
    let name = DECLARED.run(rest.get(lead..).unwrap_or_default(), MAX_DECLARED);
    let mut behind = Cursor { bytes: cursor.bytes, at: cursor.at + lead + name };
    let blanks = behind.skip_blanks();
    let assigned = behind.peek(0) == Some(b'=') && behind.peek(1) != Some(b'=');
    if name == 0 || !assigned {
        return;
    }
    let mut value = Cursor { bytes: cursor.bytes, at: behind.at + 1 };
    value.skip_blanks();
    if named || (blanks > 0 && value.quote().is_some()) {
        cursor.at = behind.at;
    }
}

/// Bytes of such a type.
const MAX_DECLARED: usize = 24;

/// Steps over the type in `password: &str = "…"`.
fn skip_annotation(cursor: &mut Cursor<'_>, memo: &mut Memo) {
    let len = memo.types.run(&TYPES, (memo.origin + cursor.at, cursor.rest()), MAX_TYPE);
    let assigned = cursor.peek(len) == Some(b'=') && cursor.peek(len + 1) != Some(b'=');
    let mut behind = Cursor { bytes: cursor.bytes, at: cursor.at + len + 1 };
    behind.skip_blanks();
    if len > 1 && assigned && behind.quote().is_some() {
        cursor.at = behind.at;
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

/// `machine … login … password …`.
fn is_netrc(chunk: &str, start: usize) -> bool {
    let opens = |rest: &[u8]| rest.last().is_none_or(|last| BLANKS.has(*last));
    before_last_word(chunk, start).strip_suffix(b"login").is_some_and(opens)
}

/// What stands before the name at `start` and the word before it.
fn before_last_word(chunk: &str, start: usize) -> &[u8] {
    let mut lead = before(chunk, start).as_bytes();
    for blank in [true, false, true] {
        while let [rest @ .., last] = lead
            && BLANKS.has(*last) == blank
        {
            lead = rest;
        }
    }
    lead
}

static BLANKS: Class = Class::of(b" \t\n");

/// What types are made of where they stand between a name and its value.
static DECLARED: Class = Class::of(b"_.*[]").with_alphanumerics();

/// What types are made of.
static TYPES: Class = Class::of(b" _&<>[]?|.'").with_alphanumerics();

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

#[cfg(test)]
mod tests;
