//! Times as APIs write them: `2026-11-16T10:20:30Z`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Reads a time in UTC; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    // Parts of a second are of no interest.
    let [hour, minute, second] = numbers(time.split('.').next()?, ':')?;
    let sound = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    sound.then(|| UNIX_EPOCH + Duration::from_secs(seconds))
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let mut parts = text.split(between);
    let mut next = || parts.next().filter(|part| part.len() <= 4)?.parse().ok();
    let found = [next()?, next()?, next()?];
    parts.next().is_none().then_some(found)
}

/// Days since 1970; a year begins in March here, so that a leap day is its last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    (year * 365 + leaps + (153 * month + 2) / 5 + day).saturating_sub(719_469)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read() {
        let seconds = |text| parse(text).map(|at| at.duration_since(UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2000-02-29T12:00:00Z"), Some(951_825_600));
        assert_eq!(seconds("2026-11-16T10:20:30.123Z"), Some(1_794_824_430));
        for wrong in ["", "now", "2026-11-16", "2026-13-16T10:20:30Z", "2026-11-16T10:20:30+01:00"]
        {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
