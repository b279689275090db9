//! Signed heads of the chain, in a file outside the database.
//!
//! A line says that the chain had this number with this hash, or that everything up
//! to it was dropped on purpose. Whoever can write the database alone cannot make
//! such a line, so what is before the last one cannot be changed unseen.

use std::{
    fmt,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use blake3::Hash;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use garth_contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};

use crate::{clock::millis, own_files};

/// The longest line that is read: several times what one is.
const MOST_LINE: u64 = 4 << 10;

/// Keeps these signatures apart from all others.
const CONTEXT: &[u8] = b"garth 2026 audit anchor, form 1";

/// Where heads are anchored.
pub(crate) struct Anchor {
    path: PathBuf,
    key: SigningKey,
    every_ms: i64,
    records: i64,
    last: Mutex<Last>,
}

/// The last head that was anchored since the start.
#[derive(Clone, Copy, Default)]
struct Last {
    sequence: i64,
    at_ms: i64,
}

/// What a line says of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    /// It was the last one at that time.
    Head,
    /// It and all before it were dropped.
    Base,
}

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    kind: Kind,
    sequence: i64,
    hash: String,
    time_ms: i64,
    signature: String,
}

/// The public half of the key, in 43 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// What is in an anchor file.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// What was the last record at some time.
    pub(crate) heads: Vec<(i64, Hash)>,
    /// Up to where records were dropped.
    pub(crate) bases: Vec<(i64, Hash)>,
    /// Lines that are no lines of ours, or whose signature is wrong.
    pub(crate) unusable: u64,
}

impl Anchor {
    pub(super) fn new(path: PathBuf, key: &Path, every: Duration, records: u64) -> Result<Self> {
        let text = own_files::key(key, make_key)?;
        let wrong = || Error::new(Code::Internal, "the audit's key file does not hold a key");
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| wrong())?;
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| wrong())?;
        Ok(Self {
            path,
            key: SigningKey::from_bytes(&bytes),
            every_ms: millis(every),
            records: i64::try_from(records).unwrap_or(i64::MAX),
            last: Mutex::new(Last::default()),
        })
    }

    pub(super) fn public_key(&self) -> PublicKey {
        PublicKey(self.key.verifying_key())
    }

    /// Anchors a head if one is due.
    pub(super) fn head_if_due(&self, sequence: i64, hash: &Hash, now_ms: i64) -> Result<()> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let new = sequence - last.sequence;
        let due = now_ms.saturating_sub(last.at_ms) >= self.every_ms || new >= self.records;
        if new == 0 || !due {
            return Ok(());
        }
        self.head(sequence, hash, now_ms)
    }

    /// Anchors a head now, unless it is the one that was anchored last.
    pub(super) fn head(&self, sequence: i64, hash: &Hash, now_ms: i64) -> Result<()> {
        let known = self.last.lock().unwrap_or_else(PoisonError::into_inner).sequence;
        if sequence == 0 || sequence == known {
            return Ok(());
        }
        self.append(Kind::Head, sequence, hash, now_ms)?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
            Last { sequence, at_ms: now_ms };
        Ok(())
    }

    /// Says that everything up to a record is dropped.
    pub(super) fn base(&self, sequence: i64, hash: &Hash, now_ms: i64) -> Result<()> {
        self.append(Kind::Base, sequence, hash, now_ms)
    }

    fn append(&self, kind: Kind, sequence: i64, hash: &Hash, time_ms: i64) -> Result<()> {
        let signature = self.key.sign(&signed(kind, sequence, hash, time_ms));
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        let line = Line { kind, sequence, hash: hash.to_hex().to_string(), time_ms, signature };
        let line = serde_json::to_string(&line)
            .map_err(|_| Error::new(Code::Internal, "an anchor could not be written"))?;
        own_files::append_line(&self.path, &line)
    }

    /// Reads every line, and checks its signature.
    pub(super) fn read(&self, key: &PublicKey) -> Result<Lines> {
        let mut found = Lines::default();
        let Some(file) = own_files::open(&self.path, "the audit's anchor file")? else {
            return Ok(found);
        };
        let mut file = BufReader::new(file);
        loop {
            let mut line = Vec::new();
            let read = file.by_ref().take(MOST_LINE).read_until(b'\n', &mut line);
            let unread = |_| Error::new(Code::Internal, "the audit's anchor file cannot be read");
            if read.map_err(unread)? == 0 {
                return Ok(found);
            }
            match line.trim_ascii() {
                [] => {}
                line => match key.check(line) {
                    Some((Kind::Head, sequence, hash)) => found.heads.push((sequence, hash)),
                    Some((Kind::Base, sequence, hash)) => found.bases.push((sequence, hash)),
                    None => found.unusable += 1,
                },
            }
        }
    }
}

impl PublicKey {
    /// Reads a key as [`Display`](fmt::Display) writes it.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::new(Code::InvalidParams, "this is not a public key of an audit");
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| wrong())?;
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| wrong())?;
        VerifyingKey::from_bytes(&bytes).map(Self).map_err(|_| wrong())
    }

    /// The line, if this key signed it.
    fn check(&self, line: &[u8]) -> Option<(Kind, i64, Hash)> {
        let line: Line = serde_json::from_slice(line).ok()?;
        let hash = Hash::from_hex(&line.hash).ok()?;
        let signature = URL_SAFE_NO_PAD.decode(&line.signature).ok()?;
        let signature = Signature::from_slice(&signature).ok()?;
        let signed = signed(line.kind, line.sequence, &hash, line.time_ms);
        self.0.verify_strict(&signed, &signature).ok()?;
        Some((line.kind, line.sequence, hash))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0.as_bytes()))
    }
}

/// What is signed: every field at a fixed place.
fn signed(kind: Kind, sequence: i64, hash: &Hash, time_ms: i64) -> Vec<u8> {
    let kind = match kind {
        Kind::Head => 0_u8,
        Kind::Base => 1,
    };
    let mut bytes = CONTEXT.to_vec();
    bytes.push(kind);
    bytes.extend_from_slice(&sequence.to_le_bytes());
    bytes.extend_from_slice(hash.as_bytes());
    bytes.extend_from_slice(&time_ms.to_le_bytes());
    bytes
}

fn make_key() -> Result<String> {
    Ok(format!("{}\n", URL_SAFE_NO_PAD.encode(crate::random::bytes()?)))
}
