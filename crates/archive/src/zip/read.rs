//! Reads a zip file by its directory, whose entries must lie one after the other.
//!
//! Nothing overlaps, nothing lies between, and each local header says what the
//! directory says; so there is only one way to understand the file, and it cannot
//! hold more than it has room for.

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use garth_contract::{Code, MAX_PATH, Result, Stage};

use super::{
    bit,
    directory::{Directory, Listed, large_numbers, u16_at, u32_at, u64_at},
    extra, field, method, mode, sign,
    spool::{Spool, Window},
};
use crate::restore::{Feed, Head, Input, Taken, damaged, refusal};

const LOCAL: u64 = 30;
/// How much is unpacked at a time.
const ROOM: usize = 128 << 10;

/// Reads everything and feeds it on.
///
/// # Errors
/// Those of [`restore`](crate::restore).
pub(crate) async fn read(aside: Box<dyn Stage>, input: Input, feed: &mut Feed) -> Result<()> {
    let mut spool = Spool::fill(aside, input).await?;
    let read = read_all(&mut spool, feed).await;
    spool.discard().await;
    read
}

async fn read_all(spool: &mut Spool, feed: &mut Feed) -> Result<()> {
    let mut directory = Directory::find(spool).await?;
    let mut reader = Reader { spool, window: Window::default(), at: 0 };
    let limit = directory.start;
    while let Some(listed) = directory.next(reader.spool).await? {
        reader.entry(&listed, limit, feed).await?;
    }
    if reader.at != limit {
        return Err(damaged("something lies between its entries and its directory"));
    }
    Ok(())
}

/// What lies before the directory, read from front to back.
struct Reader<'a> {
    spool: &'a mut Spool,
    window: Window,
    at: u64,
}

