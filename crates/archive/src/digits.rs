//! Decimal digits, where so many numbers are written that formatting them is felt.

/// Adds a number, with zeros before it if it has fewer digits than `least`.
pub(crate) fn push(out: &mut Vec<u8>, mut number: u64, least: usize) {
    let start = out.len();
    out.resize(start + count(number).max(least), b'0');
    for place in out.get_mut(start..).unwrap_or_default().iter_mut().rev() {
        *place += u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

/// How many digits a number has.
pub(crate) fn count(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |power| power as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_as_it_is_formatted() {
        for number in [0, 1, 9, 10, 99, 100, 12_345, 1_000_000_000, u64::MAX] {
            for least in [0, 1, 9, 30] {
                let mut out = b"a".to_vec();
                push(&mut out, number, least);
                assert_eq!(out, format!("a{number:0least$}").into_bytes());
            }
        }
    }
}
