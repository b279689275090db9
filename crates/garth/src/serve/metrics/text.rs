//! Numbers in the text format of Prometheus.

use std::fmt::Write as _;

/// What a family of numbers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It only goes up.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts by how long something took.
    Histogram,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A page that is being written.
#[derive(Default)]
pub(super) struct Text {
    page: String,
    family: &'static str,
}

impl Text {
    /// Begins a family; what follows belongs to it.
    pub(super) fn family(&mut self, name: &'static str, kind: Kind, help: &str) {
        self.family = name;
        let _ = writeln!(self.page, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
    }

    /// A number of the family.
    pub(super) fn number(&mut self, labels: &[(&str, &str)], number: u64) {
        self.part("", labels, &number.to_string());
    }

    /// A number of a part of the family.
    pub(super) fn part(&mut self, part: &str, labels: &[(&str, &str)], number: &str) {
        let _ = write!(self.page, "{}{part}", self.family);
        for (index, (name, value)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let _ = write!(self.page, "{before}{name}=\"{}\"", escaped(value));
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.page, "{end} {number}");
    }

    /// A family of one number.
    pub(super) fn one(&mut self, name: &'static str, kind: Kind, help: &str, number: u64) {
        self.family(name, kind, help);
        self.number(&[], number);
    }

    pub(super) fn page(self) -> String {
        self.page
    }
}

/// Microseconds as seconds.
pub(super) fn seconds(micros: u64) -> String {
    let (whole, rest) = (micros / 1_000_000, micros % 1_000_000);
    let text = format!("{whole}.{rest:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_under_their_family() {
        let mut text = Text::default();
        text.family("a_total", Kind::Counter, "All.");
        text.number(&[("x", "1\"2\\\n"), ("y", "z")], 7);
        text.one("b", Kind::Gauge, "Now.", 0);
        assert_eq!(
            text.page(),
            "# HELP a_total All.\n# TYPE a_total counter\na_total{x=\"1\\\"2\\\\\\n\",y=\"z\"} 7\n\
             # HELP b Now.\n# TYPE b gauge\nb 0\n"
        );
    }

    #[test]
    fn times_are_written_in_seconds() {
        for (micros, text) in [(0, "0"), (250, "0.00025"), (1_000_000, "1"), (2_500_000, "2.5")] {
            assert_eq!(seconds(micros), text);
        }
    }
}
