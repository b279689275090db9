//! Whether a value that looks like a secret by its place is one by its content.
//!
//! A token with a vendor's prefix needs no judge. A value behind `password =` does: source code is
//! full of names, types, calls and examples that stand where a secret would.

pub(crate) mod words;

use std::ops::Range;

use crate::assigned::{Claim, Dress, Relation};
use words::{is_gibberish, is_placeholder, is_reference, is_sentence, is_wordy};

/// What decides, for rules that need more than their pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The pattern is proof enough.
    Always,
    /// A token that mixes letters and digits, or is longer than any word.
    Mixed,
    /// The same, and it is not made of words.
    Random,
    /// What an issuer gave out, unless it spells an example in base64.
    Issued,
    /// A password that a sentence tells.
    Spoken,
    /// The password in a URL.
    Userinfo,
    /// The token behind `bearer`, which is also an English word.
    Bearer,
    /// The base64 behind `basic`, which is also an English word.
    Basic,
    /// A token in three parts, of which the last is a signature where it is there.
    Signed,
}

/// Whether a match can hold what a verdict asks for, as far as that is cheap to say.
pub(crate) fn may_be(verdict: Verdict, found: &str) -> bool {
    match verdict {
        Verdict::Random => has_digit(found),
        Verdict::Always
        | Verdict::Mixed
        | Verdict::Issued
        | Verdict::Spoken
        | Verdict::Userinfo
        | Verdict::Bearer
        | Verdict::Basic
        | Verdict::Signed => true,
    }
}

/// Decides on a value that a pattern found at `secret` in `chunk`.
pub(crate) fn pattern(verdict: Verdict, chunk: &str, secret: &Range<usize>) -> bool {
    let whole = chunk.get(secret.clone()).unwrap_or_default();
    let value = whole.get(..whole.floor_char_boundary(JUDGED)).unwrap_or(whole);
    match verdict {
        Verdict::Always => true,
        Verdict::Mixed => (has_digit(value) && has_letter(value)) || value.len() > 40,
        Verdict::Random => {
            has_digit(value) && has_letter(value) && !is_wordy(value) && !is_placeholder(value)
        }
        Verdict::Issued => !is_encoded_example(value),
        Verdict::Spoken => !is_no_password(value) && !is_reference(value) && !is_placeholder(value),
        Verdict::Userinfo => userinfo(whole),
        Verdict::Bearer => {
            let header = is_in_header(chunk.get(..secret.start).unwrap_or_default());
            let token = has_digit(value) || (value.len() >= 24 && !is_wordy(value));
            !is_placeholder(value) && (header || token)
        }
        Verdict::Basic => is_credential_pair(whole),
        Verdict::Signed => {
            let signature = whole.split('.').nth(2).unwrap_or_default();
            signature.is_empty() || signature.len() >= LEAST_SIGNATURE
        }
    }
}

/// So many bytes of a token say whether it is one.
const JUDGED: usize = 128;

/// Letters of the shortest signature that a token can have; what is shorter was never one.
const LEAST_SIGNATURE: usize = 16;

/// What decides on an assigned value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A password: people choose it, so it may be short and a word.
    Password,
    /// A key or token that a machine made.
    Key,
    /// The same, behind a name that is used for other things too.
    LooseKey,
    /// Exactly the form of an AWS secret key, or a machine-made key.
    AwsSecret,
    /// Base64 of some length.
    Base64,
}

/// Decides on a value that was assigned to a key.
pub(crate) fn assigned(kind: Kind, claim: &Claim<'_>) -> bool {
    match kind {
        Kind::Password => password(claim),
        Kind::Key => key(claim, 16) || is_chosen_secret(claim),
        Kind::LooseKey => key(claim, 20) && !is_hash_or_id(claim.value),
        Kind::AwsSecret => {
            let exact = claim.value.len() == 40 && claim.value.bytes().all(crate::tail::is_base64);
            // Amazon's are of 40 letters; others took over the name, not the length.
            let named = claim.word.starts_with("aws");
            exact || key(claim, if named { 40 } else { 16 })
        }
        Kind::Base64 => claim.value.len() >= 40 && claim.value.bytes().all(is_url_base64),
    }
}

/// Whether `lead` ends in `Authorization: Bearer `, in any of its dresses.
fn is_in_header(lead: &str) -> bool {
    let lead = lead.trim_end();
    let lead = lead.get(..lead.len().saturating_sub("bearer".len())).unwrap_or_default();
    let lead = lead.trim_end_matches([' ', ':', '=', '"', '\'', '`', ',', '\\', '>']);
    let name = lead.len().checked_sub("authorization".len()).and_then(|at| lead.get(at..));
    name.is_some_and(|name| name.eq_ignore_ascii_case("authorization"))
}

fn userinfo(value: &str) -> bool {
    // `http://host:8080/path@x` has a port where the password would stand.
    let port = value.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = port.len() < value.len() && port.bytes().all(|byte| byte.is_ascii_digit());
    value.len() > 2
        && !is_port
        && !is_reference(value)
        && !is_placeholder(value)
        && value != "password"
}

