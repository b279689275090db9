//! The beginning and the end of a command's output, as they may be shown.

use garth_contract::{Keep, Kept};
use garth_redact::Clean;

use crate::{
    Workspace,
    region::{Region, Rest, held_back},
    shown::AROUND,
};

/// A stream of a command, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning; all of it where nothing is missing.
    pub head: Clean,
    /// The end, where something between is missing.
    pub tail: Clean,
    /// How many bytes between the two are not shown.
    pub missing: u64,
    /// How many bytes were printed in all.
    pub total: u64,
}

impl Workspace {
    /// How much of each stream a command has to keep so that an [`Excerpt`] can be
    /// made of it: what is shown, and what is looked at with it.
    #[must_use]
    pub fn keep(&self) -> Keep {
        let most = |shown: usize| shown.saturating_add(AROUND).min(Keep::MOST);
        Keep { head: most(self.limits.stream_head), tail: most(self.limits.stream_tail) }
    }

    /// Redacts a stream of a report, and cuts it to what a reply shows.
    ///
    /// It is cut between characters, and after it was redacted, so that no border
    /// shows half a secret. Where texts with secrets are held back and this is one,
    /// a sentence stands in its place.
    #[must_use]
    pub fn excerpt(&self, kept: &Kept) -> Excerpt {
        let total = kept.total.max((kept.head.len() + kept.tail.len()) as u64);
        self.cut(kept).map_or_else(
            |Blocked| Excerpt { head: held_back(), tail: Clean::default(), missing: 0, total },
            |(head, tail, shown)| Excerpt { head, tail, missing: total - shown, total },
        )
    }

    /// The head and the tail, and how many bytes of the stream they stand for.
    fn cut(&self, kept: &Kept) -> Result<(Clean, Clean, u64), Blocked> {
        let (most_head, most_tail) = (self.limits.stream_head, self.limits.stream_tail);
        let shown = |head: &[u8], tail: &[u8]| (head.len() + tail.len()) as u64;
        if kept.missing() > 0 {
            let (head, after) = kept.head.split_at(before(&kept.head, most_head));
            let (context, tail) = kept.tail.split_at(behind(&kept.tail, most_tail));
            let first = self.region(&[head, after])?.segment(0);
            let last = self.region(&[context, tail])?.segment(1);
            return Ok((first, last, shown(head, tail)));
        }
        let whole = [&kept.head[..], &kept.tail[..]].concat();
        if whole.len() <= most_head.saturating_add(most_tail) {
            let text = self.region(&[&whole])?.segment(0);
            return Ok((text, Clean::default(), shown(&whole, &[])));
        }
        let (head, rest) = whole.split_at(before(&whole, most_head));
        let (between, tail) = rest.split_at(behind(rest, most_tail));
        let region = self.region(&[head, between, tail])?;
        Ok((region.segment(0), region.segment(2), shown(head, tail)))
    }

    fn region(&self, segments: &[&[u8]]) -> Result<Region, Blocked> {
        Region::new(self, segments, Rest::Show).map_err(|_| Blocked)
    }
}

/// The text is held back.
struct Blocked;

/// The last place at or before `most` that cuts no character.
fn before(bytes: &[u8], most: usize) -> usize {
    let most = most.min(bytes.len());
    (0..=3).filter_map(|back| most.checked_sub(back)).find(|at| starts(bytes, *at)).unwrap_or(most)
}

/// The first place that cuts no character and leaves at most `most` behind it.
fn behind(bytes: &[u8], most: usize) -> usize {
    let at = bytes.len().saturating_sub(most);
    (at..=bytes.len().min(at + 3)).find(|at| starts(bytes, *at)).unwrap_or(at)
}

/// Tells whether a character can begin here.
fn starts(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| !(0x80..0xc0).contains(byte))
}

#[cfg(test)]
mod tests;
