//! Times as text: RFC 3339 in UTC with milliseconds, and as headers of HTTP say them.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_A_DAY: i64 = 86_400;

/// A time taken apart, in UTC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) millis: i64,
    /// Counted from Sunday, which is 0.
    pub(crate) weekday: i64,
}

/// Writes a time, for example `2026-11-15T20:44:00.123Z`.
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    let Civil { year, month, day, hour, minute, second, millis, .. } = civil(time);
    if !(0..=9_999).contains(&year) {
        return format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        );
    }
    // Every entry of a listing has one, so it is written without the machinery of formats.
    let mut text = *b"0000-00-00T00:00:00.000Z";
    for (number, end, digits) in [
        (year, 4, 4),
        (month, 7, 2),
        (day, 10, 2),
        (hour, 13, 2),
        (minute, 16, 2),
        (second, 19, 2),
        (millis, 23, 3),
    ] {
        let mut left = number;
        for place in text.iter_mut().take(end).rev().take(digits) {
            *place += u8::try_from(left % 10).unwrap_or_default();
            left /= 10;
        }
    }
    // Digits and signs are text.
    str::from_utf8(&text).unwrap_or_default().to_owned()
}

/// Writes a time as headers of HTTP do, for example `Sun, 15 Nov 2026 20:44:00 GMT`;
/// nothing for one that they cannot say.
pub(crate) fn http_date(time: SystemTime) -> Option<String> {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let Civil { year, month, day, hour, minute, second, weekday, .. } = civil(time);
    let weekday = DAYS.get(usize::try_from(weekday).ok()?)?;
    let month = MONTHS.get(usize::try_from(month - 1).ok()?)?;
    (0..=9_999).contains(&year).then(|| {
        format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    })
}

/// Takes a time apart.
pub(crate) fn civil(time: SystemTime) -> Civil {
    const WEEKDAY_OF_1970: i64 = 4;
    let millis = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    };
    let (seconds, millis) = (millis.div_euclid(1000), millis.rem_euclid(1000));
    let (days, of_day) = (seconds.div_euclid(SECONDS_A_DAY), seconds.rem_euclid(SECONDS_A_DAY));
    let (year, month, day) = gregorian(days);
    Civil {
        year,
        month,
        day,
        hour: of_day / 3600,
        minute: of_day / 60 % 60,
        second: of_day % 60,
        millis,
        weekday: (days + WEEKDAY_OF_1970).rem_euclid(7),
    }
}

/// The Gregorian date of a day counted from 1970-01-01.
///
/// Years are taken to begin in March, so that the leap day is a year's last and
/// the months before it have a fixed pattern of lengths.
fn gregorian(days: i64) -> (i64, i64, i64) {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    const FROM_MARCH_OF_YEAR_0: i64 = 719_468;
    let days = days + FROM_MARCH_OF_YEAR_0;
    let (era, of_era) = (days.div_euclid(DAYS_IN_400_YEARS), days.rem_euclid(DAYS_IN_400_YEARS));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn known_instants_read_as_their_dates() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_794_775_440_123, "2026-11-15T20:44:00.123Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn a_header_says_a_time_in_words() {
        let time = UNIX_EPOCH + Duration::from_millis(1_794_775_440_123);
        assert_eq!(http_date(time).as_deref(), Some("Sun, 15 Nov 2026 20:44:00 GMT"));
    }

    #[test]
    fn a_year_of_more_than_four_digits_is_written_whole() {
        let time = UNIX_EPOCH + Duration::from_secs(253_402_300_800);
        assert_eq!(rfc3339(time - Duration::from_millis(1)), "9999-12-31T23:59:59.999Z");
        assert_eq!(rfc3339(time), "10000-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_time_before_1970_is_no_special_case() {
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_millis(1)), "1969-12-31T23:59:59.999Z");
    }
}
