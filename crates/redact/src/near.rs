//! Reads the credential that stands beside the name of a service.
//!
//! `algolia_api_key = "…"`, `WANDB=…`, `datadog app key: …`, `gitterSECRET-…`: whoever writes the
//! name of a service, a few words that every credential has, and then something random, shows a
//! credential. Only words of one short list may stand between; any other word ends the search, so
//! that lock files, image names and prose are left alone.

mod ahead;
mod chain;
mod form;
mod gap;
mod link;
mod run;

use crate::class::Class;
use crate::judge::form::{has_distinct, has_joints, is_address, is_cut_hash, is_hash_or_id};
use crate::judge::words::is_unspeakable;
use crate::judge::{Counts, Kinds, Value};
use crate::memo::Memo;
use crate::tail::Tail;
pub(crate) use ahead::Ahead;
pub(crate) use chain::Chains;
use form::{Form, PLAIN, is_dotted_token, is_dotted_version, is_grouped, is_long_token, is_uuid};
use gap::{Gap, Last, Said, marks};
pub(crate) use link::Name;
use link::{LETTERS, counter};
pub(crate) use run::Runs;

/// Bytes between the name and the value; alignment and quotes, not text.
const MAX_GAP: usize = 512;

/// Words between them; nobody needs more to name a key.
const MAX_WORDS: usize = 8;

/// The same where the first of them is no name: a text may be full of such words.
const MAX_SHOUTED: usize = 2;

/// The least behind such a word, and the digits in it.
const LEAST_SHOUTED: usize = 20;
const SHOUTED_DIGITS: usize = 3;

/// No credential is shorter.
const LEAST: usize = 8;

/// No private key is shorter.
pub(crate) const LEAST_PRIVATE: usize = 20;

/// A value is judged by so many bytes; its tail takes the rest.
const MAX_VALUE: usize = 128;

/// All that is judged behind a word in capitals is within so many bytes from there on, and so is
/// what [`Ahead`] looks at.
pub(crate) const REACH: usize = 16 + MAX_GAP + 3 * MAX_VALUE;

/// What is made of words and marks shows it by so many bytes.
const FIRST_LOOK: usize = 40;

/// How much the name of a service says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// A name that means nothing else.
    Coined,
    /// A word of the language too: the words beside it have to speak of a secret.
    Word,
    /// No name, but the word for a secret itself, in capitals.
    Shouted,
}

/// A value beside a name.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) start: usize,
    pub(crate) value_at: usize,
    pub(crate) value_end: usize,
    /// Where the run ends that the value was taken from: what stands behind the value may be part
    /// of a name that goes on.
    pub(crate) run_end: usize,
    pub(crate) tail: Tail,
}

/// Reads what stands beside the name at `at`, unless `memo` tells that another rule has it.
#[inline(never)]
pub(crate) fn read(
    chunk: &str,
    at: usize,
    (name, naming): (&Name, Naming),
    memo: &mut Memo,
) -> Option<Beside> {
    let bytes = chunk.as_bytes();
    let first = *bytes.get(at)?;
    let before = at.checked_sub(1).and_then(|index| bytes.get(index));
    if let Some(&before) = before {
        // `-Dsonar.login=…` sets a property.
        let joined = before == b'D' && !bytes.get(..at)?.ends_with(b"-D");
        if joined || !may_follow(before, first, naming) {
            return None;
        }
    }
    let end = at + name.head.len();
    let shouted = naming == Naming::Shouted;
    let said = if shouted { Said::SECRET } else { Said::default() };
    let mut gap = Gap { words: 0, said, last: Last::default().then(name.word) };
    let most = if shouted { MAX_SHOUTED } else { MAX_WORDS };
    let mut here = end;
    let near = bytes.get(..end + MAX_GAP).unwrap_or(bytes);
    while here < end + MAX_GAP && gap.words <= most {
        if let Some((len, said)) = marks(near.get(here..)?) {
            let tight = here == end && len == 1 && bytes.get(here) == Some(&b'=');
            let tight = if tight { Said::TIGHT } else { Said::default() };
            gap.said = gap.said.but(Said::TIGHT).and(said).and(tight);
            here += len;
            if here == end + MAX_GAP {
                return None;
            }
        }
        let rest = bytes.get(here..)?;
        if rest.first().is_some_and(|byte| LETTERS.has(*byte)) {
            // What begins right behind the name and goes on for too long is nothing, however it ends.
            let enough = if here == end { MAX_GAP } else { usize::MAX };
            if let Some(len) = memo.runs.link((memo.origin + here, rest), name, &mut gap, enough) {
                here += len;
                continue;
            }
            // `key2 = …`: a name that is counted.
            if let Some(count) = counter(rest).filter(|_| gap.words > 0) {
                here += count;
                continue;
            }
        }
        // `algoliasearch` and `docker2` are other names; the id of a key is none of its secrets.
        if here == end || gap.last == Last::KeyId {
            return None;
        }
        let found = value(chunk, (at, here), &gap, naming, memo);
        if found.is_some() || !may_be_chosen(&gap, naming) {
            return found;
        }
        return chosen(chunk, (at, here), &gap, memo);
    }
    if gap.words > most {
        memo.chains.follow(bytes.get(end..)?, memo.origin + end, name, most);
    }
    None
}

