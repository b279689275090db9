//! Goes over a text once and settles which parts of it are secrets.
//!
//! The text may be whole or arrive in pieces; what is found does not depend on it. A hit is tried
//! when its window is complete, a candidate is settled when no hit can come before it any more,
//! and a secret that runs past what is at hand is followed by its tail. Spans are sorted and never
//! overlap: what begins inside a settled span belongs to it.

mod echo;
mod hits;
mod parts;

use std::collections::BinaryHeap;

use memchr::memchr;

use crate::candidate::{CONTEXT, Candidate, Place, WINDOW};
use crate::custom;
use crate::keyword::{Keywords, Row, Slash};
use crate::memo::Memo;
use crate::number::{Digest, Numbers};
use crate::placeholder;
use crate::ruleset::Ruleset;
use crate::tail::Tail;
use crate::view::View;
use echo::Echo;
use hits::Hits;
pub(crate) use parts::find_all;

/// Keywords are looked for in blocks, so that a text full of them does not fill the memory.
const BLOCK: usize = 64 << 10;

/// A secret, settled and numbered.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) id: usize,
    pub(crate) nth: u32,
    pub(crate) replacement: Option<String>,
}

/// How far a scan is; positions are those of the whole text.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    hits: Hits,
    candidates: BinaryHeap<Candidate>,
    /// A secret whose end was not seen yet.
    open: Option<Open>,
    /// Keywords that end here or before are known.
    scanned: usize,
    /// Custom rules have seen what is before.
    searched: usize,
    /// Where the last settled span ends.
    covered: usize,
    /// What begins here or behind is left alone for now.
    limit: Option<usize>,
    numbers: Numbers,
    memo: Memo,
    echo: Echo,
    settled: Vec<Settled>,
}

/// A secret, settled.
#[derive(Debug)]
struct Settled {
    start: usize,
    end: usize,
    id: usize,
    digest: Digest,
    replacement: Option<String>,
}

#[derive(Debug)]
struct Open {
    start: usize,
    at: usize,
    id: usize,
    digest: Digest,
    tail: Tail,
    replacement: Option<String>,
}

impl Scan {
    /// Goes as far as the text at hand allows.
    pub(crate) fn advance(&mut self, rules: &Ruleset, view: &View<'_>) {
        let keywords = Keywords::get();
        loop {
            self.follow_open(view);
            if self.open.is_some() {
                return;
            }
            let before = self.progress();
            self.collect_hits(keywords, rules, view);
            self.search_line(keywords, rules, view);
            self.settle(keywords, rules, view);
            if before == self.progress() {
                return;
            }
        }
    }

    /// The spans settled since the last call.
    pub(crate) fn take_found(&mut self, rules: &Ruleset) -> Vec<Found> {
        let settled = std::mem::take(&mut self.settled);
        self.numbers.number_all(rules, settled)
    }

    /// Everything before this position is settled, and shown as it is where no span covers it.
    pub(crate) fn settled(&mut self, rules: &Ruleset, view: &View<'_>) -> usize {
        if let Some(open) = &self.open {
            return open.start;
        }
        let keywords = Keywords::get();
        self.hits.pass_before(self.covered);
        let untried = self.hits.first().map_or(usize::MAX, |(start, _)| start);
        let next = self.candidates.peek().map_or(usize::MAX, |candidate| candidate.start);
        let settled = self.frontier(keywords, rules, view).min(untried).min(next);
        view.floor(settled.max(self.covered).min(view.end()))
    }

    /// The text before this position is not needed any more.
    pub(crate) fn needed(&self, settled: usize) -> usize {
        self.open.as_ref().map_or(settled, |open| open.at).saturating_sub(CONTEXT)
    }

    /// What changes whenever something was done.
    fn progress(&self) -> (usize, usize, usize, usize) {
        (self.scanned, self.searched, self.covered, self.hits.len())
    }

    fn collect_hits(&mut self, keywords: &'static Keywords, rules: &Ruleset, view: &View<'_>) {
        let far_ahead = rules.has_customs() && self.scanned > self.searched + BLOCK;
        let known = self.scanned.saturating_sub(keywords.overlap());
        if far_ahead || self.scanned >= view.end() || self.limit.is_some_and(|limit| limit <= known)
        {
            return;
        }
        let from = view.ceil(self.scanned.saturating_sub(keywords.overlap()).max(self.covered));
        let to = view.floor(self.scanned + BLOCK);
        let known = self.scanned.saturating_sub(from);
        let hits = &mut self.hits;
        hits.shorten();
        keywords.hits(view.range(from, to), (known, Slash::IsText), |hit| {
            hits.push(from + hit.start, hit.keyword);
        });
        self.scanned = to;
    }

    /// Lets the custom rules see the next line, once everything before it is tried.
    fn search_line(&mut self, keywords: &'static Keywords, rules: &Ruleset, view: &View<'_>) {
        let from = self.searched.max(self.covered);
        let known = self.scanned >= (from + keywords.overlap()).min(view.end());
        let earlier = self.hits.first().is_some_and(|(start, _)| start < from);
        if !rules.has_customs() || !known || earlier || from >= view.end() {
            return;
        }
        let most = custom::BLOCK + custom::OVERLAP;
        let window = view.range(from, view.floor(from + most));
        let (line, next) = match memchr(b'\n', window.as_bytes()) {
            Some(len) => (view.range(from, from + len), from + len + 1),
            None if from + most <= view.end() => (window, view.floor(from + custom::BLOCK)),
            None if view.is_final() => (window, view.end()),
            None => return,
        };
        for (id, rule) in rules.customs() {
            for found in rule.matches(line) {
                let lead = view.ceil(from.saturating_sub(CONTEXT));
                let shift = from - lead;
                let range = found.range.start + shift..found.range.end + shift;
                let starts_here = from + found.range.start < next;
                if starts_here && !placeholder::touches(view.from(lead), &range) {
                    self.candidates.push(Candidate {
                        start: from + found.secret.start,
                        end: from + found.secret.end,
                        id,
                        replacement: found.replacement,
                        tail: Tail::Closed,
                    });
                }
            }
        }
        self.searched = next;
    }

