//! What a process printed, from a position on, as it may be shown while it runs.
//!
//! Two things could show half a secret: the borders of what is asked for, and the
//! end of what was printed so far, where the other half is still to come. So what
//! stands around a stretch is redacted with it, and a line that is not finished
//! waits until it is, as long as the caller waits.

use std::time::Duration;

use garth_contract::{Ask, DynShell, Ended, Piece, Printed, ProcessId, Result, Stream};
use garth_redact::{Clean, CleanWriter};
use tokio::time::Instant;

use crate::{
    Workspace,
    region::{Region, Rest, held_back},
    shown::AROUND,
};

/// The most bytes of one stretch.
const MOST: usize = Ask::MOST - AROUND;
/// In how many bytes at the end the last line is looked for.
const LAST: usize = 4 << 10;

/// A stretch of what a process printed, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// What was printed, in order.
    pub told: Vec<Told>,
    /// The position of its first byte.
    pub start: u64,
    /// The position to go on from.
    pub next: u64,
    /// How many bytes before `start` were asked for and are no longer kept.
    pub missing: u64,
    /// How many bytes were printed so far.
    pub total: u64,
    /// The end of the process, if it has ended.
    pub ended: Option<Ended>,
}

/// What was printed to one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub stream: Stream,
    /// The text.
    pub text: Clean,
}

impl Workspace {
    /// Reads what a process printed, from a position on.
    ///
    /// A line that is not finished comes once it is, the process has ended or
    /// `ask.wait` is over, whichever is first; finished ones come at once. More than
    /// one reply can hold comes cut after a line, where there is one.
    ///
    /// # Errors
    /// Those of [`shell`](Self::shell) and of
    /// [`Shell::output`](garth_contract::Shell::output).
    /// Cancel: nothing is left.
    pub async fn follow(&self, id: ProcessId, ask: Ask) -> Result<Stretch> {
        let shell = self.shell()?;
        let most = ask.most.clamp(1, MOST);
        let until = Instant::now() + ask.wait.min(Ask::LONGEST);
        let mut patience = Patience::of(ask.wait);
        loop {
            let wait = until.saturating_duration_since(Instant::now());
            let wanted = Ask { from: ask.from, most: most + AROUND, wait };
            let printed = gather(shell, id, wanted).await?;
            if printed.pieces.is_empty() || Instant::now() >= until {
                patience = Patience::Over;
            }
            let stop = stop(&printed, most, patience);
            if patience == Patience::Over || stop > printed.start || printed.ended.is_some() {
                return self.stretch(id, printed, stop).await;
            }
            let wait = until.saturating_duration_since(Instant::now());
            let more = Ask { from: end(&printed), most: 1, wait };
            if shell.output(id, more).await?.pieces.is_empty() {
                patience = Patience::Over;
            }
        }
    }

    /// The last finished line that a process printed, on either stream, without
    /// control characters; nothing where there is none.
    ///
    /// # Errors
    /// As for [`follow`](Self::follow).
    /// Cancel: nothing is left.
    pub async fn last_line(&self, id: ProcessId) -> Result<Clean> {
        let shell = self.shell()?;
        let now = |from, most| Ask { from, most, wait: Duration::ZERO };
        let total = shell.output(id, now(0, 1)).await?.total;
        let from = total.saturating_sub(LAST as u64);
        let printed = gather(shell, id, now(from, LAST)).await?;
        let stop = whole_lines(&printed);
        let stretch = self.stretch(id, printed, stop).await?;
        let text = Clean::join(stretch.told.iter().map(|told| &told.text), "");
        Ok(last_line_of(&text))
    }

    /// Redacts what was printed, and shows it up to a position.
    async fn stretch(&self, id: ProcessId, printed: Printed, stop: u64) -> Result<Stretch> {
        let before = self.context(id, printed.start).await?;
        let rest = if printed.ended.is_some() { Rest::Show } else { Rest::Hold };
        let all = segments(&before, &printed, stop);
        let mut texts: Vec<(usize, Told)> = Vec::new();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let own: Vec<_> = all.iter().enumerate().filter(|(_, s)| s.stream == stream).collect();
            let bytes: Vec<_> = own.iter().map(|(_, segment)| segment.bytes).collect();
            let Ok(region) = Region::new(self, &bytes, rest) else {
                texts.push((usize::MAX, Told { stream, text: held_back() }));
                continue;
            };
            for (nth, (index, segment)) in own.iter().enumerate() {
                if segment.shown {
                    texts.push((*index, Told { stream, text: region.segment(nth) }));
                }
            }
        }
        texts.sort_by_key(|(index, _)| *index);
        let Printed { start, missing, total, ended, .. } = printed;
        let told = merged(texts.into_iter().map(|(_, told)| told));
        Ok(Stretch { told, start, next: stop, missing, total, ended })
    }

    /// What stands before a position, as far as it is looked at.
    async fn context(&self, id: ProcessId, start: u64) -> Result<Vec<Piece>> {
        let from = start.saturating_sub(AROUND as u64);
        let most = usize::try_from(start - from).unwrap_or(AROUND);
        if most == 0 {
            return Ok(Vec::new());
        }
        let ask = Ask { from, most, wait: Duration::ZERO };
        let printed = gather(self.shell()?, id, ask).await?;
        // A gap would bring together what does not belong together.
        Ok(if end(&printed) == start { printed.pieces } else { Vec::new() })
    }
}

/// Whether the caller still waits for a line to be finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    Left,
    Over,
}