/// Whether a name that begins with `first` may stand right behind `before`.
///
/// Not inside a word, a path or an address; `D` may end the mark of a property.
pub(crate) fn may_follow(before: u8, first: u8, naming: Naming) -> bool {
    if naming == Naming::Shouted {
        return !before.is_ascii_uppercase();
    }
    let hump = before.is_ascii_lowercase() && first.is_ascii_uppercase();
    let joined = before.is_ascii_alphanumeric() && !hump && before != b'D';
    !joined && !matches!(before, b'/' | b'@')
}

/// The words for a secret that are keywords by themselves, in capitals.
pub(crate) const SHOUTED: &[&str] = &["KEY", "TOKEN", "SECRET", "ACCESS", "PRIVATE"];

/// Whether a password may be beside a name: a word in capitals names nobody whose it could be.
fn may_be_chosen(gap: &Gap, naming: Naming) -> bool {
    naming != Naming::Shouted && gap.secret() && gap.assigned()
}

fn value(
    chunk: &str,
    (start, at): (usize, usize),
    gap: &Gap,
    naming: Naming,
    memo: &mut Memo,
) -> Option<Beside> {
    let rest = chunk.get(at..)?;
    // Most are none, and show it at once.
    if naming == Naming::Shouted && !may_be_shouted(rest.as_bytes()) {
        return None;
    }
    let place = (memo.origin + at, rest.as_bytes());
    let len = memo.values.run(&VALUES, place, FIRST_LOOK);
    if len < LEAST {
        return None;
    }
    let head = rest.as_bytes().get(..len)?;
    let more = len == FIRST_LOOK;
    let run = if more { memo.values.run(&VALUES, place, MAX_VALUE) } else { len };
    let whole = rest.get(..run)?;
    let text = if run == MAX_VALUE { whole } else { trimmed(whole) };
    if !may_be_formed(text, gap, naming) || memo.has_example(at, text) {
        return None;
    }
    // A word in capitals asks for something random, whatever it is like.
    if naming == Naming::Shouted && memo.has_few(at, text) {
        return None;
    }
    let counts = memo.counts(at, whole.as_bytes(), [len, text.len()]);
    if naming == Naming::Shouted && counts.is_some_and(|[_, whole]| is_unshaped(&whole)) {
        return None;
    }
    if is_plainly_none(head, counts.map(|[head, _]| head), naming) {
        return None;
    }
    // What is not looked at as a key may be looked at as a password.
    if !may_be_chosen(gap, naming) && memo.is_taken(at, text) {
        return None;
    }
    let counts = counts.map(|[_, whole]| whole);
    if !is_credential(memo.counted_value(at, text, counts), gap, naming) {
        return None;
    }
    // A call, an index or the rest of an address: the value is a name of code.
    if matches!(rest.as_bytes().get(text.len()), Some(b'(' | b'[' | b'@')) {
        return None;
    }
    let tail = if run == MAX_VALUE { Tail::Run(in_value) } else { Tail::Closed };
    Some(Beside { start, value_at: at, value_end: at + text.len(), run_end: at + run, tail })
}

