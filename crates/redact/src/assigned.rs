//! Reads a key and the value given to it, in the forms that code, configuration and shells have.
//!
//! `KEY=value`, `key: "value"`, `"key" => 'value'`, `--key value`, `<key>value</key>`,
//! `set_key("value")` and a few more. Whether the value is a secret is decided in `judge`; here it
//! is only found, within one line and a bounded number of bytes.

use crate::class::Class;
use crate::tail::{Quoted, Tail};

/// Bytes of a name that are read to the left of a keyword.
pub(crate) const MAX_PREFIX: usize = 48;

/// Bytes of a name that are read to the right of a keyword.
const MAX_SUFFIX: usize = 32;

/// Blanks in an aligned assignment.
const MAX_BLANKS: usize = 64;

/// A bare value is judged by so many bytes; its tail takes the rest.
const MAX_BARE: usize = 96;

/// What is a list of keys shows it by so many bytes.
const FIRST_LOOK: usize = 24;

/// So many `=` may be in them, padding not counted.
const MOST_JOINTS: usize = 2;

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
    /// Only blanks, a quote or a list mark stand before the key on its line.
    pub(crate) opens_line: bool,
    /// The key stands in a list like `Server=h;Pwd=x;`, where no variable can stand.
    pub(crate) in_list: bool,
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

/// Reads the assignment whose key has one of `words` at `at`; the longest word comes first.
pub(crate) fn read<'t>(chunk: &'t str, at: usize, words: &[&'static str]) -> Option<Claim<'t>> {
    let bytes = chunk.as_bytes();
    let here = bytes.get(at..)?;
    let word = *words.iter().find(|word| {
        here.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
    })?;
    let word_end = at + word.len();
    let suffix_len =
        bytes.get(word_end..)?.iter().take(MAX_SUFFIX).take_while(|&&byte| is_name(byte)).count();
    if !is_plain_suffix(chunk.get(word_end..word_end + suffix_len)?) {
        return None;
    }
    let lead = bytes.get(..at)?;
    let prefix_len = lead.iter().rev().take(MAX_PREFIX).take_while(|&&byte| is_name(byte)).count();
    let start = at - prefix_len;
    let prefix = chunk.get(start..at)?;
    // A path of a programming language ends in the name of a type, not of a value.
    if before(chunk, start).ends_with("::") {
        return None;
    }
    if !joins(prefix, word, *here.first()?) {
        return None;
    }
    let mut cursor = Cursor { bytes, at: word_end + suffix_len };
    let relation = read_relation(&mut cursor, chunk, start, word)?;
    let claim = Claim {
        start,
        prefix: prefix.trim_start_matches('-'),
        word,
        relation,
        opens_line: lead_of_line(chunk, start).trim_start_matches(BULLETS).is_empty(),
        in_list: before(chunk, start).trim_end_matches(' ').ends_with(';'),
        value_at: 0,
        value: "",
        dress: Dress::Bare,
        after: None,
        tail: Tail::Closed,
    };
    read_value(cursor, chunk, claim)
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
    start: usize,
    word: &str,
) -> Option<Relation> {
    let quoted = cursor.quote();
    if let Some((slashes, _)) = quoted {
        cursor.at += slashes + 1;
    }
    cursor.eat(b']');
    if quoted.is_some() && skip_label(cursor) {
        return Some(Relation::Colon);
    }
    let blanks = cursor.skip_blanks();
    skip_declared_type(cursor);
    // `password?: string = …` and `PASSWORD ?= …`.
    if matches!((cursor.peek(0), cursor.peek(1)), (Some(b'?'), Some(b':' | b'='))) {
        cursor.at += 1;
    }
    let flag = chunk.get(start..).is_some_and(|key| key.starts_with('-'));
    let (relation, len) = match (cursor.peek(0)?, cursor.peek(1)) {
        (b'=', Some(b'~')) | (b':', Some(b':')) => return None,
        (b'=' | b'!', Some(b'=')) => (Relation::Compare, 2),
        (b'=', Some(b'>')) => (Relation::Colon, 2),
        (b'=', Some(b' ' | b'\t')) => (Relation::Spaced, 1),
        (b'=', _) if blanks > 0 => (Relation::Spaced, 1),
        (b'=', _) => (Relation::Tight, 1),
        (b':', Some(b'=')) => (Relation::Spaced, 2),
        (b':', _) => (Relation::Colon, 1),
        // Not in `open("/etc/passwd", "utf8")`.
        (b',', _) if quoted.is_some() && !before(chunk, start).ends_with('/') => {
            (Relation::Comma, 1)
        }
        // `set :password, "…"`.
        (b',', _) if before(chunk, start).ends_with(" :") => (Relation::Comma, 1),
        (b'(', _) if blanks == 0 && quoted.is_none() => (Relation::Call, 1),
        (b'>', _) if before(chunk, start).ends_with('<') => (Relation::Element, 1),
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
        skip_annotation(cursor);
    }
    cursor.skip_blanks();
    Some(relation)
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

/// Steps over the type in `Dim password As String = "…"`.
fn skip_declared_type(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    if !rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"as ")) {
        return;
    }
    let name = rest.iter().skip(3).take(24).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let mut behind = Cursor { bytes: cursor.bytes, at: cursor.at + 3 + name };
    behind.skip_blanks();
    if name > 0 && behind.peek(0) == Some(b'=') {
        cursor.at = behind.at;
    }
}

