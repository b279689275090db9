//! Text made fit for a terminal: nothing in it can command the terminal, and
//! what has a meaning has a colour.

use std::fmt::Write as _;

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Allowed,
    Never,
}

/// Prepares a text for a terminal.
///
/// Control characters other than line ends and tabs are shown, not sent: a file
/// could hold sequences that move the cursor, retitle the window or worse.
pub(crate) fn for_terminal(text: &str, colour: Colour) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut place = Place::Prose;
    for line in text.split_inclusive('\n') {
        let (line, ending) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if line.starts_with("@@ -") {
            place = Place::Diff;
        }
        let style = match colour {
            Colour::Allowed => style_of(line, place),
            Colour::Never => None,
        };
        if let Some(style) = style {
            let _ = write!(out, "\u{1b}[{style}m");
        }
        push_visible(&mut out, line);
        if style.is_some() {
            out.push_str("\u{1b}[0m");
        }
        out.push_str(ending);
    }
    out
}

/// Whether signs at the front of lines are those of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Prose,
    Diff,
}

/// The style of a line, by how it begins.
fn style_of(line: &str, place: Place) -> Option<&'static str> {
    const BOLD: &str = "1";
    const DIM: &str = "2";
    const RED: &str = "31";
    const GREEN: &str = "32";
    const CYAN: &str = "36";
    match line.as_bytes() {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => Some(BOLD),
        _ if line.starts_with("error: ") => Some(RED),
        _ if line.starts_with("hint: ") || line.starts_with("@@ ") => Some(CYAN),
        [b'+', ..] if place == Place::Diff => Some(GREEN),
        [b'-', ..] if place == Place::Diff => Some(RED),
        [b'[', .., b']'] => Some(DIM),
        _ => None,
    }
}

/// Appends a line with its control characters made visible.
fn push_visible(out: &mut String, line: &str) {
    for character in line.chars() {
        match character {
            '\t' => out.push('\t'),
            '\u{7f}' => out.push_str("^?"),
            '\0'..='\u{1f}' => {
                out.push('^');
                let shown = u32::from(character) + u32::from('@');
                out.extend(char::from_u32(shown));
            }
            // The C1 controls command a terminal as well; a direction override
            // shows text as something else than it is.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "<U+{:04X}>", u32::from(character));
            }
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_a_file_commands_the_terminal() {
        let text = "1: a\u{1b}]0;title\u{7}b\r\n2: \t\u{9b}31m\u{202e}x\u{7f}";
        assert_eq!(
            for_terminal(text, Colour::Never),
            "1: a^[]0;title^Gb^M\n2: \t<U+009B>31m<U+202E>x^?"
        );
    }

    #[test]
    fn a_diff_has_its_colours_where_they_are_allowed() {
        let painted =
            for_terminal("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n", Colour::Allowed);
        assert_eq!(
            painted,
            "\u{1b}[1m--- a\u{1b}[0m\n\u{1b}[1m+++ b\u{1b}[0m\n\u{1b}[36m@@ -1 +1 @@\u{1b}[0m\n\
             \u{1b}[31m-old\u{1b}[0m\n\u{1b}[32m+new\u{1b}[0m\n same\n"
        );
        assert_eq!(for_terminal("@@ -1 +1 @@\n-old\n", Colour::Never), "@@ -1 +1 @@\n-old\n");
        assert_eq!(for_terminal("-rf\n", Colour::Allowed), "-rf\n", "a name is no diff");
    }
}
