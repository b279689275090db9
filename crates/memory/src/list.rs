//! One page of a directory.

use garth_contract::{Listing, Page, Result, WsPath};

use crate::{fence::Fence, name::Name, tree::Dir};

/// Lists a directory that stands at `real` as the entries of `asked`.
pub(crate) fn list(
    fence: &Fence,
    real: &WsPath,
    dir: &Dir,
    (asked, page): (&WsPath, Page),
) -> Result<Listing> {
    let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
    let take = usize::try_from(page.take).unwrap_or(usize::MAX);
    let mut shown = Names::new(asked);
    let mut entries = Vec::with_capacity(take.min(dir.entries.len().saturating_sub(skip)));
    if fence.rules.is_empty() {
        for (name, node) in dir.entries.iter().skip(skip).take(take) {
            entries.push(node.entry(shown.path(name)?));
        }
        return Ok(Listing { entries, total: dir.entries.len() as u64 });
    }
    let mut judged = Names::new(real);
    let mut total = 0;
    for (name, node) in &dir.entries {
        if fence.denies(judged.bytes(name), node.kind().into()) {
            continue;
        }
        if total >= skip && entries.len() < take {
            entries.push(node.entry(shown.path(name)?));
        }
        total += 1;
    }
    Ok(Listing { entries, total: total as u64 })
}

/// The paths of a directory's entries, put together in one buffer.
struct Names {
    buffer: Vec<u8>,
    start: usize,
}

impl Names {
    fn new(dir: &WsPath) -> Self {
        let mut buffer = dir.as_bytes().to_vec();
        if !dir.is_root() {
            buffer.push(b'/');
        }
        Self { start: buffer.len(), buffer }
    }

    fn bytes(&mut self, name: &[u8]) -> &[u8] {
        self.buffer.truncate(self.start);
        self.buffer.extend_from_slice(name);
        &self.buffer
    }

    fn path(&mut self, name: &Name) -> Result<WsPath> {
        name.path(self.bytes(name))
    }
}
