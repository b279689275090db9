//! Puts secrets back into edits that were made from a redacted view.
//!
//! A view is the file with something else where its secrets stand. So an edit of the view names
//! its place by what stands around a placeholder, and that place says which secret is meant: no
//! number has to be believed, and nothing has to be remembered. What an edit takes out may come
//! back in the same call, so a line can be moved; it cannot be written twice, and nothing that
//! was not there can be asked for.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use garth_contract::{Result, WsPath};
use garth_redact::placeholders;
use garth_workspace::Workspace;

use crate::placeholders::{has_any, refused};

/// A secret, or the part of one on a line, shorter than this says nothing by itself.
const TELLING: usize = 4;

/// The secrets of a file and where they stand.
pub(crate) struct Segments<'f> {
    path: &'f WsPath,
    file: &'f str,
    /// In order. A secret of several lines is one for each line, as such lines are shown.
    pieces: Vec<Piece<'f>>,
    /// What the edits so far took out, by what stood for it.
    taken: HashMap<String, Vec<&'f str>>,
}

#[derive(Clone)]
struct Piece<'f> {
    /// Which secret it is, or is a part of.
    secret: usize,
    range: Range<usize>,
    name: &'f str,
    nth: u32,
}

/// A place of the file that reads, with placeholders for its secrets, as it was sent.
struct Place {
    range: Range<usize>,
    /// The pieces its placeholders stand for, in order.
    pieces: Vec<usize>,
}

impl<'f> Segments<'f> {
    /// The secrets of the text `file`; none where they are not replaced.
    pub(crate) fn of(workspace: &'f Workspace, path: &'f WsPath, file: &'f str) -> Self {
        let mut pieces = Vec::new();
        for (index, span) in workspace.secrets(path, file).into_iter().enumerate() {
            let mut start = span.start;
            let secret = file.get(span.start..span.end).unwrap_or_default();
            for line in secret.split_inclusive('\n') {
                let shown = line.trim_end_matches(['\r', '\n']).len();
                let range = start..start + shown;
                pieces.push(Piece { secret: index, range, name: span.rule, nth: span.nth });
                start += line.len();
            }
        }
        Self { path, file, pieces, taken: HashMap::new() }
    }

    /// The same, where `text`, which is to be written, has a placeholder at all.
    pub(crate) fn of_text(
        workspace: &'f Workspace,
        path: &'f WsPath,
        (file, text): (&'f str, &str),
    ) -> Self {
        if has_any(text) {
            return Self::of(workspace, path, file);
        }
        Self { path, file, pieces: Vec::new(), taken: HashMap::new() }
    }

    /// An edit with secrets where the caller was shown placeholders.
    ///
    /// # Errors
    /// `REDACTED_CONTENT` where it is not known what a placeholder stands for, or where one is
    /// written more often than it was there.
    pub(crate) fn restore<'t>(
        &mut self,
        old: &'t str,
        new: &'t str,
    ) -> Result<(Cow<'t, str>, Cow<'t, str>)> {
        if self.pieces.is_empty() || !(has_any(old) || has_any(new)) {
            return Ok((Cow::Borrowed(old), Cow::Borrowed(new)));
        }
        // A placeholder that the file has letter by letter is text like any other.
        if !has_any(old) || self.file.contains(old) {
            let new = self.fill(new, old, HashMap::new())?;
            return Ok((Cow::Borrowed(old), new));
        }
        let (old, new) = (self.ended(old), self.ended(new));
        let place = self.only_place(&old).ok_or_else(|| refused(self.path))?;
        let mut held: HashMap<String, Vec<&'f str>> = HashMap::new();
        for (found, piece) in placeholders(&old).zip(&place.pieces) {
            let secret =
                self.pieces.get(*piece).and_then(|piece| self.file.get(piece.range.clone()));
            let mark = old.get(found.start..found.end).unwrap_or_default();
            held.entry(mark.to_owned()).or_default().extend(secret);
        }
        let filled = self.fill(&new, "", held)?.into_owned();
        let raw = self.file.get(place.range).unwrap_or_default();
        Ok((Cow::Owned(raw.to_owned()), Cow::Owned(filled)))
    }