/// A password beside a name, which may have marks that no machine puts into a key.
fn chosen(chunk: &str, (start, at): (usize, usize), gap: &Gap, memo: &mut Memo) -> Option<Beside> {
    let rest = chunk.get(at..)?;
    // Most are none, and show it at once.
    let head = PASSWORDS.run(rest.as_bytes(), FIRST_LOOK);
    let has = Kinds::of(rest.as_bytes().get(..head)?);
    let marked = has.marks() > 0;
    let may_be = if gap.chosen() { has.digit() || marked } else { has.digit() && marked };
    if !may_be {
        return None;
    }
    let more = head == FIRST_LOOK;
    let run = if more { PASSWORDS.run(rest.as_bytes(), MAX_VALUE) } else { head };
    let text = rest.get(..rest.floor_char_boundary(run))?;
    let has = Kinds::of(text.as_bytes());
    // A call or an expression has brackets that a password hardly begins with.
    let expression = has.bracket() && has.marks() == 0;
    // What a machine made has marks only where it was told to put them in.
    let fits = gap.chosen() || (has.marks() > 1 && text.len() >= 24);
    if !has.digit() || !has.letter() || text.len() < 10 || !fits || expression {
        return None;
    }
    if !has_distinct(text, 8) || (has.joint() && text.contains("://")) {
        return None;
    }
    let value = memo.value(at, text);
    if value.is_wordy() || value.is_reference() || value.is_placeholder() {
        return None;
    }
    let tail = if run == MAX_VALUE { Tail::Run(in_password) } else { Tail::Closed };
    let end = at + text.len();
    Some(Beside { start, value_at: at, value_end: end, run_end: end, tail })
}

fn is_credential(value: Value<'_>, gap: &Gap, naming: Naming) -> bool {
    let least = if gap.last == Last::PrivateKey { LEAST_PRIVATE } else { LEAST };
    if value.len() < least || !is_formed(value, gap, naming) {
        return false;
    }
    // What costs more is asked last.
    // `PUBLIC=7b3e…` is the rest of the name, and its value.
    let parts = || value.trim_end_matches('=').split_once('=');
    let named = || parts().is_some_and(|(name, _)| is_upper(name));
    let (named, linked) = match value.counts() {
        // Most have nothing but letters, digits and what joins words.
        Some(counts) if counts.made().unplain() == 0 => (false, false),
        Some(_) | None => (named(), value.contains("//")),
    };
    let elsewhere = named || linked || is_address(&value) || value.is_reference();
    let called_secret = gap.hidden() || gap.last == Last::PrivateKey;
    let cut = value.is_cut_id() || (!called_secret && is_cut_hash(&value));
    !elsewhere && !cut && !value.is_encoded_example() && !value.is_placeholder()
}

/// Whether a value may have the form that the words before it ask for, as far as they and its
/// beginning say: what is counted costs more.
fn may_be_formed(text: &str, gap: &Gap, naming: Naming) -> bool {
    if gap.secret() {
        return text.len() >= 10 || (gap.hidden() && gap.assigned());
    }
    if naming == Naming::Word {
        return gap.tight() && text.len() == 32;
    }
    if gap.assigned() || gap.blank() {
        return !gap.listed();
    }
    let alone = gap.words == 0 && !gap.listed();
    let joined = LETTERS.run(text.as_bytes(), FIRST_LOOK) == text.len().min(FIRST_LOOK);
    alone && (is_uuid(text) || (joined && text.len() >= 24))
}

