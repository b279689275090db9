//! Shows what a call would change to whoever approves it: as a difference, bounded,
//! without secrets.

use garth_contract::escape;
use garth_redact::{Raw, Redactor};

/// How much of a text is looked through for secrets; far more than is shown, so that one
/// at the end of what is shown is seen whole.
const MOST_LOOKED_AT: usize = 128 << 10;

/// The most that is shown, in bytes: more than anybody reads before an answer.
const MOST_SHOWN: usize = 16 << 10;

/// A part of what a call would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text that would go.
    Removes(String),
    /// Text that would come.
    Adds(String),
    /// Text that says by itself what would happen: a patch.
    Says(String),
}

/// The lines of a change, each behind `-`, `+` or nothing.
pub(crate) fn shown(parts: &[Part], redactor: &Redactor) -> Option<String> {
    let mut shown = String::new();
    for part in parts {
        let (sign, text) = match part {
            Part::Removes(text) => ("-", text),
            Part::Adds(text) => ("+", text),
            Part::Says(text) => ("", text),
        };
        // Without its secrets first, since a sign before each line would hide some.
        let looked_at = text.get(..text.floor_char_boundary(MOST_LOOKED_AT)).unwrap_or_default();
        match redactor.clean(Raw::from(looked_at)) {
            Ok(redaction) => add(&mut shown, sign, &redaction.clean),
            Err(_) => add(&mut shown, sign, "held back"),
        }
        if shown.len() > MOST_SHOWN || looked_at.len() < text.len() {
            shown.truncate(shown.floor_char_boundary(MOST_SHOWN));
            shown.push_str("\n… and more");
            break;
        }
    }
    (!shown.is_empty()).then_some(shown)
}

fn add(shown: &mut String, sign: &str, text: &str) {
    for line in text.lines() {
        if !shown.is_empty() {
            shown.push('\n');
        }
        shown.push_str(sign);
        // Tabs stay; nothing else may move what is read.
        let plain: Vec<_> = line.split('\t').map(|part| escape(part.as_bytes())).collect();
        shown.push_str(&plain.join("\t"));
    }
}

#[cfg(test)]
mod tests {
    use garth_redact::Config;

    use super::*;

    fn of(parts: &[Part]) -> Option<String> {
        shown(parts, &Redactor::new(&Config::standard()).unwrap())
    }

    #[test]
    fn a_change_reads_as_a_difference() {
        let parts =
            [Part::Removes("one\n\ttwo\n".to_owned()), Part::Adds("three\u{1b}[2J".to_owned())];
        assert_eq!(of(&parts).as_deref(), Some("-one\n-\ttwo\n+three\\x1b[2J"));
        assert_eq!(
            of(&[Part::Says("*** Begin Patch".to_owned())]).as_deref(),
            Some("*** Begin Patch")
        );
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn secrets_do_not_show_not_even_over_lines() {
        let body =
            "MIIEpAIBAAKCAQEAx0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN\n".repeat(4);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n");
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let shown = of(&[Part::Adds(key), Part::Removes(format!("t = {token}"))]).unwrap();
        assert!(!shown.contains("MIIEp") && !shown.contains(token), "{shown}");
    }

    #[test]
    fn a_long_change_is_cut_and_says_so() {
        let shown = of(&[Part::Adds("é\n".repeat(500_000))]).unwrap();
        assert!(shown.len() < MOST_SHOWN + 32 && shown.ends_with("\n… and more"));
    }
}
