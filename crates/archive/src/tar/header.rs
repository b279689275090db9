//! One header: 512 bytes of fields, most of them octal text.

use super::BLOCK;

/// What a header holds, names as they stand in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header<N = Vec<u8>> {
    pub(super) flag: u8,
    pub(super) name: N,
    pub(super) link: N,
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) modified: i64,
}

/// The fields by their places.
mod field {
    use std::ops::Range;

    pub(super) const NAME: Range<usize> = 0..100;
    pub(super) const MODE: Range<usize> = 100..108;
    pub(super) const UID: Range<usize> = 108..116;
    pub(super) const GID: Range<usize> = 116..124;
    pub(super) const SIZE: Range<usize> = 124..136;
    pub(super) const MODIFIED: Range<usize> = 136..148;
    pub(super) const SUM: Range<usize> = 148..156;
    pub(super) const FLAG: Range<usize> = 156..157;
    pub(super) const LINK: Range<usize> = 157..257;
    pub(super) const MAGIC: Range<usize> = 257..265;
    pub(super) const MAJOR: Range<usize> = 329..337;
    pub(super) const MINOR: Range<usize> = 337..345;
    pub(super) const PREFIX: Range<usize> = 345..500;
}

/// The most bytes of a name, of what goes before it, and of a link's target.
pub(super) const MOST_NAME: usize = 100;
pub(super) const MOST_PREFIX: usize = 155;
/// The most that eleven octal digits say: sizes, and times.
pub(super) const MOST_OCTAL: u64 = (1 << 33) - 1;

const POSIX: &[u8] = b"ustar\x0000";
const GNU: &[u8] = b"ustar  \0";

impl<N: AsRef<[u8]>> Header<N> {
    /// Writes the header into a block of zeros; `prefix` goes before the name, with a
    /// slash between.
    ///
    /// What does not fit is cut: who has more to say says it in extended records.
    pub(super) fn encode(&self, prefix: &[u8], block: &mut [u8; BLOCK]) {
        put(block, field::NAME, self.name.as_ref());
        put(block, field::PREFIX, prefix);
        put(block, field::LINK, self.link.as_ref());
        put(block, field::FLAG, &[self.flag]);
        put(block, field::MAGIC, POSIX);
        put(block, field::SUM, b"        ");
        let modified = u64::try_from(self.modified).unwrap_or(0).min(MOST_OCTAL);
        for (range, value) in [
            (field::MODE, u64::from(self.mode)),
            (field::UID, 0),
            (field::GID, 0),
            (field::SIZE, self.size.min(MOST_OCTAL)),
            (field::MODIFIED, modified),
            (field::MAJOR, 0),
            (field::MINOR, 0),
        ] {
            put_octal(block, range.start..range.end - 1, value);
        }
        let sum = unsigned(block).into();
        put(block, field::SUM, b"000000\0 ");
        put_octal(block, field::SUM.start..field::SUM.end - 2, sum);
    }
}

impl Header {
    /// Reads a header that is not all zeros.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Self, &'static str> {
        let (unsigned, signed) = sums(block);
        let told = octal(get(block, field::SUM)).ok_or("its checksum is no number")?;
        if told != unsigned && i64::try_from(told) != Ok(signed) {
            return Err("its checksum is wrong");
        }
        let magic = get(block, field::MAGIC);
        let mut name = text(get(block, field::NAME)).to_vec();
        if magic == POSIX {
            let prefix = text(get(block, field::PREFIX));
            if !prefix.is_empty() {
                name = [prefix, b"/", &name].concat();
            }
        } else if magic != GNU && magic.iter().any(|byte| *byte != 0) {
            return Err("it is of an unknown kind");
        }
        let flag = get(block, field::FLAG).first().copied().unwrap_or(0);
        Ok(Self {
            flag,
            name,
            link: text(get(block, field::LINK)).to_vec(),
            mode: u32::try_from(number(get(block, field::MODE)).ok_or("its mode is no number")?)
                .unwrap_or(0),
            size: number(get(block, field::SIZE))
                .and_then(|size| u64::try_from(size).ok())
                .ok_or("its size is no number")?,
            modified: number(get(block, field::MODIFIED)).unwrap_or(0),
        })
    }
}

