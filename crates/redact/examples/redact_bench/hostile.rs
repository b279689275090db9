//! The worst text that can be made for each rule: its keyword, its examples and parts of them,
//! again and again, with and without blanks.

use garth_redact::{Redactor, known};

use crate::{best, once, verdict};

/// Each text is of one megabyte.
const SIZE: usize = 1 << 20;

/// Milliseconds that one of them may take.
const MOST: f64 = 20.0;

pub(crate) fn measure(redactor: &Redactor) {
    let mut worst: Vec<(f64, &str, String)> = Vec::new();
    for rule in known() {
        let mut slowest = (0.0, rule.name, String::new());
        for unit in units(rule.keywords, rule.examples) {
            let text = unit.repeat(SIZE / unit.len().max(1));
            let find = || drop(std::hint::black_box(redactor.find(&text)));
            let mut took = once(find).as_secs_f64() * 1e3;
            if took > slowest.0 && took > MOST / 2.0 {
                took = best(find).as_secs_f64() * 1e3;
            }
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
        "hostile text: {} of {} rules above {MOST} ms a megabyte: {}",
        slow,
        worst.len(),
        verdict(slow == 0)
    );
}

/// What is repeated: keywords and examples, whole and cut, with what may stand around them.
fn units(keywords: &[&str], examples: &[(&str, &str)]) -> Vec<String> {
    let mut units = Vec::new();
    for keyword in keywords.iter().filter(|keyword| !keyword.ends_with('…')).take(8) {
        for around in ["", " ", "\n", "=", "=\"", ": ", "a", "_", "'", "/"] {
            units.push(format!("{keyword}{around}"));
        }
        units.push(format!("{keyword}{}", "a1B".repeat(30)));
        units.push(format!("{keyword}=\"{}", "a1B".repeat(30)));
        units.push(format!("{keyword}={} ", "a1B".repeat(1300)));
        units.push(format!("{keyword} {}", "=\"' :_-".repeat(70)));
    }
    for (text, secret) in examples {
        units.push((*text).to_owned());
        units.push(format!("{text}\n"));
        units.push(format!("{text} "));
        let half = text.floor_char_boundary(text.len() * 3 / 4);
        units.push(text.get(..half).unwrap_or_default().to_owned());
        units.push(text.replace(secret, ""));
        let short = secret.floor_char_boundary(secret.len().saturating_sub(1));
        units.push(format!("{}\n", secret.get(..short).unwrap_or_default()));
    }
    units.retain(|unit| !unit.is_empty());
    units
}
