//! The worst text that can be made for each rule: its keyword, its examples and parts of them,
//! again and again, with and without blanks, and long runs of what its secret is made of.

use garth_redact::{Redactor, known};

use crate::{best, once, verdict};

/// Each text is of one megabyte.
const SIZE: usize = 1 << 20;

/// A part of it says whether the whole is worth a look: more than the widest window by far.
const SAMPLE: usize = SIZE / 16;

/// Milliseconds that one of them may take.
const MOST: f64 = 20.0;

pub(crate) fn measure(redactor: &Redactor) {
    let mut worst: Vec<(f64, &str, String)> = Vec::new();
    let mut tried = 0;
    for rule in known() {
        let mut slowest = (0.0, rule.name, String::new());
        for unit in units(rule.keywords, rule.examples) {
            tried += 1;
            let text = unit.repeat(SIZE / unit.len().max(1));
            let sample = text.get(..text.floor_char_boundary(SAMPLE)).unwrap_or_default();
            let quick = milliseconds(|| drop(std::hint::black_box(redactor.find(sample)))) * 16.0;
            if quick < MOST / 2.0 || quick < slowest.0 {
                slowest = if quick > slowest.0 { (quick, rule.name, unit) } else { slowest };
                continue;
            }
            let find = || drop(std::hint::black_box(redactor.find(&text)));
            let took = best(find).as_secs_f64() * 1e3;
            if took > slowest.0 {
                slowest = (took, rule.name, unit);
            }
        }
        worst.push(slowest);
    }
    worst.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (took, name, unit) in worst.iter().take(12) {
        let head: String = unit.chars().take(48).collect();
        println!("hostile text for {name}: {took:.1} ms a megabyte, {head:?}");
    }
    let slow = worst.iter().filter(|(took, ..)| *took > MOST).count();
    println!(
        "hostile text: {slow} of {} rules above {MOST} ms a megabyte in {tried} texts: {}",
        worst.len(),
        verdict(slow == 0)
    );
}

fn milliseconds(run: impl FnOnce()) -> f64 {
    once(run).as_secs_f64() * 1e3
}

/// What is repeated: keywords and examples, whole and cut, with what may stand around them.
fn units(keywords: &[&str], examples: &[(&str, &str)]) -> Vec<String> {
    let mut units = Vec::new();
    for keyword in keywords.iter().filter(|keyword| !keyword.ends_with('…')).take(2) {
        for around in ["", " ", "\n", "=", "=\"", ": ", "a", "_", "'", "/"] {
            units.push(format!("{keyword}{around}"));
        }
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
