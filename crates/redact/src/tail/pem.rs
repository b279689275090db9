//! The body of a PEM block, with or without an end.
//!
//! Keys are met as files, indented in YAML, quoted line by line in source code, with `\n` written
//! out in JSON, on one line in an environment file, and cut off in the middle. The block ends at
//! its END line, else before the first line that cannot belong to it. A line is judged before it
//! is taken, so the text behind a key that was cut off stays whole.

use super::{Ending, Step};

/// As much is looked at before a byte is decided on: longer than any line of a PEM block and its
/// END line together.
const LOOK: usize = 256;

/// A run of base64 this long on a line of its own kind cannot be a word.
const SURE_RUN: usize = 40;

/// The same right behind the BEGIN mark, where a key is expected.
const SURE_WORD: usize = 16;

/// Where in a PEM block the text stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pem {
    phase: Phase,
    /// A written-out line feed was seen.
    broken: bool,
    /// Key material was seen; from here on neither header nor blank lines may follow.
    body: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Right behind the BEGIN line.
    #[default]
    Opening,
    /// On a line that is known to be key material.
    Sure,
    /// At the line feed before a line that nobody has looked at.
    Fresh,
}

impl Pem {
    /// Whether key material follows in `rest`, which may be cut off.
    pub(crate) fn has_body(rest: &[u8]) -> bool {
        let mut pem = Self::default();
        pem.advance(rest, Ending::Final);
        pem.body
    }

    pub(crate) fn advance(&mut self, rest: &[u8], ending: Ending) -> Step {
        let mut taken = 0;
        loop {
            let ahead = rest.get(taken..).unwrap_or_default();
            if ahead.len() < LOOK && ending == Ending::Open {
                return Step { taken, open: true };
            }
            let window = ahead.get(..LOOK).unwrap_or(ahead);
            if let Some(closing) = closing_line(window) {
                return Step { taken: taken + closing, open: false };
            }
            let next = match self.phase {
                Phase::Opening => self.opening(window),
                Phase::Sure => self.sure(window),
                Phase::Fresh => self.fresh(window),
            };
            let Some(next) = next else { return Step { taken, open: false } };
            taken += next;
        }
    }

    fn opening(&mut self, ahead: &[u8]) -> Option<usize> {
        match ahead.first()? {
            b'\n' | b'\r' => self.enter(Phase::Fresh),
            // A word on the line of the BEGIN mark is prose, unless a line feed was written out.
            byte if is_base64(*byte) && (self.broken || base64_run(ahead) >= SURE_WORD) => {
                self.enter(Phase::Sure)
            }
            b'\\' => {
                let breaks = escapes(ahead);
                self.broken |= breaks > 0;
                Some(breaks.max(1))
            }
            byte if is_glue(*byte) || is_margin(*byte) => Some(1),
            _ => None,
        }
    }

    fn sure(&mut self, ahead: &[u8]) -> Option<usize> {
        self.body = true;
        let run = base64_run(ahead);
        if run > 0 {
            return Some(run);
        }
        let breaks = escapes(ahead);
        let behind = ahead.get(breaks..)?;
        if breaks > 0 && (base64_run(behind) > 0 || closing_line(behind).is_some()) {
            return Some(breaks);
        }
        let gap = gap(ahead);
        let behind = ahead.get(gap..)?;
        if matches!(behind.first(), Some(b'\n' | b'\r')) {
            self.phase = Phase::Fresh;
            return Some(gap);
        }
        // From here on a key whose line feeds became spaces: the next word is long or the last.
        let word = base64_run(behind);
        let goes_on = word >= SURE_RUN || closes_after(behind, 0) || closes_after(behind, word);
        (gap > 0 && goes_on).then_some(gap)
    }

    fn fresh(&mut self, ahead: &[u8]) -> Option<usize> {
        let feed = ahead.iter().take_while(|byte| matches!(byte, b'\r')).count();
        let feed = feed + usize::from(ahead.get(feed) == Some(&b'\n'));
        let line = ahead.get(feed..)?;
        let margin = line.iter().take_while(|&&byte| is_margin(byte)).count();
        let text = line.get(margin..)?;
        if closing_line(text).is_some() {
            return Some(feed + margin);
        }
        if !self.body && matches!(text.first(), Some(b'\n' | b'\r')) {
            return Some(feed + margin);
        }
        if !self.body && is_header(text) {
            let len = text.iter().take_while(|&&byte| byte != b'\n').count();
            return Some(feed + margin + len);
        }
        let run = base64_run(text);
        let behind = text.get(run..)?;
        if run >= SURE_RUN || (run > 0 && is_line_end(behind)) {
            self.phase = Phase::Sure;
            return Some(feed + margin + run);
        }
        None
    }

    fn enter(&mut self, phase: Phase) -> Option<usize> {
        self.phase = phase;
        Some(0)
    }
}

/// Whether a byte is of the base64 alphabet, padding included.
pub(crate) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn base64_run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| is_base64(byte)).count()
}

