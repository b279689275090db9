//! The words between the name of a service and its credential, and what they say about it.

use std::sync::OnceLock;

use super::SHOUTED;
use crate::head::Head;

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
    ("report", Link::Plain), ("string", Link::Plain), ("portal", Link::Plain), ("config", Link::Plain),
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

/// What the words and marks of the gap say about the value.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Gap {
    pub(super) words: usize,
    pub(super) said: Said,
    /// What the last word makes of those before it.
    pub(super) last: Last,
}

/// Things that were said, one bit each: a gap is walked for every name in a text, so that adding
/// what one more word says has to cost nothing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said(u16);

impl Said {
    pub(super) const ID: Self = Self(1);
    pub(super) const CLIENT: Self = Self(1 << 1);
    pub(super) const SECRET: Self = Self(1 << 2);
    pub(super) const ASSIGNED: Self = Self(1 << 3);
    pub(super) const BLANK: Self = Self(1 << 4);
    /// A colon and a blank, as in YAML.
    pub(super) const PAIR: Self = Self(1 << 5);
    /// A comma: the name and the value are two of a list.
    pub(super) const LISTED: Self = Self(1 << 6);
    /// An equals sign right behind the name, and nothing else.
    pub(super) const TIGHT: Self = Self(1 << 7);
    /// A word for an interface or a role, which make an id one half of a pair.
    const PAIRED: Self = Self(1 << 8);
    /// A word for what people choose themselves.
    const CHOSEN: Self = Self(1 << 9);
    /// A word that means nothing but a secret.
    const HIDDEN: Self = Self(1 << 10);
    /// A mark that parts words, whatever it says.
    const MARK: Self = Self(1 << 11);

    /// So many things can be said.
    pub(super) const MANY: usize = 12;

    /// The things that were said, by the places of their bits.
    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        (0..Self::MANY).filter(move |place| self.0 >> place & 1 == 1)
    }

    /// What stands at a place.
    pub(super) const fn at(place: usize) -> Self {
        Self(1 << place)
    }

    pub(super) const fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    pub(super) const fn but(self, less: Self) -> Self {
        Self(self.0 & !less.0)
    }

    const fn has(self, said: Self) -> bool {
        self.0 & said.0 != 0
    }

    /// What a word says, beside what kind it is of.
    fn by(word: &str, link: Link) -> Self {
        let kind = match link {
            Link::Plain => Self::default(),
            Link::Id => Self::ID,
            Link::Client => Self::CLIENT,
            Link::Secret => Self::SECRET,
        };
        match word {
            "api" | "role" => kind.and(Self::PAIRED),
            "password" | "passwd" => kind.and(Self::CHOSEN),
            "secret" => kind.and(Self::HIDDEN),
            _ => kind,
        }
    }
}

impl Gap {
    pub(super) fn id(&self) -> bool {
        self.said.has(Said::ID)
    }

    pub(super) fn client(&self) -> bool {
        self.said.has(Said::CLIENT)
    }

    pub(super) fn secret(&self) -> bool {
        self.said.has(Said::SECRET)
    }

    pub(super) fn assigned(&self) -> bool {
        self.said.has(Said::ASSIGNED)
    }

    pub(super) fn blank(&self) -> bool {
        self.said.has(Said::BLANK)
    }

    pub(super) fn pair(&self) -> bool {
        self.said.has(Said::PAIR)
    }

    pub(super) fn listed(&self) -> bool {
        self.said.has(Said::LISTED)
    }

    pub(super) fn tight(&self) -> bool {
        self.said.has(Said::TIGHT)
    }

    pub(super) fn paired(&self) -> bool {
        self.said.has(Said::PAIRED)
    }

    pub(super) fn chosen(&self) -> bool {
        self.said.has(Said::CHOSEN)
    }

    pub(super) fn hidden(&self) -> bool {
        self.said.has(Said::HIDDEN)
    }
}

/// How many marks `rest` begins with, and what they say; `None` where there are none.
pub(super) fn marks(rest: &[u8]) -> Option<(usize, Said)> {
    let (mut len, mut said) = (0, Said::default());
    // What is said stays in a register: a text may be full of marks.
    while let Some(&byte) = rest.get(len) {
        let more = MARKS.get(usize::from(byte)).copied().unwrap_or_default();
        if !more.has(Said::MARK) {
            break;
        }
        len += 1;
        said = said.and(more);
        if byte == b':' && rest.get(len) == Some(&b' ') {
            said = said.and(Said::PAIR);
        }
    }
    (len > 0).then_some((len, said))
}

