//! What a value beside a name is made of, and the forms that issuers give to credentials.

use crate::class::Class;
use crate::judge::words::{is_gibberish, is_unspeakable};
use crate::judge::{Look, Value};

/// What a value is made of.
///
/// Most values are refused by what is counted here; what costs more is asked of it only then.
pub(super) struct Form<'v> {
    value: Value<'v>,
    pub(super) digits: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    /// Nothing but letters and digits.
    pub(super) joined: bool,
    /// Digits of base 16 and nothing else.
    pub(super) hex: bool,
}

impl<'v> Form<'v> {
    pub(super) fn of(value: Value<'v>) -> Self {
        let mut counts = 0_u64;
        for byte in value.bytes() {
            counts += COUNTED.get(usize::from(byte)).copied().unwrap_or_default();
        }
        let count = |place: u64| usize::try_from(counts >> place & 0xffff).unwrap_or(usize::MAX);
        let [digits, lower, upper, hex] = PLACES.map(count);
        let joined = digits + lower + upper == value.len();
        Self { value, digits, lower, upper, joined, hex: hex == value.len() }
    }

    /// Letters and digits that are no words.
    pub(super) fn mixed(&self) -> bool {
        let enough = self.digits > 1 || (self.digits > 0 && self.value.len() >= 10);
        enough && self.lower + self.upper > 1 && self.value.is_varied() && !self.value.is_wordy()
    }

    /// No person would have thought of it.
    pub(super) fn random(&self) -> bool {
        let Self { value, digits, joined, hex, .. } = *self;
        let long = value.len() >= 20;
        let numeric = digits == value.len() && digits >= 16;
        let dense = long && joined && digits > 2;
        let speaks = || value.is_wordy() || !is_unspeakable(value.as_bytes());
        let letters = || {
            let joined = long && digits == 0 && joined;
            let joined = joined && (is_gibberish(&value) || !value.is_wordy());
            joined || (value.len() >= 32 && digits == 0 && !speaks())
        };
        let grouped = || long && digits > 5 && is_grouped(&value);
        let made = || (long && hex) || numeric || dense || letters() || grouped();
        value.is_varied() && (self.mixed() || made())
    }
}

/// Where digits, small letters, capitals and digits of base 16 are counted, in one number: no value
/// that is judged has more of them than sixteen bits hold.
const PLACES: [u64; 4] = [0, 16, 32, 48];

/// What each byte adds.
static COUNTED: [u64; 256] = counted();

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn counted() -> [u64; 256] {
    let [digits, lower, upper, hex] = PLACES;
    let mut counted = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let digit = (byte.is_ascii_digit() as u64) << digits;
        let letters = (byte.is_ascii_lowercase() as u64) << lower
            | (byte.is_ascii_uppercase() as u64) << upper;
        counted[byte as usize] = digit | letters | (byte.is_ascii_hexdigit() as u64) << hex;
        byte += 1;
    }
    counted
}

pub(super) static PLAIN: Class = Class::of(b"-_").with_alphanumerics();

pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36 && value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// Groups of four, eight or twelve, some with digits: `kp4q-x7rm-2sn5-tb8v`.
pub(super) fn is_grouped(value: &str) -> bool {
    let (mut groups, mut numbered) = (0, 0);
    let even = value.split('-').all(|group| {
        groups += 1;
        numbered += usize::from(group.bytes().any(|byte| byte.is_ascii_digit()));
        matches!(group.len(), 4 | 8 | 12) && group.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    even && groups > 3 && numbered > 1
}

/// So long and so mixed that neither a host nor a path is like it.
pub(super) fn is_long_token(value: &str, form: &Form<'_>) -> bool {
    let mixed = form.digits > 8 && form.lower > 8 && form.upper > 8;
    value.len() >= 64 && mixed && value.bytes().all(|byte| PLAIN.has(byte) || byte == b'.')
}

/// Three random parts and nothing else; the parts of a host or a version are words or numbers.
pub(super) fn is_dotted_token(value: &str) -> bool {
    let random = |part: &str| {
        let look = Look::default();
        let form = Form::of(Value::new(part, &look));
        part.len() >= 16 && form.joined && form.digits > 1 && form.mixed()
    };
    value.split('.').count() == 3 && value.split('.').all(random)
}

/// `1.2.3-rc.4` and `2024.01.02+build.5` are versions.
pub(super) fn is_dotted_version(value: &str) -> bool {
    let head = value.strip_prefix('v').unwrap_or(value);
    let number = head.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&number) && head.as_bytes().get(number) == Some(&b'.')
}
