//! How a record is written in the journal: its length, a check of the rest, its number,
//! then its numbers and texts in a fixed order.
//!
//! An entry that a crash cut short does not pass its check, and ends what is read.

use crate::audit::Entry;

/// The bytes of a length, and of a check.
const LENGTH: usize = 4;
const CHECK: usize = 8;

/// What stands before the rest of an entry.
pub(super) const HEAD: usize = LENGTH + CHECK;

/// Writes an entry behind others.
pub(super) fn write<T: AsRef<str>>(into: &mut Vec<u8>, number: u64, entry: &Entry<T>) {
    let begin = into.len();
    into.extend_from_slice(&[0; HEAD]);
    into.extend_from_slice(&number.to_le_bytes());
    for number in entry.numbers() {
        into.extend_from_slice(&number.to_le_bytes());
    }
    for text in entry.texts() {
        into.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        into.extend_from_slice(text.as_bytes());
    }
    let body = begin + HEAD;
    let length = u32::try_from(into.len() - body).unwrap_or(u32::MAX);
    let check = check(into.get(body..).unwrap_or_default());
    if let Some((room, rest)) = into.get_mut(begin..).and_then(<[u8]>::split_first_chunk_mut) {
        *room = length.to_le_bytes();
        if let Some(room) = rest.first_chunk_mut() {
            *room = check;
        }
    }
}

/// Every entry, up to the first that is not whole.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = (u64, Entry<&str>)> + use<'_> {
    bodies(bytes).take_while(|(told, body)| check(body) == *told).map_while(|(_, body)| entry(body))
}

/// Every entry of bytes that never were out of our hands.
pub(super) fn of_ours(bytes: &[u8]) -> impl Iterator<Item = (u64, Entry<&str>)> + use<'_> {
    bodies(bytes).map_while(|(_, body)| entry(body))
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

fn check(body: &[u8]) -> [u8; CHECK] {
    let hash = blake3::hash(body);
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
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
        for number in 1..4 {
            write(&mut bytes, number, &entry(i64::try_from(number).unwrap()));
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
}
