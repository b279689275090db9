//! Whom to trust: the certificates of the system, or those that the operator names.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use garth_contract::{Code, Error, Result};
use rustix::fs::{CWD, Mode, OFlags, openat};
use tokio::sync::OnceCell;
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, pem::PemObject},
    },
};

use super::unavailable;

/// Where systems keep the certificates that they trust.
const TRUSTED: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The largest file of certificates.
const MOST: u64 = 16 << 20;

/// What makes encrypted connections; read when the first is made.
#[derive(Default)]
pub(super) struct Trust {
    named: Option<PathBuf>,
    connector: OnceCell<TlsConnector>,
}

impl Trust {
    /// Trusts who is in this file, or whom the system trusts.
    pub(super) fn new(named: Option<PathBuf>) -> Self {
        Self { named, connector: OnceCell::new() }
    }

    /// What makes connections.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where there is nobody to trust.
    pub(super) async fn connector(&self) -> Result<&TlsConnector> {
        let make = || async {
            let named = self.named.clone();
            let loading = tokio::task::spawn_blocking(move || roots(named.as_deref()));
            let roots = loading.await.map_err(|_| Error::of(Code::Internal))??;
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(|_| Error::of(Code::Internal))?
                .with_root_certificates(roots)
                .with_no_client_auth();
            Ok(TlsConnector::from(Arc::new(config)))
        };
        self.connector.get_or_try_init(make).await
    }
}

fn roots(named: Option<&Path>) -> Result<RootCertStore> {
    let usual = || TRUSTED.iter().find_map(|path| read(Path::new(path)));
    let text = match named {
        Some(path) => read(path),
        None => usual(),
    };
    let text = text.ok_or_else(|| {
        unavailable(
            "there are no certificates to trust E2B by",
            "Install the system's (on Debian: `apt-get install ca-certificates`), or name a file \
             as e2b_provider.certificates.",
        )
    })?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&text).flatten());
    Ok(roots)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let file = File::from(openat(CWD, path, OFlags::CLOEXEC, Mode::empty()).ok()?);
    let mut text = Vec::new();
    file.take(MOST).read_to_end(&mut text).ok()?;
    Some(text)
}
