//! How a record is written in the journal: its length, a check of the rest, its number,
//! then its numbers and texts in a fixed order.
//!
//! An entry that a crash cut short does not pass its check, and ends what is read. Packs of the
//! audit keep entries as they stand here, so this form stays readable for as long as they do.

use crc32fast::Hasher;

use crate::audit::Entry;

/// The bytes of a length, of a check, and of a number.
const LENGTH: usize = 4;
const CHECK: usize = 8;
const NUMBER: usize = 8;

/// What stands before the rest of an entry.
pub(super) const HEAD: usize = LENGTH + CHECK;

/// What stands before that which is known without a number.
const BEFORE: usize = HEAD + NUMBER;

/// An entry that has everything but its number, which is known only under a lock.
pub(super) struct Line {
    bytes: Vec<u8>,
    /// Over all that stands behind the number.
    rest: Hasher,
}

impl Line {
    pub(super) fn of<T: AsRef<str>>(entry: &Entry<T>) -> Self {
        let (numbers, texts) = (entry.numbers(), entry.texts());
        let length = texts.iter().map(|text| LENGTH + text.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(BEFORE + size_of_val(&numbers) + length);
        bytes.extend_from_slice(&[0; BEFORE]);
        for number in numbers {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for text in texts {
            bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        let mut rest = Hasher::new();
        rest.update(bytes.get(BEFORE..).unwrap_or_default());
        Self { bytes, rest }
    }

    /// The entry as it stands in a journal.
    pub(super) fn numbered(&mut self, number: u64) -> &[u8] {
        let length = u32::try_from(self.bytes.len() - HEAD).unwrap_or(u32::MAX).to_le_bytes();
        let number = number.to_le_bytes();
        let check = check(self.rest.clone(), &number, length);
        let before = length.iter().chain(&check).chain(&number);
        self.bytes.iter_mut().zip(before).for_each(|(room, byte)| *room = *byte);
        &self.bytes
    }
}

/// Every entry, up to the first that is not whole.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = (u64, Entry<&str>)> + use<'_> {
    bodies(bytes).take_while(|(told, body)| is_whole(told, body)).map_while(|(_, body)| entry(body))
}

/// Every entry of bytes that never were out of our hands, or that the chain is to hold to account.
pub(crate) fn of_ours(bytes: &[u8]) -> impl Iterator<Item = (u64, Entry<&str>)> + use<'_> {
    bodies(bytes).map_while(|(_, body)| entry(body))
}

/// The bytes of so many entries, and of those that follow; all of them where they are no more.
pub(crate) fn split(bytes: &[u8], count: usize) -> (&[u8], &[u8]) {
    let lengths = bodies(bytes).take(count).map(|(_, body)| HEAD + body.len());
    bytes.split_at_checked(lengths.sum()).unwrap_or((bytes, &[]))
}

/// The checks and the rest of entries.
fn bodies(bytes: &[u8]) -> impl Iterator<Item = ([u8; CHECK], &[u8])> + use<'_> {
    let mut rest = Reader(bytes);
    std::iter::from_fn(move || {
        let length = usize::try_from(u32::from_le_bytes(rest.array()?)).ok()?;
        Some((rest.array()?, rest.take(length)?))
    })
}

fn entry(body: &[u8]) -> Option<(u64, Entry<&str>)> {
    let mut body = Reader(body);
    let number = u64::from_le_bytes(body.array()?);
    Some((
        number,
        // In the order in which they are written.
        Entry {
            time_ms: body.number()?,
            duration_us: body.number()?,
            bytes_in: body.number()?,
            bytes_out: body.number()?,
            caller: body.text()?,
            role: body.text()?,
            session: body.text()?,
            workspace: body.text()?,
            operation: body.text()?,
            summary: body.text()?,
            outcome: body.text()?,
        },
    ))
}

/// Tells whether an entry is what was written.
fn is_whole(told: &[u8; CHECK], body: &[u8]) -> bool {
    let Some((number, rest)) = body.split_first_chunk() else { return false };
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes();
    let mut hasher = Hasher::new();
    hasher.update(rest);
    // Earlier versions left entries with another check, which took as long as all the rest.
    check(hasher, number, length) == *told || blake3::hash(body).as_bytes().starts_with(told)
}

/// What shows that an entry is not whole: a sum over the rest of it and its number, and its
/// length the other way round. It is not to withstand anybody; the chain is for that.
fn check(mut rest: Hasher, number: &[u8; NUMBER], length: [u8; LENGTH]) -> [u8; CHECK] {
    rest.update(number);
    let (sum, length) = (rest.finalize(), !u32::from_le_bytes(length));
    (u64::from(length) << 32 | u64::from(sum)).to_le_bytes()
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(u32::from_le_bytes(self.array()?)).ok()?;
        str::from_utf8(self.take(length)?).ok()
    }
}

/// The same entries as a version wrote them that had another check.
#[cfg(test)]
pub(super) fn as_before(bytes: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    for (_, body) in bodies(bytes) {
        written.extend_from_slice(&u32::try_from(body.len()).unwrap().to_le_bytes());
        written.extend_from_slice(&blake3::hash(body).as_bytes()[..CHECK]);
        written.extend_from_slice(body);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: i64) -> Entry {
        Entry {
            time_ms: number,
            caller: "c".to_owned(),
            summary: "äö".repeat(usize::try_from(number).unwrap()),
            bytes_out: -1,
            ..Entry::default()
        }
    }

    fn three() -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in 1..4_u64 {
            bytes.extend_from_slice(Line::of(&entry(number.cast_signed())).numbered(number));
        }
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let (bytes, written) = (three(), [entry(1), entry(2), entry(3)]);
        let written = (1..).zip(written.iter().map(Entry::borrowed));
        assert!(read(&bytes).eq(written.clone()));
        assert!(of_ours(&bytes).eq(written));
    }

    #[test]
    fn entries_are_parted_where_one_ends() {
        let bytes = three();
        for count in 0..5 {
            let (before, behind) = split(&bytes, count);
            assert_eq!(of_ours(before).count(), count.min(3));
            assert!(of_ours(before).chain(of_ours(behind)).eq(of_ours(&bytes)), "{count}");
            assert_eq!([before, behind].concat(), bytes);
        }
    }

    #[test]
    fn an_entry_that_is_cut_short_ends_it_and_spoils_none_before() {
        let bytes = three();
        for cut in 0..bytes.len() {
            let all: Vec<_> = read(&bytes[..cut]).collect();
            assert!(all.len() < 3, "{cut}");
            assert!(all.iter().zip(1..).all(|((number, _), wanted)| *number == wanted), "{cut}");
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let bytes = three();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(read(&changed).count() < 3, "{at}");
        }
    }

    #[test]
    fn what_a_version_with_another_check_wrote_is_read_and_checked() {
        let (bytes, before) = (three(), as_before(&three()));
        assert_ne!(bytes, before);
        assert!(read(&before).eq(read(&bytes)));
        for at in 0..before.len() {
            let mut changed = before.clone();
            changed[at] ^= 1;
            assert!(read(&changed).count() < 3, "{at}");
        }
    }
}
