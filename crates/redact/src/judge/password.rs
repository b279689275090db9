//! What a person may have chosen as a password, and what only stands where one would.

use memchr::memchr;

use super::form::{decoded, has_hump, has_letter, is_letters, is_path};
use super::words::{is_placeholder, is_reference, is_sentence, is_wordy};
use super::{Kinds, is_own_name};
use crate::assigned::{Claim, Dress, Relation};
use crate::lexicon::Lexicon;

pub(super) fn password(claim: &Claim<'_>) -> bool {
    let value = claim.value.trim_end_matches([' ', '\t']);
    if value.len() < 4 || value.starts_with(' ') {
        return false;
    }
    // `pass` is also what tests and arguments do.
    if claim.word == "pass" && matches!(claim.relation, Relation::Call | Relation::Beside) {
        return false;
    }
    let has = Kinds::of(value.as_bytes());
    // `a=b=c:d` is a list of something.
    let bare = matches!(claim.dress, Dress::Bare | Dress::Environment);
    if bare && has.joint() && is_list(value) {
        return false;
    }
    // Most that is bare shows at once that it is none.
    if claim.dress == Dress::Bare && !bare_password(claim, value, has) {
        return false;
    }
    // In `password=password=x` the first value is a key.
    let joint = if has.joint() { memchr(b'=', value.as_bytes()) } else { None };
    let first = value.get(..joint.unwrap_or(value.len())).unwrap_or_default();
    if is_no_password(first) || is_about_passwords(claim.prefix) {
        return false;
    }
    let fits = match claim.dress {
        Dress::Quoted => quoted_password(claim, value),
        Dress::Unclosed => !value.contains(' ') && quoted_password(claim, value),
        Dress::Environment => !is_path(value) && (value.len() > 5 || !is_letters(value)),
        Dress::Bare => true,
    };
    // What costs more is asked last.
    fits && !is_number(value)
        && !is_own_name(claim, value)
        && !is_reference(value)
        && !is_placeholder(value)
}

fn is_list(value: &str) -> bool {
    let joints = value.trim_end_matches('=').bytes().filter(|byte| matches!(byte, b'=' | b':'));
    joints.take(MOST_JOINTS + 1).count() > MOST_JOINTS
}

/// So many `=` and `:` may be in a password that is not quoted.
const MOST_JOINTS: usize = 2;

/// Letters of the shortest password that is told from a variable in a list.
const LEAST_LISTED: usize = 16;

/// The shortest base64 that is taken for a password in disguise.
const LEAST_ENCODED: usize = 8;

/// Whether a value is padded base64 of something that can be typed.
fn is_encoded_password(value: &str) -> bool {
    let typed = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    let padded = value.len() >= LEAST_ENCODED && value.ends_with('=');
    padded
        && value.len().is_multiple_of(4)
        && decoded(value).is_some_and(|text| text.len() > 3 && text.bytes().all(typed))
}

fn quoted_password(claim: &Claim<'_>, value: &str) -> bool {
    let spaces = value.matches(' ').count();
    // `#add-password`, `.secret`, `/login`; `required|min:8`.
    let locator = value.strip_prefix(['#', '.', '/']).is_some_and(is_wordy);
    let list = value.contains('|') && value.split('|').all(is_wordy);
    if locator || list || value.contains("://") || value.ends_with(':') {
        return false;
    }
    if spaces > 0 && is_sentence(value) {
        return false;
    }
    let letters_only = is_letters(value);
    match claim.relation {
        Relation::Comma | Relation::Call | Relation::Beside | Relation::Loose => {
            spaces == 0 && value.len() > 5 && !letters_only && !is_wordy(value)
        }
        Relation::Tight
        | Relation::Spaced
        | Relation::Colon
        | Relation::Compare
        | Relation::Element => !letters_only || value.len() > 5,
    }
}

