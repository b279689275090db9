//! A value as it was given: by a file, or as a word of the environment.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use garth_gateway::CustomPattern;
use toml::de::{DeTable, DeValue};

/// A value that was given.
pub(crate) enum Given<'a> {
    /// A variable of the environment.
    Word(&'a str),
    /// A value of a file in this directory.
    Value(&'a DeValue<'a>, &'a Path),
}

/// Why a value cannot be used, as the end of a sentence that begins with its key.
pub(crate) type Wrong = String;

impl Given<'_> {
    pub(crate) fn text(&self) -> Result<String, Wrong> {
        match self {
            Self::Word(word) => Ok((*word).to_owned()),
            Self::Value(value, _) => {
                value.as_str().map(ToOwned::to_owned).ok_or_else(|| self.is_not("a text"))
            }
        }
    }

    /// A path; one of a file is seen from the file's directory.
    pub(crate) fn path(&self) -> Result<PathBuf, Wrong> {
        let text = self.text()?;
        if text.is_empty() {
            return Err("must not be empty".to_owned());
        }
        Ok(match self {
            Self::Word(_) => PathBuf::from(text),
            Self::Value(_, directory) => directory.join(text),
        })
    }

    /// What a text means.
    pub(crate) fn parsed<T: FromStr>(&self, what: &str) -> Result<T, Wrong> {
        let text = self.text()?;
        text.parse().map_err(|_| format!("must be {what}, and is {text:?}"))
    }

    /// A number from 1 on.
    pub(crate) fn count<T: TryFrom<u64>>(&self) -> Result<T, Wrong> {
        let number = self.number()?;
        let fits = T::try_from(number).ok().filter(|_| number > 0);
        fits.ok_or_else(|| format!("must be a number from 1 on, and is {number}"))
    }

    fn number(&self) -> Result<u64, Wrong> {
        let wrong = || self.is_not("a number from 1 on");
        match self {
            Self::Word(word) => word.replace('_', "").parse().map_err(|_| wrong()),
            Self::Value(DeValue::Integer(integer), _) => {
                u64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| wrong())
            }
            Self::Value(..) => Err(wrong()),
        }
    }

    /// A number of bytes, such as `25MB` or `4GiB`.
    pub(crate) fn bytes(&self) -> Result<u64, Wrong> {
        if let Self::Value(DeValue::Integer(_), _) = self {
            return self.count();
        }
        let text = self.text()?;
        size(&text).ok_or_else(|| format!("must be a size such as 25MB or 4GiB, and is {text:?}"))
    }

    /// A time, such as `10s` or `365d`; `None` for `forever`.
    pub(crate) fn time(&self) -> Result<Option<Duration>, Wrong> {
        let text = self.text()?;
        if text == "forever" {
            return Ok(None);
        }
        let time = duration(&text).map(Some);
        time.ok_or_else(|| format!("must be a time such as 10s, 15m, 12h or 365d, and is {text:?}"))
    }

    pub(crate) fn switch(&self) -> Result<bool, Wrong> {
        match self {
            Self::Word("true" | "1" | "yes") | Self::Value(DeValue::Boolean(true), _) => Ok(true),
            Self::Word("false" | "0" | "no") | Self::Value(DeValue::Boolean(false), _) => Ok(false),
            Self::Word(_) | Self::Value(..) => Err(self.is_not("true or false")),
        }
    }

    /// One of several words.
    pub(crate) fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Wrong> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            format!("must be one of {}, and is {text:?}", words.join(", "))
        })
    }

    /// Texts; in a variable they stand between commas.
    pub(crate) fn texts(&self) -> Result<Vec<String>, Wrong> {
        match self {
            Self::Word(word) => {
                let words = word.split(',').map(str::trim).filter(|word| !word.is_empty());
                Ok(words.map(ToOwned::to_owned).collect())
            }
            Self::Value(DeValue::Array(array), _) => {
                let texts = array.iter().map(|item| item.get_ref().as_str().map(ToOwned::to_owned));
                texts.collect::<Option<_>>().ok_or_else(|| "must hold texts only".to_owned())
            }
            Self::Value(..) => Err(self.is_not("a list of texts")),
        }
    }

    /// Rules for secrets.
    pub(crate) fn patterns(&self) -> Result<Vec<CustomPattern>, Wrong> {
        match self {
            Self::Word(_) => Err("can be set in a file only".to_owned()),
            Self::Value(DeValue::Array(array), _) => {
                let tables = array.iter().map(|item| item.get_ref().as_table());
                tables.map(|table| pattern(table.ok_or_else(|| self.is_not(PATTERNS))?)).collect()
            }
            Self::Value(..) => Err(self.is_not(PATTERNS)),
        }
    }

    fn is_not(&self, what: &str) -> Wrong {
        match self {
            Self::Word(word) => format!("must be {what}, and is {word:?}"),
            Self::Value(value, _) => {
                format!("must be {what}, and is of the type {}", value.type_str())
            }
        }
    }
}

const PATTERNS: &str = "a list of tables with name, regex and perhaps replacement";

fn pattern(table: &DeTable<'_>) -> Result<CustomPattern, Wrong> {
    let unknown =
        table.keys().find(|key| !["name", "regex", "replacement"].contains(&&**key.get_ref()));
    if let Some(unknown) = unknown {
        return Err(format!("must be {PATTERNS}, and has {:?}", unknown.get_ref()));
    }
    let text = |name: &str| {
        let value = table.iter().find(|(key, _)| key.get_ref() == name);
        value.and_then(|(_, value)| value.get_ref().as_str()).map(ToOwned::to_owned)
    };
    let needed = |name| text(name).ok_or_else(|| format!("has a pattern without a {name}"));
    Ok(CustomPattern {
        name: needed("name")?,
        regex: needed("regex")?,
        replacement: text("replacement"),
    })
}

/// Reads a number of bytes with its unit.
pub(crate) fn size(text: &str) -> Option<u64> {
    const UNITS: &[(&str, u64)] = &[
        ("", 1),
        ("B", 1),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
    ];
    measured(text, UNITS)
}

/// Reads a time with its unit.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    const UNITS: &[(&str, u64)] =
        &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
    measured(text, UNITS).map(Duration::from_millis)
}

fn measured(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim())?;
    number.parse::<u64>().ok()?.checked_mul(*factor).filter(|number| *number > 0)
}
