//! Some lines of a file, read with no more of the file than that needs.
//!
//! A file of moderate size is read whole, so that its version and its number of
//! lines are known. Of a larger one, only the lines that are wanted are read, and
//! some around them, since a secret is recognised by what stands around it.

use std::{borrow::Cow, ops::Range, time::SystemTime};

use garth_contract::{Code, Content, Detail, Error, Result, Span, Version, WsPath};
use garth_text::{
    encoding::{self, Encoding},
    endings::{self, Style},
    lines,
    sniff::{self, Extent, sniff},
};
use garth_workspace::{Shown, Workspace};

use crate::text_file::{refused, without_bytes};

/// How much of a file is read to see what it is; most files are no larger.
const HEAD: u64 = 64 << 10;

/// How many lines on either side of a part of a large file are read with it: the
/// longest key that anybody keeps in a file.
const AROUND: u64 = 300;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// `take` lines from the line `first`, counted from 1.
    From { first: u64, take: u64 },
    /// The last `take` lines.
    Last { take: u64 },
}

/// What a file turned out to hold.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// Text, some lines of it.
    Text(Box<Window>),
    /// No text; the front of it, and what is known of the file.
    Binary(Content),
}

/// Some lines of a text file.
#[derive(Debug)]
pub(crate) struct Window {
    /// The lines.
    pub(crate) shown: Shown,
    /// What each of them ends with in the file: LF, CRLF, or nothing for the last.
    pub(crate) line_ends: Vec<&'static str>,
    /// The number of the first of them, where it is known.
    pub(crate) first: Option<u64>,
    /// How many lines the file has, where that is known.
    pub(crate) total: Option<u64>,
    /// Whether lines follow.
    pub(crate) more: bool,
    /// Whether a line is not whole, because it is longer than a read.
    pub(crate) open: bool,
    /// Whether bytes that are no text are shown as U+FFFD.
    pub(crate) lossy: bool,
    /// The text's encoding.
    pub(crate) encoding: Encoding,
    /// How its lines end, as far as it was read.
    pub(crate) endings: Style,
    /// The size of the file.
    pub(crate) size: u64,
    /// Its version, when it was read whole.
    pub(crate) version: Option<Version>,
    /// When it last changed.
    pub(crate) modified: Option<SystemTime>,
}

/// Reads the lines that are wanted.
///
/// # Errors
/// Those of reading; `UNSUPPORTED_ENCODING` for bytes that are no text in the
/// encoding the caller named; `FILE_TOO_LARGE` for a large file whose encoding
/// cannot be read in parts.
pub(crate) async fn load(
    workspace: &Workspace,
    path: &WsPath,
    wanted: Wanted,
    named: Option<Encoding>,
) -> Result<Loaded> {
    let head = workspace.fs().read(path, Span::Bytes { offset: 0, length: HEAD }).await;
    let head = head.map_err(|error| without_bytes(path, error))?;
    let extent = if head.more_follows() { Extent::Head } else { Extent::Whole };
    if named.is_none() && sniff(&head.bytes, extent) == sniff::Content::Binary {
        return Ok(Loaded::Binary(head));
    }
    if extent == Extent::Whole {
        return whole(workspace, path, head, (wanted, named));
    }
    let at_most = workspace.limits().text_bytes;
    if head.size <= at_most {
        match workspace.fs().read(path, Span::Whole { at_most }).await {
            Ok(content) => return whole(workspace, path, content, (wanted, named)),
            // It has grown meanwhile.
            Err(error) if error.code() == Code::FileTooLarge => {}
            Err(error) => return Err(error),
        }
    }
    match Encoding::of_file(&head.bytes, named) {
        encoding @ (Encoding::Utf8 | Encoding::Utf8Bom) => {
            part(workspace, path, wanted, encoding).await
        }
        Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_) => {
            let limit = Detail::Limit { limit: at_most, actual: head.size };
            Err(Error::at(Code::FileTooLarge, path)
                .with(limit)
                .hint("Files of this size can be read in parts only where they are UTF-8."))
        }
    }
}

