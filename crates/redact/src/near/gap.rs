//! The words between the name of a service and its credential, and what they say about it.

use std::sync::OnceLock;

/// Words that stand between a service's name and its credential, longest first.
#[rustfmt::skip]
const LINKS: &[(&str, Link)] = &[
    ("subscription", Link::Plain), ("organization", Link::Id), ("installation", Link::Plain),
    ("credentials", Link::Secret), ("application", Link::Id), ("integration", Link::Id),
    ("environment", Link::Plain), ("credential", Link::Secret), ("publishing", Link::Plain),
    ("production", Link::Plain), ("enterprise", Link::Plain), ("business", Link::Plain), ("deveui", Link::Id), ("unit", Link::Plain), ("developer", Link::Plain),
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
pub(super) struct Gap {
    pub(super) words: usize,
    pub(super) id: bool,
    pub(super) client: bool,
    pub(super) secret: bool,
    pub(super) assigned: bool,
    pub(super) blank: bool,
    /// A colon and a blank, as in YAML.
    pub(super) pair: bool,
    /// A comma: the name and the value are two of a list.
    pub(super) listed: bool,
    /// An equals sign right behind the name, and nothing else.
    pub(super) tight: bool,
    /// A word for an interface or a role, which make an id one half of a pair.
    pub(super) paired: bool,
    /// A word for what people choose themselves.
    pub(super) chosen: bool,
    /// A word that means nothing but a secret.
    pub(super) hidden: bool,
    /// What the last word makes of those before it.
    pub(super) last: Last,
}

/// The last words before the value, as far as they say more together than alone.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    #[default]
    Other,
    /// The id of an *access key* is half of what signs in, and stays hidden.
    Access,
    Private,
    PrivateKey,
    Key,
    /// The id of a key, which tells which one it is and not the key.
    KeyId,
}

impl Last {
    /// The last words, now that `word` follows them.
    pub(super) fn then(self, word: &[u8]) -> Self {
        let is = |known: &[u8]| word.eq_ignore_ascii_case(known);
        match self {
            Self::Access if is(b"key") => Self::Other,
            Self::Private if is(b"key") => Self::PrivateKey,
            Self::Key | Self::PrivateKey if is(b"id") => Self::KeyId,
            Self::Other
            | Self::Access
            | Self::Private
            | Self::PrivateKey
            | Self::Key
            | Self::KeyId => Self::of(word),
        }
    }

    fn of(word: &[u8]) -> Self {
        let known: [(&[u8], Self); 3] =
            [(b"key", Self::Key), (b"private", Self::Private), (b"access", Self::Access)];
        let same = known.iter().find(|(known, _)| word.eq_ignore_ascii_case(known));
        same.map_or(Self::Other, |(_, last)| *last)
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

/// Steps over a run of letters that is made of linking words, and of `name` again, and nothing
/// else.
pub(super) fn link(bytes: &[u8], name: &[u8], gap: &mut Gap) -> Option<usize> {
    let mut at = 0;
    let mut found = Gap { last: gap.last, ..Gap::default() };
    loop {
        let rest = bytes.get(at..)?;
        let ends = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
        if ends || (at > 0 && (counter(rest).is_some() || is_number_of_a_value(rest))) {
            break;
        }
        let again = rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        let whole = at > 0 || !rest.get(name.len()).is_some_and(u8::is_ascii_alphanumeric);
        if again && whole {
            found.last = found.last.then(name);
            at += name.len();
            continue;
        }
        let fits = |word: &&(&str, Link)| {
            rest.get(..word.0.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word.0.as_bytes()))
        };
        let (word, kind) = links(*rest.first()?).iter().find(|word| fits(word))?;
        found.secret |= *kind == Link::Secret;
        found.client |= *kind == Link::Client;
        found.id |= *kind == Link::Id;
        found.paired |= matches!(*word, "api" | "role");
        found.chosen |= matches!(*word, "password" | "passwd");
        found.hidden |= *word == "secret";
        found.last = found.last.then(word.as_bytes());
        at += word.len();
    }
    gap.secret |= found.secret;
    gap.client |= found.client;
    gap.id |= found.id;
    gap.paired |= found.paired;
    gap.chosen |= found.chosen;
    gap.hidden |= found.hidden;
    if at > 0 {
        gap.last = found.last;
    }
    (at > 0).then_some(at)
}

/// Whether digits begin something long: a value that follows a word without anything between.
fn is_number_of_a_value(rest: &[u8]) -> bool {
    let head = rest.get(..24).unwrap_or_default();
    let opens = head.first().is_some_and(u8::is_ascii_digit);
    opens && head.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// The length of a number of one or two digits that ends a name.
pub(super) fn counter(rest: &[u8]) -> Option<usize> {
    let digits = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let ends = matches!(rest.get(digits), Some(b' ' | b'=' | b':' | b'"' | b'\''));
    (matches!(digits, 1 | 2) && ends).then_some(digits)
}
