//! What a GitHub App proves itself with: a short-lived statement, signed with its key.

use std::{
    fmt,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use garth_contract::{Code, Error, Result};
use ring::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use serde_json::json;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, pem::PemObject};

use crate::secret::Secret;

/// How far back a statement is dated, for a host whose clock is behind.
const BACK: u64 = 60;

/// How long a statement holds; GitHub takes ten minutes at most, by its own clock.
const HOLDS: u64 = 540;

/// The private key of a GitHub App; it prints as nothing.
#[derive(Clone)]
pub struct AppKey(Arc<RsaKeyPair>);

impl AppKey {
    /// Reads a key as GitHub gives it: RSA in PEM, by PKCS#1 or PKCS#8.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything else; what was read is not repeated.
    pub fn from_pem(pem: &str) -> Result<Self> {
        let wrong = || {
            Error::new(
                Code::InvalidParams,
                "the private key of the GitHub App is no RSA key in PEM",
            )
            .hint("Name the file that GitHub gave when the key was made.")
        };
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| wrong())?;
        let pair = match &key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Sec1(_) | _ => return Err(wrong()),
        };
        pair.map(|pair| Self(Arc::new(pair))).map_err(|_| wrong())
    }

    /// States that it is this app that asks, now.
    ///
    /// # Errors
    /// `INTERNAL` where nothing can be signed.
    pub(crate) fn state(&self, issuer: &str, now: SystemTime) -> Result<Secret> {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let head = json!({ "alg": "RS256", "typ": "JWT" }).to_string();
        let claims = json!({ "iat": now.saturating_sub(BACK), "exp": now + HOLDS, "iss": issuer });
        let mut text = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(head),
            URL_SAFE_NO_PAD.encode(claims.to_string())
        );
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
            .map_err(|_| Error::new(Code::Internal, "the statement of an app cannot be signed"))?;
        text.push('.');
        text.push_str(&URL_SAFE_NO_PAD.encode(signature));
        Secret::new(&text)
    }
}

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AppKey")
    }
}
