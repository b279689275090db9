//! The figures, and whether they meet the goals.

use std::time::Duration;

use crate::contender::Who;

/// What one contender did in one row.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) times: Vec<Duration>,
    pub(crate) failure: Option<String>,
}

impl Measured {
    pub(crate) fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Figures {
    lines: Vec<Line>,
}

struct Line {
    row: &'static str,
    who: Who,
    figure: Figure,
}

enum Figure {
    Times { median: Duration, high: Duration, count: usize },
    Kilobytes(u64),
    Failed(String),
}

impl Figures {
    pub(crate) fn times(&mut self, row: &'static str, who: Who, measured: Measured) {
        let Measured { mut times, failure } = measured;
        times.sort();
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        let figure = match failure {
            Some(words) => Figure::Failed(words),
            None if times.is_empty() => return,
            None => Figure::Times { median: at(50), high: at(99), count: times.len() },
        };
        self.lines.push(Line { row, who, figure });
    }

    pub(crate) fn memory(&mut self, row: &'static str, who: Who, kilobytes: u64) {
        self.lines.push(Line { row, who, figure: Figure::Kilobytes(kilobytes) });
    }

    pub(crate) fn print(&self) {
        println!("{:20} {:22} {:>12} {:>12}", "", "", "p50", "p99");
        for Line { row, who, figure } in &self.lines {
            let who = who.name();
            match figure {
                Figure::Times { median, high, count } => {
                    println!("{row:20} {who:22} {median:>12.1?} {high:>12.1?}  of {count}");
                }
                Figure::Kilobytes(kilobytes) => {
                    println!("{row:20} {who:22} {:>9.1} MB", megabytes(*kilobytes));
                }
                Figure::Failed(words) => println!("{row:20} {who:22} fails: {words}"),
            }
        }
    }

    pub(crate) fn have_none_of(&self, row: &str) -> bool {
        self.lines.iter().all(|line| line.row != row)
    }

    fn of(&self, row: &str, who: Who) -> Option<&Figure> {
        let found = self.lines.iter().find(|line| line.row == row && line.who == who);
        found.map(|line| &line.figure)
    }
}

fn megabytes(kilobytes: u64) -> f64 {
    f64::from(u32::try_from(kilobytes).unwrap()) / 1024.0
}

/// The goals in time: ours in a row takes at most so many times as long as theirs.
const TIMES: &[(&str, Who, Who, f64)] = &[
    ("start-up", Who::Garth, Who::Floor, 2.0),
    ("start-up", Who::Workspace, Who::Floor, 2.0),
    ("read 4 KB", Who::Garth, Who::RustMcp, 0.4),
    ("write 4 KB", Who::Garth, Who::Floor, 1.3),
    ("edit 66 KB", Who::Garth, Who::Floor, 1.3),
    ("edit 66 KB", Who::Fast, Who::RustMcp, 0.5),
    ("list 10,000", Who::Garth, Who::Reference, 0.5),
    ("grep 4,000", Who::Workspace, Who::RustMcp, 0.1),
];
/// The goals in memory, in megabytes.
const MEMORY: &[(&str, Who, f64)] = &[
    ("RSS after start", Who::Garth, 20.0),
    ("RSS after start", Who::Workspace, 20.0),
    ("RSS, all rules used", Who::Workspace, 40.0),
];

/// Prints a line for each goal whose figures are there.
pub(crate) fn print(figures: &Figures) {
    for (row, ours, theirs, goal) in TIMES {
        let (us, them) = (ours.name(), theirs.name());
        match (figures.of(row, *ours), figures.of(row, *theirs)) {
            (
                Some(Figure::Times { median: our, .. }),
                Some(Figure::Times { median: their, .. }),
            ) => {
                let ratio = our.as_secs_f64() / their.as_secs_f64();
                let verdict = word(ratio <= *goal);
                println!("{verdict} {row}: {us} takes {ratio:.2}× of {them} (goal ≤ {goal}×)");
            }
            (Some(Figure::Failed(words)), _) => println!("short {row}: {us} fails: {words}"),
            _ => println!("skipped: {row}, {us} beside {them}"),
        }
    }
    for (row, who, goal) in MEMORY {
        if let Some(Figure::Kilobytes(kilobytes)) = figures.of(row, *who) {
            let (size, name) = (megabytes(*kilobytes), who.name());
            println!("{} {row}: {name} has {size:.1} MB (goal ≤ {goal})", word(size <= *goal));
        }
    }
}

fn word(met: bool) -> &'static str {
    if met { "pass" } else { "short" }
}
