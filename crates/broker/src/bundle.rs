//! The head of a git bundle, read as it arrives: only the pack behind it is kept.
//!
//! A bundle is what a sandbox makes of its repository, so nothing of it is believed: the
//! head is bounded, the pack must say how many objects it has, and git itself is given
//! the bare pack and checks every object.

use garth_contract::{Code, Error, Result};
use garth_git::{Oid, RefName, Tip};

/// The largest head: some thousands of refs and prerequisites.
const MOST_HEAD: usize = 4 << 20;

/// What a pack begins with: a word, a version and a count.
const PACK_HEAD: usize = 12;

/// A bundle of which not all has arrived.
#[derive(Debug, Default)]
pub(crate) struct Arriving {
    held: Vec<u8>,
    /// Where the empty line is, once it has arrived.
    end: Option<usize>,
    head: Option<Head>,
}

/// What stands before the pack.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Its refs.
    pub(crate) tips: Vec<Tip>,
    /// How many objects the pack says it has.
    pub(crate) objects: u64,
}

impl Arriving {
    /// Takes what came next, and gives what of it belongs to the pack.
    ///
    /// # Errors
    /// `GIT_FAILED` for what is no bundle.
    pub(crate) fn take<'a>(&'a mut self, bytes: &'a [u8]) -> Result<&'a [u8]> {
        if self.head.is_some() {
            return Ok(bytes);
        }
        let looked = self.held.len().saturating_sub(1);
        self.held.extend_from_slice(bytes);
        if self.end.is_none() {
            let fresh = self.held.get(looked..).unwrap_or_default();
            let found = fresh.windows(2).position(|pair| pair == b"\n\n");
            self.end = found.map(|at| looked + at);
        }
        let start = match self.end {
            Some(end) => end + 2,
            None if self.held.len() > MOST_HEAD => return Err(malformed()),
            None => return Ok(&[]),
        };
        let Some(pack) = self.held.get(start..).filter(|pack| pack.len() >= PACK_HEAD) else {
            return Ok(&[]);
        };
        let text = self.held.get(..start).unwrap_or_default();
        self.head = Some(Head { tips: tips(text)?, objects: objects(pack)? });
        Ok(pack)
    }

    /// The head, once all has arrived.
    ///
    /// # Errors
    /// `GIT_FAILED` for one that was cut.
    pub(crate) fn end(self) -> Result<Head> {
        self.head.ok_or_else(malformed)
    }

    /// The head, if it has arrived.
    pub(crate) fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }
}

/// Reads the lines of a head.
fn tips(head: &[u8]) -> Result<Vec<Tip>> {
    let mut lines = head.split(|&byte| byte == b'\n');
    match lines.next() {
        Some(b"# v2 git bundle" | b"# v3 git bundle") => {}
        Some(_) | None => return Err(malformed()),
    }
    let mut tips = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        match line.first() {
            // What it needs; whether that is there is found by whoever reads the pack.
            Some(b'-') => continue,
            Some(b'@') if line == b"@object-format=sha1" => continue,
            // A part of a repository, or other hashes than ours.
            Some(b'@') => return Err(malformed()),
            Some(_) | None => {}
        }
        let line = str::from_utf8(line).map_err(|_| malformed())?;
        let (oid, name) = line.split_once(' ').ok_or_else(malformed)?;
        let oid = Oid::parse(oid).map_err(|_| malformed())?;
        tips.push(Tip { name: RefName::parse(name).map_err(|_| malformed())?, oid });
    }
    Ok(tips)
}

/// How many objects a pack says it has.
fn objects(pack: &[u8]) -> Result<u64> {
    match pack.first_chunk::<PACK_HEAD>() {
        Some([b'P', b'A', b'C', b'K', _, _, _, _, count @ ..]) => {
            Ok(u64::from(u32::from_be_bytes(*count)))
        }
        Some(_) | None => Err(malformed()),
    }
}

fn malformed() -> Error {
    Error::new(Code::GitFailed, "what came out of the sandbox is no git bundle")
        .hint("Look whether the repository is damaged, then try again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    fn bundle() -> Vec<u8> {
        let mut all =
            format!("# v2 git bundle\n-{ID} what is there\n{ID} refs/heads/a\n\n").into_bytes();
        all.extend(b"PACK\0\0\0\x02\0\0\0\x07rest\n\nmore");
        all
    }

    fn read(bytes: &[u8], step: usize) -> Result<(Head, Vec<u8>)> {
        let mut arriving = Arriving::default();
        let mut pack = Vec::new();
        for piece in bytes.chunks(step) {
            pack.extend_from_slice(arriving.take(piece)?);
        }
        Ok((arriving.end()?, pack))
    }

    #[test]
    fn the_pack_is_the_same_however_the_bundle_is_cut() {
        let name = RefName::parse("refs/heads/a").unwrap();
        let tip = Tip { name, oid: Oid::parse(ID).unwrap() };
        let head = Head { tips: vec![tip], objects: 7 };
        for step in 1..=bundle().len() {
            let (read, pack) = read(&bundle(), step).unwrap();
            assert_eq!((&read, &pack[..]), (&head, &b"PACK\0\0\0\x02\0\0\0\x07rest\n\nmore"[..]));
        }
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        let whole = bundle();
        for wrong in [
            &b""[..],
            b"PACK\0\0\0\x02\0\0\0\x07",
            b"# v4 git bundle\n\nPACK\0\0\0\x02\0\0\0\x07",
            b"# v3 git bundle\n@filter=blob:none\n\nPACK\0\0\0\x02\0\0\0\x07",
            b"# v2 git bundle\n--upload-pack=x\nx refs/heads/a\n\nPACK\0\0\0\x02\0\0\0\x07",
            b"# v2 git bundle\n\nJUNK\0\0\0\x02\0\0\0\x07",
            &whole[..whole.len() - 20],
        ] {
            assert_eq!(read(wrong, 5).unwrap_err().code(), Code::GitFailed, "{wrong:?}");
        }
        let endless = vec![b'x'; MOST_HEAD + 2];
        assert_eq!(read(&endless, 1 << 16).unwrap_err().code(), Code::GitFailed);
    }
}
