//! What is counted is what one sees by looking at a value alone.

use super::super::form::KEY_BYTES;
use super::super::words::{EXAMPLE_BEGINNINGS, is_unspeakable, is_upper_name, is_wordy};
use super::*;

/// Texts in which all happens that is counted, at all distances from where a value may begin.
const PARTS: &[&str] = &[
    "KEY_",
    "bcdfgh",
    "aeiou",
    "HTTPServer",
    "my-",
    "2",
    "2024",
    "==",
    "=x",
    "//",
    "/",
    "${",
    "%{",
    "your",
    "xxxx",
    ".",
    "_here",
    "Xy",
    "+",
    " ",
    "\u{e9}",
    "bcDfg",
    "prospectcrm",
    "\" +",
    "{0",
];

impl Tally {
    fn counts(&mut self, at: usize, value: &[u8]) -> Option<Counts> {
        self.sums(at, value)?.counts(value.len())
    }
}

/// Whatever a value is asked.
fn answers(counts: &Counts, shown: &Shown<'_>) -> [usize; 12] {
    let made = counts.made();
    [
        made.digits(),
        made.lower(),
        made.upper(),
        made.joined(),
        made.low_lines(),
        made.equals(),
        made.unplain(),
        made.unkeyed(),
        usize::from(counts.may_be_wordy() && counts.is_wordy(shown)),
        usize::from(shown.is_unspeakable()),
        usize::from(shown.may_be_example()),
        usize::from(counts.is_upper_name()),
    ]
}

/// The same, as one would say it.
fn seen(text: &str) -> [usize; 12] {
    let bytes = text.as_bytes();
    let count = |is: fn(u8) -> bool| bytes.iter().filter(|byte| is(**byte)).count();
    [
        count(|byte| byte.is_ascii_digit()),
        count(|byte| byte.is_ascii_lowercase()),
        count(|byte| byte.is_ascii_uppercase()),
        count(|byte| byte.is_ascii_alphanumeric()),
        count(|byte| byte == b'_'),
        count(|byte| byte == b'='),
        count(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-')),
        count(|byte| !KEY_BYTES.has(byte)),
        usize::from(is_wordy(text)),
        usize::from(is_unspeakable(bytes)),
        usize::from(EXAMPLE_BEGINNINGS.may_be_in(bytes)),
        usize::from(is_upper_name(text)),
    ]
}

#[test]
fn the_sums_say_what_a_look_at_the_value_says() {
    let mut text = String::new();
    let mut state = 1_usize;
    while text.len() < 4 * KEPT {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text.push_str(PARTS[(state >> 33) % PARTS.len()]);
    }
    let (mut tally, mut events, mut asked) = (Tally::default(), Events::default(), 0);
    for turn in 0..3 * text.len() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = text.floor_char_boundary((turn / 3).saturating_sub((state >> 40) % 12));
        let to = text.ceil_char_boundary((at + (state >> 50) % MOST).min(text.len()));
        let Some(value) = text.get(at..to) else { continue };
        // Places of the whole text, which may have begun long before.
        let Some(sums) = tally.sums(1000 + at, value.as_bytes()) else { continue };
        // Also of its beginning alone.
        let value = value.get(..value.floor_char_boundary((state >> 60) * 20)).unwrap_or(value);
        let Some(counts) = sums.counts(value.len()) else { continue };
        // Not everybody asks for what costs more.
        if state >> 35 & 3 == 0 {
            continue;
        }
        let Some(shown) = events.of(1000 + at, value.as_bytes()) else { continue };
        assert_eq!(answers(&counts, &shown), seen(value), "{at} {value}");
        let joined = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert_eq!(counts.are_joined(), joined, "{value}");
        asked += 1;
    }
    assert!(asked > text.len(), "{asked}");
}

#[test]
fn values_that_stand_apart_are_not_counted() {
    let text = "a".repeat(1 << 12);
    let mut tally = Tally::default();
    let mut close = |places: &[usize]| {
        places.iter().filter(|at| tally.counts(**at, &text.as_bytes()[..20]).is_some()).count()
    };
    assert_eq!(close(&[100, 300, 500, 500, 500, 500, 700]), 0);
    assert_eq!(close(&[2000, 2020, 2040, 2060, 2080]), 2);
    assert_eq!(close(&[3000]), 0);
}

#[test]
fn no_more_is_kept_than_so_many_places() {
    let text = "key_".repeat(1 << 12);
    let (mut tally, mut events) = (Tally::default(), Events::default());
    for at in (0..text.len() - MOST).step_by(4) {
        let value = &text.as_bytes()[at..at + MOST];
        assert!(events.of(at, value).is_some() && events.sums.len() <= KEPT + MOST + 1);
        tally.counts(at, value);
        assert!(tally.sums.len() <= KEPT + MOST + 1);
    }
    assert!(tally.counts(0, text.as_bytes()).is_none() && events.of(0, text.as_bytes()).is_none());
}
