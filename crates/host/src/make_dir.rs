//! `make_dir`: a directory, and its parents where asked.

use garth_contract::{Code, Error, Kind, Links, Made, Parents, Result, WsPath};
use garth_search::Stands;
use rustix::{
    fs::{Mode, mkdirat},
    io::Errno,
};

use crate::{errno, look, sync, tree::Tree};

pub(crate) fn make_dir(tree: &Tree, path: &WsPath, parents: Parents) -> Result<Made> {
    tree.check_access()?;
    if path.is_root() {
        return Ok(Made::Existed);
    }
    let place = tree.locate_new(path, Links::Keep, (Stands::Dir, parents))?;
    tree.check_change(&place)?;
    let name = place.name(Code::FileExists)?;
    match mkdirat(&place.dir, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => sync::dir(&place.dir, tree.policy.durability)
            .map(|()| Made::Created)
            .map_err(|errno| errno::error(errno, path)),
        Err(Errno::EXIST) => existing(tree, path),
        Err(errno) => Err(errno::error(errno, path)),
    }
}

/// What stands there counts if it is a directory, or a link to one.
fn existing(tree: &Tree, path: &WsPath) -> Result<Made> {
    match look::stat(tree, path, Links::Follow) {
        Ok(entry) if entry.kind == Kind::Dir => Ok(Made::Existed),
        Ok(_) => Err(Error::at(Code::FileExists, path)),
        Err(error) => Err(error.recode(Code::FileNotFound, Code::FileExists)),
    }
}
