//! Where a call belongs among the calls of other programs, as W3C Trace Context says it.

/// What a caller said of the trace that its call is a part of, in `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The trace.
    pub id: [u8; 16],
    /// What of the trace the call was made by.
    pub parent: [u8; 8],
    /// Whether the trace is kept.
    pub sampled: Sampled,
}

/// Whether a trace is kept, which its first program decides for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// It is.
    Yes,
    /// It is not, and nothing is told of it.
    No,
}

impl Trace {
    /// Reads a `traceparent`; anything else counts as none, as the specification wants.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let [version] = digits(parts.next()?)?;
        let id: [u8; 16] = digits(parts.next()?)?;
        let parent: [u8; 8] = digits(parts.next()?)?;
        let [flags] = digits(parts.next()?)?;
        // A later version may say more behind what this one says, and 255 is none.
        let more = parts.next().is_some();
        if version == 0xff || (version == 0 && more) || id == [0; 16] || parent == [0; 8] {
            return None;
        }
        let sampled = if flags & 1 == 1 { Sampled::Yes } else { Sampled::No };
        Some(Self { id, parent, sampled })
    }
}

/// Bytes of which each is two lower-case hexadecimal digits.
fn digits<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_parent_is_read_as_it_is_sent() {
        let trace = Trace {
            id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes(),
            parent: 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes(),
            sampled: Sampled::Yes,
        };
        assert_eq!(Trace::parse(SENT), Some(trace));
        let unsampled = Trace { sampled: Sampled::No, ..trace };
        assert_eq!(Trace::parse(&SENT.replace("-01", "-02")), Some(unsampled));
        let later = format!("{}-what-a-later-one-says", SENT.replacen("00", "01", 1));
        assert_eq!(Trace::parse(&later), Some(trace));
    }

    #[test]
    fn what_is_no_parent_counts_as_none() {
        let zeros = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
        let nobody = "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01";
        let more = format!("{SENT}-more");
        let (upper, unknown) = (SENT.to_uppercase(), SENT.replacen("00", "ff", 1));
        let (long, no_digit) = (SENT.replace("-01", "-001"), SENT.replace("4bf9", "4bé9"));
        for text in ["", "x", "00", "00---", zeros, nobody, &more, &upper, &unknown, &long] {
            assert_eq!(Trace::parse(text), None, "{text:?}");
        }
        assert_eq!(Trace::parse(&no_digit), None);
    }
}
