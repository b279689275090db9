//! From the kernel's error numbers to the codes of the contract.

use garth_contract::{Code, Error, WsPath};
use rustix::io::Errno;

/// Translates an error number at a path.
///
/// `ENOENT` is `FILE_NOT_FOUND`; callers for whom it means a parent or a source
/// say so with [`Error::recode`].
pub(crate) fn error(errno: Errno, path: &WsPath) -> Error {
    Error::at(code(errno), path)
}

fn code(errno: Errno) -> Code {
    match errno {
        Errno::NOENT | Errno::STALE => Code::FileNotFound,
        Errno::ACCESS | Errno::PERM => Code::PermissionDenied,
        Errno::NOTDIR => Code::NotADirectory,
        Errno::ISDIR | Errno::NXIO | Errno::NODEV => Code::NotAFile,
        Errno::EXIST => Code::FileExists,
        Errno::NOTEMPTY => Code::DirectoryNotEmpty,
        Errno::NOSPC => Code::DiskFull,
        Errno::DQUOT => Code::QuotaExceeded,
        Errno::ROFS => Code::ReadOnly,
        Errno::NAMETOOLONG | Errno::LOOP | Errno::ILSEQ => Code::InvalidPath,
        Errno::XDEV => Code::PathOutsideWorkspace,
        Errno::FBIG | Errno::OVERFLOW => Code::FileTooLarge,
        Errno::OPNOTSUPP | Errno::NOSYS => Code::Unsupported,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM => Code::QuotaExceeded,
        _ => Code::Internal,
    }
}
