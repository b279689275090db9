//! Reads the credential that stands beside the name of a service.
//!
//! `algolia_api_key = "…"`, `WANDB=…`, `datadog app key: …`, `gitterSECRET-…`: whoever writes the
//! name of a service, a few words that every credential has, and then something random, shows a
//! credential. Only words of one short list may stand between; any other word ends the search, so
//! that lock files, image names and prose are left alone.

use crate::judge::words::{is_gibberish, is_placeholder, is_reference, is_wordy};
use crate::judge::{distinct_bytes, is_address, is_encoded_example, is_hash_or_id};
use std::sync::OnceLock;

use crate::class::Class;
use crate::tail::Tail;

/// Bytes between the name and the value; alignment and quotes, not text.
const MAX_GAP: usize = 512;

/// Words between them; nobody needs more to name a key.
const MAX_WORDS: usize = 8;

/// The same where the first of them is no name: a text may be full of such words.
const MAX_SHOUTED: usize = 2;

/// No credential is shorter.
const LEAST: usize = 10;

/// A value is judged by so many bytes; its tail takes the rest.
const MAX_VALUE: usize = 128;

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

/// Words that stand between a service's name and its credential, longest first.
#[rustfmt::skip]
const LINKS: &[(&str, Link)] = &[
    ("subscription", Link::Plain), ("organization", Link::Id), ("installation", Link::Plain),
    ("credentials", Link::Secret), ("application", Link::Id), ("integration", Link::Id),
    ("environment", Link::Plain), ("credential", Link::Secret), ("publishing", Link::Plain),
    ("production", Link::Plain), ("enterprise", Link::Plain), ("developer", Link::Plain),
    ("signature", Link::Plain), ("heartbeat", Link::Plain), ("ingestion", Link::Plain),
    ("workspace", Link::Id), ("password", Link::Secret), ("consumer", Link::Client),
    ("personal", Link::Plain), ("merchant", Link::Id), ("tracking", Link::Plain),
    ("username", Link::Id), ("identity", Link::Id), ("security", Link::Plain),
    ("private", Link::Secret), ("license", Link::Secret), ("licence", Link::Secret),
    ("account", Link::Id), ("project", Link::Id), ("service", Link::Plain),
    ("partner", Link::Id), ("sandbox", Link::Plain), ("staging", Link::Plain),
    ("webhook", Link::Plain), ("signing", Link::Plain), ("storage", Link::Plain),
    ("session", Link::Plain), ("refresh", Link::Plain), ("backend", Link::Plain),
    ("default", Link::Plain), ("passwd", Link::Secret), ("secret", Link::Secret),
    ("access", Link::Secret), ("tokens", Link::Secret), ("client", Link::Client),
    ("master", Link::Plain), ("server", Link::Plain), ("record", Link::Plain),
    ("deploy", Link::Plain), ("ingest", Link::Plain), ("bearer", Link::Secret),
    ("header", Link::Plain), ("tenant", Link::Id), ("device", Link::Plain),
    ("report", Link::Plain), ("portal", Link::Plain), ("config", Link::Plain),
    ("oauth2", Link::Plain), ("search", Link::Plain), ("token", Link::Secret),
    ("creds", Link::Secret), ("oauth", Link::Plain), ("admin", Link::Plain),
    ("write", Link::Plain), ("cloud", Link::Plain), ("login", Link::Secret),
    ("value", Link::Plain), ("teams", Link::Plain), ("forms", Link::Plain),
    ("agent", Link::Plain), ("event", Link::Plain), ("email", Link::Plain),
    ("trial", Link::Plain), ("video", Link::Plain), ("devops", Link::Plain),
    ("auth", Link::Secret), ("pass", Link::Secret),
    ("cred", Link::Secret), ("keys", Link::Secret), ("user", Link::Id), ("rest", Link::Plain),
    ("read", Link::Plain), ("only", Link::Plain), ("site", Link::Id), ("prod", Link::Plain),
    ("live", Link::Plain), ("test", Link::Plain), ("data", Link::Plain), ("the", Link::Plain),
    ("key", Link::Secret), ("tok", Link::Secret), ("tkn", Link::Secret), ("pat", Link::Secret),
    ("api", Link::Plain), ("app", Link::Id), ("org", Link::Id), ("sdk", Link::Plain),
    ("dev", Link::Plain), ("env", Link::Plain), ("bot", Link::Plain), ("web", Link::Plain),
    ("iot", Link::Plain), ("crm", Link::Plain), ("new", Link::Plain), ("my", Link::Plain),
    ("is", Link::Plain), ("id", Link::Id), ("ai", Link::Plain), ("io", Link::Plain),
    ("ads", Link::Plain), ("maps", Link::Plain), ("pro", Link::Plain), ("sign", Link::Plain),
    ("root", Link::Plain), ("role", Link::Plain), ("flex", Link::Plain),
    ("v1", Link::Plain), ("v2", Link::Plain), ("v3", Link::Plain),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Plain,
    Id,
    Client,
    Secret,
}

