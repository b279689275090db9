//! Which kinds of bytes a text has, found out in one pass: a bit for each kind.

/// The kinds that a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u16);

/// What people put into passwords; each is a kind of its own.
pub(crate) const MARKS: &[u8; 8] = b"!@#$%^&*";

const ALL_MARKS: u16 = 0xff;
const SURE_MARKS: u16 = 0x3f;
const DIGIT: u16 = 1 << 8;
const LETTER: u16 = 1 << 9;
const UNDERSCORE: u16 = 1 << 10;
const JOINT: u16 = 1 << 11;
const BRACKET: u16 = 1 << 12;
const OTHER: u16 = 1 << 13;

impl Kinds {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let kind = |byte: &u8| KIND.get(usize::from(*byte)).copied().unwrap_or_default();
        Self(bytes.iter().fold(0, |kinds, byte| kinds | kind(byte)))
    }

    pub(crate) fn digit(self) -> bool {
        self.0 & DIGIT != 0
    }

    /// Nothing but digits.
    pub(super) fn only_digits(self) -> bool {
        self.0 == DIGIT
    }

    /// A letter of ASCII.
    pub(crate) fn letter(self) -> bool {
        self.0 & LETTER != 0
    }

    /// Nothing but letters, digits and underscores.
    pub(super) fn only_names(self) -> bool {
        self.0 & !(DIGIT | LETTER | UNDERSCORE) == 0
    }

    pub(super) fn underscore(self) -> bool {
        self.0 & UNDERSCORE != 0
    }

    /// `=` or `:`.
    pub(crate) fn joint(self) -> bool {
        self.0 & JOINT != 0
    }

    /// `(`, `)` or `{`.
    pub(crate) fn bracket(self) -> bool {
        self.0 & BRACKET != 0
    }

    /// How many different [`MARKS`] there are.
    pub(crate) fn marks(self) -> u32 {
        (self.0 & ALL_MARKS).count_ones()
    }

    /// Whether a mark is there that is hardly code: all but the last two.
    pub(super) fn sure_mark(self) -> bool {
        self.0 & SURE_MARKS != 0
    }
}

static KIND: [u16; 256] = kinds();

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn kinds() -> [u16; 256] {
    let mut kinds = [OTHER; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            b'_' => UNDERSCORE,
            b'=' | b':' => JOINT,
            b'(' | b')' | b'{' => BRACKET,
            _ => OTHER,
        };
        byte += 1;
    }
    let mut mark = 0;
    while mark < MARKS.len() {
        kinds[MARKS[mark] as usize] = 1 << mark;
        mark += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_kinds_of_its_bytes() {
        for one in 0..=u8::MAX {
            for other in *b"a7_=({!*-" {
                let text = [one, other];
                let kinds = Kinds::of(&text);
                let any = |is: fn(&u8) -> bool| text.iter().any(is);
                let all = |is: fn(&u8) -> bool| text.iter().all(is);
                assert_eq!(kinds.digit(), any(u8::is_ascii_digit));
                assert_eq!(kinds.only_digits(), all(u8::is_ascii_digit));
                assert_eq!(kinds.letter(), any(u8::is_ascii_alphabetic));
                assert_eq!(kinds.underscore(), any(|byte| *byte == b'_'));
                let names = all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                assert_eq!(kinds.only_names(), names);
                assert_eq!(kinds.joint(), any(|byte| b"=:".contains(byte)));
                assert_eq!(kinds.bracket(), any(|byte| b"(){".contains(byte)));
                let marks = MARKS.iter().filter(|mark| text.contains(mark)).count();
                assert_eq!(kinds.marks(), u32::try_from(marks).unwrap());
                assert_eq!(kinds.sure_mark(), any(|byte| b"!@#$%^".contains(byte)));
            }
        }
    }
}
