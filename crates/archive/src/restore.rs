//! Restores a tree from an archive: all of it, in one step, or nothing.
//!
//! Everything an archive says is taken for a lie until it was checked: names, sizes,
//! where links lead, how much comes out of how little. What passes is staged out of
//! sight and lands when the whole archive was read.

mod feed;
mod incoming;
mod name;

use garth_contract::{Clobber, Code, DynFilesystem, Error, Kind, Links, Result, WsPath};

pub use self::incoming::Incoming;
pub(crate) use self::{
    feed::{Feed, Head, Taken},
    incoming::{Input, Unpacked, damaged},
    name::refusal,
};
use crate::{Bounds, Format, tar, zip};

/// How an archive is restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restore {
    /// The form of the archive; [`Format::of`] recognises it.
    pub format: Format,
    /// What happens to a file that stands at the place of one that comes.
    ///
    /// Directories join each other either way, and nothing else is removed.
    pub clobber: Clobber,
    /// How many names at the front of each path are left off, as in `tar
    /// --strip-components`; entries of which nothing is left are passed over.
    pub strip: usize,
    /// What happens to an entry that cannot be restored here.
    pub unfit: Unfit,
    /// How much there may be.
    pub bounds: Bounds,
}

/// What happens to an entry that cannot be restored: a pipe, a device, a link that
/// leads or may lead out of the workspace, a hard link to no file of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The archive is refused.
    Refuse,
    /// The entry is left out, and counted.
    LeaveOut,
}

/// What was restored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// How many entries the archive has.
    pub entries: u64,
    /// How many files were restored.
    pub files: u64,
    /// How many directories the archive names; others were made on the way.
    pub dirs: u64,
    /// How many links.
    pub links: u64,
    /// How many bytes all files have.
    pub bytes: u64,
    /// How many entries were left out.
    pub left_out: u64,
    /// How many files and links stood there before and were replaced.
    pub replaced: u64,
}

/// Restores an archive into a directory, which is made with its parents if missing.
///
/// Set-id bits are dropped; owners are not restored. Hard links become copies.
/// Needs a runtime. Cancel: nothing is left, and nothing is changed.
///
/// # Errors
/// The message names the entry. `PATH_OUTSIDE_WORKSPACE` and `INVALID_PATH` for
/// names and links that lead elsewhere or are no paths; `FILE_TOO_LARGE` and
/// `QUOTA_EXCEEDED` over a bound, of the call's or of the workspace's;
/// `DESTINATION_EXISTS` for a file that is there (`Clobber::Refuse`);
/// `INVALID_PARAMS` for what is no archive of the format, or a damaged one; and what
/// the backend answers. After an error nothing is left, and nothing is changed.
pub async fn restore(
    files: &dyn DynFilesystem,
    to: &WsPath,
    archive: Incoming,
    how: &Restore,
) -> Result<Restored> {
    let (base, top) = find_base(files, to).await?;
    let input = Input::new(archive, how.bounds.archive);
    let mut feed = Feed::new(files.stage(&base).await?, top, how);
    let read = async {
        feed.begin().await?;
        match how.format {
            Format::Tar => tar::read(Unpacked::Plain(input), &mut feed).await?,
            Format::TarZst => tar::read(Unpacked::zstd(input)?, &mut feed).await?,
            Format::Zip => zip::read(files.stage(&base).await?, input, &mut feed).await?,
        }
        feed.finish().await
    };
    let stage = match read.await {
        Ok(stage) => stage,
        Err(error) => {
            feed.discard().await;
            return Err(error);
        }
    };
    let landed = stage.land(how.clobber).await?;
    Ok(Restored { replaced: landed.replaced, ..feed.restored })
}

/// The nearest directory that is there, and the way from it to where the tree goes.
async fn find_base(files: &dyn DynFilesystem, to: &WsPath) -> Result<(WsPath, WsPath)> {
    let mut base = to.clone();
    loop {
        match files.stat(&base, Links::Follow).await {
            Ok(entry) if entry.kind == Kind::Dir => {
                let top = WsPath::from_bytes(to.below(&base).unwrap_or_default())?;
                return Ok((base, top));
            }
            Ok(_) => return Err(Error::at(Code::NotADirectory, to)),
            Err(error) if error.code() == Code::FileNotFound => match base.parent() {
                Some(parent) => base = parent,
                None => return Err(error),
            },
            Err(error) => return Err(error),
        }
    }
}
