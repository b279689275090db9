//! Reads the value of an assignment: what it is dressed in, and where it ends.

use memchr::memchr;

use super::given::Given;
use super::name::NAMES;
use super::{BULLETS, Cursor, Dress, Relation, before, is_machine_made, is_quote, lead_of_line};
use crate::class::Class;
use crate::judge::form::has_joints;
use crate::memo::Memo;
use crate::tail::{Quoted, Tail};

/// A bare value is judged by so many bytes; its tail takes the rest.
const MAX_BARE: usize = 96;

/// What is a list of keys shows it by so many bytes.
const FIRST_LOOK: usize = 24;

/// Letters of the longest name that wraps a value.
const MAX_WRAPPER: usize = 48;

/// So many `=` may be in them, padding not counted.
const MOST_JOINTS: u8 = 2;

pub(super) fn read_value(
    mut cursor: Cursor<'_>,
    chunk: &str,
    (start, mut relation): (usize, Relation),
    (word, memo): (&str, &mut Memo),
) -> Option<Given> {
    if relation == Relation::Element {
        let len = ELEMENT.run(cursor.rest(), MAX_BARE);
        let given = finish_run(chunk, cursor.at, relation, (len, in_element));
        let behind = chunk.get(given.at + given.len..)?;
        return behind.starts_with("</").then_some(given);
    }
    skip_wrapper(&mut cursor, &mut relation);
    // The letter of a raw, byte or format string.
    let lettered = matches!(cursor.peek(0), Some(b'b' | b'r' | b'u' | b'f' | b'L' | b'@'));
    if lettered && cursor.peek(1).is_some_and(is_quote) {
        cursor.at += 1;
    }
    let Some((slashes, quote)) = cursor.quote() else {
        // `a=b=c=d` is a list of something, and a text may be full of it.
        let most = if is_machine_made(word) { 0 } else { MOST_JOINTS };
        let place = (memo.origin + cursor.at, cursor.rest());
        let head = memo.code.run(&CODE, place, FIRST_LOOK);
        if has_joints(cursor.rest().get(..head).unwrap_or_default(), most + 1) {
            return None;
        }
        let mut code = || (memo.code.run(&CODE, place, MAX_BARE), in_code as fn(u8) -> bool);
        let variable = relation == Relation::Tight && is_variable(chunk, start);
        if !variable {
            return Some(finish_run(chunk, cursor.at, relation, code()));
        }
        let environment = opens_environment(lead_of_line(chunk, start));
        let run: Run = match environment {
            true => (ENVIRONMENT.run(cursor.rest(), MAX_BARE), in_environment),
            false => code(),
        };
        let mut given = finish_run(chunk, cursor.at, relation, run);
        given.dress = if environment { Dress::Environment } else { Dress::Bare };
        // Only behind one of these it takes more than the last byte to say.
        given.close = !before(chunk, start).ends_with(BULLETS);
        return Some(given);
    };
    cursor.at += slashes + 1;
    if slashes > 0 {
        let len = ESCAPED.run(cursor.rest(), MAX_BARE);
        let mut given = finish_run(chunk, cursor.at, relation, (len, in_escaped_quotes));
        given.dress = dress_of(given.after == Some(b'\\'));
        return Some(given);
    }
    let mut quoted = Quoted { quote, escaped: false };
    let len = quoted.advance(cursor.rest());
    let after = cursor.peek(len);
    let dress = dress_of(after == Some(quote));
    let tail = Tail::Quoted(quoted);
    Some(Given { relation, at: cursor.at, len, dress, after, tail, close: true })
}

fn dress_of(closed: bool) -> Dress {
    if closed { Dress::Quoted } else { Dress::Unclosed }
}

fn finish_run(chunk: &str, at: usize, relation: Relation, (len, goes_on): Run) -> Given {
    let rest = chunk.get(at..).unwrap_or_default();
    let len = rest.floor_char_boundary(len);
    let after = rest.as_bytes().get(len).copied();
    let (dress, tail) = (Dress::Bare, Tail::Run(goes_on));
    Given { relation, at, len, dress, after, tail, close: true }
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
    if !rest.get(new).is_some_and(u8::is_ascii_uppercase) {
        return;
    }
    let head = rest.get(..new + MAX_WRAPPER + 1).unwrap_or(rest);
    if memchr(b'(', head).is_none() {
        return;
    }
    let is_path = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.');
    let name = rest.iter().skip(new).take(MAX_WRAPPER).take_while(is_path).count();
    let opens = rest.get(new + name) == Some(&b'(');
    if opens && rest.get(new + name + 1).copied().is_some_and(is_quote) {
        cursor.at += new + name + 1;
        *relation = Relation::Call;
    }
}

/// Whether a key is written like an environment variable.
fn is_variable(chunk: &str, start: usize) -> bool {
    let key = chunk.as_bytes().get(start..).unwrap_or_default();
    // What goes on behind its capitals is the rest of another name.
    let upper = VARIABLE.run(key, key.len());
    !key.get(upper).is_some_and(|next| NAMES.has(*next))
}

/// Whether an environment variable is set behind `lead`, the line up to it.
fn opens_environment(lead: &str) -> bool {
    let lead = lead.trim_start_matches(BULLETS);
    let opens = ["", "export ", "ENV ", "ARG ", "env ", "set ", "SET ", "REM SET "];
    opens.contains(&lead) || are_variables(lead)
}

/// `LANG=C HOST=db `: nothing but variables before the next one.
fn are_variables(lead: &str) -> bool {
    if !lead.ends_with(' ') {
        return false;
    }
    let mut rest = lead.trim_end().as_bytes();
    loop {
        let name = VARIABLE.run(rest, rest.len());
        // Behind its name a variable has anything but a blank.
        let next = match rest.get(name) {
            Some(b' ') => Some(name),
            Some(b'=') => memchr(b' ', rest),
            Some(_) => return false,
            None => None,
        };
        if name < LEAST_NAME {
            return false;
        }
        let Some(next) = next else { return true };
        rest = rest.get(next + 1..).unwrap_or_default();
    }
}

/// Letters of the shortest name that a variable has.
const LEAST_NAME: usize = 3;

fn in_environment(byte: u8) -> bool {
    ENVIRONMENT.has(byte)
}

fn in_code(byte: u8) -> bool {
    CODE.has(byte)
}

fn in_escaped_quotes(byte: u8) -> bool {
    ESCAPED.has(byte)
}

fn in_element(byte: u8) -> bool {
    ELEMENT.has(byte)
}

static ENVIRONMENT: Class = Class::but(b" \t\n\x0c\r\"'`\\");
static VARIABLE: Class = Class::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
pub(super) static CODE: Class = Class::but(b" \t\n\x0c\r\"'`\\,;&|<>()[]{}");
static ESCAPED: Class = Class::but(b"\\\n\"'`");
static ELEMENT: Class = Class::but(b"<\n");

/// How long the part of a bare value is that is judged, and what the rest is made of.
type Run = (usize, fn(u8) -> bool);
