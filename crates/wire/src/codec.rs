//! Numbers, bytes and lists as they stand in a message.
//!
//! A message is a *head* and a *body*. Numbers are in base 128 with the low bits
//! first; what is long stands in the body, so that it is neither copied nor looked
//! at on its way. The order of what is put is the format: there are no names.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::{Buf, Bytes};

use crate::Fault;

/// The longest head of a message, in bytes: a list of all processes, or a batch of
/// results and the one that
/// filled it, with room to spare.
pub const MOST_HEAD: usize = 4 << 20;

/// Bytes up to this many stand in the head, more of them in the body.
pub(crate) const INLINE: usize = 8 << 10;

/// What comes before every head: its length and that of the body.
pub(crate) const PREAMBLE: usize = 12;

/// A body up to this long is sent in one piece with its head.
const JOINED: usize = 16 << 10;

/// Something that stands in a message.
pub(crate) trait Wire: Sized {
    fn put(&self, out: &mut Out);
    fn take(from: &mut In) -> Result<Self, Fault>;
}

/// A message while it is written.
#[derive(Debug)]
pub(crate) struct Out {
    head: Vec<u8>,
    body: Vec<Bytes>,
    body_length: u64,
}

impl Out {
    pub(crate) fn new() -> Self {
        Self { head: vec![0; PREAMBLE], body: Vec::new(), body_length: 0 }
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.head.push(byte);
    }

    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.head.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.head.push(low_bits(number));
    }

    /// Bytes that are short or are copied anyway.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        if bytes.len() <= INLINE {
            self.head.extend_from_slice(bytes);
        } else {
            self.append(Bytes::copy_from_slice(bytes));
        }
    }

    /// Bytes that can be shared instead of copied.
    pub(crate) fn shared(&mut self, bytes: &Bytes) {
        self.number(bytes.len() as u64);
        if bytes.len() <= INLINE {
            self.head.extend_from_slice(bytes);
        } else {
            self.append(bytes.clone());
        }
    }

    /// Bytes whose number both sides know.
    pub(crate) fn exactly(&mut self, bytes: &[u8]) {
        self.head.extend_from_slice(bytes);
    }

    fn append(&mut self, bytes: Bytes) {
        self.body_length += bytes.len() as u64;
        self.body.push(bytes);
    }

    /// How many bytes the message has so far.
    pub(crate) fn size(&self) -> u64 {
        self.head.len() as u64 + self.body_length
    }

    pub(crate) fn finish(mut self) -> Packet {
        let head = self.head.len() - PREAMBLE;
        let preamble = u32::try_from(head).unwrap_or(u32::MAX).to_le_bytes().into_iter();
        let preamble = preamble.chain(self.body_length.to_le_bytes());
        self.head.iter_mut().zip(preamble).for_each(|(place, byte)| *place = byte);
        if self.body_length <= JOINED as u64 {
            for part in std::mem::take(&mut self.body) {
                self.head.extend_from_slice(&part);
            }
        }
        let mut parts = vec![Bytes::from(self.head)];
        parts.append(&mut self.body);
        parts.reverse();
        Packet { head, parts }
    }
}

/// The low seven bits.
fn low_bits(number: u64) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or(0)
}

/// A message ready to be sent.
#[derive(Debug)]
pub struct Packet {
    head: usize,
    /// What is left to send, the last part first.
    parts: Vec<Bytes>,
}

impl Packet {
    /// Bytes as they are, for who tests what the other side makes of them.
    #[doc(hidden)]
    #[must_use]
    pub fn raw(bytes: Vec<u8>) -> Self {
        Self { head: bytes.len(), parts: vec![bytes.into()] }
    }

    /// Whether the other side would take it; only the head of a request, which holds
    /// what callers sent, can be too long.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.head <= MOST_HEAD
    }

    /// The bytes that are sent next; none when all are.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        while self.parts.last().is_some_and(Bytes::is_empty) {
            self.parts.pop();
        }
        self.parts.last().map(AsRef::as_ref)
    }

    /// Passes over bytes that were sent.
    pub(crate) fn advance(&mut self, count: usize) {
        if let Some(part) = self.parts.last_mut() {
            part.advance(count.min(part.len()));
        }
    }
}

/// A message while it is read.
#[derive(Debug)]
pub(crate) struct In {
    head: Bytes,
    body: Bytes,
}

impl In {
    pub(crate) fn new(head: Bytes, body: Bytes) -> Self {
        Self { head, body }
    }

