//! Whether a value that looks like a secret by its place is one by its content.
//!
//! A token with a vendor's prefix needs no judge. A value behind `password =` does: source code is
//! full of names, types, calls and examples that stand where a secret would.

pub(crate) mod form;
mod kinds;
mod look;
mod password;
mod seen;
mod tally;
pub(crate) mod words;

use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::assigned::{Asks, Claim, Dress, Relation};
use crate::memo::Memo;
use crate::near::LEAST_PRIVATE;
use form::{
    KEY_BYTES, has_digit, has_letter, is_credential_pair, is_cut_hash, is_encoded_example,
    is_hash_or_id, is_url_base64, letters,
};
pub(crate) use kinds::Kinds;
use look::Made;
pub(crate) use look::{Look, Value};
use password::{is_no_password, password};
pub(crate) use tally::{Counts, Tally, made_of};
use words::{is_placeholder, is_reference, is_wordy};

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
pub(crate) fn pattern(
    verdict: Verdict,
    chunk: &str,
    secret: &Range<usize>,
    memo: &mut Memo,
) -> bool {
    let whole = chunk.get(secret.clone()).unwrap_or_default();
    let value = whole.get(..whole.floor_char_boundary(JUDGED)).unwrap_or(whole);
    match verdict {
        Verdict::Always => true,
        Verdict::Mixed => (has_digit(value) && has_letter(value)) || value.len() > 40,
        Verdict::Random => {
            let value = memo.value(secret.start, value);
            let mixed = has_digit(&value) && has_letter(&value);
            mixed && !value.is_wordy() && !value.is_placeholder()
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

/// Most of what no machine makes a key of shows it by so many bytes.
const FIRST_LOOK: usize = 16;

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

impl Kind {
    /// Whether it takes only what a machine-made key behind the same name is taken for.
    pub(crate) fn asks(self) -> Asks {
        match self {
            Self::LooseKey => Asks::More,
            Self::Password | Self::Key | Self::AwsSecret | Self::Base64 => Asks::Other,
        }
    }
}

/// Decides on a value that was assigned to a key.
pub(crate) fn assigned(kind: Kind, claim: &Claim<'_>, memo: &mut Memo) -> bool {
    match kind {
        Kind::Password => password(claim),
        Kind::Key => {
            key(claim, least(claim), memo)
                || is_chosen_secret(claim)
                || is_compared_secret(claim)
                || is_set_secret(claim)
        }
        Kind::LooseKey => key(claim, 20, memo) && !is_hash_or_id(claim.value),
        Kind::AwsSecret => {
            let exact = claim.value.len() == 40 && claim.value.bytes().all(crate::tail::is_base64);
            // Amazon's are of 40 letters; others took over the name, not the length.
            let named = claim.word.starts_with("aws");
            exact || key(claim, if named { 40 } else { 16 }, memo)
        }
        Kind::Base64 => claim.value.len() >= 40 && claim.value.bytes().all(is_url_base64),
    }
}

/// Letters of the shortest key that a name may be given.
fn least(claim: &Claim<'_>) -> usize {
    if claim.word.starts_with("private") { LEAST_PRIVATE } else { LEAST_KEY }
}

/// Letters of the shortest key that a machine makes.
pub(crate) const LEAST_KEY: usize = 16;

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

fn key(claim: &Claim<'_>, min: usize, memo: &mut Memo) -> bool {
    let value = claim.value;
    if value.len() < min || memo.has_example(claim.value_at, value) {
        return false;
    }
    if memo.has_scheme(claim.value_at, value) || memo.has_few(claim.value_at, value) {
        return false;
    }
    if !matches!(claim.dress, Dress::Bare | Dress::Environment) {
        if memchr2(b' ', b'\t', value.as_bytes()).is_some() {
            return false;
        }
    } else {
        let calls = matches!(claim.after, Some(b'(' | b'[' | b'{' | b'<'));
        let calls = calls && claim.relation != Relation::Element;
        if calls || matches!(claim.relation, Relation::Call | Relation::Comma) {
            return false;
        }
        // Most show it by their beginning, before anything is counted.
        let head = value.as_bytes().get(..FIRST_LOOK).unwrap_or(value.as_bytes());
        if !KEY_BYTES.all(head) || !is_keyed(memo.value(claim.value_at, value)) {
            return false;
        }
    }
    if claim.relation == Relation::Loose && (value.len() < 24 || !has_digit(value)) {
        return false;
    }
    // What costs more is asked last.
    let made = memo.value(claim.value_at, value).made(claim.dress);
    let number = claim.word.starts_with("api") && made == Made::Number;
    (number || made == Made::Random)
        && !is_own_name(claim, value)
        && !has_own_rule(claim)
        && !is_public(claim.prefix)
        && (is_called_secret(claim.word) || !is_cut_hash(value))
}

/// Whether a value is of bytes that machines make keys of: they pad with `=`, and do not put one in
/// the middle.
fn is_keyed(value: Value<'_>) -> bool {
    let unpadded = value.trim_end_matches('=').as_bytes();
    if let Some(made) = value.counts().map(Counts::made) {
        return made.unkeyed() == 0 && made.equals() == value.len() - unpadded.len();
    }
    KEY_BYTES.all(unpadded) && memchr(b'=', unpadded).is_none()
}

/// A secret that a person chose: quoted, without blanks, with the marks people put into passwords.
fn is_chosen_secret(claim: &Claim<'_>) -> bool {
    if claim.dress != Dress::Quoted || claim.value.len() < 12 || claim.word != "secret" {
        return false;
    }
    let inner = claim.value.get(1..).unwrap_or_default();
    let marked = inner.contains(['#', '!', '$', '^', '&', '*']) && !claim.value.contains(' ');
    let given = matches!(claim.relation, Relation::Tight | Relation::Spaced | Relation::Colon);
    let text = !claim.value.contains(['/', '<', '{', '(', '=']) && has_letter(claim.value);
    given && marked && text && password(claim)
}

/// A secret that a person chose for a program: `SESSION_SECRET=green-tractor-7`.
fn is_set_secret(claim: &Claim<'_>) -> bool {
    if claim.dress != Dress::Environment || claim.word != "secret" || claim.value.len() < LEAST_SET
    {
        return false;
    }
    let has = Kinds::of(claim.value.as_bytes());
    let varied = has.letter() && (has.digit() || has.marks() > 0);
    varied && !claim.value.contains("example") && !is_public(claim.prefix) && password(claim)
}

/// Letters of the shortest of them.
const LEAST_SET: usize = 8;

/// A secret that code asks for by its text: `if secret != "open-sesame"`.
fn is_compared_secret(claim: &Claim<'_>) -> bool {
    if claim.relation != Relation::Compare || claim.word != "secret" {
        return false;
    }
    let worded = claim.value.contains(['-', '_']) || has_digit(claim.value);
    let whole = claim.dress == Dress::Quoted && claim.value.len() >= 8;
    worded && whole && !claim.value.contains(' ') && password(claim)
}

/// Whether a name belongs to a rule that knows the form of the value better.
fn has_own_rule(claim: &Claim<'_>) -> bool {
    const OTHERS: [&[u8]; 3] = [b"awssecret", b"awssecretkey", b"awssecretaccesskey"];
    let own = claim.word.starts_with("aws");
    // Most names have no such letter at all.
    let may_be = [claim.prefix, claim.word].iter().any(|part| part.contains(['w', 'W']));
    if own || !may_be {
        return false;
    }
    let name: Vec<u8> = letters(claim.prefix).chain(letters(claim.word)).collect();
    OTHERS.iter().any(|other| name.ends_with(other))
}

/// Words that nobody gives to what may be seen.
fn is_called_secret(word: &str) -> bool {
    word.contains("secret") || word.contains("private")
}

/// Keys that are there to be seen.
fn is_public(prefix: &str) -> bool {
    const PUBLIC: &[&[u8]] = &[
        b"public",
        b"publishable",
        b"pub_",
        b"pub-",
        b"csrf",
        b"authenticity",
        b"page_",
        b"page-",
        b"continuation",
        // Of a library, and of what it is called.
        b"jsonweb",
    ];
    let bytes = prefix.as_bytes();
    // All of them begin with one of a few letters.
    let mut begins = (0..bytes.len()).filter_map(|at| bytes.get(at..)).filter(|rest| {
        let first = rest.first().map(u8::to_ascii_lowercase);
        first.is_some_and(|first| matches!(first, b'a' | b'c' | b'j' | b'p'))
    });
    let opens = |rest: &[u8], public: &[u8]| {
        rest.get(..public.len()).is_some_and(|head| head.eq_ignore_ascii_case(public))
    };
    begins.any(|rest| PUBLIC.iter().any(|public| opens(rest, public)))
}

/// Whether the value is the key's own name again: `CHALLENGE_PASSWORD: "challengePassword"`.
fn is_own_name(claim: &Claim<'_>, value: &str) -> bool {
    letters(value).eq(letters(claim.prefix).chain(letters(claim.word)))
}

#[cfg(test)]
mod tests;
