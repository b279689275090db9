//! Parameters of a tool: JSON in, a typed struct or a sentence about what is wrong.
//!
//! Models send near misses: `filePath` for `path`, `"5"` for `5`, a list as a
//! string. What can mean one thing only is taken as that; everything else is
//! refused with the name of the parameter and what it should have been.

mod env;
mod lenient;
mod names;
mod patterns;
mod strict;
mod view_range;
mod wrong;

use garth_contract::{Code, Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use env::{Env, text};
use lenient::Lenient;
pub(crate) use patterns::Patterns;
use strict::Strict;
pub(crate) use view_range::ViewRange;
use wrong::Wrong;

/// Reads the parameters of a tool.
///
/// # Errors
/// `INVALID_PARAMS` with a sentence that names the parameter.
pub(crate) fn parse<P: DeserializeOwned>(params: Value) -> Result<P> {
    let params = if params.is_null() { Value::Object(Map::new()) } else { params };
    P::deserialize(Lenient::new(params)).map_err(|wrong| refused(&wrong))
}

/// Reads the parameters that a program sends, which has no near misses.
///
/// # Errors
/// As for [`parse`].
pub(crate) fn parse_strictly<P: DeserializeOwned>(params: Value) -> Result<P> {
    let params = if params.is_null() { Value::Object(Map::new()) } else { params };
    P::deserialize(Strict::new(params)).map_err(|wrong| refused(&wrong))
}

fn refused(wrong: &Wrong) -> Error {
    let phrase = Code::InvalidParams.row().phrase;
    invalid(format!("{phrase}: {wrong}"))
}

/// An error about parameters, with a sentence of its own.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidParams, message.into())
}

/// Takes a number that counts from 1 or is a maximum.
///
/// # Errors
/// `INVALID_PARAMS` for 0.
pub(crate) fn at_least_one(name: &str, number: Option<u64>) -> Result<Option<u64>> {
    if number == Some(0) {
        return Err(invalid(format!("{name} must be at least 1")));
    }
    Ok(number)
}

#[cfg(test)]
mod tests;
