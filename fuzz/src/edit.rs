//! Edits: what is found exactly is replaced exactly, what is found nearly differs
//! in white space and typography only, and nothing else changes.

use garth_text::edit::{Edit, Edited, Level, MAX_PLACES, Mode, Replace, Why, apply};

/// Checks one edit, given as content, old text and new text, in all four ways.
pub fn check(data: &[u8]) {
    let Some([content, old, new]) = super::texts(data) else { return };
    for mode in [Mode::Exact, Mode::Forgiving] {
        for replace in [Replace::One, Replace::All] {
            let edit = Edit { old, new, replace };
            match apply(content.as_bytes(), &[edit], mode) {
                Ok(edited) => landed(content, edit, mode, &edited),
                Err(failure) => refused(content, edit, &failure.why),
            }
        }
    }
}

/// The text without carriage returns, since line endings follow the file.
fn unix(text: &str) -> String {
    text.replace('\r', "")
}

/// How often the old text occurs, overlapping occurrences counted.
fn occurrences(content: &str, old: &str) -> usize {
    let starts = content.char_indices().map(|(at, _)| at);
    starts.filter(|at| content[*at..].starts_with(old)).count()
}

fn landed(content: &str, edit: Edit<'_>, mode: Mode, edited: &Edited) {
    let after = str::from_utf8(&edited.bytes).expect("text stays text");
    let [report] = edited.reports.as_slice() else { panic!("one edit, one report") };
    assert_ne!(after, content, "a success changes something");
    assert!(report.count >= 1);
    assert!(edit.replace == Replace::All || report.count == 1);
    assert_eq!(report.places.len(), report.count.min(MAX_PLACES));
    if report.count <= MAX_PLACES {
        untouched_bytes_stay(content, edited);
    }
    for place in &report.places {
        let found = &content[place.before.clone()];
        assert!(is_near(found, edit.old), "{found:?} is not {:?}", edit.old);
        let line = content[..place.before.start].matches('\n').count() + 1;
        assert_eq!(place.line, line);
    }
    assert_eq!(report.level == Level::Exact, content.contains(edit.old));
    if report.level == Level::Exact {
        // Line endings follow the file and are never torn apart; all else is literal.
        let literal = content.replace(edit.old, edit.new);
        let folded = unix(content).replace(&unix(edit.old), &unix(edit.new));
        assert!([unix(&literal), folded].contains(&unix(after)), "{after:?}");
    }
    assert!(mode == Mode::Forgiving || report.level == Level::Exact);
}

/// Puts the result together from the old content and the reported places alone.
fn untouched_bytes_stay(content: &str, edited: &Edited) {
    let mut expected = Vec::new();
    let mut from = 0;
    for place in &edited.reports[0].places {
        expected.extend_from_slice(&content.as_bytes()[from..place.before.start]);
        assert_eq!(expected.len(), place.after.start);
        expected.extend_from_slice(&edited.bytes[place.after.clone()]);
        from = place.before.end;
    }
    expected.extend_from_slice(&content.as_bytes()[from..]);
    assert_eq!(expected, edited.bytes);
}

/// Tells whether two texts have the same letters and digits in the same order.
fn is_near(left: &str, right: &str) -> bool {
    let letters =
        |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
    letters(left) == letters(right)
}

fn refused(content: &str, edit: Edit<'_>, why: &Why) {
    let exact = occurrences(content, edit.old);
    match why {
        Why::Same => assert!(unix(&content.replace(edit.old, edit.new)) == unix(content)),
        Why::EmptyOld => assert!(edit.old.is_empty()),
        Why::Omission { line } => assert!(*line >= 1 && *line <= edit.new.lines().count()),
        Why::TooLarge { limit } => {
            let grown = content.len() + edit.new.len().saturating_mul(content.len().max(1));
            assert!(grown > *limit, "a result within the limit is never too large");
        }
        Why::NotFound { nearest } => {
            assert_eq!(exact, 0, "an exact occurrence is always found");
            assert!(nearest.is_none_or(|line| line >= 1 && line <= content.lines().count().max(1)));
        }
        Why::Ambiguous { lines, total, .. } => {
            assert_eq!(edit.replace, Replace::One);
            assert!(*total >= 2 && exact != 1, "exactly one exact place is never ambiguous");
            assert!(!lines.is_empty() && lines.is_sorted());
        }
    }
}
