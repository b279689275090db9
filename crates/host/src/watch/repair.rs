//! When all watches are set afresh.

use std::time::{Duration, Instant};

/// After a repair, how many times its own length passes before the next one: who
/// writes in a storm, or edits an ignore file in a loop, keeps no core busy.
const REST: u32 = 4;
/// How long after a repair that failed the next one comes; each time twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LAST_PAUSE: Duration = Duration::from_secs(60);

/// When the next repair is due, if one is needed.
#[derive(Debug, Default)]
pub(super) struct Repair {
    due: Option<Instant>,
    not_before: Option<Instant>,
    pause: Duration,
}

impl Repair {
    /// Asks for a repair as soon as one may be made.
    pub(super) fn ask(&mut self, now: Instant) {
        if self.due.is_none() {
            self.due = Some(self.not_before.map_or(now, |earliest| earliest.max(now)));
        }
    }

    /// How long it is until the next repair; `None` when none is needed.
    pub(super) fn due_in(&self, now: Instant) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(now))
    }

    pub(super) fn succeeded(&mut self, started: Instant, now: Instant) {
        self.due = None;
        self.pause = Duration::ZERO;
        let rest = now.saturating_duration_since(started).saturating_mul(REST);
        self.not_before = now.checked_add(rest);
    }

    /// Something could not be watched: tries again later.
    pub(super) fn failed(&mut self, now: Instant) {
        self.pause = self.pause.saturating_mul(2).clamp(FIRST_PAUSE, LAST_PAUSE);
        self.due = now.checked_add(self.pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_repair_is_due_at_once_and_the_next_after_a_rest() {
        let start = Instant::now();
        let end = start + Duration::from_millis(10);
        let mut repair = Repair::default();
        assert_eq!(repair.due_in(start), None);
        repair.ask(start);
        assert_eq!(repair.due_in(start), Some(Duration::ZERO));
        repair.succeeded(start, end);
        assert_eq!(repair.due_in(end), None);
        repair.ask(end);
        assert_eq!(repair.due_in(end), Some(Duration::from_millis(40)));
    }

    #[test]
    fn failed_repairs_come_ever_more_rarely_until_one_succeeds() {
        let now = Instant::now();
        let mut repair = Repair::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            repair.failed(now);
            pauses.push(repair.due_in(now).unwrap().as_secs());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        repair.succeeded(now, now);
        repair.failed(now);
        assert_eq!(repair.due_in(now), Some(FIRST_PAUSE));
    }
}
