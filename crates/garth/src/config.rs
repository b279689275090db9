//! The operator's configuration: a file, then the environment, by one table of keys.
//!
//! Every key stands in [`keys`] once, with what it means and how it is set; the file is
//! looked through whole, so that everything that is wrong with it is said at once.

mod check;
mod containers;
mod e2b;
mod e2b_provider;
mod file;
mod git;
mod given;
mod keys;
mod machines;
mod near;
mod telemetry;

use std::{fmt, path::Path};

use garth_contract::{Code, Error, Result};

pub(crate) use check::run;
pub(crate) use given::{duration, size};

use crate::serve::settings::Settings;

/// The name of the file in the data directory.
pub(crate) const NAME: &str = "garth.toml";

/// Something that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The file and the line, or the variable of the environment.
    pub(crate) place: String,
    /// What is wrong.
    pub(crate) what: String,
    /// What is meant, where that can be guessed.
    pub(crate) meant: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        match &self.meant {
            Some(meant) => write!(f, "; {meant}"),
            None => Ok(()),
        }
    }
}

/// Sets what a file says.
pub(crate) fn set_by_file(settings: &mut Settings, path: &Path) -> Vec<Fault> {
    match file::text(path) {
        Ok(text) => file::set(settings, path, &text),
        Err(fault) => vec![fault],
    }
}

/// Sets what the environment says.
pub(crate) fn set_by_environment(settings: &mut Settings) -> Vec<Fault> {
    keys::set_by_environment(settings, |name| std::env::var_os(name))
}

/// Sets what flags say, each `KEY=VALUE`.
pub(crate) fn set_by_flags(settings: &mut Settings, flags: &[String]) -> Vec<Fault> {
    keys::set_by_flags(settings, flags)
}

/// All faults as one error.
///
/// # Errors
/// `INVALID_PARAMS` with the first of them.
pub(crate) fn sound(faults: &[Fault]) -> Result<()> {
    let Some(first) = faults.first() else { return Ok(()) };
    let more = match faults.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Err(Error::new(Code::InvalidParams, format!("{first}{more}"))
        .hint("garth config check explains everything that is wrong."))
}

#[cfg(test)]
mod tests;
