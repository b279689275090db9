//! Writes headers: a plain one where all fits, extended records before it where not.

use std::borrow::Cow;

use super::{
    BLOCK, flag,
    header::{Header, MOST_NAME, MOST_OCTAL, MOST_PREFIX},
    pax,
};
use crate::{member::Member, moment::Moment};

/// What GNU's own headers are called; nobody looks at it.
const LONG: &[u8] = b"././@LongLink";

/// Writes everything that stands before the content of an entry.
///
/// Every entry has this, so all of it is written to its place at once.
pub(crate) fn write_header(out: &mut Vec<u8>, member: &Member<'_>) {
    let (flag, name) = match member.kind {
        crate::member::Kind::File => (flag::FILE, Cow::Borrowed(member.name)),
        crate::member::Kind::Link => (flag::LINK, Cow::Borrowed(member.name)),
        crate::member::Kind::Dir => (flag::DIR, Cow::Owned([member.name, b"/"].concat())),
    };
    let moment = member.modified.map_or(Moment { seconds: 0, nanos: 0 }, Moment::of);
    let parts = split(&name);
    let long_name = parts.is_none().then_some(&*name);
    let long_link = Some(member.target).filter(|target| target.len() > MOST_NAME);
    // Records are text by definition; what is none is said as GNU does.
    for (value, flag) in [(long_name, flag::LONG_NAME), (long_link, flag::LONG_LINK)] {
        if let Some(value) = value.filter(|value| std::str::from_utf8(value).is_err()) {
            write_meta(out, (flag, LONG), |out| out.extend(value.iter().chain(b"\0")));
        }
    }
    write_meta(out, (flag::PAX, &pax_name(&name)), |records| {
        for (value, key) in [(long_name, "path"), (long_link, "linkpath")] {
            if let Some(value) = value.filter(|value| std::str::from_utf8(value).is_ok()) {
                pax::push(records, key, value);
            }
        }
        if member.size > MOST_OCTAL {
            pax::push(records, "size", member.size.to_string().as_bytes());
        }
        let octal = u64::try_from(moment.seconds).is_ok_and(|seconds| seconds <= MOST_OCTAL);
        if moment.nanos != 0 || !octal {
            pax::push(records, "mtime", &moment.decimal());
        }
    });
    let (prefix, short) = parts.unwrap_or_else(|| (b"", cut(&name, MOST_NAME)));
    let header = Header {
        flag,
        name: short,
        link: cut(member.target, MOST_NAME),
        mode: member.mode,
        size: member.size,
        modified: moment.seconds,
    };
    let at = out.len();
    out.resize(at + BLOCK, 0);
    put_at(out, at, (&header, prefix));
}

/// Writes what is said about the next entry, with its header, unless that is nothing.
fn write_meta(out: &mut Vec<u8>, (flag, name): (u8, &[u8]), say: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.resize(at + BLOCK, 0);
    say(out);
    let size = (out.len() - at - BLOCK) as u64;
    if size == 0 {
        return out.truncate(at);
    }
    let header = Header { flag, name, link: b"", mode: 0o644, size, modified: 0 };
    put_at(out, at, (&header, b""));
    out.resize(out.len() + padding(size), 0);
}

/// Writes a header to where a block of zeros is, so that it is not copied.
fn put_at(out: &mut [u8], at: usize, (header, prefix): (&Header<&[u8]>, &[u8])) {
    if let Some(block) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        header.encode(prefix, block);
    }
}

/// How many zeros follow a content of this size.
pub(crate) fn padding(size: u64) -> usize {
    let over = usize::try_from(size % BLOCK as u64).unwrap_or(0);
    (BLOCK - over) % BLOCK
}

/// What stands at the end of an archive.
pub(crate) fn end() -> Vec<u8> {
    vec![0; 2 * BLOCK]
}

/// Cuts a name in two at a slash, so that both parts fit into their fields.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= MOST_NAME {
        return Some((b"", name));
    }
    // The earliest slash after which the rest fits leaves the shortest prefix.
    let from = name.len() - MOST_NAME - 1;
    let slash = name.get(from..)?.iter().position(|byte| *byte == b'/')? + from;
    let (prefix, rest) = (name.get(..slash)?, name.get(slash + 1..)?);
    (!prefix.is_empty() && prefix.len() <= MOST_PREFIX && !rest.is_empty())
        .then_some((prefix, rest))
}

/// What the records of an entry are called: after the entry, for who lists them as files.
fn pax_name(name: &[u8]) -> [u8; MOST_NAME] {
    const BEFORE: &[u8] = b"PaxHeaders/";
    let mut called = [0; MOST_NAME];
    let (before, rest) = called.split_at_mut(BEFORE.len());
    before.copy_from_slice(BEFORE);
    let name = cut(last(name), rest.len());
    if let Some(place) = rest.get_mut(..name.len()) {
        place.copy_from_slice(name);
    }
    called
}

fn cut(name: &[u8], most: usize) -> &[u8] {
    name.get(..most).unwrap_or(name)
}

fn last(name: &[u8]) -> &[u8] {
    let name = name.strip_suffix(b"/").unwrap_or(name);
    name.rsplit(|byte| *byte == b'/').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_where_both_parts_fit() {
        let long = [b'n'; 100];
        assert_eq!(split(&long), Some((&b""[..], &long[..])));
        assert_eq!(split(&[b'n'; 101]), None);
        let name = [&[b'p'; 155][..], b"/", &long].concat();
        assert_eq!(split(&name), Some((&[b'p'; 155][..], &long[..])));
        assert_eq!(split(&[b"p", &name[..]].concat()), None);
        assert_eq!(split(&[&name[..], b"x"].concat()), None);
        let dir = [&long[..], b"/"].concat();
        assert_eq!(split(&dir), None);
    }

    #[test]
    fn contents_are_filled_up_to_whole_blocks() {
        assert_eq!([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
    }
}
