//! Where a gateway is, as a person writes it.

use std::fmt;

use garth_contract::{Code, Error, Result};
use tokio_tungstenite::tungstenite::http::Uri;

/// Where its WebSocket is.
const PATH: &str = "/v1/ws";

/// The address of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// Whether it speaks TLS.
    pub(super) tls: bool,
    /// Its name, or its number without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    authority: String,
}

impl Address {
    /// Reads an address: of the gateway, or of its WebSocket.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything else, and for one with a token in it.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::new(Code::InvalidParams, "the address of the gateway is none")
                .hint("An address is such as http://127.0.0.1:7717 or https://box.example:7717.")
        };
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let (tls, usual) = match uri.scheme_str() {
            Some("http" | "ws") => (false, 80),
            Some("https" | "wss") => (true, 443),
            Some(_) | None => return Err(wrong()),
        };
        let authority = uri.authority().ok_or_else(wrong)?;
        let path = matches!(uri.path(), "" | "/" | PATH);
        if authority.as_str().contains('@') || uri.query().is_some() || !path {
            return Err(wrong());
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(usual);
        Ok(Self { tls, host, port, authority: authority.to_string() })
    }

    /// The address of its WebSocket.
    pub(super) fn socket(&self) -> String {
        let scheme = if self.tls { "wss" } else { "ws" };
        format!("{scheme}://{}{PATH}", self.authority)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_gateway_and_of_its_websocket_mean_the_same() {
        for (text, socket, port) in [
            ("http://127.0.0.1:7717", "ws://127.0.0.1:7717/v1/ws", 7717),
            ("ws://localhost:1/v1/ws", "ws://localhost:1/v1/ws", 1),
            ("https://box.example/", "wss://box.example/v1/ws", 443),
            ("http://[::1]:5", "ws://[::1]:5/v1/ws", 5),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.socket().as_str(), address.port), (socket, port), "{text}");
        }
        assert_eq!(Address::parse("http://[::1]:5").unwrap().host, "::1");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in
            ["", "127.0.0.1", "box:7717", "ftp://box", "http://a@b", "http://a/x", "http://a/?t=1"]
        {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
