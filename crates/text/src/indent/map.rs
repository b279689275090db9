//! The map from a writer's indentation to that of the file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use crate::fold::indentation;
use crate::lines;

/// Longer indentation is no code's; it is refused before it can cost anything.
const MAX_INDENT: usize = 256;

/// How many lines of a file are looked at to learn how it indents.
const SAMPLE: usize = 2_000;

/// The usual number of spaces for one level.
const USUAL_WIDTH: usize = 4;

/// What besides the pairs shows how levels are written.
#[derive(Clone, Copy)]
pub(super) struct Clues<'a> {
    /// The whole file.
    pub(super) content: &'a [u8],
    /// The spaces the writer uses for one level, if any line shows it.
    pub(super) width: Option<usize>,
}

/// What is known about one written indentation.
#[derive(Clone)]
pub(super) enum Answer {
    /// It is this in the file.
    Known(Vec<u8>),
    /// It stands for several in the file; the first of them is this.
    Divided(Vec<u8>),
    /// Nothing leads to it.
    Unknown,
}

/// What a writer's indentation becomes.
pub(super) struct Map<'a> {
    table: BTreeMap<&'a [u8], Actual<'a>>,
    /// Every indentation of the file that the table leads to.
    actual: BTreeSet<&'a [u8]>,
    level: Level,
    /// Each indentation is led back once, however many lines have it.
    answers: HashMap<Vec<u8>, Answer>,
}

#[derive(Clone, Copy)]
struct Actual<'a> {
    indent: &'a [u8],
    divided: Divided,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Divided {
    Yes,
    No,
}

/// How one more level is written in the file.
enum Level {
    /// The way the writer writes it.
    Same,
    /// These bytes, for a tab or that many spaces of the writer.
    Other { spaces: usize, bytes: Vec<u8> },
}

impl<'a> Map<'a> {
    /// Learns from pairs of written and actual indentation.
    pub(super) fn new(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>, clues: Clues<'_>) -> Self {
        let mut table: BTreeMap<&[u8], Actual<'_>> = BTreeMap::new();
        for (written, indent) in pairs {
            let first = table.entry(written).or_insert(Actual { indent, divided: Divided::No });
            if first.indent != indent {
                first.divided = Divided::Yes;
            }
        }
        let level = Level::learn(&table, clues);
        let actual = table.values().map(|actual| actual.indent).collect();
        Self { table, actual, level, answers: HashMap::new() }
    }

    /// Knows one pair and leads everything else back to it.
    pub(super) fn single(written: &'a [u8], indent: &'a [u8], clues: Clues<'_>) -> Self {
        Self::new(std::iter::once((written, indent)), clues)
    }

    /// Says what a written indentation is in the file.
    pub(super) fn answer(&mut self, written: &[u8]) -> Answer {
        if written.len() > MAX_INDENT {
            return Answer::Unknown;
        }
        if let Some(answer) = self.answers.get(written) {
            return answer.clone();
        }
        let answer = self
            .deeper(written)
            .or_else(|| self.shallower(written))
            .or_else(|| self.already_actual(written))
            .unwrap_or(Answer::Unknown);
        self.answers.insert(written.to_vec(), answer.clone());
        answer
    }

    /// From the deepest known indentation that this one begins with.
    fn deeper(&self, written: &[u8]) -> Option<Answer> {
        (0..=written.len()).rev().find_map(|length| {
            let (front, extra) = written.split_at_checked(length)?;
            let actual = self.table.get(front)?;
            Some(actual.answer([actual.indent, &self.level.convert(extra)].concat()))
        })
    }

    /// From the shallowest known indentation that begins with this one.
    fn shallower(&self, written: &[u8]) -> Option<Answer> {
        let (known, actual) = self
            .table
            .range::<[u8], _>((Bound::Included(written), Bound::Unbounded))
            .take_while(|(known, _)| known.starts_with(written))
            .min_by_key(|(known, _)| known.len())?;
        let surplus = self.level.convert(known.get(written.len()..)?);
        Some(actual.answer(actual.indent.strip_suffix(surplus.as_slice())?.to_vec()))
    }

