//! Times as this dialect's clients expect them: `Sun Nov 15 2026 20:44:00 GMT+0000 …`.

use std::time::SystemTime;

use crate::timestamp::{Civil, civil};

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Writes a time, in UTC.
pub(in crate::reference) fn date(time: SystemTime) -> String {
    let Civil { year, month, day, hour, minute, second, weekday, .. } = civil(time);
    let name = |names: &[&'static str], index: i64| {
        usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("???")
    };
    let (weekday, month) = (name(&DAYS, weekday), name(&MONTHS, month - 1));
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    format!("{weekday} {month} {day:02} {year:04} {clock} GMT+0000 (Coordinated Universal Time)")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn known_instants_read_as_their_dates() {
        for (seconds, text) in [
            (0, "Thu Jan 01 1970 00:00:00"),
            (951_782_400, "Tue Feb 29 2000 00:00:00"),
            (1_794_775_440, "Sun Nov 15 2026 20:44:00"),
        ] {
            let whole = format!("{text} GMT+0000 (Coordinated Universal Time)");
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), whole);
        }
    }
}
