//! Reads the configuration file, and says everything that is wrong with it.

use std::{io::Read, path::Path};

use toml::de::{DeTable, DeValue};

use super::{
    Fault,
    given::Given,
    keys::{Key, all},
    near::nearest,
};
use crate::serve::settings::Settings;

/// The largest file; one with every key is far smaller.
const MOST: u64 = 1 << 20;

/// The text of the file.
pub(super) fn text(path: &Path) -> Result<String, Fault> {
    let fault = |what: String| Fault { place: path.display().to_string(), what, meant: None };
    #[allow(clippy::disallowed_methods, reason = "the operator's own file, outside any workspace")]
    let file = std::fs::File::open(path)
        .map_err(|error| fault(format!("the file cannot be read: {}", error.kind())))?;
    let mut text = String::new();
    let read = file.take(MOST).read_to_string(&mut text);
    read.map_err(|error| fault(format!("the file cannot be read: {}", error.kind())))?;
    Ok(text)
}

/// Sets what a text says; tells everything that is wrong with it.
pub(super) fn set(settings: &mut Settings, path: &Path, text: &str) -> Vec<Fault> {
    let (table, broken) = DeTable::parse_recoverable(text);
    let place = |at: usize| format!("{}:{}", path.display(), line_of(text, at));
    if !broken.is_empty() {
        let fault = |error: &toml::de::Error| Fault {
            place: place(error.span().map_or(0, |span| span.start)),
            what: format!("this is no TOML: {}", error.message().replace('\n', ", ")),
            meant: None,
        };
        return broken.iter().map(fault).collect();
    }
    let keys = all();
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut walk = Walk { settings, keys: &keys, directory, place: &place, faults: Vec::new() };
    walk.table("", table.get_ref());
    walk.faults.sort_by_key(|(at, _)| *at);
    walk.faults.into_iter().map(|(_, fault)| fault).collect()
}

struct Walk<'a> {
    settings: &'a mut Settings,
    keys: &'a [Key],
    directory: &'a Path,
    place: &'a dyn Fn(usize) -> String,
    faults: Vec<(usize, Fault)>,
}

impl Walk<'_> {
    fn table(&mut self, above: &str, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            let (at, name) = (key.span().start, key.get_ref());
            let whole = if above.is_empty() { name.to_string() } else { format!("{above}.{name}") };
            self.entry(at, above, &whole, value.get_ref());
        }
    }

    fn entry(&mut self, at: usize, above: &str, whole: &str, value: &DeValue<'_>) {
        let whole = on_the_wire(whole).unwrap_or(whole);
        if let Some(key) = self.keys.iter().find(|key| key.name == whole) {
            let given = Given::Value(value, self.directory);
            if let Err(wrong) = (key.set)(self.settings, &given) {
                self.fault(at, format!("{whole} {wrong}"), Some(format!("it is {}", key.meaning)));
            }
            return;
        }
        let section = format!("{whole}.");
        let is_section = self.keys.iter().any(|key| key.name.starts_with(&section));
        match (is_section, value.as_table()) {
            (true, Some(table)) => self.table(whole, table),
            (true, None) => self.fault(at, format!("{whole} must be a section"), None),
            (false, _) => self.unknown(at, above, whole),
        }
    }

    fn unknown(&mut self, at: usize, above: &str, whole: &str) {
        let prefix = if above.is_empty() { String::new() } else { format!("{above}.") };
        let word = whole.strip_prefix(&prefix).unwrap_or(whole);
        let beside = self.keys.iter().filter_map(|key| key.name.strip_prefix(&prefix));
        let beside = beside.map(|rest| rest.split('.').next().unwrap_or(rest));
        let meant = nearest(word, beside).map(|near| format!("{prefix}{near}"));
        // Somebody may have put it into the wrong section.
        let elsewhere = || {
            let last = format!(".{word}");
            let found = self.keys.iter().find(|key| key.name == word || key.name.ends_with(&last));
            found.map(|key| key.name.clone())
        };
        let meant = meant.or_else(elsewhere).map(|near| format!("{near} may be meant"));
        self.fault(at, format!("there is no key {whole}"), meant);
    }

    fn fault(&mut self, at: usize, what: String, meant: Option<String>) {
        self.faults.push((at, Fault { place: (self.place)(at), what, meant }));
    }
}

/// The key that the interfaces know by this other name: what is set for one agent over the wire
/// can be copied into the file as it is.
fn on_the_wire(name: &str) -> Option<&'static str> {
    match name {
        "redaction.defaultBehavior" | "redaction.default_behavior" => Some("redaction.behavior"),
        "redaction.customPatterns" => Some("redaction.custom_patterns"),
        "redaction.excludePaths" => Some("redaction.exclude_paths"),
        "redaction.excludePatterns" => Some("redaction.exclude_patterns"),
        _ => None,
    }
}

/// The line, from 1, that a byte stands on.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