fn bare_password(claim: &Claim<'_>, value: &str, has: Kinds) -> bool {
    if matches!(claim.relation, Relation::Call | Relation::Compare | Relation::Comma) {
        return false;
    }
    if claim.relation == Relation::Element {
        return quoted_password(claim, value);
    }
    let is_name = has.only_names();
    if !(is_name || has.digit() || has.sure_mark()) {
        // `password: aHVudGVyMng=`, as clusters keep it.
        return claim.relation == Relation::Colon && is_encoded_password(value);
    }
    let calls = matches!(claim.after, Some(b'(' | b'[' | b'{' | b'<'));
    if calls || !value.starts_with(|first: char| first.is_alphanumeric()) || is_code(value) {
        return false;
    }
    // Where nothing is quoted, `prefix$name` is put together from a variable.
    let expands = |pair: &[u8]| matches!(pair, [b'$', next] if next.is_ascii_alphabetic());
    if claim.relation == Relation::Spaced && value.as_bytes().windows(2).any(expands) {
        return false;
    }
    if !is_name {
        return has_letter(value);
    }
    if has.only_digits() {
        return claim.word != "pass";
    }
    // A name where a variable could stand. In `Pwd=word;` of a connection string it cannot.
    let ends = match claim.after {
        None | Some(b'\n' | b'\r' | b' ' | b'&' | b'"' | b'\'' | b'\\') => true,
        // `${NAME:-value}`.
        Some(b'}') => claim.relation == Relation::Tight,
        // A list has names of variables too, but no long ones that are no words.
        Some(b',') => has.digit() && value.len() >= LEAST_LISTED,
        Some(_) => false,
    };
    if claim.is_in_list() && claim.relation == Relation::Tight {
        return true;
    }
    let snake_or_hump = || has.underscore() || has_hump(value);
    if !has.digit() && claim.relation == Relation::Colon {
        return is_yaml_word(claim, value);
    }
    if !has.digit() {
        let tight = claim.relation == Relation::Tight && ends && claim.word != "pass";
        return tight && value.len() > 5 && !snake_or_hump();
    }
    let named = || is_wordy(value) && snake_or_hump();
    value.len() > 5 && (ends || claim.after == Some(b';')) && !named()
}

/// A line `password: word` and no more; code has types, humps or commas there.
fn is_yaml_word(claim: &Claim<'_>, value: &str) -> bool {
    let ends = matches!(claim.after, None | Some(b'\n' | b'\r'));
    let lower = || value.bytes().all(|byte| byte.is_ascii_lowercase());
    ends && value.len() > 7 && claim.word != "pass" && lower() && claim.opens_line()
}

/// Names that speak of passwords without being one.
fn is_about_passwords(prefix: &str) -> bool {
    #[rustfmt::skip]
    static ABOUT: Lexicon = Lexicon::new(&[
        "no", "is", "add", "has", "show", "hide", "edit", "hash", "reset", "check", "wrong",
        "empty", "forgot", "change", "toggle", "verify", "update", "hashed", "require",
        "invalid", "missing", "validate", "generate", "encrypted",
    ]);
    let prefix = prefix.trim_end_matches(['_', '-']);
    let separator = prefix.rfind(['_', '-']).map_or(0, |at| at + 1);
    let hump = prefix.rfind(|letter: char| letter.is_ascii_uppercase()).unwrap_or(0);
    // The whole of `REDIS`, the last word of `userForgot`.
    let upper = !prefix.contains(|letter: char| letter.is_ascii_lowercase());
    let word =
        prefix.get(if upper { separator } else { separator.max(hump) }..).unwrap_or_default();
    ABOUT.has(word)
}

/// Types, states and the word itself: what stands behind `password:` in schemas and forms.
#[rustfmt::skip]
static NO_PASSWORDS: Lexicon = Lexicon::new(&[
    "pwd", "str", "nil", "pass", "text", "char", "bool", "null", "none", "true", "user", "auto",
    "self", "this", "senha", "bytes", "false", "empty", "email", "input", "value", "passwd",
    "string", "hidden", "object", "number", "prompt", "varchar", "boolean", "integer", "default",
    "enabled", "unknown", "password", "passcode", "passwort", "required", "optional", "username",
    "disabled", "undefined", "encrypted", "plaintext", "passphrase", "wachtwoord",
    "contrase\u{f1}a", "credentials", "secretstring", "alphanumeric", "option<string>",
    "secret<string>",
]);

/// Whether a value is one of those.
pub(super) fn is_no_password(value: &str) -> bool {
    let is_edge = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = value.as_bytes();
    let Some(from) = bytes.iter().position(is_edge) else { return false };
    let to = bytes.iter().rposition(is_edge).map_or(from, |last| last + 1);
    // What it begins and ends with is a character by itself.
    NO_PASSWORDS.has(value.get(from..to).unwrap_or_default())
}

/// A number as code writes it, a version, an object identifier.
fn is_number(value: &str) -> bool {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (digits && value.contains('.')) || value.starts_with("0x")
}

/// A path of the file system or of a programming language.
fn is_code(value: &str) -> bool {
    let joins = |pair: &[u8]| matches!(pair, b"::" | b"->");
    is_path(value) || value.as_bytes().windows(2).any(joins)
}
