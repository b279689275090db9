//! The way back from a shown name in a pattern to the names that files really have.
//!
//! A placeholder in a pattern would be read as a class of letters and find nothing. Where it stands
//! in the part of a pattern that is no pattern yet, the directory is known, and the names in it that
//! are shown so take its place: a pattern may mean several files, where a path may not.

use garth_contract::{Glob, Page, WsPath};
use garth_redact::placeholders;

use super::{MOST, Named, has_placeholder};

/// So many patterns one may turn into, where many names look the same.
const MOST_PATTERNS: usize = 64;

impl Named {
    /// The patterns, below `base`, by the names that files really have.
    pub(super) async fn patterns(&self, base: &WsPath, globs: &[Glob]) -> Vec<Glob> {
        let mut real = Vec::with_capacity(globs.len());
        for glob in globs {
            let text = text(glob);
            let again = match glob {
                Glob::Path(_) => Glob::Path,
                Glob::Filter(_) => Glob::Filter,
            };
            // A name that may be at any depth is looked for in no directory.
            let anywhere = matches!(glob, Glob::Filter(text) if !text.contains('/'));
            let found = match !anywhere && has_placeholder(text.as_bytes()) {
                true => self.pattern(base, text).await,
                false => Vec::new(),
            };
            match found.is_empty() {
                true => real.push(glob.clone()),
                false => real.extend(found.into_iter().map(again)),
            }
        }
        real
    }

    /// What one pattern turns into; nothing where it cannot be said.
    async fn pattern(&self, base: &WsPath, text: &str) -> Vec<String> {
        let mut ways = vec![(base.clone(), String::new())];
        let mut names = text.split('/');
        for name in names.by_ref() {
            if !is_literal(name) {
                let rest: Vec<&str> = [name].into_iter().chain(names).collect();
                return ways.into_iter().map(|(_, way)| joined(way, &rest.join("/"))).collect();
            }
            let mut longer = Vec::new();
            for (dir, way) in ways {
                for real in self.shown_as(&dir, name).await {
                    let Ok(below) = dir.join(real.as_bytes()) else { continue };
                    longer.push((below, joined(way.clone(), &escaped(&real))));
                }
            }
            longer.truncate(MOST_PATTERNS);
            ways = longer;
        }
        ways.into_iter().map(|(_, way)| way).collect()
    }

    /// The names in a directory that are shown as `name`.
    async fn shown_as(&self, dir: &WsPath, name: &str) -> Vec<String> {
        if !has_placeholder(name.as_bytes()) {
            return vec![name.to_owned()];
        }
        let page = Page { skip: 0, take: MOST };
        let Ok(listing) = self.files.list(dir, page).await else { return Vec::new() };
        let names = listing.entries.iter().filter_map(|entry| entry.path.name());
        let meant = names.filter(|real| {
            *real == name.as_bytes()
                || self.names.shown_name(real).is_some_and(|shown| shown == name)
        });
        meant.filter_map(|real| String::from_utf8(real.to_vec()).ok()).collect()
    }
}

/// The pattern itself.
pub(super) fn text(glob: &Glob) -> &str {
    match glob {
        Glob::Path(text) | Glob::Filter(text) => text,
    }
}

fn joined(way: String, name: &str) -> String {
    if way.is_empty() { name.to_owned() } else { way + "/" + name }
}

const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// Whether a name is no pattern, but for the brackets of placeholders.
fn is_literal(name: &str) -> bool {
    let mut at = 0;
    let mut between = placeholders(name).map(|found| {
        let text = name.get(at..found.start).unwrap_or_default();
        at = found.end;
        text
    });
    let before = between.by_ref().all(|text| !text.contains(SPECIAL));
    drop(between);
    before && !name.get(at..).unwrap_or_default().contains(SPECIAL)
}

/// A name as a pattern that matches nothing else.
fn escaped(name: &str) -> String {
    let escape = |letter: char| match letter {
        '\\' => "\\\\".to_owned(),
        letter if SPECIAL.contains(&letter) => format!("[{letter}]"),
        letter => letter.to_string(),
    };
    name.chars().map(escape).collect()
}
