//! Reads what stands between the name of a key and its value.

use memchr::memrchr3;

use super::value::CODE;
use super::{Cursor, Relation, before, is_machine_made, is_quote};
use crate::class::Class;
use crate::judge::LEAST_KEY;
use crate::memo::Memo;

/// Bytes of the type that a name is declared with.
const MAX_TYPE: usize = 40;

pub(super) fn read_relation(
    cursor: &mut Cursor<'_>,
    chunk: &str,
    (start, word): (usize, &str),
    memo: &mut Memo,
) -> Option<Relation> {
    // Most are given right behind the name, and nothing else is to be asked then.
    let given = matches!(cursor.peek(0), Some(b'=' | b':'));
    let (quoted, blanks) = match given {
        true => (false, 0),
        false => match skip_dress(cursor, before(chunk, start)) {
            Dressed::Given(relation) => return Some(relation),
            Dressed::Name { quoted, blanks } => (quoted, blanks),
        },
    };
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
        (b',', _) if quoted && asks_for_default(before(chunk, start)) => (Relation::Spaced, 1),
        // Not in `open("/etc/passwd", "utf8")`.
        (b',', _) if quoted && !before(chunk, start).ends_with('/') => (Relation::Comma, 1),
        // `set :password, "…"`.
        (b',', _) if before(chunk, start).ends_with(" :") => (Relation::Comma, 1),
        (b'(', _) if blanks == 0 && !quoted => (Relation::Call, 1),
        // `Key key{"…"}`.
        (b'{', Some(b'"')) if blanks == 0 && !quoted => (Relation::Call, 1),
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

/// What stands behind a name that nothing is given to right there.
enum Dressed {
    /// What gives it a value, which is at the cursor.
    Given(Relation),
    /// What belongs to the name: a quote, and blanks behind it.
    Name { quoted: bool, blanks: usize },
}

/// Steps over what a name is dressed in, behind `lead` and itself.
fn skip_dress(cursor: &mut Cursor<'_>, lead: &str) -> Dressed {
    let quote = cursor.quote();
    if let Some((slashes, _)) = quote {
        cursor.at += slashes + 1;
    }
    let quoted = quote.is_some();
    let indexed = cursor.eat(b']') > 0;
    if !quoted && !indexed {
        skip_length(cursor);
    }
    if skip_alternative(cursor, indexed, lead) {
        return Dressed::Given(Relation::Spaced);
    }
    if quoted && skip_label(cursor) {
        return Dressed::Given(Relation::Colon);
    }
    let blanks = cursor.skip_blanks();
    if blanks > 0 {
        skip_declared_type(cursor);
    }
    // `password?: string = …` and `PASSWORD ?= …`.
    if matches!((cursor.peek(0), cursor.peek(1)), (Some(b'?'), Some(b':' | b'='))) {
        cursor.at += 1;
    }
    Dressed::Name { quoted, blanks }
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

/// Steps over the length of an array in `char password[32] = "…"`.
fn skip_length(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    let digits = rest.iter().skip(1).take(MAX_LENGTH).take_while(|byte| byte.is_ascii_digit());
    let end = digits.count() + 1;
    if rest.first() == Some(&b'[') && rest.get(end) == Some(&b']') {
        cursor.at += end + 1;
    }
}

/// Digits of such a length.
const MAX_LENGTH: usize = 6;

/// Steps over what is taken where a name is given nothing: `ENV["KEY"] || "…"`, `env.KEY ?? '…'`,
/// `os.environ.get("KEY") or "…"`, `ENV.fetch("KEY") { "…" }`.
fn skip_alternative(cursor: &mut Cursor<'_>, indexed: bool, lead: &str) -> bool {
    let mut ahead = Cursor { bytes: cursor.bytes, at: cursor.at };
    let closed = ahead.eat(b')') > 0 || indexed;
    let blanks = ahead.skip_blanks();
    // Sentences and conditions have the word, and blocks the brace.
    let asked = || closed && blanks > 0 && asks_for_default(lead);
    let joint = match (ahead.peek(0), ahead.peek(1)) {
        (Some(b'|'), Some(b'|')) | (Some(b'?'), Some(b'?')) => 2,
        (Some(b'o'), Some(b'r')) if ahead.peek(2) == Some(b' ') && asked() => 2,
        (Some(b'{'), _) if asked() => 1,
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

/// Whether `lead` ends where the environment is asked for a name, or a name is given something by a
/// call that has both.
fn asks_for_default(lead: &str) -> bool {
    let lead = lead.trim_end_matches(['"', '\'', '`']).trim_end_matches(' ');
    ["env(", "define(", "ENV.fetch(", "environ.get(", ".setdefault(", "ENV[", "environ["]
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

/// `machine … login … password …`.
fn is_netrc(chunk: &str, start: usize) -> bool {
    let opens = |rest: &[u8]| rest.last().is_none_or(|last| BLANKS.has(*last));
    before_last_word(chunk, start).strip_suffix(b"login").is_some_and(opens)
}

/// What stands before the name at `start` and the word before it.
pub(super) fn before_last_word(chunk: &str, start: usize) -> &[u8] {
    let unblank = |mut lead: &'_ [u8]| {
        while let [rest @ .., last] = lead
            && BLANKS.has(*last)
        {
            lead = rest;
        }
        lead.len()
    };
    let lead = before(chunk, start).as_bytes();
    let word = lead.get(..unblank(lead)).unwrap_or_default();
    // The word may be long.
    let blank = memrchr3(b' ', b'\t', b'\n', word).map_or(0, |at| at + 1);
    let lead = lead.get(..blank).unwrap_or_default();
    lead.get(..unblank(lead)).unwrap_or_default()
}

static BLANKS: Class = Class::of(b" \t\n");

/// What types are made of where they stand between a name and its value.
static DECLARED: Class = Class::of(b"_.*[]").with_alphanumerics();

/// What types are made of.
static TYPES: Class = Class::of(b" _&<>[]?|.'").with_alphanumerics();
