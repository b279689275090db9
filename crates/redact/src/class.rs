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
    fn a_class_has_what_it_names_and_nothing_else() {
        let class = Class::of(b"_-").with_alphanumerics();
        let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        assert!((0..=u8::MAX).all(|byte| class.has(byte) == named(byte)));
        let others = Class::but(b" \n");
        assert!((0..=u8::MAX).all(|byte| others.has(byte) != matches!(byte, b' ' | b'\n')));
    }
}