fn password(claim: &Claim<'_>) -> bool {
    let value = claim.value.trim_end_matches([' ', '\t']);
    if value.len() < 4 || value.starts_with(' ') || is_about_passwords(claim.prefix) {
        return false;
    }
    // `pass` is also what tests and arguments do.
    if claim.word == "pass" && matches!(claim.relation, Relation::Call | Relation::Beside) {
        return false;
    }
    // `a=b=c:d` is a list of something.
    let bare = matches!(claim.dress, Dress::Bare | Dress::Environment);
    let joints = value.trim_end_matches('=').bytes().filter(|byte| matches!(byte, b'=' | b':'));
    if bare && joints.take(MOST_JOINTS + 1).count() > MOST_JOINTS {
        return false;
    }
    // In `password=password=x` the first value is a key.
    let first = value.split('=').next().unwrap_or_default();
    let fits = match claim.dress {
        Dress::Quoted => quoted_password(claim, value),
        Dress::Unclosed => !value.contains(' ') && quoted_password(claim, value),
        Dress::Environment => !is_path(value) && (value.len() > 5 || !is_letters(value)),
        Dress::Bare => bare_password(claim, value),
    };
    // What costs more is asked last.
    fits && !is_number(value)
        && !is_no_password(first)
        && !is_own_name(claim, value)
        && !is_reference(value)
        && !is_placeholder(value)
}

/// So many `=` and `:` may be in a password that is not quoted.
const MOST_JOINTS: usize = 2;

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

fn bare_password(claim: &Claim<'_>, value: &str) -> bool {
    if matches!(claim.relation, Relation::Call | Relation::Compare | Relation::Comma) {
        return false;
    }
    if claim.relation == Relation::Element {
        return quoted_password(claim, value);
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
    let is_name = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if !is_name {
        return has_letter(value) && (digits > 0 || value.contains(['!', '@', '#', '$', '%', '^']));
    }
    if digits == value.len() {
        return claim.word != "pass";
    }
    // A name where a variable could stand. In `Pwd=word;` of a connection string it cannot.
    let ends =
        matches!(claim.after, None | Some(b'\n' | b'\r' | b' ' | b'&' | b'"' | b'\'' | b'\\'));
    if claim.in_list && claim.relation == Relation::Tight {
        return true;
    }
    let snake_or_hump = value.contains('_') || has_hump(value);
    if digits == 0 && claim.relation == Relation::Colon {
        return is_yaml_word(claim, value);
    }
    if digits == 0 {
        let tight = claim.relation == Relation::Tight && ends && claim.word != "pass";
        return tight && !snake_or_hump && value.len() > 5;
    }
    let named = is_wordy(value) && snake_or_hump;
    !named && value.len() > 5 && (ends || claim.after == Some(b';'))
}

/// A line `password: word` and no more; code has types, humps or commas there.
fn is_yaml_word(claim: &Claim<'_>, value: &str) -> bool {
    let alone = claim.opens_line && matches!(claim.after, None | Some(b'\n' | b'\r'));
    let lower = value.bytes().all(|byte| byte.is_ascii_lowercase());
    alone && lower && value.len() > 7 && claim.word != "pass"
}

fn key(claim: &Claim<'_>, min: usize) -> bool {
    let value = claim.value;
    if value.len() < min || value.contains([' ', '\t']) {
        return false;
    }
    let bare = matches!(claim.dress, Dress::Bare | Dress::Environment);
    // A machine pads with `=`, it does not put one in the middle.
    if bare && value.trim_end_matches('=').contains('=') {
        return false;
    }
    if bare {
        let calls = matches!(claim.after, Some(b'(' | b'[' | b'{' | b'<'));
        if calls || matches!(claim.relation, Relation::Call | Relation::Comma) {
            return false;
        }
        if !value.bytes().all(is_key_byte) {
            return false;
        }
    }
    if claim.relation == Relation::Loose && (value.len() < 24 || !has_digit(value)) {
        return false;
    }
    if distinct_bytes(value) < 6 || is_address(value) {
        return false;
    }
    let number = claim.word.starts_with("api") && value.bytes().all(|byte| byte.is_ascii_digit());
    let hex = value.len() >= 24 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mixed = || has_digit(value) && has_letter(value) && !is_wordy(value);
    if !number && !hex && !mixed() && !is_gibberish(value) {
        return false;
    }
    // What costs more is asked last.
    let elsewhere = value.contains("://") || is_path(value) || is_reference(value);
    !elsewhere
        && !is_encoded_example(value)
        && !has_own_rule(claim)
        && !is_placeholder(value)
        && !is_public(claim.prefix)
        && !is_own_name(claim, value)
}

/// A secret that a person chose: quoted, without blanks, with the marks people put into passwords.
fn is_chosen_secret(claim: &Claim<'_>) -> bool {
    if claim.word != "secret" || claim.dress != Dress::Quoted || claim.value.len() < 12 {
        return false;
    }
    let inner = claim.value.get(1..).unwrap_or_default();
    let marked = inner.contains(['#', '!', '$', '^', '&', '*']) && !claim.value.contains(' ');
    let given = matches!(claim.relation, Relation::Tight | Relation::Spaced | Relation::Colon);
    let text = !claim.value.contains(['/', '<', '{', '(', '=']) && has_letter(claim.value);
    given && marked && text && password(claim)
}

/// Names that speak of passwords without being one.
fn is_about_passwords(prefix: &str) -> bool {
    #[rustfmt::skip]
    const ABOUT: &[&str] = &[
        "forgot", "reset", "change", "show", "hide", "add", "toggle", "validate", "require", "no",
        "has", "is", "check", "verify", "update", "edit", "generate", "hash", "hashed",
        "encrypted", "invalid", "wrong", "missing", "empty",
    ];
    let prefix = prefix.trim_end_matches(['_', '-']);
    let separator = prefix.rfind(['_', '-']).map_or(0, |at| at + 1);
    let hump = prefix.rfind(|letter: char| letter.is_ascii_uppercase()).unwrap_or(0);
    // The whole of `REDIS`, the last word of `userForgot`.
    let upper = !prefix.contains(|letter: char| letter.is_ascii_lowercase());
    let word =
        prefix.get(if upper { separator } else { separator.max(hump) }..).unwrap_or_default();
    ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about))
}

