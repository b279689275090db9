//! The image a container is made of: one the engine has, or one made from a
//! directory.

use std::{os::unix::ffi::OsStrExt, path::Path, time::Duration};

use bollard::{Docker, body_try_stream, query_parameters::CreateImageOptionsBuilder};
use futures::{StreamExt, stream};
use garth_contract::Result;
use rustix::fs::stat;

use super::{
    Root, archive,
    refuse::{self, asking, seeking},
};

/// How long an engine may take to look for an image.
const LOOK: Duration = Duration::from_secs(60);

/// How long an engine may take to make an image: a large system on a slow disk.
const IMPORT: Duration = Duration::from_secs(15 * 60);

/// The name that images made from directories have.
const NAME: &str = "localhost/garth-root";

/// Sees to it that the engine has the image, and gives its name.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE`: no such image, no such directory, or the engine failed.
pub(super) async fn ready(engine: &Docker, root: &Root) -> Result<String> {
    match find(engine, root).await? {
        Found::There(name) => Ok(name),
        Found::ToBeMade(name, path) => {
            import(engine, path, &name).await?;
            Ok(name)
        }
    }
}

/// An image that a container can be made of.
pub(super) enum Found<'a> {
    /// The engine has it.
    There(String),
    /// It can be made, under this name, from this directory.
    ToBeMade(String, &'a Path),
}

/// Looks whether there is an image, or what one is made of.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE`: neither, or the engine failed.
pub(super) async fn find<'a>(engine: &Docker, root: &'a Root) -> Result<Found<'a>> {
    let name = match root {
        Root::Image(name) => name.clone(),
        Root::Directory(path) => name_of(path)?,
    };
    let found = seeking("look for the image", LOOK, engine.inspect_image(&name)).await?;
    match (found, root) {
        (Some(_), _) => Ok(Found::There(name)),
        (None, Root::Directory(path)) => Ok(Found::ToBeMade(name, path)),
        (None, Root::Image(_)) => {
            let what = format!("the container engine has no image {name:?}");
            Err(refuse::unavailable(
                what,
                "Fetch it with `podman pull` or `docker pull`, or name another in the \
                 configuration.",
            ))
        }
    }
}

/// The name of the image that is made from a directory: the same as long as the
/// directory itself is untouched.
fn name_of(path: &Path) -> Result<String> {
    let found = stat(path).map_err(|_| refuse::no_root())?;
    let mut hash = blake3::Hasher::new();
    hash.update(path.as_os_str().as_bytes());
    for number in [found.st_dev, found.st_ino, u64::try_from(found.st_mtime).unwrap_or(0)] {
        hash.update(&number.to_le_bytes());
    }
    hash.update(&found.st_mtime_nsec.to_le_bytes());
    let hex = hash.finalize().to_hex();
    Ok(format!("{NAME}:{}", hex.get(..16).unwrap_or_default()))
}

async fn import(engine: &Docker, path: &Path, name: &str) -> Result<()> {
    let mut parts = archive::stream(path.to_owned());
    let body = body_try_stream(stream::poll_fn(move |context| parts.poll_recv(context)));
    // Podman takes the whole name from `repo`, and Docker allows it to.
    let options = CreateImageOptionsBuilder::default().from_src("-").repo(name).build();
    let engine = engine.clone().with_timeout(IMPORT);
    let work = async {
        let mut answers = engine.create_image(Some(options), Some(body), None).boxed();
        while let Some(answer) = answers.next().await {
            answer?;
        }
        Ok(())
    };
    asking("make an image of the root filesystem", IMPORT, work).await
}
