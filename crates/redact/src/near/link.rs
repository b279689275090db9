//! Steps over the words between the name of a service and its credential.

use super::SHOUTED;
use super::gap::{Gap, Links, Word};
use crate::class::Class;
use crate::head::{Head, first_bytes};

/// The name that the gap follows, which may stand in it again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    pub(crate) head: Head,
    pub(super) word: Word,
    /// The number of the chain that it stands in.
    pub(super) chain: usize,
}

impl Name {
    /// A name with a number of its own.
    pub(crate) fn of(text: &'static str, id: usize) -> Self {
        let chain = if SHOUTED.contains(&text) { TOGETHER } else { TOGETHER + 1 + id };
        Self { head: Head::of(text), word: Word::of(text.as_bytes()), chain }
    }

    /// Whether it is a linking word itself, in capitals.
    pub(super) fn is_link(&self) -> bool {
        self.chain == TOGETHER
    }

    /// Whether `bytes`, of which `first` are the first, begin with the name and no longer word.
    pub(super) fn stands_alone(&self, bytes: &[u8], first: u128) -> bool {
        let goes_on = || bytes.get(self.head.len()).is_some_and(|byte| LETTERS.has(*byte));
        self.head.begins(bytes, first) && !goes_on()
    }
}

/// The chain of the names that are linking words.
const TOGETHER: usize = 0;

/// The length of a run of letters that is a word for all of [`SHOUTED`], and for all the same.
///
/// Where one of them stands in the middle, it is taken before what only begins with it.
pub(super) fn link_for_all(bytes: &[u8]) -> Option<usize> {
    let links = Links::get();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && rest.first().is_some_and(|byte| LETTERS.has(*byte))
    {
        let numbered = at > 0 && rest.first().is_some_and(u8::is_ascii_digit);
        if numbered && ends_a_run(rest) {
            break;
        }
        let row = links.find(rest, first_bytes(rest))?;
        if at > 0 && row.goes_on {
            return None;
        }
        at += row.head.len();
    }
    (at > 0).then_some(at)
}

/// Steps over a run of letters that is made of linking words, and of `name` again, and nothing
/// else; `gap` is then one word longer.
pub(super) fn link(bytes: &[u8], name: &Name, gap: &mut Gap) -> Option<usize> {
    link_up_to(usize::MAX, bytes, name, gap)
}

/// The same, but that a run which has `most` bytes is not read to its end, and says nothing.
// What a word changes stays where it is: to hand it back would wait for the memory.
pub(super) fn link_up_to(most: usize, bytes: &[u8], name: &Name, gap: &mut Gap) -> Option<usize> {
    if !bytes.first().is_some_and(|byte| LETTERS.has(*byte)) {
        return None;
    }
    let first = first_bytes(bytes);
    if name.stands_alone(bytes, first) {
        gap.words += 1;
        gap.last = gap.last.then(name.word);
        return Some(name.head.len());
    }
    let row = Links::get().find(bytes, first)?;
    let (at, said) = (row.head.len(), gap.said.and(row.said));
    let begun = Gap { words: gap.words + 1, said, last: gap.last.then(row.word) };
    let (at, whole) = go_on((at, most), bytes, name, begun)?;
    if at < most {
        *gap = whole;
    }
    Some(at)
}

/// Steps over what is left of a run, of which `at` bytes were words, and adds what they say.
#[inline(always)]
pub(super) fn go_on(
    (mut at, most): (usize, usize),
    bytes: &[u8],
    name: &Name,
    gap: Gap,
) -> Option<(usize, Gap)> {
    let Gap { words, mut said, mut last } = gap;
    while at < most
        && let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first().filter(|byte| LETTERS.has(**byte))
    {
        if byte.is_ascii_digit() && ends_a_run(rest) {
            break;
        }
        let first = first_bytes(rest);
        if name.head.begins(rest, first) {
            last = last.then(name.word);
            at += name.head.len();
            continue;
        }
        let row = Links::get().find(rest, first)?;
        said = said.and(row.said);
        last = last.then(row.word);
        at += row.head.len();
    }
    Some((at, Gap { words, said, last }))
}

/// Whether digits in a run count the words before them, or begin a value.
pub(super) fn ends_a_run(rest: &[u8]) -> bool {
    counter(rest).is_some() || is_number_of_a_value(rest)
}

pub(super) static LETTERS: Class = Class::of(b"").with_alphanumerics();

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
