//! Writes down what a call is to do: one line, bounded, without secrets.

use garth_contract::escape;
use garth_redact::{Raw, Redactor};

use crate::{Shows, Summary};

/// The most paths that are named one by one.
const MOST_PATHS: usize = 32;

/// The longest command or fact that is kept whole, in bytes.
const MOST_TEXT: usize = 4 << 10;

/// How much of a text is looked through for secrets: far more than is kept, so that a
/// secret at the end of what is kept is seen whole, and no more than is quick.
const MOST_LOOKED_AT: usize = 128 << 10;

/// The longest line, in bytes.
const MOST_LINE: usize = 16 << 10;

/// The line of a summary.
pub(crate) fn line(summary: &Summary, redactor: &Redactor) -> String {
    // What most calls are: one path, and nothing else.
    if let Summary { paths, command: None, facts, shows: Shows::Clean, .. } = summary
        && let ([named], []) = (paths.as_slice(), facts.as_slice())
    {
        return cut(shown(&named.path), MOST_LINE);
    }
    let mut parts = Vec::new();
    if !summary.paths.is_empty() {
        let named = summary.paths.iter().take(MOST_PATHS);
        let mut paths: Vec<_> = named.map(|named| shown(&named.path)).collect();
        let more = summary.paths.len().saturating_sub(MOST_PATHS);
        if more > 0 {
            paths.push(format!("and {more} more"));
        }
        parts.push(paths.join(", "));
    }
    if let Some(command) = &summary.command {
        parts.push(format!("command: {}", clean(command, redactor)));
    }
    for (name, value) in &summary.facts {
        parts.push(format!("{name}: {}", clean(value, redactor)));
    }
    match summary.shows {
        Shows::Raw => parts.push("unredacted".to_owned()),
        Shows::Clean => {}
    }
    cut(parts.join("; "), MOST_LINE)
}

/// A path, in one line; the root has a name too.
fn shown(path: &str) -> String {
    if path.is_empty() { "/".to_owned() } else { cut(escape(path.as_bytes()), MOST_TEXT) }
}

/// A text without its secrets, in one line. It is redacted first and cut after, so that
/// no cut hides a secret from the rules.
fn clean(text: &str, redactor: &Redactor) -> String {
    let beginning = text.get(..text.floor_char_boundary(MOST_LOOKED_AT)).unwrap_or_default();
    match redactor.clean(Raw::from(beginning)) {
        Ok(redaction) => cut(escape(redaction.clean.as_bytes()), MOST_TEXT),
        Err(_) => "held back".to_owned(),
    }
}

fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(most));
        text.push_str(&format!(" … ({whole} bytes)"));
    }
    text
}

#[cfg(test)]
mod tests {
    use garth_redact::Config;

    use super::*;
    use crate::approvals::Reach;

    fn written(summary: &Summary) -> String {
        line(summary, &Redactor::new(&Config::standard()).unwrap())
    }

    #[test]
    fn paths_a_command_and_facts_stand_in_one_line() {
        let mut summary = Summary::default().path("src/a.rs", Reach::This).path("", Reach::Tree);
        summary.command = Some("ls -l\nrm x".to_owned());
        summary.shows = Shows::Raw;
        let summary = summary.fact("pattern", "a+");
        assert_eq!(
            written(&summary),
            r"src/a.rs, /; command: ls -l\x0arm x; pattern: a+; unredacted"
        );
    }

    #[test]
    fn a_secret_of_a_command_is_not_written_down() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let padding = "x ".repeat(MOST_TEXT);
        for command in [format!("curl -H 'Authorization: Bearer {secret}'"), padding + secret] {
            let summary = Summary { command: Some(command), ..Summary::default() };
            assert!(!written(&summary).contains("0123456789abcdefghij"));
        }
    }

    #[test]
    fn a_line_has_a_bound_whatever_was_sent() {
        let mut summary = Summary::default();
        for _ in 0..10_000 {
            summary = summary.path("é".repeat(5_000), Reach::This);
        }
        let line = written(&summary);
        assert!(line.len() < MOST_LINE + 64, "{}", line.len());
    }
}
