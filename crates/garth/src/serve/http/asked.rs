//! What every handler looks at of a request beside its body, read once.

use std::convert::Infallible;

use axum::{
    extract::{FromRequestParts, Path},
    http::{HeaderMap, Method, request::Parts},
    response::Response,
};
use garth_contract::{Code, Error};
use serde::de::DeserializeOwned;

use super::refused;

/// The connection that a request came by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Connected {
    pub(crate) number: u64,
    pub(crate) wire: Wire,
}

/// What protects a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Nothing; it stays on this machine or on a network that is the operator's.
    #[default]
    Plain,
    /// TLS.
    Tls,
}

impl Connected {
    /// What a session is called that has no name of its own.
    pub(crate) fn name(self) -> String {
        format!("http-{}", self.number)
    }

    /// Tells whether nobody on the way can read along.
    pub(crate) fn is_secure(self) -> bool {
        self.wire == Wire::Tls
    }
}

/// The head of a request.
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) connected: Connected,
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self {
            method: parts.method.clone(),
            headers: parts.headers.clone(),
            connected: parts.extensions.get().copied().unwrap_or_default(),
        })
    }
}

impl Asked {
    /// The value of a header that is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// What an address names, with its escapes undone.
pub(super) struct Named<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(named)) => Ok(Self(named)),
            Err(_) => {
                let message = "the address holds an escape that is no UTF-8";
                Err(refused(&Error::new(Code::InvalidPath, message)))
            }
        }
    }
}
