//! One file in which the output of all processes of a workspace is kept, in blocks.
//!
//! The file has no name, so nothing is left of it when we are killed. It is no
//! larger than its bound: who wants a block when none is free has to give one up.

use std::{
    fs::{DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use garth_contract::{Code, Error, Result};
use rustix::{
    fs::{FallocateFlags, OFlags, fallocate},
    io::Errno,
};

use super::lock;

/// The bytes of a block: what is written at once, and what is dropped at once.
pub(super) const BLOCK: usize = 64 << 10;

/// The file, and which of its blocks are in use.
#[derive(Debug)]
pub(super) struct Store {
    file: File,
    blocks: Mutex<Blocks>,
    most: u32,
    made: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct Blocks {
    free: Vec<u32>,
    /// How many there ever were.
    count: u32,
}

/// A block that is in use for as long as somebody holds it.
#[derive(Debug)]
pub(super) struct Block {
    store: Arc<Store>,
    number: u32,
}

impl Store {
    /// Makes a file for so many bytes in a directory, which is made if there is none.
    ///
    /// # Errors
    /// `INTERNAL`, or what speaks against a file there.
    pub(super) fn open(directory: &Path, bytes: u64) -> Result<Arc<Self>> {
        let made = match DirBuilder::new().mode(0o700).create(directory) {
            Ok(()) => Some(directory.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            Err(error) => return Err(refused(&error)),
        };
        let file = nameless(directory).map_err(|error| refused(&error))?;
        let most = u32::try_from(bytes / BLOCK as u64).unwrap_or(u32::MAX);
        Ok(Arc::new(Self { file, blocks: Mutex::default(), most, made }))
    }

    /// Takes a block and fills it; `None` when all are in use or the disk is full.
    pub(super) fn put(self: &Arc<Self>, bytes: &[u8]) -> Option<Block> {
        let number = self.take()?;
        let block = Block { store: Arc::clone(self), number };
        self.file.write_all_at(bytes, block.offset()).ok().map(|()| block)
    }

    fn take(&self) -> Option<u32> {
        let mut blocks = lock(&self.blocks);
        if let Some(number) = blocks.free.pop() {
            return Some(number);
        }
        let number = (blocks.count < self.most).then_some(blocks.count)?;
        blocks.count += 1;
        Some(number)
    }

    /// Removes the directory, if it was made for this.
    pub(super) fn remove_directory(&self) {
        if let Some(made) = &self.made {
            // Somebody may have put something there; then it stays.
            std::fs::remove_dir(made).ok();
        }
    }
}

impl Block {
    fn offset(&self) -> u64 {
        u64::from(self.number) * BLOCK as u64
    }

    /// Reads its first bytes.
    pub(super) fn read(&self, bytes: &mut [u8]) -> Result<()> {
        self.store.file.read_exact_at(bytes, self.offset()).map_err(|_| Error::of(Code::Internal))
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // The space goes back to the disk where the file system can do that.
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        fallocate(&self.store.file, hole, self.offset(), BLOCK as u64).ok();
        lock(&self.store.blocks).free.push(self.number);
    }
}

/// A file for us alone that has no name.
fn nameless(directory: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).mode(0o600);
    // The kernel takes these bits as they are; they fit.
    let flag = i32::try_from(OFlags::TMPFILE.bits()).unwrap_or(0);
    if let Ok(file) = options.clone().custom_flags(flag).open(directory) {
        return Ok(file);
    }
    // Some file systems cannot do that in one step.
    for _ in 0..TRIES {
        let mut random = [0; 8];
        rustix::rand::getrandom(&mut random[..], rustix::rand::GetRandomFlags::empty())?;
        let path = directory.join(format!("{:016x}", u64::from_ne_bytes(random)));
        match options.clone().create_new(true).open(&path) {
            Ok(file) => return std::fs::remove_file(&path).map(|()| file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// How many names are tried before something else must be wrong.
const TRIES: usize = 4;

fn refused(error: &io::Error) -> Error {
    let code = match Errno::from_io_error(error) {
        Some(Errno::NOSPC | Errno::DQUOT) => Code::DiskFull,
        Some(Errno::ACCESS | Errno::PERM) => Code::PermissionDenied,
        Some(Errno::ROFS) => Code::ReadOnly,
        Some(_) | None => Code::Internal,
    };
    Error::new(code, "the directory for the output of processes cannot be used")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_block_is_free_again_when_nobody_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("spool"), 2 * BLOCK as u64).unwrap();
        let first = store.put(b"first").unwrap();
        let second = store.put(b"second").unwrap();
        assert!(store.put(b"third").is_none());
        drop(first);
        let third = store.put(b"third").unwrap();
        let mut bytes = [0; 6];
        second.read(&mut bytes).unwrap();
        assert_eq!(&bytes, b"second");
        third.read(&mut bytes[..5]).unwrap();
        assert_eq!(&bytes[..5], b"third");
    }

    #[test]
    fn the_directory_shows_nothing_and_goes_with_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let spool = dir.path().join("spool");
        let store = Store::open(&spool, BLOCK as u64).unwrap();
        let _block = store.put(b"secret").unwrap();
        assert_eq!(std::fs::read_dir(&spool).unwrap().count(), 0);
        assert_eq!(std::fs::metadata(&spool).unwrap().permissions().mode() & 0o777, 0o700);
        store.remove_directory();
        assert!(!spool.exists());
        let kept = tempfile::tempdir().unwrap();
        Store::open(kept.path(), BLOCK as u64).unwrap().remove_directory();
        assert!(kept.path().exists());
    }
}
