//! How the naive backend searches inside files: line by line, with a plain regex.

use garth_contract::{
    Case, Code, Detail, Error, Grep, LineKind, Lines, Output, Owned, OwnedLine, Result, Syntax,
    WsPath,
};
use regex::bytes::{Regex, RegexBuilder};

use crate::{fault::Fault, look::index};

/// A search, compiled.
pub(crate) struct Matcher {
    regex: Regex,
    grep: Grep,
    fault: Option<Fault>,
}

/// What a file has.
pub(crate) enum Hits {
    Binary,
    Found(Vec<Owned>),
}

impl Matcher {
    pub(crate) fn new(grep: &Grep, fault: Option<Fault>) -> Result<Self> {
        let pattern = match grep.syntax {
            Syntax::Fixed if fault != Some(Fault::ReadsFixedAsRegex) => {
                regex::escape(&grep.pattern)
            }
            Syntax::Regex | Syntax::Fixed => grep.pattern.clone(),
            Syntax::Word => format!(r"\b(?:{})\b", grep.pattern),
        };
        let insensitive = match grep.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !grep.pattern.chars().any(char::is_uppercase),
        };
        let multi = grep.lines == Lines::Multi;
        let built = RegexBuilder::new(&pattern)
            .case_insensitive(insensitive)
            .multi_line(multi)
            .dot_matches_new_line(multi)
            .build();
        let regex = built.map_err(|_| match fault {
            Some(Fault::GivesNoPosition) => Error::of(Code::InvalidPattern),
            _ => Error::of(Code::InvalidPattern).with(Detail::Position(0)),
        })?;
        Ok(Self { regex, grep: grep.clone(), fault })
    }

    pub(crate) fn hits(&self, path: &WsPath, content: &[u8]) -> Hits {
        if content.contains(&0) && self.fault != Some(Fault::SearchesBinary) {
            return Hits::Binary;
        }
        let matched = match self.grep.lines {
            Lines::Single => self.single(content),
            Lines::Multi => self.multi(content),
        };
        Hits::Found(match self.grep.output {
            Output::Content => self.lines(path, content, &matched),
            Output::Files if matched.is_empty() => Vec::new(),
            Output::Files => vec![Owned::File(path.clone())],
            Output::Count if matched.is_empty() => Vec::new(),
            Output::Count => vec![Owned::Count(path.clone(), matched.len() as u64)],
        })
    }

    /// The matching lines: the number of the first, of the last, and all text.
    fn single(&self, content: &[u8]) -> Vec<(usize, usize, Vec<u8>)> {
        let lines = content.split_inclusive(|byte| *byte == b'\n').enumerate();
        lines
            .map(|(number, line)| (number, number, self.trimmed(line)))
            .filter(|(_, _, text)| self.regex.is_match(text))
            .collect()
    }

    fn multi(&self, content: &[u8]) -> Vec<(usize, usize, Vec<u8>)> {
        let all: Vec<_> = content.split_inclusive(|byte| *byte == b'\n').collect();
        let line_of = |at: usize| content.iter().take(at).filter(|byte| **byte == b'\n').count();
        let mut found: Vec<(usize, usize, Vec<u8>)> = Vec::new();
        for hit in self.regex.find_iter(content) {
            let (first, last) = (line_of(hit.start()), line_of(hit.end().saturating_sub(1)));
            if found.last().is_some_and(|(_, end, _)| *end >= first) {
                continue;
            }
            let text = all
                .iter()
                .skip(first)
                .take(last - first + 1)
                .copied()
                .flatten()
                .copied()
                .collect::<Vec<_>>();
            found.push((first, last, self.trimmed(&text)));
        }
        found
    }

    fn trimmed(&self, line: &[u8]) -> Vec<u8> {
        if self.fault == Some(Fault::KeepsLineEndings) {
            return line.to_vec();
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line).to_vec()
    }

    fn lines(
        &self,
        path: &WsPath,
        content: &[u8],
        matched: &[(usize, usize, Vec<u8>)],
    ) -> Vec<Owned> {
        let (before, after) = (index(self.grep.before), index(self.grep.after));
        let mut found = Vec::new();
        let all: Vec<_> = content.split_inclusive(|byte| *byte == b'\n').collect();
        for (number, line) in all.iter().enumerate() {
            if let Some((_, _, text)) = matched.iter().find(|(first, _, _)| *first == number) {
                let spans = self.regex.find_iter(text).map(|hit| hit.range()).collect();
                found.push(shown(path, number, LineKind::Match, (text.clone(), spans)));
            } else if matched.iter().any(|(first, last, _)| (*first..=*last).contains(&number)) {
                continue;
            } else if matched
                .iter()
                .any(|(first, last, _)| number + before >= *first && number <= last + after)
            {
                found.push(shown(
                    path,
                    number,
                    LineKind::Context,
                    (self.trimmed(line), Vec::new()),
                ));
            }
        }
        found
    }
}

fn shown(
    path: &WsPath,
    number: usize,
    kind: LineKind,
    what: (Vec<u8>, Vec<std::ops::Range<usize>>),
) -> Owned {
    let (text, spans) = what;
    Owned::Line(OwnedLine { path: path.clone(), number: number as u64 + 1, kind, text, spans })
}
