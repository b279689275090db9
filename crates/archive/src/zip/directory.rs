//! The directory of a zip file: found from the end, and read entry by entry.
//!
//! It is the truth about the file, and must agree with everything else in it:
//! where it lies, what it counts, and what stands before each content.

use garth_contract::{Code, Result};

use super::{
    ELSEWHERE, ELSEWHERE_16, UNIX, bit, extra, field, method, mode, sign,
    spool::{Spool, Window},
};
use crate::{
    moment::Moment,
    restore::{damaged, refusal},
};

/// The longest that the last record can be: a comment of 64 KiB is its end.
const MOST_END: u64 = 22 + 65_535;
const END: usize = 22;
const LOCATOR_64: u64 = 20;
const END_64: u64 = 56;
const CENTRAL: u64 = 46;

/// Where the directory lies, and how many entries it has.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) start: u64,
    end: u64,
    left: u64,
    at: u64,
    window: Window,
}

/// One entry as the directory tells it.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) name: Vec<u8>,
    pub(super) bits: u16,
    pub(super) method: u16,
    pub(super) sum: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// Where its local header begins.
    pub(super) offset: u64,
    /// The mode with the type of file, where a unix system wrote one.
    pub(super) mode: Option<u32>,
    pub(super) unix: bool,
    pub(super) modified: Option<Moment>,
}

impl Directory {
    /// Finds the directory.
    pub(super) async fn find(spool: &mut Spool) -> Result<Self> {
        let mut window = Window::default();
        let from = spool.length.saturating_sub(MOST_END);
        let tail = spool.exact(&mut window, from, spool.length - from).await?;
        let mut ends = (0..tail.len()).filter(|at| is_end(tail.get(*at..).unwrap_or_default()));
        let at = ends.next().ok_or_else(|| damaged("it has no end"))?;
        if ends.next().is_some() {
            return Err(damaged("it has two ends"));
        }
        let end = tail.get(at..).unwrap_or_default();
        let told = Told {
            disks: [u16_at(end, 4)?, u16_at(end, 6)?],
            counts: [u16_at(end, 8)?.into(), u16_at(end, 10)?.into()],
            length: u32_at(end, 12)?.into(),
            start: u32_at(end, 16)?.into(),
        };
        let end = from + at as u64;
        let (told, end) = match find_large(spool, &mut window, end).await? {
            Some((large, end)) => (told.with(&large)?, end),
            None => (told, end),
        };
        if told.disks != [0, 0] || told.counts[0] != told.counts[1] {
            return Err(damaged("it is a part of several"));
        }
        if told.start.checked_add(told.length) != Some(end) {
            return Err(damaged("its directory does not lie before its end"));
        }
        let (start, left) = (told.start, told.counts[0]);
        Ok(Self { start, end, left, at: start, window })
    }

    /// The next entry; `None` after the last.
    pub(super) async fn next(&mut self, spool: &mut Spool) -> Result<Option<Listed>> {
        if self.left == 0 {
            if self.at != self.end {
                return Err(damaged("its directory is longer than its entries"));
            }
            return Ok(None);
        }
        self.left -= 1;
        let cut = || damaged("its directory is cut off");
        if self.end - self.at < CENTRAL {
            return Err(cut());
        }
        let fixed = spool.exact(&mut self.window, self.at, CENTRAL).await?;
        if u32_at(&fixed, 0)? != sign::CENTRAL {
            return Err(damaged("its directory is damaged"));
        }
        let lengths = [u16_at(&fixed, 28)?, u16_at(&fixed, 30)?, u16_at(&fixed, 32)?];
        let length: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        if self.end - self.at - CENTRAL < length {
            return Err(cut());
        }
        let rest = spool.exact(&mut self.window, self.at + CENTRAL, length).await?;
        self.at += CENTRAL + length;
        let (name, rest) = rest.split_at_checked(lengths[0].into()).ok_or_else(cut)?;
        let (extra, _) = rest.split_at_checked(lengths[1].into()).ok_or_else(cut)?;
        listed(&fixed, name, extra).map(Some)
    }
}

