//! What is left of a glob inside a directory that its path begins with.
//!
//! A pattern of the whole tree is held against paths that begin with the name of
//! a root, and a root knows no such paths. So the first component is held against
//! the name here, and the root is asked for the rest.

use garth_contract::{
    Code, Error, Facts, Glob, Hidden, Ignored, Kind, Kinds, Order, Query, Reach, Result, WsPath,
};
use garth_search::{Filter, Ignores, Met};

/// The most patterns that one becomes, where its braces hold separators.
const MAX_PATTERNS: usize = 1024;

/// The globs that match a path in the directory `name` where `globs` match it from
/// outside.
///
/// # Errors
/// `INVALID_PATTERN` when a pattern stands for too many.
pub(crate) fn inside(globs: &[Glob], name: &[u8]) -> Result<Vec<Glob>> {
    let mut rests = Vec::new();
    for glob in globs {
        match glob {
            Glob::Filter(text) if !text.trim_end_matches('/').contains('/') => {
                rests.push(glob.clone());
            }
            Glob::Filter(text) | Glob::Path(text) => rest(text, name, &mut rests)?,
        }
    }
    Ok(rests)
}

/// Adds what is left of one pattern for paths.
fn rest(text: &str, name: &[u8], rests: &mut Vec<Glob>) -> Result<()> {
    let body = text.strip_prefix("./").unwrap_or(text).trim_matches('/');
    let mut open = vec![body.to_owned()];
    let mut made = 1;
    while let Some(pattern) = open.pop() {
        let (first, rest) = match split(&pattern) {
            Split::Alternatives(patterns) => {
                made += patterns.len();
                if made > MAX_PATTERNS {
                    return Err(too_many(text));
                }
                open.extend(patterns);
                continue;
            }
            Split::Components(first, rest) => (first, rest),
        };
        if first == "**" {
            // It stands for this directory and more, or for none at all.
            rests.push(Glob::Path(pattern.clone()));
            open.extend(rest.map(str::to_owned));
        } else if let Some(rest) = rest
            && matches(first, name)?
        {
            rests.push(Glob::Path(rest.to_owned()));
        }
    }
    Ok(())
}

fn too_many(text: &str) -> Error {
    let shown: String = text.chars().take(80).collect();
    let shown = garth_contract::escape(shown.as_bytes());
    let message = format!("the glob {shown:?} has too many alternatives with a '/' in them");
    Error::new(Code::InvalidPattern, message).with(garth_contract::Detail::Position(0))
}

/// Holds a pattern of one component against a name.
fn matches(pattern: &str, name: &[u8]) -> Result<bool> {
    let filter = Filter::compile(&Query {
        base: WsPath::root(),
        reach: Reach::Entries,
        include: vec![Glob::Path(pattern.to_owned())],
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take: 1,
        after: None,
    })?;
    Ok(filter.judge(&Met { path: name, name, kind: Kind::Dir }, &Ignores::none()).counts)
}

/// The start of a pattern.
enum Split<'a> {
    /// Its first component, and what follows the separator.
    Components(&'a str, Option<&'a str>),
    /// The same pattern written out, since braces hold a separator.
    Alternatives(Vec<String>),
}

fn split(pattern: &str) -> Split<'_> {
    let mut depth = 0_usize;
    // Where the outermost group opens, and where its alternatives end.
    let mut start = 0;
    let mut cuts = Vec::new();
    let mut crosses = false;
    for (at, mark) in marks(pattern) {
        match mark {
            '/' if depth == 0 => {
                let (first, rest) = pattern.split_at(at);
                return Split::Components(first, Some(rest.trim_start_matches('/')));
            }
            '/' => crosses = true,
            '{' => {
                if depth == 0 {
                    (start, crosses) = (at, false);
                    cuts.clear();
                }
                depth += 1;
            }
            ',' if depth == 1 => cuts.push(at),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && crosses {
                    cuts.push(at);
                    return Split::Alternatives(written_out(pattern, start, &cuts));
                }
            }
            _ => {}
        }
    }
    Split::Components(pattern, None)
}

/// The pattern once for each alternative of the group that opens at `start`.
fn written_out(pattern: &str, start: usize, cuts: &[usize]) -> Vec<String> {
    let before = pattern.get(..start).unwrap_or_default();
    let after = cuts.last().and_then(|end| pattern.get(end + 1..)).unwrap_or_default();
    let mut from = start + 1;
    let mut patterns = Vec::new();
    for cut in cuts {
        let alternative = pattern.get(from..*cut).unwrap_or_default();
        patterns.push(format!("{before}{alternative}{after}"));
        from = cut + 1;
    }
    patterns
}

/// Where separators, braces and commas stand that mean what they are.
fn marks(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let mut rest = pattern.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, character) = rest.next()?;
            match character {
                '/' | '{' | '}' | ',' => return Some((at, character)),
                '\\' => drop(rest.next()),
                '[' => {
                    // The first of a class is in it, whatever it is.
                    rest.next_if(|(_, next)| matches!(next, '!' | '^'));
                    rest.next();
                    while rest.next_if(|(_, next)| *next != ']').is_some() {}
                    rest.next();
                }
                _ => {}
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> Vec<String> {
        let globs = inside(&[Glob::Path(text.to_owned())], b"app").unwrap();
        let mut texts: Vec<String> = globs
            .into_iter()
            .map(|glob| match glob {
                Glob::Path(text) | Glob::Filter(text) => text,
            })
            .collect();
        texts.sort();
        texts
    }

    #[test]
    fn the_first_component_is_held_against_the_name() {
        assert_eq!(left("app/*.rs"), ["*.rs"]);
        assert_eq!(left("*/src/**"), ["src/**"]);
        assert_eq!(left("a[pq]?/x"), ["x"]);
        assert_eq!(left("{app,lib}/x"), ["x"]);
        assert_eq!(left("./app//x/"), ["x"]);
        for elsewhere in ["lib/x", "app", "*", "{lib,bin}/x", "a[/]pp/x"] {
            assert_eq!(left(elsewhere), [""; 0], "{elsewhere}");
        }
    }

    #[test]
    fn stars_stand_for_this_directory_and_for_none() {
        assert_eq!(left("**"), ["**"]);
        assert_eq!(left("**/*.rs"), ["**/*.rs"]);
        assert_eq!(left("**/app/x"), ["**/app/x", "x"]);
        assert_eq!(left("app/**/x"), ["**/x"]);
    }

    #[test]
    fn braces_with_a_separator_are_written_out() {
        assert_eq!(left("{app/a,lib/b,*/c}.rs"), ["a.rs", "c.rs"]);
        assert_eq!(left("{a,b/{c,app}}pp/x"), ["x"]);
        assert_eq!(left("app{/x,-2/y}"), ["x"]);
        assert_eq!(left("[{]/{app/x,y}"), [""; 0]);
        assert_eq!(left(r"\{app/x,y\}"), [""; 0]);
    }

    #[test]
    fn a_filter_of_names_stays_as_it_is() {
        let name = Glob::Filter("*.rs".to_owned());
        assert_eq!(inside(std::slice::from_ref(&name), b"app"), Ok(vec![name]));
        let path = Glob::Filter("/app/x".to_owned());
        assert_eq!(inside(&[path], b"app"), Ok(vec![Glob::Path("x".to_owned())]));
    }

    #[test]
    fn a_pattern_that_stands_for_too_many_is_refused() {
        let text = "{**/,**/**/}".repeat(20);
        let refused = inside(&[Glob::Path(text)], b"app");
        assert_eq!(refused.map_err(|error| error.code()), Err(Code::InvalidPattern));
    }
}