/// What the words of the gap say about the value.
#[derive(Debug, Default)]
struct Gap {
    words: usize,
    id: bool,
    client: bool,
    secret: bool,
    assigned: bool,
    blank: bool,
    /// A colon and a blank, as in YAML.
    pair: bool,
    /// A comma: the name and the value are two of a list.
    listed: bool,
}

/// Reads what stands beside the name of `len` bytes at `at`.
pub(crate) fn read(chunk: &str, at: usize, len: usize, naming: Naming) -> Option<Beside> {
    let bytes = chunk.as_bytes();
    let first = *bytes.get(at)?;
    let before = at.checked_sub(1).and_then(|index| bytes.get(index));
    if let Some(&before) = before.filter(|_| naming != Naming::Shouted) {
        let hump = before.is_ascii_lowercase() && first.is_ascii_uppercase();
        // `-Dsonar.login=…` sets a property.
        let property = before == b'D' && bytes.get(..at)?.ends_with(b"-D");
        let joined = before.is_ascii_alphanumeric() && !hump && !property;
        if joined || matches!(before, b'/' | b'@') {
            return None;
        }
    }
    let end = at + len;
    if naming == Naming::Shouted && before.is_some_and(u8::is_ascii_uppercase) {
        return None;
    }
    let mut gap = Gap { secret: naming == Naming::Shouted, ..Gap::default() };
    let most = if naming == Naming::Shouted { MAX_SHOUTED } else { MAX_WORDS };
    let mut here = end;
    while here < end + MAX_GAP && gap.words <= most {
        let byte = *bytes.get(here)?;
        if is_separator(byte) {
            gap.assigned |= matches!(byte, b'=' | b':');
            gap.blank |= matches!(byte, b' ' | b'\t');
            gap.listed |= byte == b',';
            gap.pair |= byte == b':' && bytes.get(here + 1) == Some(&b' ');
            here += 1;
            continue;
        }
        if let Some(word) = link(bytes.get(here..)?, &mut gap) {
            gap.words += 1;
            here += word;
            continue;
        }
        // `algoliasearch` and `docker2` are other names.
        return if here == end { None } else { value(chunk, at, here, &gap, naming) };
    }
    None
}

/// The words for a secret that are keywords by themselves, in capitals.
pub(crate) const SHOUTED: &[&str] = &["KEY", "TOKEN", "SECRET", "ACCESS", "PRIVATE"];

fn value(chunk: &str, start: usize, at: usize, gap: &Gap, naming: Naming) -> Option<Beside> {
    let rest = chunk.get(at..)?;
    // Most are none, and show it at once.
    let head = rest.as_bytes().get(..FIRST_LOOK).unwrap_or(rest.as_bytes());
    let len = head.iter().take_while(|&&byte| in_value(byte)).count();
    if len < LEAST || is_plainly_none(head.get(..len)?) {
        return None;
    }
    let run = rest.bytes().take(MAX_VALUE).take_while(|&byte| in_value(byte)).count();
    let text = rest.get(..run)?;
    let text = if run == MAX_VALUE { text } else { text.trim_end_matches(['.', '-', '_', '/']) };
    if !is_credential(text, gap, naming) {
        return None;
    }
    // A call, an index or the rest of an address: the value is a name of code.
    if matches!(rest.as_bytes().get(text.len()), Some(b'(' | b'[' | b'@')) {
        return None;
    }
    let tail = if run == MAX_VALUE { Tail::Run(in_value) } else { Tail::Closed };
    Some(Beside { start, value_at: at, value_end: at + text.len(), run_end: at + run, tail })
}