fn listed(fixed: &[u8], name: &[u8], extra: &[u8]) -> Result<Listed> {
    let refuse = |why| refusal(Code::InvalidParams, name, why);
    let bits = u16_at(fixed, 8)?;
    if bits & (bit::ENCRYPTED | bit::STRONGLY_ENCRYPTED) != 0 {
        return Err(refuse("it is encrypted"));
    }
    let method = u16_at(fixed, 10)?;
    if method != method::STORED && method != method::DEFLATED {
        return Err(refuse("it is compressed in an unknown way"));
    }
    let mut numbers = [u32_at(fixed, 24)?, u32_at(fixed, 20)?, u32_at(fixed, 42)?].map(u64::from);
    let large = extra::find(extra, field::LARGE);
    large_numbers(large, &mut numbers).ok_or_else(|| refuse("its sizes are missing"))?;
    let [size, packed, offset] = numbers;
    let disk = u16_at(fixed, 34)?;
    if disk != 0 && disk != ELSEWHERE_16 {
        return Err(refuse("it lies in another file"));
    }
    let unix = fixed.get(5) == Some(&UNIX);
    let mode = Some(u32_at(fixed, 38)? >> 16).filter(|mode| unix && mode & mode::TYPE != 0);
    let clock = extra::moment(u16_at(fixed, 12)?, u16_at(fixed, 14)?);
    Ok(Listed {
        name: name.to_vec(),
        bits,
        method,
        sum: u32_at(fixed, 16)?,
        packed,
        size,
        offset,
        mode,
        unix,
        modified: extra::time(extra).or(clock),
    })
}

/// Replaces the numbers that say they stand elsewhere by those of the extra field.
pub(super) fn large_numbers(mut large: Option<&[u8]>, numbers: &mut [u64]) -> Option<()> {
    for number in numbers.iter_mut().filter(|number| **number == u64::from(ELSEWHERE)) {
        let (bytes, rest) = large?.split_first_chunk::<8>()?;
        *number = u64::from_le_bytes(*bytes);
        large = Some(rest);
    }
    Some(())
}

/// What the end of a file says about the directory.
struct Told {
    disks: [u16; 2],
    counts: [u64; 2],
    length: u64,
    start: u64,
}

impl Told {
    /// The same with the numbers of the large record, which must not disagree.
    fn with(self, large: &Self) -> Result<Self> {
        let small = |told: u64, large: u64, elsewhere: u64| told == large || told == elsewhere;
        let word = u64::from(ELSEWHERE_16);
        let long = u64::from(ELSEWHERE);
        let agree = small(self.counts[0], large.counts[0], word)
            && small(self.counts[1], large.counts[1], word)
            && small(self.length, large.length, long)
            && small(self.start, large.start, long);
        if !agree {
            return Err(damaged("its two ends disagree"));
        }
        Ok(Self { disks: large.disks, counts: large.counts, ..*large })
    }
}

/// Reads the record of large numbers, if one stands before the end.
async fn find_large(
    spool: &mut Spool,
    window: &mut Window,
    end: u64,
) -> Result<Option<(Told, u64)>> {
    let Some(at) = end.checked_sub(LOCATOR_64) else { return Ok(None) };
    let locator = spool.exact(window, at, LOCATOR_64).await?;
    if u32_at(&locator, 0)? != sign::LOCATOR_64 {
        return Ok(None);
    }
    let record = u64_at(&locator, 8)?;
    if record.checked_add(END_64) != Some(at) {
        return Err(damaged("its large end does not lie before its small one"));
    }
    let bytes = spool.exact(window, record, END_64).await?;
    if u32_at(&bytes, 0)? != sign::END_64 || u64_at(&bytes, 4)? != END_64 - 12 {
        return Err(damaged("its large end is damaged"));
    }
    let disk = |at| Ok::<_, garth_contract::Error>(u16::try_from(u32_at(&bytes, at)?).unwrap_or(1));
    let told = Told {
        disks: [disk(16)?, disk(20)?],
        counts: [u64_at(&bytes, 24)?, u64_at(&bytes, 32)?],
        length: u64_at(&bytes, 40)?,
        start: u64_at(&bytes, 48)?,
    };
    Ok(Some((told, record)))
}

/// Tells whether these bytes are the last record: its comment ends where they do.
fn is_end(bytes: &[u8]) -> bool {
    bytes.starts_with(&sign::END.to_le_bytes())
        && u16_at(bytes, 20).is_ok_and(|comment| bytes.len() == END + usize::from(comment))
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or_else(|| damaged("a record is cut off"))
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Result<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}
