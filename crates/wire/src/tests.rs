//! What the encoding is, and what hostile bytes can do to it.

mod golden;
mod hostile;
mod samples;
mod streams;

use bytes::Bytes;

use crate::{Frame, Packet, codec::PREAMBLE};

/// All bytes of a packet.
fn bytes(mut packet: Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(part) = packet.next() {
        bytes.extend_from_slice(part);
        let count = part.len();
        packet.advance(count);
    }
    bytes
}

/// The frame that these bytes are, if they are one.
fn frame(bytes: &[u8]) -> Option<Frame> {
    let head = usize::try_from(u32::from_le_bytes(*bytes.first_chunk()?)).ok()?;
    let body = usize::try_from(u64::from_le_bytes(*bytes.get(4..)?.first_chunk()?)).ok()?;
    let rest = Bytes::copy_from_slice(bytes.get(PREAMBLE..)?);
    (rest.len() == head.checked_add(body)?)
        .then(|| Frame { head: rest.slice(..head), body: rest.slice(head..) })
}