/// Whether a name belongs to a rule that knows the form of the value better.
fn has_own_rule(claim: &Claim<'_>) -> bool {
    let other = !claim.word.starts_with("aws");
    other && (letters(claim.prefix) + &letters(claim.word)).contains("awssecret")
}

/// The letters and digits of a name, in one case.
fn letters(text: &str) -> String {
    let kept = text.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Keys that are there to be seen.
fn is_public(prefix: &str) -> bool {
    let prefix = prefix.to_ascii_lowercase();
    ["public", "publishable", "pub_", "pub-", "csrf", "page_", "page-", "continuation"]
        .iter()
        .any(|public| prefix.contains(public))
}

/// Types, states and the word itself: what stands behind `password:` in schemas and forms.
fn is_no_password(value: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "password", "passwd", "pass", "pwd", "passphrase", "passcode", "passwort", "senha",
        "contrase\u{f1}a", "wachtwoord", "string", "str", "text",
        "char", "varchar", "bytes", "hidden", "required", "optional", "boolean", "bool", "object",
        "number", "integer", "null", "none", "nil", "true", "false", "undefined", "default",
        "empty", "username", "user", "email", "input", "value", "auto", "prompt", "self", "this",
        "option<string>", "secretstring", "secret<string>", "enabled", "disabled", "unknown",
        "encrypted", "plaintext", "credentials", "alphanumeric",
    ];
    let bare = value.trim_matches(|edge: char| !edge.is_ascii_alphanumeric());
    WORDS.iter().any(|word| bare.eq_ignore_ascii_case(word))
}

/// A number as code writes it, a version, an object identifier.
fn is_number(value: &str) -> bool {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (digits && value.contains('.')) || value.starts_with("0x")
}

/// Whether the value is the key's own name again: `CHALLENGE_PASSWORD: "challengePassword"`.
fn is_own_name(claim: &Claim<'_>, value: &str) -> bool {
    letters(value) == letters(claim.prefix) + &letters(claim.word)
}

/// A path of the file system or of a programming language.
fn is_code(value: &str) -> bool {
    is_path(value) || value.contains("::") || value.contains("->")
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../")
}

/// An account of a block chain, which is there to be seen.
pub(crate) fn is_address(value: &str) -> bool {
    let digits = value.strip_prefix("0x").unwrap_or_default();
    digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A UUID, or the length and alphabet of a well-known hash.
pub(crate) fn is_hash_or_id(value: &str) -> bool {
    let hex = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hex && matches!(value.len(), 36 | 40 | 64 | 128)
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~' | b':' | b'%' | b'!')
}

fn is_url_base64(byte: u8) -> bool {
    crate::tail::is_base64(byte) || byte == b'%'
}

fn is_letters(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_letter(value: &str) -> bool {
    value.chars().any(char::is_alphabetic)
}

fn has_hump(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.windows(2).any(
        |pair| matches!(pair, [low, high] if low.is_ascii_lowercase() && high.is_ascii_uppercase()),
    )
}

pub(crate) fn distinct_bytes(value: &str) -> u32 {
    let mut seen = [0_u64; 4];
    for byte in value.bytes() {
        if let Some(word) = seen.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
    }
    seen.iter().map(|word| word.count_ones()).sum()
}

/// Whether base64 decodes to `name:password` in printable text.
fn is_credential_pair(value: &str) -> bool {
    decoded(value).is_some_and(|text| text.contains(':') && !text.contains(char::is_control))
}

/// Whether what follows the last underscore is the name of an example host in base64.
pub(crate) fn is_encoded_example(value: &str) -> bool {
    decoded(value.rsplit('_').next().unwrap_or_default())
        .is_some_and(|text| text.contains("example.") && !text.contains(' '))
}

/// What base64 decodes to, where that is text.
fn decoded(value: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(value.len());
    let mut bits = 0_u32;
    let mut held = 0_u32;
    for byte in value.bytes().take_while(|&byte| byte != b'=') {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.extend(u8::try_from(bits >> held & 0xff));
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests;