/// Whether a value has the form that the words before it ask for.
fn is_formed(value: Value<'_>, gap: &Gap, naming: Naming) -> bool {
    // What costs less is asked first, here and below: a text may be full of such values.
    let joined = || value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let joined = || value.counts().map_or_else(joined, Counts::are_joined);
    let appended = || is_uuid(&value) || joined();
    let told = gap.secret() || gap.assigned() || gap.blank();
    if !told && !appended() {
        return false;
    }
    let form = Form::of(value);
    if naming == Naming::Shouted {
        let shaped = form.digits >= SHOUTED_DIGITS && value.len() >= LEAST_SHOUTED;
        let shaped = shaped && (form.joined || is_uuid(&value) || form.plain());
        if form.joined || is_uuid(&value) {
            return shaped && form.random();
        }
        return shaped && value.len() >= 24 && form.mixed();
    }
    if gap.secret() {
        let cases = form.lower > 0 && form.upper > 0;
        return match value.len() {
            8 | 9 => {
                gap.hidden() && gap.assigned() && form.joined && form.digits > 2 && form.mixed()
            }
            0..=9 => false,
            10..=15 => form.joined && (form.digits > 2 || cases) && form.mixed(),
            _ => !is_dotted_version(&value) && form.random(),
        };
    }
    let plain = form.padded();
    let uuid = is_uuid(&value);
    if !(gap.assigned() || gap.blank()) {
        // `name-7b3e5d8c-…`: what a machine appended, and no hash of a file or a pod.
        let appended = form.joined && !form.hex() && value.len() >= 24 && form.digits > 2;
        let alone = naming == Naming::Coined && gap.words == 0 && !gap.listed();
        return alone && (uuid || (appended && form.mixed()));
    }
    if naming == Naming::Word {
        return gap.tight() && value.len() == 32 && form.hex() && form.mixed();
    }
    let dotted =
        || if gap.assigned() { is_dotted_token(&value) } else { is_long_token(&value, &form) };
    if gap.listed() || !(plain || dotted()) {
        return false;
    }
    if gap.client() || gap.id() {
        let whole = gap.client() || !uuid || (gap.paired() && gap.assigned());
        return value.len() >= 12 && whole && (uuid || form.random());
    }
    // The name alone: nothing but an assignment or a blank may stand between.
    let least = if gap.assigned() { 15 } else { 20 };
    let long = value.len() >= if gap.assigned() { 20 } else { 64 };
    let grouped = || gap.assigned() && is_grouped(&value);
    let split = || form.digits > 1 && (long || grouped());
    // `Sentry: 6d3f25b8…` in a lock file is the hash of a package.
    if gap.pair() && !uuid && is_hash_or_id(&value) {
        return false;
    }
    value.len() >= least && (uuid || form.joined || split()) && form.mixed()
}

/// What costs least to ask: a machine pads with `=` and hardly puts one in the middle, and text
/// without a digit is random only where nothing but letters stands.
fn is_plainly_none(head: &[u8], counts: Option<Counts>, naming: Naming) -> bool {
    // What a word in capitals asks for has none at all.
    let most = u8::from(naming != Naming::Shouted);
    if counts.is_none_or(|counts| counts.made().equals() > usize::from(most))
        && has_joints(head, most + 1)
    {
        return true;
    }
    let joined = || head.iter().all(u8::is_ascii_alphanumeric);
    let spoken = match counts {
        Some(counts) => counts.made().digits() == 0 && !counts.are_joined(),
        None => !head.iter().any(u8::is_ascii_digit) && !joined(),
    };
    spoken && !is_unspeakable(head)
}

/// Whether `rest` may begin with what a word in capitals asks for: nothing but letters, digits and
/// what joins words, or groups of the lengths that a UUID has.
fn may_be_shouted(rest: &[u8]) -> bool {
    PLAIN.run(rest, LEAST_SHOUTED) == LEAST_SHOUTED
        || (rest.get(8) == Some(&b'-') && rest.get(13) == Some(&b'-'))
}

/// Whether a value has nothing of what a word in capitals asks for, as far as its counts say.
fn is_unshaped(counts: &Counts) -> bool {
    let made = counts.made();
    made.digits() < SHOUTED_DIGITS || counts.len() < LEAST_SHOUTED
}

/// A value without the marks that end a sentence or join it to what follows.
fn trimmed(text: &str) -> &str {
    let ends = |byte: u8| !matches!(byte, b'.' | b'-' | b'_' | b'/');
    let end = text.bytes().rposition(ends).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// The name of a variable.
fn is_upper(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

fn in_value(byte: u8) -> bool {
    VALUES.has(byte)
}

fn in_password(byte: u8) -> bool {
    PASSWORDS.has(byte)
}

static PASSWORDS: Class = Class::but(b" \t\n\x0c\r\"'`\\<");
static VALUES: Class = Class::of(b"_-.+/=~!%").with_alphanumerics();

#[cfg(test)]
mod tests;