impl Patience {
    fn of(wait: Duration) -> Self {
        if wait.is_zero() { Self::Over } else { Self::Left }
    }
}

/// Asks until there is as much as is wanted, or all there is.
async fn gather(shell: &dyn DynShell, id: ProcessId, ask: Ask) -> Result<Printed> {
    let mut printed = shell.output(id, ask).await?;
    loop {
        let have = length(&printed.pieces);
        let at = end(&printed);
        if have == 0 || have >= ask.most || at >= printed.total {
            return Ok(printed);
        }
        let more = Ask { from: at, most: ask.most - have, wait: Duration::ZERO };
        let more = shell.output(id, more).await?;
        if more.pieces.is_empty() || more.start != at {
            return Ok(printed);
        }
        printed.pieces.extend(more.pieces);
        printed.total = more.total;
        printed.ended = more.ended;
    }
}

fn length(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.bytes.len()).sum()
}

/// The position behind the last byte at hand.
fn end(printed: &Printed) -> u64 {
    printed.start + length(&printed.pieces) as u64
}

/// Where what can be shown of it ends.
fn stop(printed: &Printed, most: usize, patience: Patience) -> u64 {
    let end = end(printed);
    let limit = printed.start + most as u64;
    // Then so much follows what is shown that it can be judged.
    let judged = end >= limit + AROUND as u64;
    let whole = match patience {
        Patience::Left if !judged => whole_lines(printed),
        Patience::Left | Patience::Over => end,
    };
    if whole <= limit {
        return whole;
    }
    last_break(printed, limit).unwrap_or(limit)
}

/// The position up to which the lines of both streams are finished.
fn whole_lines(printed: &Printed) -> u64 {
    if printed.ended.is_some() {
        return end(printed);
    }
    let mut open = [None, None];
    let mut at = printed.start;
    for Piece { stream, bytes } in &printed.pieces {
        let [stdout, stderr] = &mut open;
        let open = match stream {
            Stream::Stdout => stdout,
            Stream::Stderr => stderr,
        };
        match bytes.iter().rposition(ends_line) {
            Some(last) if last + 1 == bytes.len() => *open = None,
            Some(last) => *open = Some(at + last as u64 + 1),
            None => *open = open.or(Some(at)),
        }
        at += bytes.len() as u64;
    }
    open.into_iter().flatten().min().unwrap_or(at)
}

/// The position behind the last line that ends before a limit.
fn last_break(printed: &Printed, limit: u64) -> Option<u64> {
    let mut at = printed.start;
    let mut last = None;
    for Piece { bytes, .. } in &printed.pieces {
        let room = usize::try_from(limit.saturating_sub(at)).unwrap_or(usize::MAX);
        let within = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        last = within.iter().rposition(ends_line).map(|found| at + found as u64 + 1).or(last);
        at += bytes.len() as u64;
    }
    last
}

/// A progress bar ends its lines with a carriage return.
fn ends_line(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Bytes of one stream, and whether they are shown or only looked at.
struct Segment<'a> {
    stream: Stream,
    bytes: &'a [u8],
    shown: bool,
}

fn segments<'a>(before: &'a [Piece], printed: &'a Printed, stop: u64) -> Vec<Segment<'a>> {
    let looked_at =
        |piece: &'a Piece| Segment { stream: piece.stream, bytes: &piece.bytes, shown: false };
    let mut all: Vec<_> = before.iter().map(looked_at).collect();
    let mut at = printed.start;
    for Piece { stream, bytes } in &printed.pieces {
        let room = usize::try_from(stop.saturating_sub(at)).unwrap_or(usize::MAX);
        let (shown, after) = bytes.split_at(room.min(bytes.len()));
        for (bytes, shown) in [(shown, true), (after, false)] {
            if !bytes.is_empty() {
                all.push(Segment { stream: *stream, bytes, shown });
            }
        }
        at += bytes.len() as u64;
    }
    all
}

/// What one stream printed in a row, as one text.
fn merged(all: impl Iterator<Item = Told>) -> Vec<Told> {
    let mut merged: Vec<Told> = Vec::new();
    for told in all.filter(|told| !told.text.is_empty()) {
        match merged.last_mut() {
            Some(last) if last.stream == told.stream => {
                last.text = Clean::join([&last.text, &told.text], "");
            }
            Some(_) | None => merged.push(told),
        }
    }
    merged
}

/// The last line with something to see, without what steers a terminal.
fn last_line_of(text: &Clean) -> Clean {
    let mut ends = text.len();
    for line in text.rsplit(['\n', '\r']) {
        let start = ends - line.len();
        let visible = visible(text, start, line);
        if !visible.trim().is_empty() {
            return visible;
        }
        ends = start.saturating_sub(1);
    }
    Clean::default()
}

/// A line of a text without control characters and the sequences that `ESC [` begins.
fn visible(text: &Clean, start: usize, line: &str) -> Clean {
    let mut out = CleanWriter::new();
    let mut sequence = false;
    let mut after_escape = false;
    for (at, character) in line.char_indices() {
        if after_escape && character == '[' {
            sequence = true;
        } else if sequence {
            sequence = !('@'..='~').contains(&character);
        } else if !character.is_control() {
            let at = start + at;
            out.put(text.slice(at..at + character.len_utf8()).unwrap_or_default());
        }
        after_escape = character == '\u{1b}';
    }
    out.finish()
}

#[cfg(test)]
mod tests;
