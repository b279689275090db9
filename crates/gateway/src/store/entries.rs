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
pub(super) fn write(into: &mut Vec<u8>, number: u64, entry: &Entry) {
    let Entry {
        time_ms,
        caller,
        role,
        session,
        workspace,
        operation,
        summary,
        outcome,
        duration_us,
        bytes_in,
        bytes_out,
    } = entry;
    let begin = into.len();
    into.extend([0; HEAD]);
    into.extend(number.to_le_bytes());
    for number in [time_ms, duration_us, bytes_in, bytes_out] {
        into.extend(number.to_le_bytes());
    }
    for text in [caller, role, session, workspace, operation, summary, outcome] {
        into.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        into.extend(text.as_bytes());
    }
    let body = begin + HEAD;
    let length = u32::try_from(into.len() - body).unwrap_or(u32::MAX);
    let check = check(into.get(body..).unwrap_or_default());
    for (to, from) in into.iter_mut().skip(begin).zip(length.to_le_bytes().into_iter().chain(check))
    {
        *to = from;
    }
}

/// Every entry, up to the first that is not whole.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = (u64, Entry)> + use<'_> {
    let mut rest = Reader(bytes);
    std::iter::from_fn(move || {
        let length = usize::try_from(u32::from_le_bytes(rest.array()?)).ok()?;
        let told: [u8; CHECK] = rest.array()?;
        let body = rest.take(length)?;
        if check(body) != told {
            return None;
        }
        entry(body)
    })
}

fn entry(body: &[u8]) -> Option<(u64, Entry)> {
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

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(u32::from_le_bytes(self.array()?)).ok()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
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
        let all: Vec<_> = read(&three()).collect();
        assert_eq!(all, [(1, entry(1)), (2, entry(2)), (3, entry(3))]);
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
