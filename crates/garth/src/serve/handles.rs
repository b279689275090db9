//! How many files and connections this process may have open at once.
//!
//! Systems begin a process with few handles and let it ask for more. Connections take
//! one each, so they get only a part: who only connects must not be able to keep others
//! from their files.

use garth_contract::{Code, Error, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Handles that connections leave to files, at least: the database and its readers, and
/// what calls have open that are under way.
const LEAST_LEFT: u64 = 128;
/// The part of all handles that connections leave: one in so many.
const LEFT_OF: u64 = 4;

/// Takes as many handles as the system gives, and says how many connections there can be
/// of those that are wanted.
///
/// # Errors
/// `INTERNAL` where there are too few to serve anybody.
pub(crate) fn take(wanted: usize) -> Result<usize> {
    let limit = getrlimit(Resource::Nofile);
    // Where more are refused, there are those that there were.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let all = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let can = most_connections(all);
    if can == 0 {
        let message = format!("this process may have only {all} open files");
        let hint = "Raise its limit of open files, for example with ulimit -n.";
        return Err(Error::new(Code::Internal, message).hint(hint));
    }
    if can < wanted {
        tracing::warn!(all, can, wanted, "The limit of open files allows fewer connections.");
    }
    Ok(can.min(wanted))
}

fn most_connections(all: u64) -> usize {
    let left = (all / LEFT_OF).max(LEAST_LEFT);
    usize::try_from(all.saturating_sub(left)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_handles_to_files() {
        for (all, connections) in [(0, 0), (128, 0), (256, 128), (1_024, 768), (20_000, 15_000)] {
            assert_eq!(most_connections(all), connections, "{all}");
        }
    }
}
