//! What extended headers say about the entry after them.
//!
//! A thing may be said once. Where two headers disagree, one program believes the
//! first and another the last, which is how a name gets past whoever checks it.

use super::{flag, header::Header, pax};
use crate::moment::Moment;

/// What was said so far, for the next entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    extended: bool,
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<Moment>,
}

/// An entry with everything that was said about it.
pub(super) struct Entry {
    pub(super) header: Header,
    pub(super) modified: Moment,
}

type Heard<T = ()> = Result<T, &'static str>;

impl Said {
    /// Hears the content of an extended header.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn hear(&mut self, kind: u8, content: &[u8]) -> Heard {
        match kind {
            flag::LONG_NAME => once(&mut self.name, long(content)?),
            flag::LONG_LINK => once(&mut self.link, long(content)?),
            flag::PAX_ALL => hear_all(content),
            _ => {
                if std::mem::replace(&mut self.extended, true) {
                    return Err("two extended headers are about one entry");
                }
                self.hear_records(content)
            }
        }
    }

    fn hear_records(&mut self, content: &[u8]) -> Heard {
        for (key, value) in pax::parse(content).ok_or("an extended header is wrong")? {
            match key {
                b"path" => once(&mut self.name, value.to_vec())?,
                b"linkpath" => once(&mut self.link, value.to_vec())?,
                b"size" => {
                    let text = std::str::from_utf8(value).ok();
                    let digits = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
                    let size = digits.and_then(|digits| digits.parse().ok());
                    once(&mut self.size, size.ok_or("an extended size is no number")?)?;
                }
                b"mtime" => {
                    let moment = Moment::parse(value).ok_or("an extended time is no number")?;
                    once(&mut self.modified, moment)?;
                }
                key if is_sparse(key) => return Err("it holds a sparse file"),
                _ => {}
            }
        }
        Ok(())
    }

    /// The entry that a header and what was said before it make.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn about(self, mut header: Header) -> Heard<Entry> {
        if let Some(name) = self.name {
            header.name = name;
        }
        if let Some(link) = self.link {
            header.link = link;
        }
        header.size = self.size.unwrap_or(header.size);
        let seconds = header.modified;
        Ok(Entry { header, modified: self.modified.unwrap_or(Moment { seconds, nanos: 0 }) })
    }
}

fn once<T>(place: &mut Option<T>, value: T) -> Heard {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err("one thing is said twice about an entry"),
    }
}

/// Records for all entries may be comments; names and sizes are no common thing.
fn hear_all(content: &[u8]) -> Heard {
    for (key, _) in pax::parse(content).ok_or("an extended header is wrong")? {
        if matches!(key, b"path" | b"linkpath" | b"size") || is_sparse(key) {
            return Err("a header for all entries names or measures them");
        }
    }
    Ok(())
}

fn is_sparse(key: &[u8]) -> bool {
    key.starts_with(b"GNU.sparse.") || key == b"SCHILY.realsize"
}

/// A long name ends at its NUL, and nothing may hide behind it.
fn long(content: &[u8]) -> Heard<Vec<u8>> {
    let end = content.iter().position(|byte| *byte == 0).unwrap_or(content.len());
    let (name, rest) = content.split_at(end);
    if rest.iter().any(|byte| *byte != 0) {
        return Err("something hides behind a long name");
    }
    Ok(name.to_vec())
}
