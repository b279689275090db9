//! What a value is made of, asked of its bytes alone.

use crate::class::Class;

/// The letters and digits of a name, in one case.
pub(super) fn letters(text: &str) -> impl Iterator<Item = u8> {
    let kept = text.bytes().filter(u8::is_ascii_alphanumeric);
    kept.map(|letter| letter.to_ascii_lowercase())
}

pub(super) fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../")
}

/// An address, or something with one in it.
pub(super) fn has_scheme(value: &str) -> bool {
    scheme(value.as_bytes()).is_some()
}

/// Where the first address has its mark, `://`.
pub(super) fn scheme(value: &[u8]) -> Option<usize> {
    let behind = |at: &usize| value.get(at + 1..).is_some_and(|rest| rest.starts_with(b"//"));
    memchr::memchr_iter(b':', value).find(behind)
}

/// An account of a block chain, which is there to be seen.
pub(crate) fn is_address(value: &str) -> bool {
    let digits = value.strip_prefix("0x").unwrap_or_default();
    digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A UUID, or the length and alphabet of a well-known hash.
pub(crate) fn is_hash_or_id(value: &str) -> bool {
    let hex = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hex && matches!(value.len(), 36 | 40 | 64 | 128)
}

/// The beginning of a UUID, which somebody cut off behind its second dash or later.
pub(crate) fn is_cut_id(value: &str) -> bool {
    let hex =
        value.bytes().fold(true, |all, byte| all & (byte.is_ascii_hexdigit() | (byte == b'-')));
    if !hex {
        return false;
    }
    let mut groups = value.split('-').map(str::len);
    let head = (groups.next(), groups.next(), groups.next()) == (Some(8), Some(4), Some(4));
    let rest = [groups.next().unwrap_or(0), groups.next().unwrap_or(0)];
    head && groups.next().is_none() && matches!(rest, [0..4, 0] | [4, 0..12])
}

/// One digit more or less than a hash has: somebody cut it or mistyped it, and it opens nothing.
///
/// Not what is called a secret: numbers are printed without the zeros they begin with.
pub(crate) fn is_cut_hash(value: &str) -> bool {
    let near = matches!(value.len(), 31 | 33 | 39 | 41 | 63 | 65);
    let hex = || value.bytes().all(|byte| byte.is_ascii_hexdigit());
    near && hex() && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether so many `=` have something else behind them: a machine pads with them, a list has more.
///
/// It is asked of the beginning of a value, which has fewer bytes than eight bits count.
pub(crate) fn has_joints(value: &[u8], least: u8) -> bool {
    if memchr::memchr(b'=', value).is_none() {
        return least == 0;
    }
    // Of many bytes at once.
    let behind = value.get(1..).unwrap_or_default();
    let joins = |(one, next): (&u8, &u8)| u8::from((*one == b'=') & (*next != b'='));
    value.iter().zip(behind).map(joins).fold(0, u8::wrapping_add) >= least
}

/// What a machine makes keys of.
pub(super) static KEY_BYTES: Class = Class::of(b"_-./+=~:%!").with_alphanumerics();

pub(super) fn is_url_base64(byte: u8) -> bool {
    crate::tail::is_base64(byte) || byte == b'%'
}

pub(super) fn is_letters(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphabetic())
}

pub(crate) fn has_digit(value: &str) -> bool {
    // Of many bytes at once.
    value.bytes().fold(false, |any, byte| any | byte.is_ascii_digit())
}

pub(super) fn has_letter(value: &str) -> bool {
    let letter = value.bytes().fold(false, |any, byte| any | byte.is_ascii_alphabetic());
    letter || (!value.is_ascii() && value.chars().any(char::is_alphabetic))
}

pub(super) fn has_hump(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.windows(2).any(
        |pair| matches!(pair, [low, high] if low.is_ascii_lowercase() && high.is_ascii_uppercase()),
    )
}

/// Whether a value has so many different bytes; most show it by their beginning.
pub(crate) fn has_distinct(value: &str, least: u32) -> bool {
    if value.as_bytes().first_chunk::<16>().is_some_and(|head| are_distinct(head, least)) {
        return true;
    }
    let mut seen = [0_u64; 4];
    value.as_bytes().chunks(16).any(|chunk| {
        for byte in chunk {
            if let Some(word) = seen.get_mut(usize::from(byte >> 6)) {
                *word |= 1 << (byte & 63);
            }
        }
        seen.iter().map(|word| word.count_ones()).sum::<u32>() >= least
    })
}

/// Whether so many bytes differ in their last six bits.
pub(super) fn are_distinct(bytes: &[u8], least: u32) -> bool {
    bytes.iter().fold(0_u64, |seen, byte| seen | 1 << (byte & 63)).count_ones() >= least
}

/// Whether base64 decodes to `name:password` in printable text.
pub(super) fn is_credential_pair(value: &str) -> bool {
    decoded(value).is_some_and(|text| text.contains(':') && !text.contains(char::is_control))
}

/// Whether what follows the last underscore is the name of an example host in base64.
pub(crate) fn is_encoded_example(value: &str) -> bool {
    let begin = memchr::memrchr(b'_', value.as_bytes()).map_or(0, |at| at + 1);
    let encoded = value.get(begin..).unwrap_or_default();
    // Nearly nothing that is random begins like the name of a host.
    if !encoded.as_bytes().first_chunk().is_some_and(begins_with_text) {
        return false;
    }
    decoded(encoded).is_some_and(|text| text.contains("example.") && !text.contains(' '))
}

/// Whether the first six bytes that base64 stands for are printed as they are.
fn begins_with_text(first: &[u8; 8]) -> bool {
    let (mut bits, mut digits) = (0_u64, 0);
    for digit in first.iter().take_while(|byte| **byte != b'=') {
        let Some(digit) = base64(*digit) else { return false };
        bits = bits << 6 | u64::from(digit);
        digits += 1;
    }
    let bytes = digits * 6 / 8;
    let spare = digits * 6 % 8;
    let graphic = |byte: u8| byte.is_ascii_graphic();
    (0..bytes).all(|index| u8::try_from(bits >> (spare + 8 * index) & 0xff).is_ok_and(graphic))
}

/// What base64 decodes to, where that is text.
pub(super) fn decoded(value: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(value.len());
    let mut bits = 0_u32;
    let mut held = 0_u32;
    for byte in value.bytes().take_while(|&byte| byte != b'=') {
        let digit = base64(byte)?;
        bits = (bits << 6 | u32::from(digit)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.extend(u8::try_from(bits >> held & 0xff));
        }
    }
    String::from_utf8(decoded).ok()
}

fn base64(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