/// The lines that are wanted of a file that is at hand whole.
fn whole(
    workspace: &Workspace,
    path: &WsPath,
    content: Content,
    (wanted, named): (Wanted, Option<Encoding>),
) -> Result<Loaded> {
    let encoding = match (named, sniff(&content.bytes, Extent::Whole)) {
        (Some(_), _) => Encoding::of_file(&content.bytes, named),
        (None, sniff::Content::Text(encoding)) => encoding,
        (None, sniff::Content::Binary) => return Ok(Loaded::Binary(content)),
    };
    let text = encoding::decode(&content.bytes, encoding).map_err(|error| refused(path, &error))?;
    let total = lines::count(text.as_bytes()) as u64;
    let (skip, take) = match wanted {
        Wanted::From { first, take } => (first - 1, take),
        Wanted::Last { take } => (total.saturating_sub(take), take),
    };
    let window = lines::window(text.as_bytes(), index(skip), index(take));
    let line_ends = line_ends(&text, window.range.clone());
    let shown = workspace.lines(path, text.as_bytes(), window.range)?;
    Ok(Loaded::Text(Box::new(Window {
        line_ends,
        first: Some(skip + 1),
        total: Some(total),
        more: window.span.more,
        open: false,
        lossy: false,
        encoding,
        endings: endings::detect(text.as_bytes()).style(),
        size: content.size,
        version: Some(content.known.unwrap_or_else(|| Version::of(&content.bytes))),
        modified: content.modified,
        shown,
    })))
}

/// The lines that are wanted of a file too large to be read whole.
async fn part(
    workspace: &Workspace,
    path: &WsPath,
    wanted: Wanted,
    encoding: Encoding,
) -> Result<Loaded> {
    let mut read = Part::read(workspace, path, wanted, AROUND).await?;
    if read.is_short(wanted) {
        // Lines this long leave no room for those around them.
        read = Part::read(workspace, path, wanted, 0).await?;
    }
    let Part { content, lead, more } = read;
    let bytes = match content.offset {
        0 => content.bytes.strip_prefix(encoding.bom()).unwrap_or(&content.bytes),
        _ => &content.bytes,
    };
    let text = String::from_utf8_lossy(bytes);
    let lossy = matches!(text, Cow::Owned(_));
    let take = match wanted {
        Wanted::From { take, .. } | Wanted::Last { take } => take,
    };
    let window = lines::window(text.as_bytes(), index(lead), index(take));
    let shown = workspace.lines(path, text.as_bytes(), window.range.clone())?;
    let open = match wanted {
        Wanted::From { .. } => {
            window.range.end == text.len() && !text.ends_with('\n') && content.more_follows()
        }
        Wanted::Last { .. } => {
            content.offset > 0 && content.bytes.len() as u64 >= workspace.limits().text_bytes
        }
    };
    Ok(Loaded::Text(Box::new(Window {
        line_ends: line_ends(&text, window.range),
        first: match wanted {
            Wanted::From { first, .. } => Some(first),
            Wanted::Last { .. } => {
                content.lines.map(|total| total - (shown.lines.len() as u64).min(total) + 1)
            }
        },
        total: content.lines,
        more: window.span.more || more,
        open,
        lossy,
        encoding,
        endings: endings::detect(text.as_bytes()).style(),
        size: content.size,
        version: None,
        modified: content.modified,
        shown,
    })))
}

/// A part of a file, some lines before and after those wanted included.
struct Part {
    content: Content,
    /// How many lines of it stand before the first one wanted.
    lead: u64,
    /// Whether the file goes on behind it.
    more: bool,
}

impl Part {
    async fn read(
        workspace: &Workspace,
        path: &WsPath,
        wanted: Wanted,
        around: u64,
    ) -> Result<Self> {
        let at_most = workspace.limits().text_bytes;
        let (span, lead) = match wanted {
            Wanted::From { first, take } => {
                let lead = around.min(first - 1);
                let take = take.saturating_add(lead).saturating_add(around);
                (Span::Lines { skip: first - 1 - lead, take, at_most }, Some(lead))
            }
            Wanted::Last { take } => {
                (Span::LastLines { take: take.saturating_add(around), at_most }, None)
            }
        };
        let content = workspace.fs().read(path, span).await?;
        let have = lines::count(&content.bytes) as u64;
        let (lead, more) = match (lead, wanted) {
            (Some(lead), _) => (lead.min(have), content.more_follows()),
            (None, Wanted::Last { take } | Wanted::From { take, .. }) => {
                (have.saturating_sub(take), false)
            }
        };
        Ok(Self { content, lead, more })
    }

    /// Whether the bound of a read cut lines that are wanted.
    fn is_short(&self, wanted: Wanted) -> bool {
        let have = lines::count(&self.content.bytes) as u64;
        match wanted {
            Wanted::From { take, .. } => {
                have <= self.lead.saturating_add(take) && self.content.more_follows()
            }
            Wanted::Last { take } => have <= take && self.content.offset > 0,
        }
    }
}

/// What each line of a part of a text ends with.
fn line_ends(text: &str, part: Range<usize>) -> Vec<&'static str> {
    let lines = text.get(part).unwrap_or_default().split_inclusive('\n');
    let end = |line: &str| match line.as_bytes() {
        [.., b'\r', b'\n'] => "\r\n",
        [.., b'\n'] => "\n",
        _ => "",
    };
    lines.map(end).collect()
}

fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