/// Steps over the type in `password: &str = "…"`.
fn skip_annotation(cursor: &mut Cursor<'_>) {
    let is_type = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'_' | b'&' | b'<' | b'>' | b'[' | b']' | b'?' | b'|' | b'.')
            || *byte == b'\''
    };
    let len = cursor.rest().iter().take(40).take_while(|byte| is_type(byte)).count();
    let assigned = cursor.peek(len) == Some(b'=') && cursor.peek(len + 1) != Some(b'=');
    let mut behind = Cursor { bytes: cursor.bytes, at: cursor.at + len + 1 };
    behind.skip_blanks();
    if len > 1 && assigned && behind.quote().is_some() {
        cursor.at = behind.at;
    }
}

fn read_value<'t>(
    mut cursor: Cursor<'t>,
    chunk: &'t str,
    mut claim: Claim<'t>,
) -> Option<Claim<'t>> {
    if claim.relation == Relation::Element {
        let claim = finish_run(claim, chunk, cursor.at, in_element);
        let behind = chunk.get(claim.value_at + claim.value.len()..)?;
        return behind.starts_with("</").then_some(claim);
    }
    skip_wrapper(&mut cursor, &mut claim.relation);
    // The letter of a raw, byte or format string.
    let lettered = matches!(cursor.peek(0), Some(b'b' | b'r' | b'u' | b'f' | b'L' | b'@'));
    if lettered && cursor.peek(1).is_some_and(is_quote) {
        cursor.at += 1;
    }
    let Some((slashes, quote)) = cursor.quote() else {
        // `a=b=c=d` is a list of something, and a text may be full of it.
        let head = cursor.rest().iter().take(FIRST_LOOK).take_while(|&&byte| in_code(byte));
        if head.filter(|&&byte| byte == b'=').count() > MOST_JOINTS {
            return None;
        }
        let environment = claim.relation == Relation::Tight && is_environment(chunk, claim.start);
        let (dress, class): (_, fn(u8) -> bool) = match environment {
            true => (Dress::Environment, in_environment),
            false => (Dress::Bare, in_code),
        };
        claim.dress = dress;
        return Some(finish_run(claim, chunk, cursor.at, class));
    };
    cursor.at += slashes + 1;
    if slashes > 0 {
        let mut claim = finish_run(claim, chunk, cursor.at, in_escaped_quotes);
        claim.dress = dress_of(claim.after == Some(b'\\'));
        return Some(claim);
    }
    let mut quoted = Quoted { quote, escaped: false };
    let len = quoted.advance(cursor.rest());
    claim.value_at = cursor.at;
    claim.value = chunk.get(cursor.at..cursor.at + len)?;
    claim.after = cursor.peek(len);
    claim.dress = dress_of(claim.after == Some(quote));
    claim.tail = Tail::Quoted(quoted);
    Some(claim)
}

fn dress_of(closed: bool) -> Dress {
    if closed { Dress::Quoted } else { Dress::Unclosed }
}

fn finish_run<'t>(
    mut claim: Claim<'t>,
    chunk: &'t str,
    at: usize,
    class: fn(u8) -> bool,
) -> Claim<'t> {
    let rest = chunk.get(at..).unwrap_or_default();
    let len = rest.bytes().take(MAX_BARE).take_while(|&byte| class(byte)).count();
    let len = rest.floor_char_boundary(len);
    claim.value_at = at;
    claim.value = rest.get(..len).unwrap_or_default();
    claim.after = rest.as_bytes().get(len).copied();
    claim.tail = Tail::Run(class);
    claim
}