fn put(block: &mut [u8; BLOCK], range: std::ops::Range<usize>, bytes: &[u8]) {
    let field = block.get_mut(range).unwrap_or_default();
    let length = field.len().min(bytes.len());
    if let (Some(place), Some(bytes)) = (field.get_mut(..length), bytes.get(..length)) {
        place.copy_from_slice(bytes);
    }
}

/// Fills a field with the digits of a number that fits.
fn put_octal(block: &mut [u8; BLOCK], range: std::ops::Range<usize>, mut number: u64) {
    for place in block.get_mut(range).unwrap_or_default().iter_mut().rev() {
        *place = b'0' + u8::try_from(number & 7).unwrap_or(0);
        number >>= 3;
    }
}

fn get(block: &[u8; BLOCK], range: std::ops::Range<usize>) -> &[u8] {
    block.get(range).unwrap_or_default()
}

/// What stands in a field before its first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The sum of all bytes, the checksum's own as spaces; old programs added them signed.
fn sums(block: &[u8; BLOCK]) -> (u64, i64) {
    let negative = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(byte >> 7)).sum::<u32>();
    // Without a condition on the place the processor adds many at a time.
    let told = get(block, field::SUM);
    let spaces = u32::from(b' ') * 8;
    let sum = unsigned(block) - unsigned(told) + spaces;
    // A byte counts 256 less where its first bit is a sign.
    let less = 256 * (negative(block) - negative(told));
    (u64::from(sum), i64::from(sum) - i64::from(less))
}

fn unsigned(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(*byte)).sum()
}

/// A number: octal text, or, with the first bit set, bytes of a large one.
fn number(field: &[u8]) -> Option<i64> {
    match field.split_first() {
        Some((first, rest)) if first & 0x80 != 0 => {
            // The sign is the bit after the mark; all bits of it fill the bytes above.
            let fill = if first & 0x40 != 0 { -1 } else { 0 };
            let first = i64::from(first & 0x7f) | (fill & !0x7f);
            rest.iter()
                .try_fold(first, |value, byte| Some(value.checked_mul(256)? | i64::from(*byte)))
        }
        _ => i64::try_from(octal(field)?).ok(),
    }
}

/// Octal text between spaces and NULs; nothing is zero.
fn octal(field: &[u8]) -> Option<u64> {
    let is_filler = |byte: &u8| matches!(byte, b' ' | 0);
    let start = field.iter().position(|byte| *byte != b' ').unwrap_or(field.len());
    let digits = field.get(start..)?;
    let end = digits.iter().position(is_filler).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    if !rest.iter().all(is_filler) {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = match byte {
            b'0'..=b'7' => u64::from(byte - b'0'),
            _ => return None,
        };
        value.checked_mul(8)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            flag: b'0',
            name: b"d/f".to_vec(),
            link: Vec::new(),
            mode: 0o644,
            size: 5,
            modified: 7,
        }
    }

    fn encoded(prefix: &[u8]) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        header().encode(prefix, &mut block);
        block
    }

    #[test]
    fn a_header_is_read_as_it_is_written() {
        assert_eq!(Header::parse(&encoded(b"")), Ok(header()));
        let whole = Header { name: b"p/q/d/f".to_vec(), ..header() };
        assert_eq!(Header::parse(&encoded(b"p/q")), Ok(whole));
    }

    #[test]
    fn a_header_with_a_wrong_sum_is_refused() {
        let mut block = encoded(b"");
        block[0] ^= 1;
        assert_eq!(Header::parse(&block), Err("its checksum is wrong"));
    }

    #[test]
    fn large_and_odd_numbers_are_read() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"  644 \0\0"), Some(0o644));
        assert_eq!(number(b"\0\0\0\0"), Some(0));
        assert_eq!(number(b"\x80\0\0\0\0\0\0\x02\0\0\0\0"), Some(1 << 33));
        assert_eq!(number(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe"), Some(-2));
        for wrong in [&b"64x\0"[..], b"6 4", b"8", b"-1", b"\x81\0\0\0\0\0\0\0\0\0\0\0"] {
            assert_eq!(number(wrong), None, "{wrong:?}");
        }
    }
}
