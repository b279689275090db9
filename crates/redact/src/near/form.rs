//! What a value beside a name is made of, and the forms that issuers give to credentials.

use crate::class::Class;
use crate::judge::words::is_gibberish;
use crate::judge::{Counts, Look, Value, made_of};

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
    /// What is neither one of them nor a mark that joins words.
    unplain: usize,
}

impl<'v> Form<'v> {
    pub(super) fn of(value: Value<'v>) -> Self {
        let made = value.counts().map_or_else(|| made_of(value.as_bytes()), Counts::made);
        let (digits, lower, upper) = (made.digits(), made.lower(), made.upper());
        let joined = digits + lower + upper == value.len();
        Self { value, digits, lower, upper, joined, unplain: made.unplain() }
    }

    /// Digits of base 16 and nothing else.
    pub(super) fn hex(&self) -> bool {
        self.joined && self.value.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Letters, digits, the marks that join words, and nothing else.
    pub(super) fn plain(&self) -> bool {
        self.unplain == 0
    }

    /// The same, but for what it is padded with.
    pub(super) fn padded(&self) -> bool {
        let padding = self.value.len() - self.value.trim_end_matches('=').len();
        self.unplain == padding
    }

    /// Letters and digits that are no words.
    pub(super) fn mixed(&self) -> bool {
        let enough = self.digits > 1 || (self.digits > 0 && self.value.len() >= 10);
        enough && self.lower + self.upper > 1 && self.value.is_varied() && !self.value.is_wordy()
    }

    /// No person would have thought of it.
    pub(super) fn random(&self) -> bool {
        let Self { value, digits, joined, .. } = *self;
        let long = value.len() >= 20;
        let numeric = digits == value.len() && digits >= 16;
        let dense = long && joined && digits > 2;
        let speaks = || value.is_wordy() || !value.is_unspeakable();
        let letters = || {
            let joined = long && digits == 0 && joined;
            let joined = joined && (is_gibberish(&value) || !value.is_wordy());
            joined || (value.len() >= 32 && digits == 0 && !speaks())
        };
        let grouped = || long && digits > 5 && is_grouped(&value);
        let made = || (long && self.hex()) || numeric || dense || letters() || grouped();
        value.is_varied() && (self.mixed() || made())
    }
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
