//! A set of bytes that is asked for every byte of a run, so that asking has to cost nothing.

/// A set of bytes.
pub(crate) struct Class {
    members: [bool; 256],
}

impl Class {
    /// These bytes.
    pub(crate) const fn of(mut bytes: &[u8]) -> Self {
        let mut members = [false; 256];
        while let [first, rest @ ..] = bytes {
            members = set(members, *first, true);
            bytes = rest;
        }
        Self { members }
    }

    /// The same, and letters and digits.
    pub(crate) const fn with_alphanumerics(mut self) -> Self {
        let mut byte = 0_u8;
        while byte < 128 {
            if byte.is_ascii_alphanumeric() {
                self.members = set(self.members, byte, true);
            }
            byte += 1;
        }
        self
    }

    /// Every byte but these.
    pub(crate) const fn but(bytes: &[u8]) -> Self {
        let mut class = Self::of(bytes);
        let mut byte = 0_u8;
        loop {
            class.members = flip(class.members, byte);
            if byte == u8::MAX {
                return class;
            }
            byte += 1;
        }
    }

    /// Whether a byte is one of them.
    pub(crate) fn has(&self, byte: u8) -> bool {
        // The index is below the length, so nothing is checked here.
        self.members.get(usize::from(byte)).copied().unwrap_or(false)
    }

    /// How many bytes at the beginning are of them, as far as `most` go.
    pub(crate) fn run(&self, bytes: &[u8], most: usize) -> usize {
        let bytes = bytes.get(..most).unwrap_or(bytes);
        // By fours, as long as all of them are: one branch for four bytes.
        let (fours, _) = bytes.as_chunks::<4>();
        let all = |four: &[u8; 4]| four.iter().fold(true, |all, byte| all & self.has(*byte));
        let whole = 4 * fours.iter().position(|four| !all(four)).unwrap_or(fours.len());
        let rest = bytes.get(whole..).unwrap_or_default();
        whole + rest.iter().position(|byte| !self.has(*byte)).unwrap_or(rest.len())
    }

    /// Whether nothing else is in there.
    pub(crate) fn all(&self, bytes: &[u8]) -> bool {
        self.run(bytes, bytes.len()) == bytes.len()
    }
}

/// The run of one class that was gone through last: what begins in it does not go through it again.
#[derive(Debug, Default)]
pub(crate) struct LastRun {
    from: usize,
    to: usize,
}

impl LastRun {
    /// The same as [`Class::run`] for what stands `at` a position of the whole text.
    pub(crate) fn run(&mut self, class: &Class, (at, bytes): (usize, &[u8]), most: usize) -> usize {
        if !(self.from..=self.to).contains(&at) {
            *self = Self { from: at, to: at };
        }
        let known = self.to - at;
        if let Some(more) = most.checked_sub(known) {
            self.to += class.run(bytes.get(known..).unwrap_or_default(), more);
        }
        most.min(self.to - at).min(bytes.len())
    }
}

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn set(mut members: [bool; 256], byte: u8, is: bool) -> [bool; 256] {
    members[byte as usize] = is;
    members
}

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn flip(members: [bool; 256], byte: u8) -> [bool; 256] {
    let is = members[byte as usize];
    set(members, byte, !is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_as_long_wherever_one_asks() {
        let class = Class::of(b"_").with_alphanumerics();
        let text = b"abc_def ghi; a_long_one_that_goes_on_and_on  x";
        for step in 1..5 {
            let mut last = LastRun::default();
            for at in (0..text.len()).step_by(step).chain([3, 9, 0]) {
                for most in [1, 40, 7] {
                    let run = last.run(&class, (100 + at, &text[at..]), most);
                    assert_eq!(run, class.run(&text[at..], most), "{at} {most}");
                }
            }
        }
    }

    #[test]
    fn a_class_has_what_it_names_and_nothing_else() {
        let class = Class::of(b"_-").with_alphanumerics();
        let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        assert!((0..=u8::MAX).all(|byte| class.has(byte) == named(byte)));
        for (text, most, run) in [
            (&b"a_b c"[..], 9, 3),
            (b"a_b", 2, 2),
            (b" a", 9, 0),
            (b"", 9, 0),
            (b"abcdefg-h_i;jklm", 99, 11),
            (b"abcdefgh", 7, 7),
        ] {
            assert_eq!(class.run(text, most), run);
            assert_eq!(class.all(text), class.run(text, usize::MAX) == text.len());
        }
        let others = Class::but(b" \n");
        assert!((0..=u8::MAX).all(|byte| others.has(byte) != matches!(byte, b' ' | b'\n')));
    }
}