    /// Tries hits and settles candidates, strictly from left to right.
    ///
    /// A hit is tried only when every candidate before it is settled: one that begins inside a
    /// secret is part of it, and is never looked at.
    fn settle(&mut self, keywords: &'static Keywords, rules: &Ruleset, view: &View<'_>) {
        let mut frontier = self.frontier(keywords, rules, view);
        while self.open.is_none() {
            self.hits.pass_before(self.covered);
            let candidate = self.candidates.peek().map_or(usize::MAX, |next| next.start);
            match self.hits.first() {
                Some((start, keyword)) if start <= candidate => {
                    if start >= frontier || !is_complete(keywords, view, start, keyword) {
                        return;
                    }
                    self.hits.pass();
                    let Some(row) = keywords.row(keyword) else { continue };
                    // Most texts never repeat themselves.
                    if self.echo.is_silent(view, start) {
                        let here = Place { view, row, at: start };
                        self.try_rules(rules, &here, |_| ());
                    } else {
                        self.hear(row, rules, view, (start, keyword));
                    }
                }
                _ if candidate < frontier => {
                    self.settle_next(view);
                    frontier = self.frontier(keywords, rules, view);
                }
                _ => return,
            }
        }
    }

    /// Finds what the rules of a keyword find where it stands, and shows it to `notice` too.
    #[inline(always)]
    fn try_rules(&mut self, rules: &Ruleset, here: &Place<'_>, mut notice: impl FnMut(&Candidate)) {
        for &(index, rule) in here.row.rules.iter().filter(|(index, _)| rules.is_active(*index)) {
            let first = self.candidates.peek();
            if let Some(candidate) = here.find((index, rule), first, &mut self.memo) {
                notice(&candidate);
                self.candidates.push(candidate);
            }
        }
    }

    /// The same in a text that repeats itself, where it may be known.
    #[inline(never)]
    fn hear(
        &mut self,
        row: &'static Row,
        rules: &Ruleset,
        view: &View<'_>,
        (at, keyword): (usize, usize),
    ) {
        let first = self.candidates.peek().map(|first| (first.start, first.end, first.id));
        let place = echo::Place { at, keyword, first };
        if let Some(found) = self.echo.again(view, &place) {
            self.candidates.extend(found.iter().cloned());
            return;
        }
        let mut found = Vec::new();
        let here = Place { view, row, at };
        self.try_rules(rules, &here, |candidate| found.push(candidate.clone()));
        if self.echo.listens() {
            self.echo.remember(place, found);
        }
    }

    fn settle_next(&mut self, view: &View<'_>) {
        let Some(candidate) = self.candidates.pop() else { return };
        // The key of this one stands before the last secret, its value overlaps it.
        let start = candidate.start.max(self.covered);
        if start >= candidate.end {
            return;
        }
        let mut digest = Digest::new();
        digest.add(view.range(start, candidate.end).as_bytes());
        self.open = Some(Open {
            start,
            at: candidate.end,
            id: candidate.id,
            digest,
            tail: candidate.tail,
            replacement: candidate.replacement,
        });
        self.follow_open(view);
    }

    /// Follows the open secret; closes it where it ends.
    fn follow_open(&mut self, view: &View<'_>) {
        let Some(mut open) = self.open.take() else { return };
        let rest = view.from(open.at).as_bytes();
        let step = open.tail.advance(rest, view.ending());
        open.digest.add(rest.get(..step.taken).unwrap_or_default());
        open.at += step.taken;
        self.covered = open.at;
        self.scanned = self.scanned.max(self.covered);
        if step.open {
            self.open = Some(open);
            return;
        }
        let Open { start, at: end, id, digest, replacement, .. } = open;
        self.settled.push(Settled { start, end, id, digest, replacement });
    }

    /// Every hit before this position is known, and so is every find of a custom rule.
    fn frontier(&self, keywords: &'static Keywords, rules: &Ruleset, view: &View<'_>) -> usize {
        let unseen = if self.scanned < view.end() {
            self.scanned.saturating_sub(keywords.overlap())
        } else if view.is_final() {
            usize::MAX
        } else {
            view.end() - keywords.unfinished(view.from(view.ceil(self.covered)))
        };
        let searched = !rules.has_customs() || (view.is_final() && self.searched >= view.end());
        let unsearched = if searched { usize::MAX } else { self.searched };
        unseen.min(unsearched).min(self.limit.unwrap_or(usize::MAX))
    }
}

impl Numbers {
    /// Gives each secret its number, in their order.
    fn number_all(&mut self, rules: &Ruleset, settled: Vec<Settled>) -> Vec<Found> {
        let number = |Settled { start, end, id, digest, replacement }| {
            let nth = self.number(rules.first_of_name(id), &digest);
            Found { start, end, id, nth, replacement }
        };
        settled.into_iter().map(number).collect()
    }
}

/// Whether all that a rule may look at from a keyword on is at hand.
fn is_complete(keywords: &'static Keywords, view: &View<'_>, start: usize, keyword: usize) -> bool {
    let limit = start + WINDOW + placeholder::LONGEST;
    if limit <= view.end() || view.is_final() {
        return true;
    }
    !keywords.crosses_lines(keyword) && memchr(b'\n', view.from(start).as_bytes()).is_some()
}
