//! Says where in a text a keyword may stand, by four bytes at a time and every second place.
//!
//! A keyword is known by two runs of four bytes, one a byte behind the other, so that one of them
//! begins at an even place wherever the keyword stands. What is left to do is one look-up in a
//! table of bits that fits the first cache, for two bytes of text. Unlike an automaton, no step
//! waits for the memory of the one before.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::fold::{BLOCK, Block, RUN, class, classes};

/// Hashes of a run have so many bits; so many bits has the table too.
const HASH_BITS: u32 = 18;

/// Runs whose hashes agree in the first so many bits stand together in the list of entries.
const BUCKET_BITS: u32 = 14;

/// Every run of every keyword.
pub(super) struct Grams {
    /// A bit for each hash that some run has.
    known: Box<[u64; 1 << (HASH_BITS - 6)]>,
    /// Where the entries of a bucket begin; one more than there are buckets.
    begins: Vec<u32>,
    entries: Vec<Entry>,
}

/// A run, and where it stands in which keyword.
#[derive(Debug, Clone, Copy)]
struct Entry {
    run: u32,
    keyword: u16,
    /// One more than the place in the keyword: a run may begin with the byte before it.
    place: u16,
}

/// A keyword to be found.
pub(super) struct Wanted<'k> {
    pub(super) keyword: usize,
    pub(super) text: &'k [u8],
    /// The classes of bytes that may stand before it, where it is shorter than two runs.
    pub(super) before: Vec<u8>,
}

/// Where a keyword may begin, to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guess {
    pub(super) start: usize,
    pub(super) keyword: usize,
}

impl Grams {
    pub(super) fn new<'k>(wanted: impl Iterator<Item = Wanted<'k>>) -> Self {
        let common: HashSet<&[u8]> =
            WORDS.iter().flat_map(|word| word.as_bytes().windows(RUN)).collect();
        // The shortest first: they have least to choose from.
        let mut wanted: Vec<Wanted<'k>> = wanted.collect();
        wanted.sort_by_key(|wanted| wanted.text.len());
        let mut entries: Vec<Entry> = Vec::new();
        // By the hash of a run: how many keywords have it.
        let mut shared = vec![0_u8; 1 << HASH_BITS];
        for wanted in wanted {
            let runs = runs(&wanted, &common, &shared);
            for entry in &runs {
                if let Some(others) = shared.get_mut(hash(entry.run)) {
                    *others = others.saturating_add(1);
                }
            }
            entries.extend(runs);
        }
        entries.sort_by_key(|entry| hash(entry.run));
        let mut known = Box::new([0_u64; 1 << (HASH_BITS - 6)]);
        let mut begins = vec![0_u32; (1 << BUCKET_BITS) + 1];
        for entry in &entries {
            let hash = hash(entry.run);
            if let Some(word) = known.get_mut(hash >> 6) {
                *word |= 1 << (hash & 63);
            }
            if let Some(begin) = begins.get_mut(bucket(hash) + 1) {
                *begin += 1;
            }
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        Self { known, begins, entries }
    }

    /// Gives `take` every place in a block where the runs of a keyword stand; each only once.
    pub(super) fn guesses(&self, block: &Block<'_>, mut take: impl FnMut(Guess)) {
        let mut places = [0_u16; BLOCK / 2 + 2];
        let count = self.pick(block.folded, &mut places);
        for &place in places.iter().take(count) {
            let place = usize::from(place);
            let run = block.folded.get(place..).and_then(|run| run.first_chunk());
            self.list(u32::from_le_bytes(*run.unwrap_or(&[0; RUN])), block.from + place, &mut take);
        }
    }

    /// Writes down the even places of `folded` where a run begins whose hash is known, and says how
    /// many they are; the last four bytes are only looked at.
    #[inline(never)]
    fn pick(&self, folded: &[u8], places: &mut [u16; BLOCK / 2 + 2]) -> usize {
        let mut count = 0;
        let mut place = 0_u16;
        let (fours, _) = folded.as_chunks::<RUN>();
        let mut fours = fours.iter().map(|four| u32::from_le_bytes(*four));
        let mut here = fours.next().unwrap_or_default();
        for next in fours {
            for run in [here, here >> 16 | next << 16] {
                // Without a branch: which run is known cannot be foretold.
                if let Some(slot) = places.get_mut(count) {
                    *slot = place;
                }
                count += usize::from(self.knows(run));
                place += 2;
            }
            here = next;
        }
        count
    }

    fn knows(&self, run: u32) -> bool {
        let hash = hash(run);
        self.known.get(hash >> 6).is_some_and(|word| word >> (hash & 63) & 1 != 0)
    }

    /// The keywords that have `run`, where it stands at `at`.
    fn list(&self, run: u32, at: usize, take: &mut impl FnMut(Guess)) {
        let bucket = bucket(hash(run));
        let begin = self.begins.get(bucket).map_or(0, |&begin| begin as usize);
        let end = self.begins.get(bucket + 1).map_or(0, |&end| end as usize);
        for entry in self.entries.get(begin..end).unwrap_or_default() {
            if entry.run != run {
                continue;
            }
            if let Some(start) = (at + 1).checked_sub(usize::from(entry.place)) {
                take(Guess { start, keyword: usize::from(entry.keyword) });
            }
        }
    }
}

