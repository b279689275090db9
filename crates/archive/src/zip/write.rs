//! Writes entries as they come: what is small with its sizes before it, what is
//! large in parts, with sum and sizes behind it.

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, Status};

use super::{
    ELSEWHERE, ELSEWHERE_16, UNIX, bit,
    extra::{clock, push_large, push_time},
    method, mode, sign,
};
use crate::{
    member::{Kind, Member},
    moment::Moment,
};

/// The version of the format that an entry needs: for directories, and for 64 bits.
const PLAIN: u16 = 20;
const LARGE: u16 = 45;
/// What `zip` itself takes: nearly the smallest result at a third of the time.
const LEVEL: u32 = 6;

/// A content, or a part of one, as it stands in the file.
pub(crate) struct Deflated {
    pub(crate) bytes: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) sum: Hasher,
}

/// What the directory says of an entry.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    name: Vec<u8>,
    mode: u32,
    moment: Moment,
    bits: u16,
    method: u16,
    sum: u32,
    packed: u64,
    size: u64,
    /// Where its local header stands; relative until the place is known.
    pub(crate) offset: u64,
}

/// Compresses a whole content, unless that makes it larger.
pub(crate) fn deflate(content: &[u8]) -> Deflated {
    let mut sum = Hasher::new();
    sum.update(content);
    let bytes = compress(content, FlushCompress::Finish);
    if bytes.len() < content.len() {
        return Deflated { bytes, method: method::DEFLATED, sum };
    }
    Deflated { bytes: content.to_vec(), method: method::STORED, sum }
}

/// Whether a part of a content is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    Here,
    Later,
}

/// Compresses one of several parts of a content, so that they can be put together.
pub(crate) fn deflate_part(content: &[u8], ends: Ends) -> Deflated {
    let mut sum = Hasher::new();
    sum.update(content);
    // A part that is not the last ends on a whole byte, and nothing refers over it.
    let flush = match ends {
        Ends::Here => FlushCompress::Finish,
        Ends::Later => FlushCompress::Sync,
    };
    Deflated { bytes: compress(content, flush), method: method::DEFLATED, sum }
}

fn compress(content: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut compress = Compress::new(Compression::new(LEVEL), false);
    let mut out = Vec::with_capacity(content.len() / 2 + 64);
    loop {
        let taken = usize::try_from(compress.total_in()).unwrap_or(usize::MAX);
        let rest = content.get(taken..).unwrap_or_default();
        match compress.compress_vec(rest, &mut out, flush) {
            Ok(Status::StreamEnd) | Err(_) => return out,
            Ok(Status::Ok | Status::BufError) => {}
        }
        // Room left over says that a flush is complete; an end is told by the status.
        let all = compress.total_in() == content.len() as u64;
        if flush == FlushCompress::Sync && all && out.len() < out.capacity() {
            return out;
        }
        out.reserve(content.len() / 4 + 64);
    }
}

/// Writes a local header, and says what the directory will.
///
/// Without a content the sizes follow behind it, in a [`descriptor`].
pub(crate) fn local(out: &mut Vec<u8>, member: &Member<'_>, content: Option<&Deflated>) -> Record {
    let kind = match member.kind {
        Kind::File => mode::FILE,
        Kind::Dir => mode::DIR,
        Kind::Link => mode::LINK,
    };
    let mut name = member.name.to_vec();
    if member.kind == Kind::Dir {
        name.push(b'/');
    }
    let text = !name.is_ascii() && std::str::from_utf8(&name).is_ok();
    let later = if content.is_none() { bit::DESCRIPTOR } else { 0 };
    let mut record = Record {
        name,
        mode: kind | member.mode,
        moment: member.modified.map_or(Moment { seconds: 0, nanos: 0 }, Moment::of),
        bits: later | if text { bit::TEXT } else { 0 },
        method: content.map_or(method::DEFLATED, |content| content.method),
        sum: content.map_or(0, |content| content.sum.clone().finalize()),
        packed: content.map_or(0, |content| content.bytes.len() as u64),
        size: content.map_or(0, |_| member.size),
        offset: out.len() as u64,
    };
    let mut extra = Vec::new();
    push_time(&mut extra, record.moment);
    let large = content.is_none() && is_large(member.size);
    if large {
        push_large(&mut extra, &[0, 0]);
    }
    put_u32(out, sign::LOCAL);
    put_u16(out, if large { LARGE } else { PLAIN });
    record.put_shared(out);
    for size in [record.packed, record.size] {
        put_u32(out, if large { ELSEWHERE } else { u32::try_from(size).unwrap_or(ELSEWHERE) });
    }
    put_u16(out, u16::try_from(record.name.len()).unwrap_or(0));
    put_u16(out, u16::try_from(extra.len()).unwrap_or(0));
    out.extend_from_slice(&record.name);
    out.extend_from_slice(&extra);
    if content.is_none() {
        // Known from here on, so that the descriptor is as wide as the header said.
        record.size = member.size;
    }
    record
}

