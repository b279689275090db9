//! Pieces of keywords and examples put together in no order, so that nothing comes again as it was.
//!
//! Some mixes were found by looking for the worst; the others are drawn, always the same ones.

use std::cmp::Reverse;
use std::time::Duration;

use garth_redact::{Redactor, known};

use crate::hostile::{MOST, SAMPLE, SIZE};
use crate::{Took, best, once, verdict};

/// What is put together.
const PIECES: &[&[&str]] = &[
    &["_KEY_HERE_P", "5T"],
    &["_KEY_H", "_KEY_H", "5_KEY_HERE"],
    &["prospectcrm_", "skrappio_"],
    &["\"VIBER-", "ENV0: ", "SECRET-("],
    &["KEY_", " TOKEN", "SECRET "],
    &["KEY_5", "KEY_55"],
    &["KEY_PET5", "KEY_PAT5"],
    &["_KEY://", "5pk"],
    &[":SECRET", "://%ge", "3", "_KEY"],
    &["okta", "_", " key "],
    &["ZAPIER", "id"],
    &["KEYid", "TOKENid", "SECRETid", "ZAPIERid"],
    &["PRIVATE", "test", "auth", "NPMJS"],
    &["TOKEN", "==rawg"],
    &[":documo", "secret_"],
    &["TOKEN:", "marketo"],
    &["KEY_", ":", "\"belvo"],
    &["api5", "TOKEN=", "t"],
    &["rapid7", "TOKEN-", "://"],
    &[".", "key5", "_KEY"],
    &["soundcloud_", "arbitrum", "5vci_", "TOKEN\t", "KEY://"],
    &["apify", "SECRET(", "TOKEN="],
    &["password", " is ", "'", "sshpass -p"],
    &["SECRET_KEY_", "_", " box", "7", "SECRET_KEY", "TOKEN:", ":KEY"],
    &["TOKEN:", " box", "8", "_", "SECRET_KEY_", "_SECRET"],
    &["ns1", "TOKEN", "KEY", "TOKEN", "TOKEN: ", "_", "TOKEN:"],
    &["env0", "TOKEN:", "KEY", "ACCESS\t", "api-key:", "_"],
    &["flipt_", "password:", "FETCHRSS", "web_", "KEY.", "secret "],
    &["TOKEN", "password:", "=", "hibp", "n8n_api_", "\t", "\t"],
    &["TOKEN.", "password:", "n8n_api_", "\"", "app-keynew ", "'KEY", "duckdb"],
    &["password:", "SECRET\\", "Kp4", "flipt_", "-", "flipt_"],
    &["\tSECRET_KEY", "APP-KEY", "500PX", "TOKEN", "-", "_", "_", "-", "_"],
    &["\tSECRET_KEY", "_", "SECRET_KEY", "SECRET", "500PX", "pass", "_", "_", "_"],
    &["\"zohocrm", "SECRET-KEY-", "829", "7b3e5d8c", "SECRET_KEY", "@mariadb ", "TOKEN:", "SECRET"],
    &[
        "pass://",
        "-",
        "SECRET_KEY=",
        "@mariadb ",
        "_fixerio",
        "500px",
        "SECRET-KEY-",
        "SECRET",
        "-",
    ],
    &["500px", "_", "_", "KEY", ": ", "_", "TOKEN", "KEY-", "_"],
    &["NOZBETEAMS", "id", "key", "appkey", "token:", "pass", "app", "NOZBETEAMS", "id"],
    &["NOZBETEAMS", "id", "key", "appkey", "NOZBETEAMS", "id", "NOZBETEAMS", "idkey", "token:"],
    &["pgreen4508 ", "-", "mysql ", "mysql ", "mysql !", "mysqldump ", "[mysqldump "],
    &["-a ", " -h ", "redis-cli "],
    &[" kind: Secret\n", " x\n", "y\n"],
    &[" data:\n", " u: YWRh\n", " a: bcde\n"],
];

/// So many mixes are drawn, and so many of them, whose parts took longest, are measured whole.
const DRAWN: usize = 400;
const WHOLE: usize = 16;

/// What stands between keywords.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    " ", "\n", "=", "=\"", ": ", ":", "_", "-", ".", "/", "'", "\"", ", ", "(", ")", "://", "@",
    "\\", "$", "<", " is ", " = ", "5", "==", "=>", "[", "]", "\t", "%", "+",
];

