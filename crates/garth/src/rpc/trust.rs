//! TLS from the side of a client: who is believed to be who they say.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use garth_contract::{Code, Error, Result};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

use super::address::Address;

/// Where machines keep whom they trust.
const USUAL: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
];

/// Begins TLS with a gateway.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` for one that is not believed, `INVALID_PARAMS` for a file that
/// holds no certificate.
pub(super) async fn greet(
    stream: TcpStream,
    address: &Address,
    ca: Option<&Path>,
) -> Result<TlsStream<TcpStream>> {
    let unusable = |_| Error::new(Code::Internal, "TLS cannot be used");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_root_certificates(trusted(ca)?)
        .with_no_client_auth();
    let name = ServerName::try_from(address.host.clone())
        .map_err(|_| Error::new(Code::InvalidParams, "the gateway's name is none"))?;
    let greeted = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    greeted.map_err(|error| {
        let message = format!("{address} is not believed to be the gateway: {error}");
        Error::new(Code::ProviderUnavailable, message)
            .hint("Name the certificate of whoever signed the gateway's with --ca FILE.")
    })
}

fn trusted(ca: Option<&Path>) -> Result<RootCertStore> {
    let of_machine = || {
        let named = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
        named.or_else(|| USUAL.iter().map(PathBuf::from).find(|path| path.is_file()))
    };
    let mut roots = RootCertStore::empty();
    let Some(file) = ca.map(Path::to_owned).or_else(of_machine) else { return Ok(roots) };
    let wrong = || {
        let message = format!("{} holds no certificate that can be read", file.display());
        Error::new(Code::InvalidParams, message)
    };
    for certificate in CertificateDer::pem_file_iter(&file).map_err(|_| wrong())? {
        // One that cannot be used among many is nobody's loss.
        let _ = roots.add(certificate.map_err(|_| wrong())?);
    }
    if roots.is_empty() { Err(wrong()) } else { Ok(roots) }
}
