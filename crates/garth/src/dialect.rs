//! The dialect that a command line names.

use garth_contract::{Code, Error, Result};
use garth_ops::{DIALECTS, Dialect};

/// The one of whoever names none.
pub(crate) const USUAL: &str = "workspace";

/// Finds a dialect.
///
/// # Errors
/// `INVALID_PARAMS` with the names that there are.
pub(crate) fn named(name: &str) -> Result<&'static Dialect> {
    garth_ops::dialect(name).ok_or_else(|| {
        let names: Vec<_> = DIALECTS.iter().map(|dialect| dialect.name).collect();
        Error::new(Code::InvalidParams, format!("there is no dialect {name:?}"))
            .hint(format!("The dialects are {}.", names.join(", ")))
    })
}