/// The runs that a keyword is known by: one for where it begins at an even place, one for an odd.
///
/// Those of a short keyword reach beyond it, so there is one for every class that may stand there.
fn runs(wanted: &Wanted<'_>, common: &HashSet<&[u8]>, shared: &[u8]) -> Vec<Entry> {
    let keyword = u16::try_from(wanted.keyword).unwrap_or(u16::MAX);
    let folded: Vec<u8> = wanted.text.iter().map(|&byte| class(byte)).collect();
    let entry = |place: u16, run: [u8; RUN]| Entry { run: u32::from_le_bytes(run), keyword, place };
    let behind = |place, [one, two, three]: [u8; 3]| {
        classes().iter().map(move |&(any, _)| entry(place, [one, two, three, any]))
    };
    let before = |[one, two, three]: [u8; 3]| {
        wanted.before.iter().map(move |&any| entry(0, [any, one, two, three]))
    };
    match *folded {
        [one, two, three] => {
            behind(1, [one, two, three]).chain(before([one, two, three])).collect()
        }
        [one, two, three, four] => {
            let whole = entry(1, [one, two, three, four]);
            let cost = |bytes: Option<&[u8]>| bytes.map_or(0, commonness);
            let head = cost(wanted.text.get(..3));
            if head <= cost(wanted.text.get(1..)) + FEWER {
                before([one, two, three]).chain([whole]).collect()
            } else {
                behind(2, [two, three, four]).chain([whole]).collect()
            }
        }
        _ => rarest(wanted.text, |run| cost(run, common, shared))
            .into_iter()
            .flat_map(|place| [place, place + 1])
            .filter_map(|place| {
                let run = folded.get(place..)?.first_chunk()?;
                Some(entry(u16::try_from(place + 1).ok()?, *run))
            })
            .collect(),
    }
}

/// What it is worth that fewer bytes may stand before a keyword than behind it, as a commonness.
const FEWER: u32 = 40;

/// The same for a run that a common word has.
const IN_A_WORD: u32 = 200;

/// The same for a run that another keyword has, for each of them.
const SHARED: u32 = 25;

/// Where the two runs of a keyword begin that cost least, one a byte behind the other.
fn rarest(keyword: &[u8], cost: impl Fn(&[u8]) -> u32) -> Option<usize> {
    let fives = keyword.windows(RUN + 1).enumerate();
    let both = |five: &[u8]| five.windows(RUN).map(&cost).sum::<u32>();
    fives.min_by_key(|(_, five)| both(five)).map(|(place, _)| place)
}

/// What a run costs: how often it stands in a text in vain, and how many are to be compared there.
fn cost(run: &[u8], common: &HashSet<&[u8]>, shared: &[u8]) -> u32 {
    let folded = run.first_chunk().map(|run: &[u8; RUN]| u32::from_le_bytes(run.map(class)));
    let others = folded.and_then(|run| shared.get(hash(run))).copied().unwrap_or_default();
    let in_a_word = if common.contains(run) { IN_A_WORD } else { 0 };
    commonness(run) + in_a_word + SHARED * u32::from(others)
}

