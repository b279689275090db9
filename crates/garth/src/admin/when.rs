//! Times of a gateway as people read them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time in milliseconds since 1970, as `2026-11-16 10:20:30` in UTC.
pub(super) fn shown(time_ms: i64) -> String {
    let since = Duration::from_millis(u64::try_from(time_ms).unwrap_or(0));
    let text = garth_ops::rfc3339(UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH));
    text.get(..19).unwrap_or_default().replace('T', " ")
}

/// The same, or a dash for none.
pub(super) fn perhaps(time_ms: Option<i64>) -> String {
    time_ms.map_or_else(|| "-".to_owned(), shown)
}

/// So long ago, in milliseconds since 1970.
pub(super) fn ago(time: Duration) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.saturating_sub(time).as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_to_the_second() {
        assert_eq!(shown(1_794_824_430_999), "2026-11-16 10:20:30");
        assert_eq!(perhaps(None), "-");
    }
}
