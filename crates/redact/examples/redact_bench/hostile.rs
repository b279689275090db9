//! The worst text that can be made for each rule: its keyword, its examples and parts of them,
//! again and again, with and without blanks, long runs of what its secret is made of, and words and
//! lines of its examples in no order.

use std::cmp::Reverse;
use std::fmt;

use garth_redact::{Known, Redactor, known};

use crate::mixes::{Draw, in_no_order};
use crate::{Took, best, once, verdict};

/// Each text is of one megabyte.
pub(crate) const SIZE: usize = 1 << 20;

/// A part of it says whether the whole is worth a look: more than the widest window by far.
pub(crate) const SAMPLE: usize = SIZE / 16;

/// So many of a rule's texts, those whose parts took longest, are measured whole.
const WHOLE: usize = 3;

/// Texts with keywords of several rules.
const MIXED: &[&str] = &[
    "KEY TOKEN SECRET ACCESS PRIVATE ",
    ":KEYvalueKEY=:",
    "= _API_KEY=SECRETvalue",
    "KEY_KEY_:KEY--KEY:simfin-KEY__:API-KEY_:KEY_KEY:__KAPI-KEY_KEY-KEYKEY-",
    "prospectcrm_skrappio_",
    "_KEY_HERE_P5T",
    "\"VIBER-ENV0: SECRET-(",
];

/// Milliseconds that one of them may take.
pub(crate) const MOST: f64 = 20.0;

pub(crate) fn measure(redactor: &Redactor) {
    let mut worst: Vec<(Took, &str, Unit)> = Vec::new();
    let mut tried = 0;
    for rule in known() {
        let again = units(rule.keywords, rule.examples).into_iter().map(Unit::Again);
        let units = again.chain(draw_lines(&rule).into_iter().map(Unit::InNoOrder));
        let mut units: Vec<(f64, Unit)> = units
            .map(|unit| {
                let sample = unit.text(SAMPLE);
                let find = || drop(std::hint::black_box(redactor.find(&sample)));
                (once(find).milliseconds(), unit)
            })
            .collect();
        tried += units.len();
        units.sort_by(|one, other| other.0.total_cmp(&one.0));
        let slowest = units.into_iter().take(WHOLE).map(|(_, unit)| {
            let text = unit.text(SIZE);
            let find = || drop(std::hint::black_box(redactor.find(&text)));
            (best(find), rule.name, unit)
        });
        worst.extend(slowest.max_by_key(|(took, ..)| took.elapsed));
    }
    tried += MIXED.len();
    worst.extend(MIXED.iter().map(|unit| {
        let text = unit.repeat(SIZE / unit.len());
        let find = || drop(std::hint::black_box(redactor.find(&text)));
        (best(find), "several rules", Unit::Again((*unit).to_owned()))
    }));
    worst.sort_by_key(|(took, ..)| Reverse(took.elapsed));
    for (took, name, unit) in worst.iter().take(24) {
        println!("hostile text for {name}: {took}, {unit}");
    }
    let slow = worst.iter().filter(|(took, ..)| took.milliseconds() > MOST).count();
    println!(
        "hostile text: {slow} of {} worst above {MOST} ms a megabyte in {tried} texts: {}",
        worst.len(),
        verdict(slow == 0)
    );
}

/// What a text is made of.
enum Unit {
    /// It, as often as it fits.
    Again(String),
    /// Pieces, one after another.
    InNoOrder(Vec<String>),
}

impl Unit {
    fn text(&self, size: usize) -> String {
        match self {
            Self::Again(unit) => unit.repeat(size / unit.len().max(1)),
            Self::InNoOrder(pieces) => in_no_order(pieces, size),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Again(unit) => write!(out, "{:?}", unit.chars().take(48).collect::<String>()),
            Self::InNoOrder(pieces) => write!(out, "in no order {pieces:?}"),
        }
    }
}

/// So many mixes of its own are drawn for a rule.
const OWN: usize = 24;

/// Keywords of a rule, and words and lines of its examples.
fn draw_lines(rule: &Known) -> Vec<Vec<String>> {
    let keywords = rule.keywords.iter().filter(|keyword| !keyword.ends_with('…')).copied();
    let examples = || rule.examples.iter().map(|(text, _)| *text);
    let lines = keywords.chain(examples().flat_map(|text| text.split_inclusive('\n')));
    let words = examples().flat_map(|text| text.split_inclusive([' ', '\n']));
    let lines: Vec<&str> = lines.chain(words).chain([" ", "\n", "a", " x\n", "7"]).collect();
    let mut draw = Draw::new();
    let piece = |draw: &mut Draw| {
        let line = draw.one_of(&lines);
        match draw.below(4) {
            0 => format!(" {line}"),
            1 => format!("{line}\n"),
            _ => line.to_owned(),
        }
    };
    let mix = |_| (0..2 + draw.below(4)).map(|_| piece(&mut draw)).collect();
    (0..OWN).map(mix).collect()
}

/// One text alone, for whoever looks where the time goes.
pub(crate) fn measure_one(redactor: &Redactor, text: &str) {
    let find = || drop(std::hint::black_box(redactor.find(text)));
    let tries = std::iter::repeat_with(|| best(find)).take(12);
    if let Some(took) = tries.reduce(Took::min) {
        println!("{took}");
    }
}

/// What is repeated: keywords and examples, whole and cut, with what may stand around them.
fn units(keywords: &[&str], examples: &[(&str, &str)]) -> Vec<String> {
    let mut units = Vec::new();
    for keyword in keywords.iter().filter(|keyword| !keyword.ends_with('…')).take(2) {
        for around in ["", " ", "\n", "=", "=\"", ": ", "a", "_", "'", "/"] {
            units.push(format!("{keyword}{around}"));
        }
        // A word that begins with the keyword, and one that it is in twice.
        units.push(format!("{keyword}value-"));
        units.push(format!("_{keyword}{keyword}"));
        units.push(format!("dwpop0NIO_{keyword}_"));
        units.push(format!("{keyword}{}", "a1B".repeat(30)));
        units.push(format!("{keyword}=\"{}", "a1B".repeat(30)));
        units.push(format!("{keyword}={} ", "a1B".repeat(500)));
        units.push(format!("{keyword} {}", "=\"' :_-".repeat(70)));
        for run in ["a", "0", "A1", "ab-", "a.b", "\\", "$", "(", "eyJ", "://"] {
            units.push(format!("{keyword}{}", run.repeat(9)));
        }
    }
    for (text, secret) in examples {
        units.push((*text).to_owned());
        units.push(format!("{text}\n"));
        units.push(format!("{text} "));
        // Almost: cut off before the end, and with one letter that does not fit near it.
        let half = text.floor_char_boundary(text.len() * 3 / 4);
        units.push(text.get(..half).unwrap_or_default().to_owned());
        units.push(text.replace(secret, ""));
        let short = secret.floor_char_boundary(secret.len().saturating_sub(1));
        let almost = secret.get(..short).unwrap_or_default();
        units.push(format!("{almost}\n"));
        units.push(format!("{almost}!"));
        units.push(text.replace(secret, &format!("{almost}\u{e9}")));
    }
    units.retain(|unit| !unit.is_empty());
    units
}
