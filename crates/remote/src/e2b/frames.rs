//! The messages of a stream: JSON, each behind a byte of flags and four of its length.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use garth_contract::Result;
use serde_json::Value;

use super::refuse::unruly;

/// What a stream is made of.
pub(super) const STREAM: &str = "application/connect+json";
/// The last message of a stream.
const END: u8 = 0b10;
/// A message that is compressed, which nobody asked for.
const COMPRESSED: u8 = 0b1;
/// The bytes before a message.
const HEAD: usize = 5;
/// The largest message that is read: output comes in pieces of some 10 KiB.
const MOST: usize = 8 << 20;

/// A message of a stream.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    /// One of several.
    One(Value),
    /// The last; it may say why there are no more.
    End(Value),
}

/// A message as it is sent.
pub(super) fn framed(message: &Value) -> Bytes {
    let text = message.to_string();
    let mut bytes = BytesMut::with_capacity(HEAD + text.len());
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
    bytes.put_slice(text.as_bytes());
    bytes.freeze()
}

/// Takes the next message of what has come, if it is there whole.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` for what is no message, or too large.
pub(super) fn take(bytes: &mut BytesMut) -> Result<Option<Frame>> {
    let Some((&[flags, a, b, c, d], _)) = bytes.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length > MOST || flags & COMPRESSED != 0 {
        return Err(unruly("a message is compressed or too large"));
    }
    if bytes.len() < HEAD + length {
        return Ok(None);
    }
    bytes.advance(HEAD);
    let text = bytes.split_to(length);
    let value = serde_json::from_slice(&text).map_err(|_| unruly("a message is not JSON"))?;
    Ok(Some(if flags & END != 0 { Frame::End(value) } else { Frame::One(value) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_taken_one_by_one_and_only_whole() {
        let mut bytes = BytesMut::from(&framed(&json!({ "a": 1 }))[..]);
        bytes.extend_from_slice(b"\x02\0\0\0\x02{}");
        let rest = bytes.split_off(4);
        assert_eq!(take(&mut bytes).unwrap(), None);
        bytes.unsplit(rest);
        assert_eq!(take(&mut bytes).unwrap(), Some(Frame::One(json!({ "a": 1 }))));
        assert_eq!(take(&mut bytes).unwrap(), Some(Frame::End(json!({}))));
        assert_eq!(take(&mut bytes).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for wrong in [&b"\x01\0\0\0\0"[..], b"\0\xff\0\0\0", b"\0\0\0\0\x01x", b"<html"] {
            assert!(take(&mut BytesMut::from(wrong)).is_err(), "{wrong:?}");
        }
    }
}
