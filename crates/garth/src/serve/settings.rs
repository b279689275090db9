//! What the operator set up: a file, then the environment, then the command line; the
//! later wins.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use garth_contract::{Code, Error, Result};
use garth_gateway::limits;

use crate::args;

/// Where the gateway listens unless it is told otherwise.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7717);

/// What the operator set up.
pub(crate) struct Settings {
    /// The gateway's own directory.
    pub(crate) data: PathBuf,
    /// Where it listens.
    pub(crate) listen: SocketAddr,
    /// Names beside the address by which browsers may know it.
    pub(crate) hosts: Vec<String>,
    /// How much may be asked for.
    pub(crate) limits: limits::Config,
}

impl Settings {
    /// Puts together what was set up.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what cannot be used.
    pub(crate) fn load(args: &args::Serve) -> Result<Self> {
        let data = match &args.data {
            Some(data) => data.clone(),
            None => usual_data()?,
        };
        let listen = args.listen.unwrap_or(LISTEN);
        if !listen.ip().is_loopback() && !args.insecure_listen {
            let message = format!("{listen} can be reached by others, and there is no TLS");
            let hint = "Listen on 127.0.0.1, or say --insecure-listen if the network is yours.";
            return Err(Error::new(Code::InvalidParams, message).hint(hint));
        }
        Ok(Self { data, listen, hosts: Vec::new(), limits: limits::Config::standard() })
    }
}

/// The directory for data of the person who starts the program.
fn usual_data() -> Result<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(data) = of("GARTH_DATA") {
        return Ok(data.into());
    }
    let base = of("XDG_DATA_HOME").map(PathBuf::from);
    let base = base.or_else(|| of("HOME").map(|home| PathBuf::from(home).join(".local/share")));
    let missing = || {
        Error::new(Code::InvalidParams, "there is no home directory to keep data in")
            .hint("Say where with --data DIR.")
    };
    Ok(base.ok_or_else(missing)?.join("garth"))
}
