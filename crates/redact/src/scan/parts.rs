//! A long text is gone over in parts, by several threads at once, and what is found is the same.
//!
//! Whoever begins in the middle does not know what reaches over there from before. But a scan
//! forgets: what it finds depends on the text around a place, on the candidates that are not settled
//! and on where the last secret ends. So each part notes how it stands every few kilobytes, and who
//! comes from before goes on into the part until both stand alike; from there on the part is right.
//! Mostly that is at the first such place, and where it never is, the part was in vain.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

use super::{Found, Scan, Settled};
use crate::candidate::Candidate;
use crate::number::Numbers;
use crate::ruleset::Ruleset;
use crate::tail::Ending;
use crate::view::View;

/// No part is shorter: a thread has to be worth it.
const LEAST: usize = 256 << 10;

/// One text does not take more of a machine than so many processors.
const MOST: usize = 4;

/// A part notes how it stands after so many bytes.
const STEP: usize = 4 << 10;

/// The secrets of a whole text.
pub(crate) fn find_all(rules: &Ruleset, text: &str) -> Vec<Found> {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    // Rules of the configuration go from line to line, and have all lines before behind them.
    let apart = if rules.has_customs() { 1 } else { text.len() / LEAST };
    let parts = match apart {
        0 | 1 => 1,
        _ => apart.min(MOST).min(*PROCESSORS.get_or_init(processors)),
    };
    let view = View::new(text, 0, Ending::Final);
    Numbers::default().number_all(rules, settle_all(rules, &view, parts))
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn settle_all(rules: &Ruleset, view: &View<'_>, parts: usize) -> Vec<Settled> {
    if parts < 2 {
        let mut scan = Scan::default();
        scan.advance(rules, view);
        return scan.settled;
    }
    let border = |part: usize| view.ceil(view.end() / parts * part);
    let (first, later) = thread::scope(|scope| {
        let begin = |part: usize| {
            let to = if part + 1 < parts { border(part + 1) } else { view.end() };
            let scan = move || Part::scan(rules, view, border(part), to);
            thread::Builder::new().spawn_scoped(scope, scan).ok()
        };
        let later: Vec<_> = (1..parts).map(begin).collect();
        let mut first = Scan::default();
        first.advance_to(rules, view, Some(border(1)));
        // What nobody could begin, or end, the one before does too.
        let join = |thread: thread::ScopedJoinHandle<'_, Part>| thread.join().ok();
        (first, later.into_iter().map(|thread| thread.and_then(join)).collect::<Vec<_>>())
    });
    let mut scan = first;
    let mut settled = std::mem::take(&mut scan.settled);
    for part in later.into_iter().flatten() {
        scan = part.follow(scan, rules, view, &mut settled);
    }
    scan.advance_to(rules, view, None);
    settled.append(&mut scan.settled);
    settled
}

/// A part of a text that was gone over without knowing what reaches into it.
struct Part {
    scan: Scan,
    /// Where it ends.
    end: usize,
    notes: Vec<Note>,
}

/// How a scan stands at a place: what begins before is settled.
struct Note {
    at: usize,
    /// Up to where it is, and what may come.
    covered: usize,
    candidates: Vec<Candidate>,
    /// So many secrets were settled.
    settled: usize,
}

impl Part {
    fn scan(rules: &Ruleset, view: &View<'_>, from: usize, end: usize) -> Self {
        let mut scan = Scan { scanned: from, covered: from, ..Scan::default() };
        let mut notes = Vec::new();
        for at in (from..end).step_by(STEP).skip(1) {
            scan.advance_to(rules, view, Some(at));
            notes.push(Note::of(&scan, at));
        }
        scan.advance_to(rules, view, Some(end));
        Self { scan, end, notes }
    }

    /// Goes on with `scan`, which came from before, and puts what is settled to the rest; gives the
    /// scan that stands at the end of the part.
    fn follow(
        mut self,
        mut scan: Scan,
        rules: &Ruleset,
        view: &View<'_>,
        settled: &mut Vec<Settled>,
    ) -> Scan {
        for note in &self.notes {
            scan.advance_to(rules, view, Some(note.at));
            settled.append(&mut scan.settled);
            if Note::of(&scan, note.at).is_like(note) {
                settled.extend(self.scan.settled.drain(note.settled..));
                self.scan.settled.clear();
                return self.scan;
            }
        }
        scan.advance_to(rules, view, Some(self.end));
        settled.append(&mut scan.settled);
        scan
    }
}

impl Note {
    fn of(scan: &Scan, at: usize) -> Self {
        let candidates = scan.candidates.clone().into_sorted_vec();
        Self { at, covered: scan.covered.max(at), candidates, settled: scan.settled.len() }
    }

    fn is_like(&self, other: &Self) -> bool {
        let pairs = || self.candidates.iter().zip(&other.candidates);
        self.covered == other.covered
            && self.candidates.len() == other.candidates.len()
            && pairs().all(|(one, other)| one.is_same(other))
    }
}

impl Scan {
    /// Goes as far as to settle all that begins before `limit`, in a text that is whole.
    fn advance_to(&mut self, rules: &Ruleset, view: &View<'_>, limit: Option<usize>) {
        self.limit = limit;
        self.advance(rules, view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Digest;
    use crate::{Config, rules};

    fn rules() -> Ruleset {
        Ruleset::new(&Config::standard()).unwrap()
    }

    /// Examples of rules and what stands between them, in no order.
    fn text(seed: u64, len: usize) -> String {
        let between =
            ["\n", " ", "=", "=\"", "\"", ": ", "KEY ", "okta_", "secret: ", "\u{e9}", "'"];
        let examples = rules::all().flat_map(|(_, rule)| rule.yes).map(|(text, _)| *text);
        let pieces: Vec<&str> = examples.collect();
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap()
        };
        let mut text = String::new();
        while text.len() < len {
            text.push_str(pieces[next() % pieces.len()]);
            for _ in 0..next() % 4 {
                text.push_str(between[next() % between.len()]);
            }
        }
        text
    }

    fn spans(settled: &[Settled]) -> Vec<(usize, usize, usize, Digest)> {
        settled.iter().map(|it| (it.start, it.end, it.id, it.digest.clone())).collect()
    }

    #[test]
    fn what_is_found_does_not_depend_on_the_parts() {
        let rules = rules();
        let mut found = 0;
        for seed in 1..20 {
            let text = text(seed, 6 * STEP);
            let view = View::new(&text, 0, Ending::Final);
            let whole = spans(&settle_all(&rules, &view, 1));
            for parts in 2..9 {
                assert_eq!(spans(&settle_all(&rules, &view, parts)), whole, "{seed} {parts}");
            }
            found += whole.len();
        }
        assert!(found > 2_000, "{found}");
    }

    #[test]
    fn a_part_is_taken_from_where_it_stands_like_what_comes_from_before() {
        let rules = rules();
        let mut taken = 0;
        for seed in 1..20 {
            let text = text(seed, 4 * STEP);
            let view = View::new(&text, 0, Ending::Final);
            let border = view.ceil(STEP + 1);
            let part = Part::scan(&rules, &view, border, view.end());
            let mut scan = Scan::default();
            scan.advance_to(&rules, &view, Some(border));
            let mut settled = std::mem::take(&mut scan.settled);
            assert!(settled.iter().all(|it| it.start < border), "{seed}");
            // A mark that the part does not have, and nobody looks at without rules of one's own.
            scan.searched = 7;
            let scan = part.follow(scan, &rules, &view, &mut settled);
            assert_eq!(spans(&settled), spans(&settle_all(&rules, &view, 1)), "{seed}");
            taken += usize::from(scan.searched == 0);
        }
        assert_eq!(taken, 19);
    }

    #[test]
    fn what_a_part_finds_inside_of_a_secret_from_before_does_not_count() {
        let rules = rules();
        let inner = "ghp_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg okta_key=Kp4Qx7Rm2Sn5Tb8Vw3Yz ";
        let mut differ = 0;
        for more in 0..96 {
            // The secret ends around the first place where both are compared, and what would be a
            // name in it stands before something that is random.
            let begin = "Kp4Qx7Rm2Sn5Tb8Vw3Yz".repeat(STEP / 32);
            let len = 2 * STEP - 96 + more - begin.len();
            let inside: String = inner.chars().cycle().take(len).collect();
            let text = format!(
                "password = \"{begin}{inside} okta_key\" = Kp4Qx7Rm2Sn5Tb8Vw3Yz \n{}",
                "nothing here\n".repeat(STEP / 4)
            );
            let view = View::new(&text, 0, Ending::Final);
            let whole = settle_all(&rules, &view, 1);
            let border = STEP;
            let part = Part::scan(&rules, &view, border, view.end());
            differ += usize::from(part.scan.settled.len() > whole.len());
            let mut scan = Scan::default();
            scan.advance_to(&rules, &view, Some(border));
            let mut settled = std::mem::take(&mut scan.settled);
            let mut scan = part.follow(scan, &rules, &view, &mut settled);
            scan.advance_to(&rules, &view, None);
            settled.append(&mut scan.settled);
            assert_eq!(spans(&settled), spans(&whole), "{more}");
        }
        assert_eq!(differ, 96);
    }

    #[test]
    fn a_secret_over_many_parts_is_one() {
        let rules = rules();
        let long = "Kp4Qx7Rm2Sn5Tb8Vw3Yz".repeat(STEP / 4);
        for text in [
            format!("password = \"{long}\"\npassword = \"another-one1\"\n"),
            format!("x {long} ghp_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg{long}"),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{long}\n-----END RSA PRIVATE KEY-----\n"),
        ] {
            let view = View::new(&text, 0, Ending::Final);
            let whole = spans(&settle_all(&rules, &view, 1));
            assert!(whole.iter().any(|(start, end, ..)| end - start > STEP), "{whole:?}");
            for parts in 2..6 {
                assert_eq!(spans(&settle_all(&rules, &view, parts)), whole);
            }
        }
    }

    #[test]
    fn numbers_go_on_over_the_parts() {
        let line = |number: usize| format!("DB_PASSWORD=hunter{}x-Kp4\n", number % 700);
        let text: String = (0..4 * LEAST / line(0).len()).map(line).collect();
        let found = find_all(&rules(), &text);
        assert!(text.len() > 3 * LEAST && found.len() > 30_000, "{}", found.len());
        for (index, one) in found.iter().enumerate() {
            assert_eq!(usize::try_from(one.nth).unwrap(), index % 700 + 1);
        }
    }
}