    /// A whole new text of the file, with secrets where the caller was shown placeholders.
    ///
    /// A line that reads as it is shown means the secret on it. Where the caller `knows` that the
    /// file is what it was shown, a line that was changed means it by its number.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore).
    pub(crate) fn restore_whole<'t>(&self, text: &'t str, knows: Knows) -> Result<Cow<'t, str>> {
        if self.pieces.is_empty() || !has_any(text) {
            return Ok(Cow::Borrowed(text));
        }
        let views = self.views();
        let mut used = vec![false; self.pieces.len()];
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let shown = line.trim_end_matches(['\r', '\n']);
            if !has_any(shown) || self.file.lines().any(|own| own == shown) {
                out.push_str(line);
                continue;
            }
            let free =
                |pieces: &[usize]| pieces.iter().all(|piece| used.get(*piece) == Some(&false));
            let same = views.iter().find(|(view, pieces)| view == shown && free(pieces));
            let pieces = match (same, knows) {
                (Some((_, pieces)), _) => Some(pieces.clone()),
                (None, Knows::Version) => self.numbered(shown, &used),
                (None, Knows::Nothing) => None,
            };
            let pieces = pieces.ok_or_else(|| refused(self.path))?;
            let mut done = 0;
            for (found, piece) in placeholders(shown).zip(&pieces) {
                let secret = self.pieces.get(*piece).and_then(|p| self.file.get(p.range.clone()));
                out.push_str(shown.get(done..found.start).unwrap_or_default());
                out.push_str(secret.unwrap_or_default());
                done = found.end;
                if let Some(used) = used.get_mut(*piece) {
                    *used = true;
                }
            }
            out.push_str(line.get(done..).unwrap_or_default());
        }
        // A key of many lines stays whole or goes.
        let used: Vec<(usize, bool)> =
            self.pieces.iter().zip(&used).map(|(piece, used)| (piece.secret, *used)).collect();
        let whole = used.chunk_by(|one, other| one.0 == other.0).all(|lines| {
            lines.iter().all(|(_, used)| *used) || !lines.iter().any(|(_, used)| *used)
        });
        if whole { Ok(Cow::Owned(out)) } else { Err(refused(self.path)) }
    }

    /// Every line with a secret as it is shown, and the pieces on it.
    fn views(&self) -> Vec<(String, Vec<usize>)> {
        let mut views = Vec::new();
        let (mut start, mut next) = (0, 0);
        for line in self.file.split_inclusive('\n') {
            let end = start + line.trim_end_matches(['\r', '\n']).len();
            let (mut view, mut at, mut pieces) = (String::new(), start, Vec::new());
            while let Some(piece) = self.pieces.get(next).filter(|piece| piece.range.start < end) {
                view.push_str(self.file.get(at..piece.range.start).unwrap_or_default());
                view.push_str(&piece.mark());
                at = piece.range.end;
                pieces.push(next);
                next += 1;
            }
            view.push_str(self.file.get(at..end).unwrap_or_default());
            start += line.len();
            if !pieces.is_empty() {
                views.push((view, pieces));
            }
        }
        views
    }

    /// The pieces that the placeholders of a line mean by their numbers.
    fn numbered(&self, line: &str, used: &[bool]) -> Option<Vec<usize>> {
        let mut pieces: Vec<usize> = Vec::new();
        for found in placeholders(line) {
            let fits = |(index, piece): &(usize, &Piece<'_>)| {
                let free = used.get(*index) == Some(&false) && !pieces.contains(index);
                free && piece.name == found.name && piece.nth == found.nth
            };
            pieces.push(self.pieces.iter().enumerate().find(fits)?.0);
        }
        Some(pieces)
    }

    /// The text with the secrets that were taken from its place, or by edits before it.
    ///
    /// Placeholders that `literal` has letter by letter stay.
    fn fill<'t>(
        &mut self,
        text: &'t str,
        literal: &str,
        mut held: HashMap<String, Vec<&'f str>>,
    ) -> Result<Cow<'t, str>> {
        let mut wanted: HashMap<&str, usize> = HashMap::new();
        for found in placeholders(text) {
            *wanted.entry(text.get(found.start..found.end).unwrap_or_default()).or_default() += 1;
        }
        wanted.retain(|mark, count| literal.matches(mark).count() < *count);
        for (mark, count) in &wanted {
            let here = held.entry((*mark).to_owned()).or_default();
            if here.is_empty() {
                here.extend(self.taken.remove(*mark).unwrap_or_default());
            }
            let alike = here.windows(2).all(|pair| matches!(pair, [one, other] if one == other));
            // Of several that look alike nobody can say which of them is to go.
            if *count > here.len() || (*count < here.len() && !alike) {
                return Err(refused(self.path));
            }
        }
        let mut out = String::new();
        let mut done = 0;
        for found in placeholders(text) {
            let mark = text.get(found.start..found.end).unwrap_or_default();
            if !wanted.contains_key(mark) {
                continue;
            }
            let Some(here) = held.get_mut(mark).filter(|here| !here.is_empty()) else {
                return Err(refused(self.path));
            };
            out.push_str(text.get(done..found.start).unwrap_or_default());
            out.push_str(here.remove(0));
            done = found.end;
        }
        for (mark, left) in held.into_iter().filter(|(_, left)| !left.is_empty()) {
            self.taken.entry(mark).or_default().extend(left);
        }
        if done == 0 {
            return Ok(Cow::Borrowed(text));
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Ok(Cow::Owned(out))
    }

    /// A text that came without returns, with the line endings of the file.
    fn ended<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.file.contains("\r\n") && !text.contains('\r') && text.contains('\n') {
            return Cow::Owned(text.replace('\n', "\r\n"));
        }
        Cow::Borrowed(text)
    }

    /// The one place that reads like this; of several, the one whose numbers are right too.
    fn only_place(&self, old: &str) -> Option<Place> {
        let first = placeholders(old).next()?;
        let starts = self.pieces.iter().enumerate().filter(|(_, piece)| piece.name == first.name);
        let mut places: Vec<Place> =
            starts.filter_map(|(index, _)| self.place(old, index)).collect();
        if places.len() > 1 {
            places.retain(|place| {
                let numbers = place.pieces.iter().filter_map(|piece| self.pieces.get(*piece));
                numbers.zip(placeholders(old)).all(|(piece, found)| piece.nth == found.nth)
            });
        }
        let place = places.pop()?;
        places.is_empty().then_some(place)
    }

    /// The place where the first placeholder stands for the piece at `index`, if it reads so.
    fn place(&self, old: &str, index: usize) -> Option<Place> {
        let first = placeholders(old).next()?;
        let start = self.pieces.get(index)?.range.start.checked_sub(first.start)?;
        let mut at = start;
        let mut done = 0;
        let mut pieces = Vec::new();
        for (offset, found) in placeholders(old).enumerate() {
            let literal = old.get(done..found.start)?;
            let piece = self.pieces.get(index + offset)?;
            let before = self.file.get(at..piece.range.start)?;
            if before != literal || piece.name != found.name {
                return None;
            }
            pieces.push(index + offset);
            (at, done) = (piece.range.end, found.end);
        }
        let literal = old.get(done..)?;
        let end = at + literal.len();
        (self.file.get(at..end) == Some(literal)).then_some(Place { range: start..end, pieces })
    }
}

