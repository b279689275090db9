//! A workspace's container: what is wanted, and the parts that bring it about.
//!
//! The container runs one guest as its first process, for as long as the workspace
//! lives, and everything else goes through that guest. So a container is made
//! once, found again by its name and labels after a restart, and made anew where
//! it is gone: it holds nothing that is worth keeping but running processes.

mod archive;
mod body;
mod bundle;
mod channel;
mod engine;
mod facts;
mod identity;
mod image;
mod keep;
mod owner;
mod place;
mod platform;
mod program;
mod refuse;
mod runsc;
mod wanted;

pub(crate) use identity::etc_files;
pub(crate) use keep::{Keep, Sandbox, Standing};
pub(crate) use owner::of_directory as owner_of;
pub(crate) use place::{Past, Place, make_dir};
pub(crate) use refuse::said;
pub(crate) use wanted::{name as machine_name, rules as guest_rules};

pub use channel::Reach;
pub use engine::{Engine, Leftover};
pub use place::forget;
pub use platform::Platform;
pub use runsc::Runsc;
pub use wanted::{
    Container, Files, GUEST, HOME, Limits, Network, Options, Root, Ulimit, User, VARIABLES,
    WORKSPACE,
};