fn is_credential(value: &str, gap: &Gap, naming: Naming) -> bool {
    if value.len() < LEAST || !is_formed(value, gap, naming) {
        return false;
    }
    // What costs more is asked last.
    let elsewhere = value.contains("//") || is_address(value) || is_reference(value);
    !elsewhere && !is_encoded_example(value) && !is_placeholder(value)
}

/// Whether a value has the form that the words before it ask for.
fn is_formed(value: &str, gap: &Gap, naming: Naming) -> bool {
    let form = Form::of(value);
    if naming == Naming::Shouted {
        let split = form.mixed && value.len() >= 24 && value.bytes().all(is_plain);
        let shaped = form.joined || is_uuid(value) || split;
        return form.random && shaped && value.len() >= 20 && form.digits > 2;
    }
    if gap.secret {
        let cases = form.lower > 0 && form.upper > 0;
        return match value.len() {
            0..=9 => false,
            10..=15 => form.mixed && form.joined && (form.digits > 2 || cases),
            _ => form.random && !is_dotted_version(value),
        };
    }
    let plain = value.trim_end_matches('=').bytes().all(is_plain);
    if naming == Naming::Word || !plain || !(gap.assigned || gap.blank) || gap.listed {
        return false;
    }
    let uuid = is_uuid(value);
    if gap.client || gap.id {
        return form.random && value.len() >= 12 && (gap.client || !uuid);
    }
    // The name alone: nothing but an assignment or a blank may stand between.
    let least = if gap.assigned { 15 } else { 20 };
    let split = gap.assigned && value.len() >= 20 && form.digits > 1;
    // `Sentry: 6d3f25b8…` in a lock file is the hash of a package.
    if gap.pair && !uuid && is_hash_or_id(value) {
        return false;
    }
    (uuid || form.joined || split) && form.mixed && value.len() >= least
}

/// What costs least to ask: a machine pads with `=` and hardly puts one in the middle, and text
/// without a digit is random only where nothing but letters stands.
fn is_plainly_none(value: &[u8]) -> bool {
    let head = value.get(..FIRST_LOOK).unwrap_or(value);
    let joins = |pair: &[u8]| matches!(pair, [b'=', next] if *next != b'=');
    let digit = head.iter().any(u8::is_ascii_digit);
    let joined = head.iter().all(u8::is_ascii_alphanumeric);
    (!digit && !joined) || head.windows(2).filter(|pair| joins(pair)).count() > 1
}

/// What a value is made of.
struct Form {
    digits: usize,
    lower: usize,
    upper: usize,
    /// Letters and digits that are no words.
    mixed: bool,
    /// Nothing but letters and digits.
    joined: bool,
    /// No person would have thought of it.
    random: bool,
}

impl Form {
    fn of(value: &str) -> Self {
        let count = |is: fn(&u8) -> bool| value.bytes().filter(is).count();
        let digits = count(u8::is_ascii_digit);
        let lower = count(u8::is_ascii_lowercase);
        let upper = count(u8::is_ascii_uppercase);
        let joined = digits + lower + upper == value.len();
        let varied = distinct_bytes(value) >= 6;
        let enough = digits > 1 || (digits > 0 && value.len() >= 10);
        let mixed = enough && lower + upper > 1 && varied && !is_wordy(value);
        let long = value.len() >= 20;
        let hex = long && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        let numeric = digits == value.len() && digits >= 16;
        let dense = long && joined && digits > 2;
        let letters = long && digits == 0 && joined && (is_gibberish(value) || !is_wordy(value));
        let random = mixed || (varied && (hex || numeric || dense || letters));
        Self { digits, lower, upper, mixed, joined, random }
    }
}