/// What names and values are full of.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "key", "KEY", "token", "TOKEN", "secret", "SECRET", "ACCESS", "PRIVATE", "api", "id", "client",
    "password", "value", "example", "your", "_here", "xxxx", "a1B2", "0123456789abcdef", "P5T",
    "user", "test", "app", "auth", "login", "eyJ", "new ", "7b3e5d8c",
];

pub(crate) fn measure(redactor: &Redactor) {
    let found =
        PIECES.iter().map(|pieces| pieces.iter().map(|piece| (*piece).to_owned()).collect());
    let found: Vec<Vec<String>> = found.collect();
    let mut drawn: Vec<(Duration, Vec<String>)> = draw(DRAWN)
        .into_iter()
        .map(|pieces| {
            let sample = in_no_order(&pieces, SAMPLE);
            (once(|| drop(std::hint::black_box(redactor.find(&sample)))).elapsed, pieces)
        })
        .collect();
    drawn.sort_by_key(|(took, _)| Reverse(*took));
    let drawn = drawn.into_iter().take(WHOLE).map(|(_, pieces)| pieces);
    let mut worst: Vec<(Took, Vec<String>)> = found
        .into_iter()
        .chain(drawn)
        .map(|pieces| {
            let text = in_no_order(&pieces, SIZE);
            let find = || drop(std::hint::black_box(redactor.find(&text)));
            (best(find), pieces)
        })
        .collect();
    worst.sort_by_key(|(took, _)| Reverse(took.elapsed));
    for (took, pieces) in worst.iter().take(PIECES.len() + 3) {
        println!("hostile text in no order: {took}, {pieces:?}");
    }
    let slow = worst.iter().filter(|(took, _)| took.milliseconds() > MOST).count();
    println!(
        "hostile text in no order: {slow} of {} worst above {MOST} ms a megabyte in {} mixes: {}",
        worst.len(),
        PIECES.len() + DRAWN,
        verdict(slow == 0)
    );
}

/// Numbers that are always the same.
pub(crate) struct Draw(usize);

impl Draw {
    pub(crate) fn new() -> Self {
        Self(1)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % most.max(1)
    }

    pub(crate) fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts.get(self.below(texts.len())).copied().unwrap_or_default()
    }

    /// A keyword, a part of an example, or what stands around them.
    fn piece(&mut self, keywords: &[&str], examples: &[&str]) -> String {
        let between = self.one_of(BETWEEN);
        match self.below(10) {
            0 | 1 => self.one_of(keywords).to_owned(),
            2 => self.one_of(keywords).to_uppercase(),
            3 => format!("{between}{}", self.one_of(keywords)),
            4 => format!("{}{between}", self.one_of(keywords)),
            5 => {
                let example = self.one_of(examples);
                let from = example.floor_char_boundary(self.below(example.len()));
                let to = example.ceil_char_boundary(from + 1 + self.below(12));
                example.get(from..to).unwrap_or(example).to_owned()
            }
            6 => format!("{}{between}", self.one_of(WORDS)),
            7 => format!("{between}{}", self.one_of(WORDS)),
            8 => self.one_of(WORDS).to_owned(),
            _ => between.to_owned(),
        }
    }
}

/// So many mixes of two to six pieces each.
fn draw(many: usize) -> Vec<Vec<String>> {
    let keywords: Vec<&str> = known().flat_map(|rule| rule.keywords).copied().collect();
    let keywords: Vec<&str> =
        keywords.into_iter().filter(|keyword| !keyword.ends_with('…')).collect();
    let examples: Vec<&str> =
        known().flat_map(|rule| rule.examples).map(|(text, _)| *text).collect();
    let mut draw = Draw::new();
    let mix = |_| {
        let pieces = 2 + draw.below(5);
        (0..pieces).map(|_| draw.piece(&keywords, &examples)).collect()
    };
    (0..many).map(mix).collect()
}

/// A text of so many bytes, always in the same order.
pub(crate) fn in_no_order(pieces: &[String], size: usize) -> String {
    let mut text = String::with_capacity(size);
    let mut draw = Draw::new();
    while text.len() < size {
        text.push_str(pieces.get(draw.below(pieces.len())).map_or("-", String::as_str));
    }
    text
}