/// Words that source code and prose are full of; a run in one of them says little.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "abstract", "access", "account", "address", "application", "array", "assert", "attribute", "auto",
    "before", "block", "bool", "buffer", "build", "byte", "called", "case", "cell", "change", "char",
    "check", "class", "client", "clone", "close", "code", "collect", "column", "comment", "compile",
    "config", "connect", "const", "contain", "content", "context", "convert", "core", "count", "create",
    "crate", "current", "data", "debug", "default", "delete", "derive", "description", "device", "direct",
    "display", "document", "each", "element", "else", "empty", "enable", "encode", "entry", "error",
    "event", "example", "expect", "expression", "extern", "false", "fast", "feature", "field", "file",
    "find", "first", "fixed", "flag", "float", "following", "form", "format", "forward", "found", "from",
    "function", "generate", "global", "handle", "have", "head", "help", "here", "identifier", "implement",
    "import", "include", "index", "inner", "input", "insert", "inside", "inspect", "instance", "integer",
    "inter", "internal", "into", "iter", "iterable", "itself", "kind", "know", "label", "last", "length",
    "level", "library", "license", "line", "link", "list", "load", "local", "location", "logic", "loop",
    "macro", "match", "member", "memory", "message", "meta", "method", "missing", "mode", "model",
    "module", "more", "must", "mutable", "name", "need", "network", "node", "none", "note", "null",
    "number", "object", "offset", "only", "open", "operation", "option", "order", "other", "output",
    "over", "package", "panic", "parameter", "parent", "parse", "partial", "path", "pattern", "pointer",
    "point", "port", "position", "prefix", "print", "private", "process", "project", "property",
    "provided", "pub", "public", "query", "range", "read", "reader", "receive", "record", "reference",
    "register", "release", "remove", "replace", "report", "request", "require", "reset", "resource",
    "response", "result", "return", "right", "root", "safe", "same", "scope", "script", "search",
    "section", "segment", "select", "self", "send", "sent", "server", "service", "session", "shift",
    "should", "signature", "simple", "single", "size", "slice", "some", "source", "space", "specific",
    "split", "stack", "start", "state", "statement", "static", "status", "stream", "string", "struct",
    "sub", "super", "support", "switch", "system", "table", "target", "team", "template", "term", "test",
    "text", "that", "then", "there", "these", "this", "thread", "time", "timeout", "token", "trace",
    "track", "trait", "true", "type", "under", "unit", "unwrap", "update", "used", "user", "using",
    "valid", "value", "variable", "vector", "version", "view", "visit", "warning", "where", "which",
    "while", "with", "within", "without", "word", "work", "world", "wrap", "wrapper", "write", "writer",
    "able", "ally", "ance", "ated", "ation", "ence", "ents", "ered", "hing", "ific", "ight", "ined",
    "ings", "ions", "ised", "ists", "ized", "ller", "lled", "ment", "ness", "ould", "ring", "rite",
    "ster", "ther", "ting", "tion", "tive", "ture", "ular", "ured", "very", "ying",
];

/// How common bytes are in source code and prose, as a logarithm of a sort.
fn commonness(bytes: &[u8]) -> u32 {
    static BY_BYTE: OnceLock<Vec<u32>> = OnceLock::new();
    let by_byte = BY_BYTE.get_or_init(|| (0..=u8::MAX).map(commonness_of).collect());
    bytes.iter().filter_map(|&byte| by_byte.get(usize::from(byte))).sum()
}

fn commonness_of(byte: u8) -> u32 {
    const BY_RANK: &[u8] = b" etaoinsrldcupm_fhgbyv.-w,k/0x1:q2j\"'z3456789";
    let byte = byte.to_ascii_lowercase();
    let rank = BY_RANK.iter().position(|&known| known == byte).unwrap_or(BY_RANK.len());
    match rank {
        0 => 100,
        1..=10 => 80 - u32::try_from(rank).unwrap_or(0) * 2,
        11..=20 => 45 - u32::try_from(rank).unwrap_or(0),
        _ => 12,
    }
}

fn hash(run: u32) -> usize {
    (run.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

fn bucket(hash: usize) -> usize {
    hash >> (HASH_BITS - BUCKET_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(keywords: &[&'static str]) -> Grams {
        let wanted = keywords.iter().enumerate().map(|(keyword, text)| Wanted {
            keyword,
            text: text.as_bytes(),
            before: Vec::new(),
        });
        Grams::new(wanted)
    }

    #[test]
    fn keywords_that_end_alike_are_known_by_other_runs() {
        let grams = grams(&["api_key", "app_key", "access_key", "private_key", "preshared_key"]);
        let places = |run: &str| {
            let folded: Vec<u8> = run.bytes().map(class).collect();
            let run = u32::from_le_bytes(*folded.first_chunk().unwrap());
            grams.entries.iter().filter(|entry| entry.run == run).count()
        };
        assert!((1..=2).contains(&places("_key")), "{}", places("_key"));
        assert_eq!(grams.entries.len(), 10);
    }
}
