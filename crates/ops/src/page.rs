//! A part of many results, and the sentence that says where the rest is.

use garth_contract::{Result, Total};
use garth_redact::{Clean, clean};
use garth_workspace::Limits;

use crate::{
    params::at_least_one,
    words::{Counted, Number},
};

/// Which of many results are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// How many are passed over.
    pub(crate) skip: u64,
    /// How many are wanted at most.
    pub(crate) take: u64,
}

/// Where a page of results stands among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) skip: u64,
    pub(crate) given: u64,
    pub(crate) total: Total,
}

impl Page {
    /// The page that a caller asked for, within the workspace's bounds.
    ///
    /// A larger `limit` than the workspace gives is not refused: the reply says
    /// that there is more.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a limit of 0.
    pub(crate) fn of(limits: &Limits, offset: Option<u64>, limit: Option<u64>) -> Result<Self> {
        let take = at_least_one("limit", limit)?.unwrap_or(limits.results);
        Ok(Self { skip: offset.unwrap_or(0), take: take.min(limits.most_results) })
    }
}

impl Place {
    /// The offset that shows what comes next; `None` when this was the end.
    pub(crate) fn next(self) -> Option<u64> {
        let reached = self.skip.saturating_add(self.given);
        let more = match self.total {
            Total::Exact(total) => reached < total,
            Total::AtLeast(_) => true,
        };
        more.then_some(reached)
    }

    /// How many there are in all, where that is known.
    pub(crate) fn total(self) -> Option<u64> {
        match self.total {
            Total::Exact(total) => Some(total),
            Total::AtLeast(_) => None,
        }
    }

    /// Says which of the results these are and how to see the next; `None` when
    /// they are all there is.
    pub(crate) fn footer(self, noun: &'static str) -> Option<Clean> {
        let reached = self.skip.saturating_add(self.given);
        let all = match self.total {
            Total::Exact(total) => clean![Counted(total, noun)],
            Total::AtLeast(seen) => clean!["at least ", Counted(seen.max(reached), noun)],
        };
        let range = match self.given {
            0 => clean!["nothing past the end of ", &all],
            _ => clean![Number(self.skip + 1), "-", Number(reached), " of ", &all],
        };
        match self.next() {
            Some(next) => Some(clean!["[", &range, "; go on with offset ", next, "]"]),
            None if self.skip > 0 => Some(clean!["[", &range, "]"]),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer(skip: u64, given: u64, total: Total) -> Option<String> {
        Place { skip, given, total }.footer("entry").map(Clean::into_string)
    }

    #[test]
    fn a_cut_result_says_so_and_how_to_go_on() {
        let text = footer(0, 1000, Total::Exact(5321));
        assert_eq!(text.as_deref(), Some("[1-1,000 of 5,321 entries; go on with offset 1000]"));
        let text = footer(1000, 10, Total::AtLeast(1010));
        assert_eq!(
            text.as_deref(),
            Some("[1,001-1,010 of at least 1,010 entries; go on with offset 1010]")
        );
    }

    #[test]
    fn a_whole_result_says_nothing_more() {
        assert_eq!(footer(0, 3, Total::Exact(3)), None);
        assert_eq!(footer(0, 0, Total::Exact(0)), None);
    }

    #[test]
    fn the_last_page_says_where_it_is() {
        assert_eq!(footer(2, 1, Total::Exact(3)).as_deref(), Some("[3-3 of 3 entries]"));
        assert_eq!(
            footer(9, 0, Total::Exact(3)).as_deref(),
            Some("[nothing past the end of 3 entries]")
        );
    }

    #[test]
    fn a_limit_is_kept_within_bounds() {
        let limits = Limits::standard();
        let take = |limit| Page::of(&limits, None, limit).map(|page| page.take);
        assert_eq!(take(None), Ok(1_000));
        assert_eq!(take(Some(5)), Ok(5));
        assert_eq!(take(Some(u64::MAX)), Ok(10_000));
        assert!(take(Some(0)).is_err());
    }
}