/// Whether a byte parts words.
pub(super) fn is_mark(byte: u8) -> bool {
    MARKS.get(usize::from(byte)).is_some_and(|said| said.has(Said::MARK))
}

static MARKS: [Said; 256] = table(b" \t\"'`=:_-.,([]>\\");

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn table(mut bytes: &[u8]) -> [Said; 256] {
    let mut marks = [Said(0); 256];
    while let [byte, rest @ ..] = bytes {
        let says = match *byte {
            b'=' | b':' => Said::ASSIGNED,
            b' ' | b'\t' => Said::BLANK,
            b',' => Said::LISTED,
            _ => Said(0),
        };
        marks[*byte as usize] = says.and(Said::MARK);
        bytes = rest;
    }
    marks
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

/// The words that say more together than alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Key,
    Private,
    Access,
    Id,
    Other,
}

impl Word {
    pub(super) fn of(word: &[u8]) -> Self {
        let known: [(&[u8], Self); 4] = [
            (b"key", Self::Key),
            (b"private", Self::Private),
            (b"access", Self::Access),
            (b"id", Self::Id),
        ];
        let same = known.iter().find(|(known, _)| word.eq_ignore_ascii_case(known));
        same.map_or(Self::Other, |(_, word)| *word)
    }
}

impl Last {
    /// The last words, now that `word` follows them.
    pub(super) fn then(self, word: Word) -> Self {
        match (self, word) {
            (Self::Access, Word::Key) | (_, Word::Other) => Self::Other,
            (Self::Private, Word::Key) => Self::PrivateKey,
            (Self::Key | Self::PrivateKey, Word::Id) => Self::KeyId,
            (_, Word::Key) => Self::Key,
            (_, Word::Private) => Self::Private,
            (_, Word::Access) => Self::Access,
            (_, Word::Id) => Self::Other,
        }
    }
}

/// A linking word, and what it says.
pub(super) struct Row {
    pub(super) head: Head,
    pub(super) said: Said,
    pub(super) word: Word,
    /// It only begins with one of [`SHOUTED`].
    pub(super) goes_on: bool,
}

/// The linking words by their first two letters, in the order of [`LINKS`].
pub(super) struct Links {
    rows: Vec<Row>,
    /// Where the words of a pair of letters begin and end.
    pairs: Vec<(u8, u8)>,
}

/// Five bits of a letter tell it from every other; those that share a pair are compared.
fn pair(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

impl Links {
    pub(super) fn get() -> &'static Self {
        static LINKS: OnceLock<Links> = OnceLock::new();
        LINKS.get_or_init(Self::build)
    }

    fn build() -> Self {
        let of = |text: &str| match text.as_bytes() {
            [first, second, ..] => pair(*first, *second),
            _ => usize::MAX,
        };
        let (mut rows, mut pairs): (Vec<Row>, Vec<(u8, u8)>) = (Vec::new(), Vec::new());
        for place in 0..1 << 10 {
            let first = u8::try_from(rows.len()).unwrap_or(u8::MAX);
            let words = LINKS.iter().filter(|(text, _)| of(text) == place);
            rows.extend(words.map(|&(text, link)| Row {
                head: Head::of(text),
                said: Said::by(text, link),
                word: Word::of(text.as_bytes()),
                goes_on: SHOUTED.iter().any(|name| {
                    let head = text.get(..name.len()).filter(|head| head.len() < text.len());
                    head.is_some_and(|head| head.eq_ignore_ascii_case(name))
                }),
            }));
            pairs.push((first, u8::try_from(rows.len()).unwrap_or(u8::MAX)));
        }
        Self { rows, pairs }
    }

    /// The word that `rest` begins with, of which `first` are the first bytes.
    pub(super) fn find(&self, rest: &[u8], first: u128) -> Option<&Row> {
        let [one, two, ..] = rest else { return None };
        let &(from, to) = self.pairs.get(pair(*one, *two))?;
        let rows = self.rows.get(usize::from(from)..usize::from(to))?;
        rows.iter().find(|row| row.head.begins(rest, first))
    }
}
