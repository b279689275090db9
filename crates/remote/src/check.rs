//! What is believed of a guest's answers: each check gives what the contract asks
//! for, or says that the guest lies.

use bytes::Bytes;
use garth_contract::{
    Ask, Code, Content, Detail, Entry, Error, Keep, MAX_PATH, MOST_COMMAND_SHOWN, Page, Printed,
    Process, Report, Result, Span, WsPath,
};
use garth_wire::Named;

/// The largest content that is taken in at once, in bytes: the largest file of a
/// workspace, by the default of its policy.
pub(crate) const MOST_CONTENT: u64 = 1 << 30;

/// The most entries of one listing: some hundred megabytes of them.
const MOST_LISTED: usize = 1 << 20;

/// What a guest is told to have done that broke a rule of the contract.
pub(crate) fn lie(what: &'static str) -> Error {
    Error::new(Code::Internal, format!("the sandbox's guest lies: {what}"))
}

/// An answer to something that was not asked.
pub(crate) fn beside() -> Error {
    lie("it answers something else")
}

/// The span within what is taken in at once.
pub(crate) fn bounded(span: Span) -> Span {
    match span {
        Span::Whole { at_most } => Span::Whole { at_most: at_most.min(MOST_CONTENT) },
        Span::Bytes { offset, length } => Span::Bytes { offset, length: length.min(MOST_CONTENT) },
        Span::Lines { skip, take, at_most } => {
            Span::Lines { skip, take, at_most: at_most.min(MOST_CONTENT) }
        }
        Span::LastLines { take, at_most } => {
            Span::LastLines { take, at_most: at_most.min(MOST_CONTENT) }
        }
    }
}

/// The most bytes that a span gives.
pub(crate) fn most(span: Span) -> u64 {
    match span {
        Span::Whole { at_most } | Span::Lines { at_most, .. } | Span::LastLines { at_most, .. } => {
            at_most
        }
        Span::Bytes { length, .. } => length,
    }
}

/// A content that can be of this span.
pub(crate) fn content(mut content: Content, span: Span) -> Result<Content> {
    let length = content.bytes.len() as u64;
    let end = content.offset.checked_add(length);
    let fits = length <= most(span) && end.is_some_and(|end| end <= content.size);
    let placed = match span {
        Span::Whole { .. } => content.offset == 0 && length == content.size,
        Span::Bytes { offset, .. } => content.offset == offset.min(content.size),
        Span::Lines { .. } => true,
        Span::LastLines { .. } => end == Some(content.size),
    };
    if !fits || !placed {
        return Err(lie("these bytes are not of that span"));
    }
    if length == content.size {
        // Who has the whole file can tell its version without being told.
        content.known = None;
    }
    content.mode = content.mode.map(|mode| mode & 0o7777);
    Ok(content)
}

/// Adds entries to a listing: sorted, each once, no more than asked for.
pub(crate) fn list(
    entries: &mut Vec<Entry>,
    dir: &WsPath,
    page: Page,
    more: Vec<Named>,
) -> Result<()> {
    for named in more {
        let path = dir.join(&named.name).map_err(|_| lie("a name is none"))?;
        let sorted = entries.last().is_none_or(|last| last.path.name() < path.name());
        if !sorted {
            return Err(lie("a listing is not sorted"));
        }
        if entries.len() as u64 >= page.take {
            return Err(lie("a listing has more entries than were asked for"));
        }
        if entries.len() >= MOST_LISTED {
            let limit = Detail::Limit { limit: MOST_LISTED as u64, actual: page.take };
            return Err(Error::at(Code::FileTooLarge, dir)
                .reword("the directory has too many entries to be listed at once")
                .hint("List it page by page.")
                .with(limit));
        }
        entries.push(named.told.at(path));
    }
    Ok(())
}

/// What a link can say.
pub(crate) fn target(target: Bytes) -> Result<Bytes> {
    let said = !target.is_empty() && target.len() <= MAX_PATH && !target.contains(&0);
    if said { Ok(target) } else { Err(lie("no link says that")) }
}

/// A keep within the bounds of the contract.
pub(crate) fn keep(keep: Keep) -> Keep {
    Keep { head: keep.head.min(Keep::MOST), tail: keep.tail.min(Keep::MOST) }
}

/// The most bytes of a report's body.
pub(crate) fn most_of_report(keep: Keep) -> u64 {
    2 * (keep.head as u64 + keep.tail as u64)
}

/// A report within what was to be kept.
pub(crate) fn report(report: Report, keep: Keep) -> Report {
    let Report { id, ended, stdout, stderr } = report;
    Report { id, ended, stdout: stdout.within(keep), stderr: stderr.within(keep) }
}

/// An ask within the bounds of the contract.
pub(crate) fn ask(ask: Ask) -> Ask {
    Ask { most: ask.most.min(Ask::MOST), wait: ask.wait.min(Ask::LONGEST), ..ask }
}

/// A stretch of output that can be what was asked for.
pub(crate) fn printed(printed: Printed, ask: Ask) -> Result<Printed> {
    let length: usize = printed.pieces.iter().map(|piece| piece.bytes.len()).sum();
    let honest = length <= ask.most
        && printed.start.checked_sub(ask.from) == Some(printed.missing)
        && printed.start.checked_add(length as u64) == Some(printed.next)
        && printed.next <= printed.total;
    if honest { Ok(printed) } else { Err(lie("its counts of output do not add up")) }
}

/// A process as it can be shown.
pub(crate) fn process(mut process: Process) -> Process {
    if let Some((end, _)) = process.command.char_indices().nth(MOST_COMMAND_SHOWN) {
        process.command.truncate(end);
    }
    process
}
