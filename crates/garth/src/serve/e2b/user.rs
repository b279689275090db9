//! Who a call asks for in a sandbox.

use axum::http::{HeaderMap, header};
use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::Seat;

use super::{
    refuse::{Kind, Result, Wrong},
    sandbox::Sandbox,
};

/// Who is asked for in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// The one that everything runs as.
    Usual,
    /// The same by another number, where the sandbox has one.
    Root,
}

impl User {
    /// Where paths begin that do not say.
    pub(super) fn home(self) -> &'static str {
        match self {
            Self::Usual => Seat::Home.home(),
            Self::Root => "/root",
        }
    }

    /// The user that a call asks for by its head.
    ///
    /// # Errors
    /// `unauthenticated` for one that there is not.
    pub(super) fn asked(headers: &HeaderMap, sandbox: &Sandbox) -> Result<Self> {
        let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(Self::Usual) };
        let encoded = value.to_str().ok().and_then(|text| text.strip_prefix("Basic "));
        let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
        let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(pair) = decoded else {
            let message = "the header Authorization is not Basic";
            return Err(Wrong::new(Kind::Unauthenticated, message));
        };
        Self::named(pair.split(':').next().unwrap_or_default(), sandbox)
    }

    /// The user of a name.
    ///
    /// # Errors
    /// `unauthenticated` for one that there is not.
    pub(super) fn named(name: &str, sandbox: &Sandbox) -> Result<Self> {
        let usual = Seat::Home.user();
        let there = match (name, sandbox.has_root()) {
            ("", _) => return Ok(Self::Usual),
            (name, _) if name == usual => return Ok(Self::Usual),
            ("root", true) => return Ok(Self::Root),
            (_, true) => format!("there are '{usual}' and 'root'"),
            (_, false) => format!("everything in this sandbox runs as '{usual}'"),
        };
        let message = format!("error looking up user '{name}': unknown user: {there}");
        Err(Wrong::new(Kind::Unauthenticated, message))
    }
}
