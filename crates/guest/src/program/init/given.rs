//! What whoever started the machine wants it to be.

use std::{ffi::OsString, fs::File, io::Read, os::unix::ffi::OsStringExt, path::Path};

use garth_contract::{Access, Result};
use rustix::fs::{CWD, Dir, Mode, OFlags, openat};

use crate::program::failed;

/// Where it is told, among the machine's first files.
const PLACE: &str = "/garth";

/// The most bytes of one told text.
const MOST: u64 = 1 << 20;

/// What the machine is to be.
pub(super) struct Given {
    /// The kernel's modules, in the order in which they are loaded.
    pub(super) modules: Vec<File>,
    /// The guest's arguments.
    pub(super) arguments: Vec<OsString>,
    /// Who runs inside, and in which group.
    pub(super) user: (u32, u32),
    /// What may be done with the workspace.
    pub(super) access: Access,
    /// Files of `/etc`, by their name.
    pub(super) etc: Vec<(String, Vec<u8>)>,
    /// Bytes of each of the directories in memory.
    pub(super) scratch: u64,
}

impl Given {
    /// Reads it.
    pub(super) fn read() -> Result<Self> {
        let arguments = text("arguments")?;
        let arguments = arguments.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        Ok(Self {
            modules: files("modules").into_iter().map(|(_, file)| file).collect(),
            arguments: arguments.map(|word| OsString::from_vec(word.to_vec())).collect(),
            user: user(&line("user")?)?,
            access: match line("access")?.as_str() {
                "rw" => Access::ReadWrite,
                _ => Access::ReadOnly,
            },
            etc: files("etc")
                .into_iter()
                .filter_map(|(name, file)| Some((name, content(file)?)))
                .collect(),
            scratch: line("scratch")?.parse().map_err(|_| wrong())?,
        })
    }
}

fn user(text: &str) -> Result<(u32, u32)> {
    let (user, group) = text.split_once(':').ok_or_else(wrong)?;
    Ok((user.parse().map_err(|_| wrong())?, group.parse().map_err(|_| wrong())?))
}

fn line(name: &str) -> Result<String> {
    let line = String::from_utf8(text(name)?).map_err(|_| wrong())?;
    Ok(line.trim().to_owned())
}

fn text(name: &str) -> Result<Vec<u8>> {
    let file = open(&Path::new(PLACE).join(name)).ok_or_else(wrong)?;
    content(file).ok_or_else(wrong)
}

/// The files of a directory in the order of their names.
fn files(name: &str) -> Vec<(String, File)> {
    let place = Path::new(PLACE).join(name);
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = openat(CWD, &place, flags, Mode::empty()) else { return Vec::new() };
    let Ok(entries) = Dir::read_from(&directory) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().to_str().ok()?.to_owned();
        (!name.starts_with('.')).then_some(name)
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    let opened =
        names.into_iter().filter_map(|name| Some((name.clone(), open(&place.join(name))?)));
    opened.collect()
}

fn open(path: &Path) -> Option<File> {
    openat(CWD, path, OFlags::CLOEXEC, Mode::empty()).ok().map(File::from)
}

fn content(file: File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn wrong() -> garth_contract::Error {
    failed("what this machine is to be is not told")
}