impl Reader<'_> {
    /// Reads an entry, which must begin where the one before it ended.
    async fn entry(&mut self, listed: &Listed, limit: u64, feed: &mut Feed) -> Result<()> {
        let refuse = |why| refusal(Code::InvalidParams, &listed.name, why);
        if listed.offset != self.at {
            return Err(refuse("it does not begin where the one before it ended"));
        }
        let large = self.local(listed, limit).await?;
        if limit - self.at < listed.packed {
            return Err(refuse("it is longer than the archive"));
        }
        if !listed.unix && listed.name.contains(&b'\\') {
            return Err(refusal(Code::InvalidPath, &listed.name, "its name has backslashes"));
        }
        let permissions = listed.mode.map(|mode| mode & 0o777);
        let head = Head { name: &listed.name, mode: permissions, modified: listed.modified };
        let kind = listed.mode.map_or(0, |mode| mode & mode::TYPE);
        if listed.name.ends_with(b"/") || kind == mode::DIR {
            if listed.size != 0 {
                return Err(refuse("it has a size and is a directory"));
            }
            feed.dir(&head).await?;
            self.contents(listed, &mut Pour::Away(feed)).await?;
        } else if kind == mode::LINK {
            let mut target = Vec::new();
            if listed.size > MAX_PATH as u64 {
                return Err(refuse("it is a link with too long a target"));
            }
            self.contents(listed, &mut Pour::Into(&mut target)).await?;
            feed.link(&head, &target).await?;
        } else if kind == 0 || kind == mode::FILE {
            let mut pour = match feed.file(&head, listed.size).await? {
                Taken::In => Pour::File(feed),
                Taken::Past => Pour::Away(feed),
            };
            self.contents(listed, &mut pour).await?;
        } else {
            feed.special(&listed.name)?;
            self.contents(listed, &mut Pour::Away(feed)).await?;
        }
        if listed.bits & bit::DESCRIPTOR != 0 {
            self.descriptor(listed, (limit, large)).await?;
        }
        Ok(())
    }

    /// Reads a local header, which must agree; tells whether it is of the large kind.
    async fn local(&mut self, listed: &Listed, limit: u64) -> Result<bool> {
        let refuse = |why| refusal(Code::InvalidParams, &listed.name, why);
        if limit.checked_sub(self.at).is_none_or(|left| left < LOCAL) {
            return Err(refuse("it is longer than the archive"));
        }
        let fixed = self.spool.exact(&mut self.window, self.at, LOCAL).await?;
        if u32_at(&fixed, 0)? != sign::LOCAL {
            return Err(refuse("it does not begin with a header"));
        }
        let (named, further) = (u16_at(&fixed, 26)?, u16_at(&fixed, 28)?);
        let length = u64::from(named) + u64::from(further);
        if limit - self.at - LOCAL < length {
            return Err(refuse("it is longer than the archive"));
        }
        let rest = self.spool.exact(&mut self.window, self.at + LOCAL, length).await?;
        let (name, extra) = rest.split_at_checked(named.into()).unwrap_or_default();
        self.at += LOCAL + length;
        let large = extra::find(extra, field::LARGE);
        let sum = u32_at(&fixed, 14)?;
        let mut sizes = [u32_at(&fixed, 22)?, u32_at(&fixed, 18)?].map(u64::from);
        large_numbers(large, &mut sizes).ok_or_else(|| refuse("its sizes are missing"))?;
        // What stands behind the content may be left out here.
        let later = listed.bits & bit::DESCRIPTOR != 0;
        let agrees = |here: u64, listed: u64| here == listed || (later && here == 0);
        let [size, packed] = sizes;
        let measured = agrees(sum.into(), listed.sum.into())
            && agrees(size, listed.size)
            && agrees(packed, listed.packed);
        let same = name == listed.name
            && u16_at(&fixed, 6)? == listed.bits
            && u16_at(&fixed, 8)? == listed.method
            && measured;
        if !same {
            return Err(refuse("its header and the directory disagree"));
        }
        Ok(large.is_some())
    }

    /// Reads a content, which must be what the directory says of it.
    async fn contents(&mut self, listed: &Listed, pour: &mut Pour<'_>) -> Result<()> {
        let refuse = |why| refusal(Code::InvalidParams, &listed.name, why);
        let mut count = Count { sum: crc32fast::Hasher::new(), size: 0 };
        let end = self.at + listed.packed;
        let mut inflate = match listed.method {
            method::STORED => None,
            _ => Some(Decompress::new(false)),
        };
        let mut ended = inflate.is_none();
        while self.at < end {
            let bytes = self.spool.some(&mut self.window, self.at, end - self.at).await?;
            self.at += bytes.len() as u64;
            let Some(inflate) = &mut inflate else {
                count.pour(bytes, listed, (self.at, pour)).await?;
                continue;
            };
            let mut rest = bytes.as_ref();
            while !ended {
                let before = (inflate.total_in(), inflate.total_out());
                let mut room = Vec::with_capacity(ROOM);
                let status = inflate.decompress_vec(rest, &mut room, FlushDecompress::None);
                let status = status.map_err(|_| refuse("it is damaged"))?;
                let taken = usize::try_from(inflate.total_in() - before.0).unwrap_or(rest.len());
                rest = rest.get(taken..).unwrap_or_default();
                ended = status == Status::StreamEnd;
                let full = room.len() == room.capacity();
                count.pour(room.into(), listed, (self.at, pour)).await?;
                if !full && rest.is_empty() {
                    break;
                }
                if !ended && (inflate.total_in(), inflate.total_out()) == before {
                    return Err(refuse("it is damaged"));
                }
            }
            if ended && !rest.is_empty() {
                return Err(refuse("something hides behind its content"));
            }
        }
        if !ended || count.size != listed.size {
            return Err(refuse("it is not as long as it says"));
        }
        if count.sum.finalize() != listed.sum {
            return Err(refuse("its checksum is wrong"));
        }
        Ok(())
    }

    /// Reads what stands behind a content, which must agree; programs write it with
    /// or without a sign, and large ones in either width.
    async fn descriptor(&mut self, listed: &Listed, (limit, large): (u64, bool)) -> Result<()> {
        let refuse = |why| refusal(Code::InvalidParams, &listed.name, why);
        let left = limit - self.at;
        let agrees = |bytes: &[u8]| -> Result<bool> {
            let sizes = if bytes.len() == 20 {
                [u64_at(bytes, 4)?, u64_at(bytes, 12)?]
            } else {
                [u32_at(bytes, 4)?.into(), u32_at(bytes, 8)?.into()]
            };
            Ok(u32_at(bytes, 0)? == listed.sum && sizes == [listed.packed, listed.size])
        };
        let widths: &[u64] = if large { &[20, 12] } else { &[12, 20] };
        for signed in [4, 0] {
            for width in widths {
                if left < signed + width {
                    continue;
                }
                let bytes = self.spool.exact(&mut self.window, self.at, signed + width).await?;
                if signed == 4 && u32_at(&bytes, 0)? != sign::DESCRIPTOR {
                    continue;
                }
                let signed = usize::try_from(signed).unwrap_or(0);
                if agrees(bytes.get(signed..).unwrap_or_default())? {
                    self.at += bytes.len() as u64;
                    return Ok(());
                }
            }
        }
        Err(refuse("what stands behind it and the directory disagree"))
    }
}

/// Where a content goes.
enum Pour<'a> {
    File(&'a mut Feed),
    Into(&'a mut Vec<u8>),
    Away(&'a mut Feed),
}

/// What came of a content so far.
struct Count {
    sum: crc32fast::Hasher,
    size: u64,
}

impl Count {
    async fn pour(
        &mut self,
        bytes: Bytes,
        listed: &Listed,
        (taken, pour): (u64, &mut Pour<'_>),
    ) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.size += bytes.len() as u64;
        if self.size > listed.size {
            let why = "it is longer than it says";
            return Err(refusal(Code::InvalidParams, &listed.name, why));
        }
        self.sum.update(&bytes);
        match pour {
            Pour::File(feed) => feed.data(bytes, taken, &listed.name).await,
            Pour::Into(target) => {
                target.extend_from_slice(&bytes);
                Ok(())
            }
            Pour::Away(feed) => feed.see(bytes.len() as u64, taken, &listed.name),
        }
    }
}