/// What a caller is known to know of the file that it writes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knows {
    /// Its version: what it was shown is what is there.
    Version,
    /// Nothing that can be checked.
    Nothing,
}

impl Piece<'_> {
    /// What stands for it in a view of the whole file.
    fn mark(&self) -> String {
        match self.nth {
            0 | 1 => format!("[REDACTED: {}]", self.name),
            nth => format!("[REDACTED: {}#{nth}]", self.name),
        }
    }
}

/// Refuses a change after which a secret of the old text would be shown: it stands in the new one
/// where no rule knows it any more, and the caller did not write it there.
///
/// # Errors
/// `REDACTED_CONTENT`.
pub(crate) fn check_hidden(
    workspace: &Workspace,
    path: &WsPath,
    (old, new): (&str, &str),
    sent: &[&str],
) -> Result<()> {
    let before = workspace.secrets(path, old);
    if before.is_empty() {
        return Ok(());
    }
    let after = workspace.secrets(path, new);
    let open = |text: &str, spans: &[garth_redact::Span<'_>], secret: &str| {
        let places = text.match_indices(secret).filter(|(at, _)| {
            let inside =
                |span: &garth_redact::Span<'_>| span.start <= *at && at + secret.len() <= span.end;
            !spans.iter().any(inside)
        });
        places.count()
    };
    let mut seen: Vec<&str> = Vec::new();
    for span in &before {
        let secret = old.get(span.start..span.end).unwrap_or_default();
        for line in secret.lines().filter(|line| line.len() >= TELLING) {
            if seen.contains(&line) || sent.iter().any(|sent| sent.contains(line)) {
                continue;
            }
            seen.push(line);
            if open(new, &after, line) > open(old, &before, line) {
                return Err(refused(path));
            }
        }
    }
    Ok(())
}