    /// Whether the head has been read to its end.
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Ends the reading: nothing may be left.
    pub(crate) fn end(self) -> Result<(), Fault> {
        if self.head.is_empty() && self.body.is_empty() {
            return Ok(());
        }
        Err(Fault::Malformed("something follows its end"))
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Fault> {
        if self.head.is_empty() {
            return Err(TOO_SHORT);
        }
        Ok(self.head.get_u8())
    }

    pub(crate) fn number(&mut self) -> Result<u64, Fault> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                // One number, one text.
                let padded = byte == 0 && shift > 0;
                return if padded { Err(BAD_NUMBER) } else { Ok(number) };
            }
        }
        Err(BAD_NUMBER)
    }

    pub(crate) fn bytes(&mut self) -> Result<Bytes, Fault> {
        let length = usize::try_from(self.number()?).map_err(|_| TOO_SHORT)?;
        let from = if length <= INLINE { &mut self.head } else { &mut self.body };
        if length > from.len() {
            return Err(TOO_SHORT);
        }
        Ok(from.split_to(length))
    }

    pub(crate) fn exactly<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        if N > self.head.len() {
            return Err(TOO_SHORT);
        }
        let mut bytes = [0; N];
        self.head.copy_to_slice(&mut bytes);
        Ok(bytes)
    }
}

const TOO_SHORT: Fault = Fault::Malformed("it ends too early");
const BAD_NUMBER: Fault = Fault::Malformed("a number is not in its shortest form");
pub(crate) const UNKNOWN: Fault = Fault::Malformed("a choice that there is not");
pub(crate) const BAD_VALUE: Fault = Fault::Malformed("a value that cannot be");

/// Enums without fields, each variant under its number.
macro_rules! choices {
    ($($type:ident { $($variant:ident = $number:literal),+ $(,)? })+) => {$(
        impl Wire for $type {
            fn put(&self, out: &mut Out) {
                out.byte(match self { $(Self::$variant => $number),+ });
            }

            fn take(from: &mut In) -> Result<Self, Fault> {
                Ok(match from.byte()? {
                    $($number => Self::$variant,)+
                    _ => return Err($crate::codec::UNKNOWN),
                })
            }
        }
    )+};
}
pub(crate) use choices;

/// Structs, field by field.
macro_rules! fields {
    ($($type:ident { $($field:ident),+ $(,)? })+) => {$(
        impl Wire for $type {
            fn put(&self, out: &mut Out) {
                $(self.$field.put(out);)+
            }

            fn take(from: &mut In) -> Result<Self, Fault> {
                Ok(Self { $($field: Wire::take(from)?),+ })
            }
        }
    )+};
}
pub(crate) use fields;

/// Numbers that are narrower than what a message can hold.
macro_rules! numbers {
    ($($type:ident)+) => {$(
        impl Wire for $type {
            fn put(&self, out: &mut Out) {
                out.number(*self as u64);
            }

            fn take(from: &mut In) -> Result<Self, Fault> {
                Self::try_from(from.number()?).map_err(|_| BAD_VALUE)
            }
        }
    )+};
}

numbers! { u16 u32 u64 usize }

impl Wire for u8 {
    fn put(&self, out: &mut Out) {
        out.byte(*self);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        from.byte()
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Out) {
        out.byte(u8::from(*self));
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(UNKNOWN),
        }
    }
}

impl Wire for Bytes {
    fn put(&self, out: &mut Out) {
        out.shared(self);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        from.bytes()
    }
}

impl Wire for String {
    fn put(&self, out: &mut Out) {
        out.bytes(self.as_bytes());
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Self::from_utf8(from.bytes()?.to_vec()).map_err(|_| BAD_VALUE)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Out) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(if bool::take(from)? { Some(T::take(from)?) } else { None })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Out) {
        out.number(self.len() as u64);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let count = from.number()?;
        // Every item has a byte, so that a count alone makes nobody allocate.
        if count > from.head.len() as u64 {
            return Err(TOO_SHORT);
        }
        (0..count).map(|_| T::take(from)).collect()
    }
}

impl Wire for Duration {
    fn put(&self, out: &mut Out) {
        out.number(self.as_secs());
        self.subsec_nanos().put(out);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let (seconds, nanos) = (from.number()?, u32::take(from)?);
        if nanos >= 1_000_000_000 { Err(BAD_VALUE) } else { Ok(Self::new(seconds, nanos)) }
    }
}

impl Wire for SystemTime {
    fn put(&self, out: &mut Out) {
        match self.duration_since(UNIX_EPOCH) {
            Ok(after) => {
                out.byte(0);
                after.put(out);
            }
            Err(before) => {
                out.byte(1);
                before.duration().put(out);
            }
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let time = match from.byte()? {
            0 => UNIX_EPOCH.checked_add(Duration::take(from)?),
            1 => UNIX_EPOCH.checked_sub(Duration::take(from)?),
            _ => return Err(UNKNOWN),
        };
        time.ok_or(BAD_VALUE)
    }
}
