//! Redacts a text that arrives in pieces: output of a process, ranges of a file.
//!
//! What comes out, put together, is what the whole text would have become, wherever it was cut.
//! At most one window of an unfinished line is held back, or one line where the configuration has
//! rules of its own.

use crate::clean::Clean;
use crate::config::Behaviour;
use crate::raw::Raw;
use crate::redactor::{Blocked, Outcome, Redactor, Summary};
use crate::scan::{Found, Scan};
use crate::tail::Ending;
use crate::view::View;

/// A redaction in progress.
#[derive(Debug)]
pub struct Stream {
    redactor: Redactor,
    scan: Scan,
    /// Bytes of a character whose end has not arrived.
    partial: Vec<u8>,
    /// What is not settled yet, and some context before it.
    text: String,
    /// Where `text` begins in the whole.
    origin: usize,
    /// Up to here it was given out.
    written: usize,
    /// Line feeds given out.
    lines: usize,
    summary: Summary,
    blocked: Option<Blocked>,
}

impl Stream {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            scan: Scan::default(),
            partial: Vec::new(),
            text: String::new(),
            origin: 0,
            written: 0,
            lines: 0,
            summary: Summary::default(),
            blocked: None,
        }
    }

    /// Takes the next piece and gives what is settled by now.
    ///
    /// # Errors
    /// [`Blocked`] from the first secret on, where the configuration holds back such texts; what
    /// was given before it stays given.
    pub fn feed(&mut self, piece: &Raw) -> Result<Clean, Blocked> {
        self.decode(piece.as_bytes());
        self.advance(Ending::Open)
    }

    /// Ends the text and gives the rest of it, with the summary of all.
    ///
    /// # Errors
    /// As for [`feed`](Self::feed).
    pub fn finish(mut self) -> Outcome {
        if !self.partial.is_empty() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        let rest = self.advance(Ending::Final)?;
        Ok(self.summary.into_redaction(rest))
    }

    fn advance(&mut self, ending: Ending) -> Result<Clean, Blocked> {
        if let Some(blocked) = &self.blocked {
            return Err(blocked.clone());
        }
        if self.redactor.rules().is_idle() {
            return Ok(Clean::trusted(std::mem::take(&mut self.text)));
        }
        let rules = self.redactor.rules();
        let view = View::new(&self.text, self.origin, ending);
        self.scan.advance(rules, &view);
        let found = self.scan.take_found(rules);
        let settled = self.scan.settled(rules, &view);
        let needed = self.scan.needed(settled);
        let out = self.write(&found, settled, ending)?;
        let keep = self.text.floor_char_boundary(needed.saturating_sub(self.origin));
        self.text.drain(..keep);
        self.origin += keep;
        Ok(Clean::trusted(out))
    }

    fn write(
        &mut self,
        found: &[Found],
        settled: usize,
        ending: Ending,
    ) -> Result<String, Blocked> {
        let view = View::new(&self.text, self.origin, ending);
        let rules = self.redactor.rules();
        let mut out = String::new();
        for span in found {
            let plain = view.range(self.written, span.start);
            out.push_str(plain);
            self.lines += plain.matches('\n').count();
            if self.redactor.behaviour() == Behaviour::Block {
                let rule = rules.name(span.id).to_owned();
                let blocked = Blocked { rule, line: self.lines + 1 };
                self.blocked = Some(blocked.clone());
                return Err(blocked);
            }
            self.summary.put(&mut out, rules, span);
            self.written = span.end;
        }
        if settled > self.written {
            let plain = view.range(self.written, settled);
            out.push_str(plain);
            self.lines += plain.matches('\n').count();
            self.written = settled;
        }
        Ok(out)
    }

    /// Appends bytes as text, and keeps back a character that is cut at the end.
    fn decode(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.partial);
        let mut rest = bytes.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text.push_str(text);
                    return;
                }
                Err(error) => {
                    let (valid, behind) = rest.split_at(error.valid_up_to());
                    self.text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                    let Some(bad) = error.error_len() else {
                        self.partial = behind.to_vec();
                        return;
                    };
                    self.text.push(char::REPLACEMENT_CHARACTER);
                    rest = behind.get(bad..).unwrap_or_default();
                }
            }
        }
    }
}
