//! Git over the network with credentials that no agent sees.
//!
//! A workspace's repository is its agent's, so git beside the gateway never reads it. What
//! is pushed leaves the sandbox as a bundle and is checked into a bare repository that the
//! gateway owns; from there it goes to the remote that the operator named, if the
//! operator's policy allows it. What is fetched takes the same way back. Only the git
//! that speaks with the remote gets the credential, over a socket (see `handover.rs`).

mod address;
mod bring;
mod broker;
mod bundle;
mod credential;
mod failure;
mod git;
mod github;
mod handover;
mod http;
mod jwt;
mod limits;
mod mirror;
mod moment;
mod own_files;
mod policy;
mod quarantine;
mod secret;
mod send;
mod tokens;

pub use address::{Address, Scheme};
pub use broker::{Broker, Config, Remote};
pub use credential::{App, Credential, Flavour, Kind, key_from_file, secret_from_file};
pub use http::Api;
pub use jwt::AppKey;
pub use limits::Limits;
pub use mirror::{Mirror, Unusable};
pub use policy::{Policy, Workflows};
pub use secret::Secret;
pub use tokens::Now;