    fn already_actual(&self, written: &[u8]) -> Option<Answer> {
        self.actual.contains(written).then(|| Answer::Known(written.to_vec()))
    }
}

impl Actual<'_> {
    fn answer(self, indent: Vec<u8>) -> Answer {
        match self.divided {
            Divided::Yes => Answer::Divided(indent),
            Divided::No => Answer::Known(indent),
        }
    }
}

impl Level {
    /// Learns from two known depths, else from how the file is indented.
    fn learn(table: &BTreeMap<&[u8], Actual<'_>>, clues: Clues<'_>) -> Self {
        let mut known: Vec<_> = table
            .iter()
            .filter(|(_, actual)| actual.divided == Divided::No)
            .map(|(written, actual)| (*written, actual.indent))
            .collect();
        known.sort_by_key(|(written, _)| written.len());
        known
            .iter()
            .zip(known.iter().skip(1))
            .find_map(|(outer, inner)| Self::between(*outer, *inner))
            .unwrap_or_else(|| Self::of_file(table, clues))
    }

    /// The ratio of one step of the writer to the same step of the file.
    fn between(outer: (&[u8], &[u8]), inner: (&[u8], &[u8])) -> Option<Self> {
        let written = inner.0.strip_prefix(outer.0)?;
        let actual = inner.1.strip_prefix(outer.1)?;
        let (from, to) = (uniform(written)?, uniform(actual)?);
        if written == actual {
            return Some(Self::Same);
        }
        let shared = greatest_common_divisor(written.len(), actual.len());
        let (size, width) = (written.len() / shared, actual.len() / shared);
        match from {
            b' ' => Some(Self::Other { spaces: size, bytes: vec![to; width] }),
            _ if size == 1 => Some(Self::Other { spaces: width, bytes: vec![to; width] }),
            _ => None,
        }
    }

    /// The style of the lines nearby, else of the whole file, where the pairs
    /// do not show it.
    fn of_file(table: &BTreeMap<&[u8], Actual<'_>>, clues: Clues<'_>) -> Self {
        // One space is no level: it aligns the stars of a block comment.
        let is_level = |indent: &&[u8]| indent.len() > 1 || *indent == b"\t";
        let sample =
            || lines::split(clues.content).take(SAMPLE).map(|line| indentation(line.text).0);
        let nearby = table.values().map(|actual| actual.indent).find(is_level);
        match nearby.or_else(|| sample().find(is_level)).and_then(|indent| indent.first()) {
            Some(b'\t') => {
                Self::Other { spaces: clues.width.unwrap_or(USUAL_WIDTH), bytes: vec![b'\t'] }
            }
            Some(b' ') => {
                let spaced = sample().filter(|indent| indent.starts_with(b"  "));
                let width = spaced.map(<[u8]>::len).min().unwrap_or(USUAL_WIDTH);
                Self::Other { spaces: width, bytes: vec![b' '; width] }
            }
            Some(_) | None => Self::Same,
        }
    }

    fn convert(&self, extra: &[u8]) -> Vec<u8> {
        match self {
            Self::Same => extra.to_vec(),
            Self::Other { spaces, bytes } => {
                let tabs = extra.iter().filter(|byte| **byte == b'\t').count();
                let blanks = extra.len() - tabs;
                let mut converted = bytes.repeat(tabs + blanks / spaces);
                converted.resize(converted.len() + blanks % spaces, b' ');
                converted
            }
        }
    }
}

/// The byte an indentation consists of, if it is one.
fn uniform(indent: &[u8]) -> Option<u8> {
    let first = *indent.first()?;
    let same = matches!(first, b' ' | b'\t') && indent.iter().all(|byte| *byte == first);
    same.then_some(first)
}

fn greatest_common_divisor(left: usize, right: usize) -> usize {
    if right == 0 { left } else { greatest_common_divisor(right, left % right) }
}
