//! Reads a tape archive from front to back, and believes none of it.

use bytes::{Buf, Bytes};
use garth_contract::{Code, Detail, Result};

use super::{
    BLOCK, flag,
    header::Header,
    padding,
    said::{Entry, Said},
};
use crate::restore::{Feed, Head, Taken, Unpacked, damaged, refusal};

/// The most bytes of extended records, or of a long name: a path and then some.
const MOST_META: u64 = 64 << 10;
/// How many headers in a row may be about the entry after them.
const MOST_ALONE: u32 = 16;
/// The most zeros behind the end; programs fill up to a whole number of large blocks.
const MOST_FILL: u64 = 1 << 20;

/// Reads everything to the end and feeds it on.
///
/// # Errors
/// Those of [`restore`](crate::restore).
pub(crate) async fn read(from: Unpacked, feed: &mut Feed) -> Result<()> {
    let mut blocks = Blocks { from, chunk: Bytes::new(), position: 0 };
    let mut said = Said::default();
    let mut alone = 0;
    loop {
        let at = Detail::Position(blocks.position);
        let Some(block) = blocks.block().await? else {
            return Err(damaged("it is cut off").with(at));
        };
        if block.iter().all(|byte| *byte == 0) {
            if said != Said::default() {
                return Err(damaged("it ends with an extended header").with(at));
            }
            return blocks.rest_is_zeros().await;
        }
        let header = Header::parse(&block)
            .map_err(|why| damaged(&format!("a header is wrong: {why}")).with(at.clone()))?;
        if matches!(header.flag, flag::PAX | flag::PAX_ALL | flag::LONG_NAME | flag::LONG_LINK) {
            alone += 1;
            if alone > MOST_ALONE {
                return Err(damaged("too many extended headers follow each other").with(at));
            }
            let content = blocks.meta(header.size, feed).await?;
            said.hear(header.flag, &content).map_err(|why| damaged(why).with(at))?;
            continue;
        }
        alone = 0;
        let entry = std::mem::take(&mut said).about(header);
        let entry = entry.map_err(|why| damaged(why).with(at))?;
        take(&mut blocks, feed, &entry).await?;
    }
}

/// Takes one entry with its content.
async fn take(blocks: &mut Blocks, feed: &mut Feed, entry: &Entry) -> Result<()> {
    let mode = Some(entry.header.mode & 0o777);
    let head = Head { name: &entry.header.name, mode, modified: Some(entry.modified) };
    let (kind, size) = (entry.header.flag, entry.header.size);
    let is_file = matches!(kind, flag::OLD_FILE | flag::FILE | flag::CONTIGUOUS);
    if size != 0 && !is_file {
        // Some programs would skip a content here, and others read it as headers.
        return Err(refusal(Code::InvalidParams, head.name, "it has a size and is no file"));
    }
    match kind {
        // Before there was a mark for directories, a slash was it.
        flag::OLD_FILE | flag::FILE if head.name.ends_with(b"/") && size == 0 => {
            feed.dir(&head).await
        }
        flag::OLD_FILE | flag::FILE | flag::CONTIGUOUS => {
            let taken = feed.file(&head, size).await?;
            blocks.content(size, feed, (head.name, taken)).await
        }
        flag::DIR => feed.dir(&head).await,
        flag::LINK => feed.link(&head, &entry.header.link).await,
        flag::HARD_LINK => feed.copy(&head, &entry.header.link, blocks.from.taken()).await,
        flag::CHARACTER | flag::BLOCK_DEVICE | flag::FIFO => feed.special(head.name),
        // A part of another archive, a sparse file, or what nobody knows.
        _ => Err(refusal(Code::InvalidParams, head.name, "it is of a kind that is not restored")),
    }
}

/// The archive in blocks.
struct Blocks {
    from: Unpacked,
    chunk: Bytes,
    position: u64,
}

impl Blocks {
    /// Makes sure that there are bytes at hand; `false` at the end.
    async fn fill(&mut self) -> Result<bool> {
        if self.chunk.is_empty() {
            match self.from.next().await? {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// At most so many bytes, as they lie at hand.
    async fn some(&mut self, most: u64) -> Result<Bytes> {
        if !self.fill().await? {
            return Err(damaged("it is cut off").with(Detail::Position(self.position)));
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let bytes = self.chunk.split_to(most.min(self.chunk.len()));
        self.position += bytes.len() as u64;
        Ok(bytes)
    }

    /// The next block; `None` at the end.
    async fn block(&mut self) -> Result<Option<[u8; BLOCK]>> {
        if !self.fill().await? {
            return Ok(None);
        }
        let mut block = [0; BLOCK];
        let mut rest = block.as_mut_slice();
        while !rest.is_empty() {
            let bytes = self.some(rest.len() as u64).await?;
            let (filled, after) = rest.split_at_mut(bytes.len());
            filled.copy_from_slice(&bytes);
            rest = after;
        }
        Ok(Some(block))
    }

    /// The content of an extended header.
    async fn meta(&mut self, size: u64, feed: &mut Feed) -> Result<Vec<u8>> {
        let at = Detail::Position(self.position);
        if size > MOST_META {
            return Err(damaged("an extended header is too large").with(at));
        }
        feed.see(size, self.from.taken(), b"")?;
        let mut content = Vec::new();
        while (content.len() as u64) < size {
            content.extend_from_slice(&self.some(size - content.len() as u64).await?);
        }
        self.skip(padding(size) as u64).await?;
        Ok(content)
    }

    /// Hands a content on, or passes it over.
    async fn content(
        &mut self,
        size: u64,
        feed: &mut Feed,
        (name, taken): (&[u8], Taken),
    ) -> Result<()> {
        let mut left = size;
        while left > 0 {
            let bytes = self.some(left).await?;
            left -= bytes.len() as u64;
            match taken {
                Taken::In => feed.data(bytes, self.from.taken(), name).await?,
                Taken::Past => feed.see(bytes.len() as u64, self.from.taken(), name)?,
            }
        }
        self.skip(padding(size) as u64).await
    }

    async fn skip(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            count -= self.some(count).await?.len() as u64;
        }
        Ok(())
    }

    /// Behind the end there may be zeros, and nothing that another program might
    /// take for entries.
    async fn rest_is_zeros(&mut self) -> Result<()> {
        let start = self.position;
        while self.fill().await? {
            let at = Detail::Position(self.position);
            if self.chunk.iter().any(|byte| *byte != 0) {
                return Err(damaged("something follows its end").with(at));
            }
            self.position += self.chunk.len() as u64;
            self.chunk.advance(self.chunk.len());
            if self.position - start > MOST_FILL {
                return Err(damaged("too many zeros follow its end").with(at));
            }
        }
        Ok(())
    }
}
