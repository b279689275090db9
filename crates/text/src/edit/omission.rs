//! Placeholders that stand for code a caller left out.
//!
//! A new text with a line such as `// ... rest of the methods ...` would delete
//! the code it pretends to keep. Only a line that is nothing but a placeholder
//! counts: the same words inside a string literal are code.

use std::collections::HashSet;

/// Comment signs of common languages, the longer before their own beginnings.
const OPENERS: [&str; 10] = ["{/*", "/*", "<!--", "//", "#", "--", ";", "%", "*", "("];
const CLOSERS: [&str; 4] = ["*/}", "*/", "-->", ")"];

/// Words that say something stays; `rest` needs its `of`.
const LEADS: [&str; 4] = ["rest", "unchanged", "existing", "remaining"];

/// What may be left out, in the singular.
const PARTS: [&str; 11] = [
    "code",
    "method",
    "function",
    "file",
    "class",
    "implementation",
    "component",
    "import",
    "test",
    "content",
    "logic",
];

/// Words that a placeholder may have besides.
const FILLERS: [&str; 12] = [
    "of", "the", "your", "this", "is", "are", "remains", "remain", "stays", "same", "as", "before",
];

/// Finds the first line of `new` (from 1) that is a placeholder which `old`
/// does not have.
pub(super) fn find(old: &str, new: &str) -> Option<usize> {
    let mut held: Option<HashSet<String>> = None;
    for (index, line) in new.lines().enumerate() {
        let Some(phrase) = placeholder(line) else { continue };
        let held = held.get_or_insert_with(|| old.lines().filter_map(placeholder).collect());
        if !held.contains(&phrase) {
            return Some(index + 1);
        }
    }
    None
}

/// The words of a placeholder line, or `None` for a line that is none.
fn placeholder(line: &str) -> Option<String> {
    let is_dot = |character: char| matches!(character, '.' | '…');
    let marked = uncomment(line);
    let after_front = marked.trim_start_matches(is_dot);
    let words = after_front.trim_end_matches(is_dot);
    let front = marked.len() - after_front.len();
    let back = after_front.len() - words.len();
    // Three dots and one ellipsis both have three bytes.
    if front < 3 && back < 3 {
        return None;
    }
    let phrase = uncomment(words).to_lowercase();
    says_that_something_stays(&phrase).then_some(phrase)
}

/// Takes comment signs and brackets off both ends of a line.
fn uncomment(line: &str) -> &str {
    let mut rest = line.trim();
    while let Some(inner) = OPENERS.iter().find_map(|sign| rest.strip_prefix(sign)) {
        rest = inner.trim_start();
    }
    while let Some(inner) = CLOSERS.iter().find_map(|sign| rest.strip_suffix(sign)) {
        rest = inner.trim_end();
    }
    rest
}

fn says_that_something_stays(phrase: &str) -> bool {
    let is_part = |word: &str| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        PARTS.iter().any(|part| *part == word || *part == singular)
    };
    let known = |word: &str| is_part(word) || LEADS.contains(&word) || FILLERS.contains(&word);
    let has = |wanted: &str| phrase.split_whitespace().any(|word| word == wanted);
    phrase.split_whitespace().all(known)
        && LEADS.iter().any(|lead| has(lead))
        && (phrase.split_whitespace().any(is_part) || (has("rest") && has("of")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_stands_for_omitted_code_is_found() {
        for line in [
            "// rest of methods ...",
            "(rest of code ...)",
            "(unchanged code ...)",
            "// unchanged method ......",
            "rest of ...",
            "  # ... existing code ...",
            "{/* … rest of the component … */}",
            "<!-- rest of file... -->",
            "-- ... (rest of the code stays the same)",
            "/* Rest Of Methods... */",
        ] {
            let new = format!("fn kept() {{}}\n{line}\n");
            assert_eq!(find("fn kept() {}", &new), Some(2), "{line}");
        }
    }

    #[test]
    fn code_and_prose_are_left_alone() {
        for line in [
            "const s = \"rest of code ...\";",
            "...rest",
            "  ...existing,",
            "...",
            "# rest of code",
            "// rest of methods ... are below",
            "// the remaining time ...",
            "print('unchanged code ...')",
            "let rest = 1; // ...",
            "",
        ] {
            assert_eq!(find("", line), None, "{line}");
        }
    }

    #[test]
    fn a_placeholder_that_the_old_text_has_may_stay() {
        assert_eq!(find("a\n// rest of code ...", "b\n//   Rest of code ..."), None);
        assert_eq!(find("a\n// rest of code ...", "// rest of methods ..."), Some(1));
    }
}
