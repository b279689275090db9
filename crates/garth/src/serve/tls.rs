//! TLS by certificate files.

use std::{path::Path, sync::Arc};

use garth_contract::{Code, Error, Result};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use super::settings::Settings;

/// What speaks TLS with who connects, where that is set up.
///
/// # Errors
/// `INVALID_PARAMS` for files that hold no certificate, no key, or a key of another one.
pub(crate) fn acceptor(settings: &Settings) -> Result<Option<TlsAcceptor>> {
    let (Some(certificate), Some(key)) = (&settings.certificate, &settings.key) else {
        return Ok(None);
    };
    let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable("the certificate", certificate, &error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("the certificate", certificate, "there is none in it"));
    }
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| unusable("the certificate's key", key, &error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| unusable("the certificate", certificate, &error.to_string()))?;
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

/// What is wrong with a file; never what is in it.
fn unusable(what: &str, path: &Path, why: &str) -> Error {
    let message = format!("{what} in {} cannot be used: {why}", path.display());
    Error::new(Code::InvalidParams, message)
        .hint("Name PEM files with tls.certificate and tls.key.")
}
