//! `view_range`, by which other tools name lines: the first and the last.

use garth_contract::Result;
use serde::Deserialize;

use super::invalid;

/// `[first, last]`: lines counted from 1, the last included, -1 for the end.
///
/// No schema shows it; it is for callers who know it from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct ViewRange(Vec<i64>);

impl ViewRange {
    /// The first line, counted from 1, and how many there are; all if none is said.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything but two numbers in order.
    pub(crate) fn lines(&self) -> Result<(u64, Option<u64>)> {
        let wrong = || {
            let what = "the first and the last line, counted from 1; -1 is the end";
            invalid(format!("view_range must be {what}"))
        };
        let &[first, last] = self.0.as_slice() else { return Err(wrong()) };
        let first = u64::try_from(first).ok().filter(|first| *first > 0).ok_or_else(wrong)?;
        if last == -1 {
            return Ok((first, None));
        }
        let last = u64::try_from(last).ok().filter(|last| *last >= first).ok_or_else(wrong)?;
        Ok((first, Some(last - first + 1)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::params::parse;

    #[derive(Debug, Deserialize)]
    struct Sample {
        view_range: ViewRange,
    }

    #[test]
    fn two_lines_are_a_range_and_minus_one_is_the_end() {
        for (range, lines) in [
            (json!([1, 1]), (1, Some(1))),
            (json!([3, 7]), (3, Some(5))),
            (json!([3, -1]), (3, None)),
            (json!("[3, 7]"), (3, Some(5))),
            (json!(["3", 7.0]), (3, Some(5))),
            (json!([3.0, -1.0]), (3, None)),
        ] {
            let sample: Sample = parse(json!({"view_range": range})).unwrap();
            assert_eq!(sample.view_range.lines(), Ok(lines), "{range}");
        }
    }

    #[test]
    fn everything_else_is_no_range() {
        for range in [
            json!([]),
            json!([1]),
            json!([1, 2, 3]),
            json!([0, 1]),
            json!([-1, 1]),
            json!([2, 1]),
            json!([1, -2]),
        ] {
            let sample: Sample = parse(json!({"view_range": range})).unwrap();
            assert!(sample.view_range.lines().is_err(), "{range}");
        }
        for range in [json!(1), json!("1-2"), json!([1, "x"]), json!({"first": 1})] {
            assert!(parse::<Sample>(json!({"view_range": range})).is_err(), "{range}");
        }
    }
}
