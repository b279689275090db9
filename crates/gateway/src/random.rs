//! Random bytes for what nobody may guess.

use garth_contract::{Code, Error, Result};
use rustix::rand::{GetRandomFlags, getrandom};

/// 256 bits from the kernel.
///
/// # Errors
/// `INTERNAL` where the kernel gives none; nothing is made up in their place.
pub(crate) fn bytes() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    // Up to 256 bytes are given whole once the kernel has gathered enough.
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(32) => Ok(bytes),
        Ok(_) | Err(_) => Err(Error::new(Code::Internal, "the kernel gives no random bytes")),
    }
}

/// A name that no other has: 128 random bits in hexadecimal digits.
pub(crate) fn name() -> Result<String> {
    let bytes = bytes()?;
    Ok(crate::audit::hex(bytes.split_at(16).0))
}
