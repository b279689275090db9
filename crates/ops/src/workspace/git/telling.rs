//! What a repository says, as it may be told: redacted, and names on one line.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use garth_contract::{Kept, escape};
use garth_git::{Moved, Oid};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::{Excerpt, Workspace};

use super::payload::Ref;
use crate::{
    rfc3339,
    words::{Counted, Ours},
};

/// How many digits of an id a reader is shown.
const SHORT: usize = 10;

/// A text of the repository, redacted; of a long one the beginning and the end.
pub(super) fn text(workspace: &Workspace, bytes: &Bytes) -> Clean {
    let trimmed = bytes.slice_ref(bytes.trim_ascii_end());
    let kept = Kept { total: trimmed.len() as u64, head: trimmed, tail: Bytes::new() };
    let Excerpt { head, tail, missing, .. } = workspace.excerpt(&kept);
    match missing {
        0 => clean![head, tail],
        missing => clean![head, "\n[… ", Counted(missing, "byte"), " left out …]\n", tail],
    }
}

/// A name of the repository's, on one line and redacted.
pub(super) fn name(workspace: &Workspace, bytes: &[u8]) -> Clean {
    text(workspace, &Bytes::from(escape(bytes)))
}

/// A message as its first line and the rest.
pub(super) fn message(workspace: &Workspace, bytes: &Bytes) -> (Clean, Clean) {
    let whole = text(workspace, bytes);
    let first = whole.find('\n').unwrap_or(whole.len());
    let part = |range| whole.slice(range).unwrap_or_default();
    let subject = part(0..first);
    let rest = whole.get(first..).unwrap_or_default();
    let start = whole.len() - rest.trim_start().len();
    (one_line(&subject), part(start..whole.len()))
}

/// A text without what could forge another line of a reply.
fn one_line(text: &Clean) -> Clean {
    if !text.contains(char::is_control) {
        return text.clone();
    }
    let mut line = CleanWriter::new();
    let mut start = 0;
    for part in text.split(char::is_control) {
        line.put(text.slice(start..start + part.len()).unwrap_or_default());
        start += part.len() + 1;
    }
    line.finish()
}

/// A time, where it is one.
pub(super) fn date(seconds: u64) -> String {
    // Years of more than four digits are what a repository says, and no time.
    let seconds = seconds.min(253_402_300_799);
    rfc3339(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// An id as a reader is shown it.
pub(super) fn short(oid: &Oid) -> Ours {
    Ours(oid.as_str().get(..SHORT).unwrap_or_default().to_owned())
}

/// A whole id.
pub(super) fn whole(oid: &Oid) -> Ours {
    Ours(oid.to_string())
}

/// A name that was checked, or that git itself would make.
pub(super) fn ours(name: &(impl ToString + ?Sized)) -> Ours {
    Ours(name.to_string())
}

/// Refs that are not where they were, for programs.
pub(super) fn refs(moved: &[Moved]) -> Vec<Ref> {
    let shown = |oid: &Option<Oid>| oid.as_ref().map(Oid::to_string);
    let one = |moved: &Moved| Ref {
        name: moved.name.to_string(),
        before: shown(&moved.before),
        now: shown(&moved.now),
    };
    moved.iter().map(one).collect()
}

/// How many refs a record names.
const MOST_RECORDED: usize = 32;

/// The same for a reader, and for the record with whole ids.
pub(super) fn refs_text(moved: &[Moved]) -> (Clean, Clean) {
    let (mut text, mut record) = (CleanWriter::new(), CleanWriter::new());
    for (index, Moved { name, before, now }) in moved.iter().enumerate() {
        let place = |oid: &Option<Oid>, show: fn(&Oid) -> Ours| match oid {
            Some(oid) => clean![show(oid)],
            None => Clean::fixed("nothing"),
        };
        text.put("\n  ").put(ours(name)).put(": ").put(place(before, short));
        text.put(" -> ").put(place(now, short));
        if index < MOST_RECORDED {
            record.put(if index == 0 { "" } else { ", " }).put(ours(name)).put(" ");
            record.put(place(before, whole)).put("..").put(place(now, whole));
        }
    }
    let more = moved.len().saturating_sub(MOST_RECORDED) as u64;
    if more > 0 {
        record.put(" and ").put(Counted(more, "ref")).put(" more");
    }
    (text.finish(), record.finish())
}
