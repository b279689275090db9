//! Writes headers: a plain one where all fits, extended records before it where not.

use super::{
    BLOCK, flag,
    header::{Header, MOST_NAME, MOST_OCTAL, MOST_PREFIX},
    pax,
};
use crate::{member::Member, moment::Moment};

/// What GNU's own headers are called; nobody looks at it.
const LONG: &[u8] = b"././@LongLink";

/// Writes everything that stands before the content of an entry.
pub(crate) fn write_header(out: &mut Vec<u8>, member: &Member<'_>) {
    let mut name = member.name.to_vec();
    let flag = match member.kind {
        crate::member::Kind::File => flag::FILE,
        crate::member::Kind::Link => flag::LINK,
        crate::member::Kind::Dir => {
            name.push(b'/');
            flag::DIR
        }
    };
    let moment = member.modified.map_or(Moment { seconds: 0, nanos: 0 }, Moment::of);
    let mut records = Vec::new();
    let (prefix, short) = split(&name).unwrap_or_else(|| {
        say_long(out, &mut records, ("path", flag::LONG_NAME), &name);
        (b"", cut(&name, MOST_NAME))
    });
    if member.target.len() > MOST_NAME {
        say_long(out, &mut records, ("linkpath", flag::LONG_LINK), member.target);
    }
    if member.size > MOST_OCTAL {
        pax::push(&mut records, "size", member.size.to_string().as_bytes());
    }
    let octal = u64::try_from(moment.seconds).is_ok_and(|seconds| seconds <= MOST_OCTAL);
    if moment.nanos != 0 || !octal {
        pax::push(&mut records, "mtime", moment.decimal().as_bytes());
    }
    if !records.is_empty() {
        let name = [b"PaxHeaders/", cut(last(&name), MOST_NAME - 11)].concat();
        write_meta(out, flag::PAX, &name, &records);
    }
    let header = Header {
        flag,
        name: short,
        link: cut(member.target, MOST_NAME),
        mode: member.mode,
        size: member.size,
        modified: moment.seconds,
    };
    out.extend_from_slice(&header.encode(prefix));
}

/// Says what does not fit into a field: in a record where that is text, else as GNU
/// does, since records are text by definition.
fn say_long(out: &mut Vec<u8>, records: &mut Vec<u8>, how: (&str, u8), value: &[u8]) {
    if std::str::from_utf8(value).is_ok() {
        pax::push(records, how.0, value);
    } else {
        write_meta(out, how.1, LONG, &[value, b"\0"].concat());
    }
}

fn write_meta(out: &mut Vec<u8>, flag: u8, name: &[u8], content: &[u8]) {
    let header =
        Header { flag, name, link: b"", mode: 0o644, size: content.len() as u64, modified: 0 };
    out.extend_from_slice(&header.encode(b""));
    out.extend_from_slice(content);
    out.resize(out.len() + padding(content.len() as u64), 0);
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