/// Steps into `Some("…")`, `String::from("…")`, `new Secret("…")`: what wraps a value has the name
/// of a type.
fn skip_wrapper(cursor: &mut Cursor<'_>, relation: &mut Relation) {
    const SHELL: &[u8] = b"ConvertTo-SecureString ";
    let rest = cursor.rest();
    if rest.starts_with(SHELL) && rest.get(SHELL.len()).copied().is_some_and(is_quote) {
        cursor.at += SHELL.len();
        return;
    }
    let new = if rest.starts_with(b"new ") { 4 } else { 0 };
    let is_path = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.');
    let name = rest.iter().skip(new).take(48).take_while(is_path).count();
    let typed = rest.get(new).is_some_and(u8::is_ascii_uppercase);
    let opens = rest.get(new + name) == Some(&b'(');
    if typed && opens && rest.get(new + name + 1).copied().is_some_and(is_quote) {
        cursor.at += new + name + 1;
        *relation = Relation::Call;
    }
}

/// What stands before the first word of a line without making it part of a sentence.
const BULLETS: &[char] = &[' ', '\t', '#', '-', '"', '\''];

/// The line up to the key.
fn lead_of_line(chunk: &str, start: usize) -> &str {
    let lead = before(chunk, start);
    lead.rsplit_once('\n').map_or(lead, |(_, line)| line)
}

fn before(chunk: &str, start: usize) -> &str {
    chunk.get(..start).unwrap_or_default()
}

/// Words for what a machine makes: a value may follow them with nothing but a blank between.
fn is_machine_made(word: &str) -> bool {
    ["secret", "token", "key"].iter().any(|made| word.ends_with(made))
}

/// `machine … login … password …`.
fn is_netrc(chunk: &str, start: usize) -> bool {
    let mut words = before(chunk, start).rsplit([' ', '\t', '\n']).filter(|word| !word.is_empty());
    words.nth(1) == Some("login")
}

/// Whether the key stands where an environment variable is set, and is written like one.
fn is_environment(chunk: &str, start: usize) -> bool {
    let name_is_upper = chunk
        .bytes()
        .skip(start)
        .take_while(|&byte| is_name(byte))
        .all(|byte| !byte.is_ascii_lowercase() && byte != b'-');
    let lead = lead_of_line(chunk, start).trim_start_matches(BULLETS);
    let opens = ["", "export ", "ENV ", "ARG ", "env ", "set ", "SET ", "REM SET "];
    name_is_upper && opens.contains(&lead)
}

/// Whether `word` is a word of its own in the name: `db_pass` and `dbPass`, not `compass`.
fn joins(prefix: &str, word: &str, first: u8) -> bool {
    const SHORT: &[&str] = &["pass", "pwd", "psk"];
    const JOINED: &[&str] =
        &["db", "my", "pg", "user", "root", "admin", "smtp", "mail", "ftp", "sql", "ssh", "redis"];
    let Some(last) = prefix.bytes().last() else { return true };
    if !SHORT.contains(&word) || !last.is_ascii_alphabetic() {
        return true;
    }
    let hump = last.is_ascii_lowercase() && first.is_ascii_uppercase();
    let ends = |joined: &&str| {
        let tail = prefix.len().checked_sub(joined.len()).and_then(|at| prefix.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(joined))
    };
    hump || JOINED.iter().any(ends)
}

/// Whether what follows the word leaves the name a name for the secret itself.
///
/// `password_2` and `TOKEN_PROD` do; `password_file`, `tokenType` and `secretName` do not.
fn is_plain_suffix(suffix: &str) -> bool {
    #[rustfmt::skip]
    const PLAIN: &[&str] = &[
        "", "value", "val", "text", "plain", "raw", "string", "prod", "production", "dev", "test",
        "staging", "live", "default", "admin", "root", "user", "db", "main", "primary",
        "secondary", "old", "new", "current",
    ];
    if suffix.is_empty() {
        return true;
    }
    let suffix = suffix.trim_start_matches(['_', '-']);
    let suffix = suffix.trim_end_matches(|last: char| last.is_ascii_digit());
    let suffix = suffix.trim_end_matches(['_', '-']);
    PLAIN.iter().any(|plain| suffix.eq_ignore_ascii_case(plain))
}

static NAMES: Class = Class::of(b"_-").with_alphanumerics();
static ENVIRONMENT: Class = Class::but(b" \t\n\x0c\r\"'`\\");
static CODE: Class = Class::but(b" \t\n\x0c\r\"'`\\,;&|<>()[]{}");

fn is_name(byte: u8) -> bool {
    NAMES.has(byte)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn in_environment(byte: u8) -> bool {
    ENVIRONMENT.has(byte)
}

fn in_code(byte: u8) -> bool {
    CODE.has(byte)
}

fn in_escaped_quotes(byte: u8) -> bool {
    byte != b'\\' && byte != b'\n' && !is_quote(byte)
}

fn in_element(byte: u8) -> bool {
    byte != b'<' && byte != b'\n'
}

#[cfg(test)]
mod tests;