/// The words that begin with a letter, in any case.
fn links(first: u8) -> &'static [(&'static str, Link)] {
    static BY_LETTER: OnceLock<Vec<Vec<(&str, Link)>>> = OnceLock::new();
    let by_letter = BY_LETTER.get_or_init(|| {
        let of =
            |letter: u8| move |word: &&(&str, Link)| word.0.as_bytes().first() == Some(&letter);
        (b'a'..=b'z').map(|letter| LINKS.iter().filter(of(letter)).copied().collect()).collect()
    });
    let index = usize::from(first.to_ascii_lowercase()).checked_sub(usize::from(b'a'));
    index.and_then(|index| by_letter.get(index)).map_or(&[], Vec::as_slice)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Steps over a run of letters that is made of linking words and nothing else.
fn link(bytes: &[u8], gap: &mut Gap) -> Option<usize> {
    let mut at = 0;
    let mut found = Gap::default();
    loop {
        let rest = bytes.get(at..)?;
        if !rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            break;
        }
        let fits = |word: &&(&str, Link)| {
            rest.get(..word.0.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word.0.as_bytes()))
        };
        let (word, kind) = links(*rest.first()?).iter().find(|word| fits(word))?;
        found.secret |= *kind == Link::Secret;
        found.client |= *kind == Link::Client;
        found.id |= *kind == Link::Id;
        at += word.len();
    }
    gap.secret |= found.secret;
    gap.client |= found.client;
    gap.id |= found.id;
    (at > 0).then_some(at)
}

fn is_separator(byte: u8) -> bool {
    SEPARATORS.has(byte)
}

fn in_value(byte: u8) -> bool {
    VALUES.has(byte)
}

static SEPARATORS: Class = Class::of(b" \t\"'`=:_-.,([]>\\");
static VALUES: Class = Class::of(b"_-.+/=~!%").with_alphanumerics();

fn is_uuid(value: &str) -> bool {
    let parts: Vec<usize> = value.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12]
}

/// `1.2.3-rc.4` and `2024.01.02+build.5` are versions.
fn is_dotted_version(value: &str) -> bool {
    let head = value.strip_prefix('v').unwrap_or(value);
    let number = head.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&number) && head.as_bytes().get(number) == Some(&b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, name: &str, naming: Naming) -> Option<String> {
        let at = text.to_ascii_lowercase().find(name).unwrap();
        let beside = read(text, at, name.len(), naming)?;
        Some(text[beside.value_at..beside.value_end].to_owned())
    }

    #[test]
    fn a_random_value_beside_a_name_is_a_credential() {
        for text in [
            "algolia_api_key = \"Kp4Qx7Rm2Sn5Tb8Vw3Yz\"",
            "myAlgoliaKey: 'Kp4Qx7Rm2Sn5Tb8Vw3Yz'",
            "ALGOLIA=Kp4Qx7Rm2Sn5Tb8Vw3Yz",
            "algoliaSecretTOKEN Kp4Qx7Rm2Sn5Tb8Vw3Yz",
            "algolia-access-key-Kp4Qx7Rm2Sn5Tb8Vw3Yz",
            "algolia client id: Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        ] {
            let value = found(text, "algolia", Naming::Coined);
            assert_eq!(value.as_deref(), Some("Kp4Qx7Rm2Sn5Tb8Vw3Yz"), "{text}");
        }
    }

    #[test]
    fn other_words_versions_and_names_end_the_search() {
        for text in [
            "algoliasearch-4.14.2.tgz#eb9e15deb83e4ca532989df12b40fedd434ef89a",
            "algolia integrity sha512-Kp4Qx7Rm2Sn5Tb8Vw3Yz",
            "algolia-7d9f8c6b5d-x2x4z",
            "algolia: 98fc74a8",
            "algolia key: algolia_default_search_key",
            "algolia token = 1.2.3-rc.4.build.20240101",
            "algolia_key = get_key2_from_settings3(x)",
        ] {
            assert_eq!(found(text, "algolia", Naming::Coined), None, "{text}");
        }
    }

    #[test]
    fn a_word_needs_another_that_speaks_of_a_secret() {
        let value = "3b335d612137949d2f21fcc6c8c8164d";
        assert_eq!(found(&format!("square {value}"), "square", Naming::Word), None);
        assert!(found(&format!("square token {value}"), "square", Naming::Word).is_some());
    }
}