/// Writes what stands behind a content that came in parts.
pub(crate) fn descriptor(out: &mut Vec<u8>, record: &mut Record, sum: Hasher, packed: u64) {
    record.sum = sum.finalize();
    record.packed = packed;
    put_u32(out, sign::DESCRIPTOR);
    put_u32(out, record.sum);
    for size in [record.packed, record.size] {
        if is_large(record.size) {
            out.extend_from_slice(&size.to_le_bytes());
        } else {
            put_u32(out, u32::try_from(size).unwrap_or(ELSEWHERE));
        }
    }
}

/// Tells whether a content, or what compression makes of it, may need 64 bits.
fn is_large(size: u64) -> bool {
    // Nothing grows by more than five bytes in sixteen thousand, and a few.
    size.saturating_add(size / 1000).saturating_add(1 << 16) >= u64::from(ELSEWHERE)
}

impl Record {
    /// The fields that a local header and the directory have in common.
    fn put_shared(&self, out: &mut Vec<u8>) {
        let (time, date) = clock(self.moment);
        for value in [self.bits, self.method, time, date] {
            put_u16(out, value);
        }
        put_u32(out, self.sum);
    }

    /// Writes the entry into the directory.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let numbers = [self.size, self.packed, self.offset];
        let large: Vec<u64> =
            numbers.into_iter().filter(|number| *number >= u64::from(ELSEWHERE)).collect();
        let short = |number: u64| u32::try_from(number).unwrap_or(ELSEWHERE);
        let mut extra = Vec::new();
        push_time(&mut extra, self.moment);
        push_large(&mut extra, &large);
        put_u32(out, sign::CENTRAL);
        out.push(LARGE.to_le_bytes()[0]);
        out.push(UNIX);
        put_u16(out, if large.is_empty() { PLAIN } else { LARGE });
        self.put_shared(out);
        put_u32(out, short(self.packed));
        put_u32(out, short(self.size));
        put_u16(out, u16::try_from(self.name.len()).unwrap_or(0));
        put_u16(out, u16::try_from(extra.len()).unwrap_or(0));
        // No comment, the first and only disk, no attributes of another system.
        for _ in 0..3 {
            put_u16(out, 0);
        }
        let is_dir = self.mode & mode::TYPE == mode::DIR;
        put_u32(out, self.mode << 16 | if is_dir { 0x10 } else { 0 });
        put_u32(out, short(self.offset));
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&extra);
    }
}

/// What stands behind the directory: how long it is, and where it begins.
pub(crate) fn end(count: u64, length: u64, offset: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let needs = |number: u64| number >= u64::from(ELSEWHERE);
    if count >= u64::from(ELSEWHERE_16) || needs(length) || needs(offset) {
        put_u32(&mut out, sign::END_64);
        out.extend_from_slice(&44_u64.to_le_bytes());
        put_u16(&mut out, u16::from(UNIX) << 8 | LARGE);
        put_u16(&mut out, LARGE);
        put_u32(&mut out, 0);
        put_u32(&mut out, 0);
        for number in [count, count, length, offset] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        put_u32(&mut out, sign::LOCATOR_64);
        put_u32(&mut out, 0);
        out.extend_from_slice(&(offset + length).to_le_bytes());
        put_u32(&mut out, 1);
    }
    put_u32(&mut out, sign::END);
    put_u16(&mut out, 0);
    put_u16(&mut out, 0);
    for _ in 0..2 {
        put_u16(&mut out, u16::try_from(count).unwrap_or(ELSEWHERE_16));
    }
    put_u32(&mut out, u32::try_from(length).unwrap_or(ELSEWHERE));
    put_u32(&mut out, u32::try_from(offset).unwrap_or(ELSEWHERE));
    put_u16(&mut out, 0);
    out
}

fn put_u16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn inflate(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        flate2::read::DeflateDecoder::new(bytes).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn parts_put_together_are_the_content() {
        let noise: Vec<u8> = (0..700_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0])
            .collect();
        for content in [&b"x"[..], &[0; 300_000], &noise] {
            for cut in [1, content.len() / 3, content.len()] {
                let mut parts = content.chunks(cut.max(1000)).peekable();
                let (mut bytes, mut sum) = (Vec::new(), Hasher::new());
                while let Some(part) = parts.next() {
                    let ends = if parts.peek().is_none() { Ends::Here } else { Ends::Later };
                    let part = deflate_part(part, ends);
                    bytes.extend_from_slice(&part.bytes);
                    sum.combine(&part.sum);
                }
                assert_eq!(inflate(&bytes), content);
                assert_eq!(sum.finalize(), crc32fast::hash(content));
            }
        }
        assert_eq!(inflate(&deflate_part(b"", Ends::Here).bytes), b"");
    }

    #[test]
    fn what_does_not_shrink_is_stored() {
        assert_eq!(deflate(b"").method, method::STORED);
        assert_eq!(deflate(b"abc").bytes, b"abc");
        let zeros = deflate(&[0; 1000]);
        assert_eq!(zeros.method, method::DEFLATED);
        assert_eq!(inflate(&zeros.bytes), [0; 1000]);
    }
}
