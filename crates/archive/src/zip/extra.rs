//! Extra fields of an entry, and the clock of old that zip files keep.

use super::field;
use crate::moment::Moment;

/// Adds the field that says when an entry was modified, where 32 bits can.
pub(super) fn push_time(out: &mut Vec<u8>, moment: Moment) {
    let Ok(seconds) = i32::try_from(moment.seconds) else { return };
    out.extend_from_slice(&field::TIMES.to_le_bytes());
    out.extend_from_slice(&5_u16.to_le_bytes());
    out.push(1);
    out.extend_from_slice(&seconds.to_le_bytes());
}

/// Adds the field of numbers that need 64 bits.
pub(super) fn push_large(out: &mut Vec<u8>, numbers: &[u64]) {
    if numbers.is_empty() {
        return;
    }
    out.extend_from_slice(&field::LARGE.to_le_bytes());
    let length = u16::try_from(numbers.len() * 8).unwrap_or(u16::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// The content of a field; `None` when there is none, or the fields are malformed.
pub(super) fn find(mut extra: &[u8], kind: u16) -> Option<&[u8]> {
    while let [a, b, c, d, rest @ ..] = extra {
        let length = usize::from(u16::from_le_bytes([*c, *d]));
        let content = rest.get(..length)?;
        if u16::from_le_bytes([*a, *b]) == kind {
            return Some(content);
        }
        extra = rest.get(length..)?;
    }
    None
}

/// When an entry was modified, as its extra field says.
pub(super) fn time(extra: &[u8]) -> Option<Moment> {
    match find(extra, field::TIMES)? {
        [flags, a, b, c, d, ..] if flags & 1 == 1 => {
            let seconds = i32::from_le_bytes([*a, *b, *c, *d]);
            Some(Moment { seconds: seconds.into(), nanos: 0 })
        }
        _ => None,
    }
}

/// Days from the epoch to the first of January 1980, where this clock begins.
const START: i64 = 3652;
/// The last day it knows, of the year 2107.
const END: i64 = 50_402;
const DAY: i64 = 86_400;

/// Time and date of the clock, in steps of two seconds, at UTC.
pub(super) fn clock(moment: Moment) -> (u16, u16) {
    let day = moment.seconds.div_euclid(DAY);
    let (day, second) = if day < START {
        (START, 0)
    } else if day > END {
        (END, DAY - 1)
    } else {
        (day, moment.seconds.rem_euclid(DAY))
    };
    let (year, month, day) = date(day);
    let time = (second / 3600) << 11 | (second / 60 % 60) << 5 | (second % 60 / 2);
    let date = (year - 1980) << 9 | month << 5 | day;
    (u16::try_from(time).unwrap_or(0), u16::try_from(date).unwrap_or(0))
}

/// The moment that time and date of the clock mean, at UTC.
pub(super) fn moment(time: u16, date: u16) -> Option<Moment> {
    let (time, date) = (i64::from(time), i64::from(date));
    let (year, month, day) = (1980 + (date >> 9), date >> 5 & 15, date & 31);
    let (hour, minute, second) = (time >> 11, time >> 5 & 63, (time & 31) * 2);
    let real = (1..=12).contains(&month) && day >= 1 && hour < 24 && minute < 60 && second < 60;
    let days = days(year, month, day);
    if !real || self::date(days) != (year, month, day) {
        return None;
    }
    Some(Moment { seconds: days * DAY + hour * 3600 + minute * 60 + second, nanos: 0 })
}

/// Days from the epoch to a date; years begin in March here, so leap days come last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day counted from the epoch.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Moment {
        Moment { seconds, nanos: 0 }
    }

    #[test]
    fn the_clock_of_old_counts_in_steps_of_two_seconds() {
        // 2024-02-29 23:59:58, and its neighbours.
        assert_eq!(clock(at(1_709_251_198)), (0xbf7d, 0x585d));
        for seconds in [315_532_800, 1_709_251_198, 1_709_251_200, 4_354_819_198] {
            let (time, date) = clock(at(seconds));
            assert_eq!(moment(time, date), Some(at(seconds)));
        }
        assert_eq!(clock(at(0)), clock(at(315_532_800)));
        assert_eq!(clock(at(i64::MAX)), clock(at(4_354_819_199)));
        assert_eq!(moment(0, 0), None);
        assert_eq!(moment(0, 31 << 5), None);
        assert_eq!(moment(0, 2 << 5 | 30), None);
    }

    #[test]
    fn fields_are_found_and_lies_about_their_length_are_not() {
        let mut extra = Vec::new();
        push_large(&mut extra, &[7]);
        push_time(&mut extra, at(-5));
        assert_eq!(find(&extra, field::LARGE), Some(&7_u64.to_le_bytes()[..]));
        assert_eq!(time(&extra), Some(at(-5)));
        assert_eq!(find(&extra, 0x1234), None);
        extra[2] = 200;
        assert_eq!(time(&extra), None);
    }
}