/// What source code puts between two lines of a key: quotes, operators, spaces.
fn is_glue(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'+' | b',' | b';' | b')' | b'\\')
}

/// What stands before a line of a key: indentation, quotes, comment and quotation marks.
fn is_margin(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'#' | b'*' | b'>' | b'|')
}

/// Line feeds, carriage returns and tabs that are written out, with any number of backslashes.
fn escapes(bytes: &[u8]) -> usize {
    let mut len = 0;
    while let Some(rest) = bytes.get(len..) {
        let slashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
        if slashes == 0 || !matches!(rest.get(slashes), Some(b'n' | b'r' | b't')) {
            break;
        }
        len += slashes + 1;
    }
    len
}

/// The length of what stands between two lines of a key, written-out line feeds included.
fn gap(bytes: &[u8]) -> usize {
    let mut len = 0;
    while let Some(rest) = bytes.get(len..) {
        let step = match escapes(rest) {
            0 => usize::from(rest.first().is_some_and(|&byte| is_glue(byte))),
            breaks => breaks,
        };
        if step == 0 {
            break;
        }
        len += step;
    }
    len
}

fn is_line_end(bytes: &[u8]) -> bool {
    let behind = bytes.get(gap(bytes)..).unwrap_or_default();
    matches!(behind.first(), None | Some(b'\n' | b'\r')) || closing_line(behind).is_some()
}

/// Whether the END line follows `word` bytes and a gap.
fn closes_after(bytes: &[u8], word: usize) -> bool {
    let rest = bytes.get(word..).unwrap_or_default();
    rest.get(gap(rest)..).is_some_and(|behind| closing_line(behind).is_some())
}

fn is_header(bytes: &[u8]) -> bool {
    let name =
        bytes.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'-').count();
    (2..=32).contains(&name) && bytes.get(name..).is_some_and(|rest| rest.starts_with(b": "))
}

/// The length of an END line that `bytes` starts with.
fn closing_line(bytes: &[u8]) -> Option<usize> {
    let dashes = |bytes: &[u8]| bytes.iter().take_while(|&&byte| byte == b'-').count();
    let opening = dashes(bytes);
    let rest = bytes.get(opening..)?;
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"END ")?;
    let label = rest
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b' ')
        .count();
    let behind = rest.get(label..)?;
    let closing = dashes(behind);
    let fits = (4..=5).contains(&opening) && (4..=5).contains(&closing) && label <= 64;
    fits.then(|| bytes.len() - behind.len() + closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

    fn taken(text: &str) -> &str {
        let step = Pem::default().advance(text.as_bytes(), Ending::Final);
        assert!(!step.open);
        &text[..step.taken]
    }

    #[test]
    fn a_block_ends_with_its_end_line() {
        let block = format!("\n{LINE}\n{LINE}\nabc=\n-----END PRIVATE KEY-----");
        assert_eq!(taken(&format!("{block}\nnext line")), block);
    }

    #[test]
    fn headers_and_the_blank_line_behind_them_belong_to_it() {
        let block = format!(
            "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,1F77\n\n{LINE}\n-----END RSA PRIVATE KEY-----"
        );
        assert_eq!(taken(&block), block);
    }

    #[test]
    fn a_block_that_was_cut_off_ends_before_the_next_text() {
        let block = format!("\n{LINE}\n{LINE}");
        assert_eq!(taken(&format!("{block}\nfn main() {{}}\n")), block);
        assert_eq!(taken(&format!("{block}\n\nword\n")), block);
    }

    #[test]
    fn line_feeds_may_be_written_out() {
        let block = format!("\\n{LINE}\\n{LINE}\\n-----END PRIVATE KEY-----");
        assert_eq!(taken(&format!("{block}\\n\", \"id\": 1")), block);
        let cut = format!("\\n{LINE}\\n{LINE}");
        assert_eq!(taken(&format!("{cut}\", \"id\": \"x\"")), cut);
    }

    #[test]
    fn lines_may_be_quoted_and_joined() {
        let block =
            format!("\" +\n  \"{LINE}\" +\n  \"{LINE}\\n\" +\n  \"-----END RSA PRIVATE KEY-----");
        assert_eq!(taken(&format!("{block}\";\nnext")), block);
    }

    #[test]
    fn line_feeds_may_have_become_spaces() {
        let block = format!(" {LINE} {LINE} abc= -----END PRIVATE KEY-----");
        assert_eq!(taken(&format!("{block} tail")), block);
    }

    #[test]
    fn every_split_ends_at_the_same_byte() {
        let text =
            format!("\nVersion: 1\n\n{LINE}\n{LINE}\nabc=\n-----END X-----\n{}", "t ".repeat(300));
        let whole = taken(&text).len();
        for split in 0..text.len() {
            let mut pem = Pem::default();
            let first = pem.advance(&text.as_bytes()[..split], Ending::Open);
            let rest = &text.as_bytes()[first.taken..];
            let second = match first.open {
                true => pem.advance(rest, Ending::Final).taken,
                false => 0,
            };
            assert_eq!(first.taken + second, whole, "split at {split}");
        }
    }
}
