//! The first words on a pipe: who speaks, in which generation, of which session.
//!
//! Their shape is the same in all generations, so that two that differ can say so.

use std::io;

use bytes::Bytes;
use garth_contract::{Abilities, ProcessId, ShellAbilities};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::{
    Fault,
    codec::{In, Out, PREAMBLE, Wire, fields},
};

/// What a pipe to a guest begins with, in both directions.
const MAGIC: [u8; 8] = *b"\x7fgarth\r\n";

/// The generation of all messages: it changes when the meaning of a byte does.
pub const GENERATION: u32 = 3;

/// The longest welcome, in bytes; one has about forty.
const MOST_WELCOME: usize = 4 << 10;

/// One life of a guest: processes live within it, and are lost with it.
pub type Session = [u8; 16];

/// What a guest says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// Which life of it this is.
    pub session: Session,
    /// The number of its first process: none before are its own.
    pub first: ProcessId,
    /// What it can do with files.
    pub files: Abilities,
    /// What it can do with commands.
    pub shell: ShellAbilities,
}

fields! { Welcome { session, first, files, shell } }

impl Wire for Session {
    fn put(&self, out: &mut Out) {
        out.exactly(self);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        from.exactly()
    }
}

/// Why there is no guest at the other end that can be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// It is gone before it said its name.
    Gone,
    /// It is no guest.
    NoGuest,
    /// It is one of another generation.
    Generation(u32),
}

/// Says hello and hears what the guest says of itself.
///
/// # Errors
/// [`Stranger`]. Time has no bound here.
pub async fn ask<P>(pipe: &mut P) -> Result<Welcome, Stranger>
where
    P: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    say(pipe, &[]).await.map_err(|_| Stranger::Gone)?;
    let words = hear(pipe).await?;
    let mut from = In::new(words, Bytes::new());
    let welcome = Welcome::take(&mut from).map_err(|_| Stranger::NoGuest)?;
    from.end().map_err(|_| Stranger::NoGuest)?;
    Ok(welcome)
}

/// Hears a hello and says what this guest is.
///
/// # Errors
/// [`Stranger`]; one of another generation is told this one. Time has no bound here.
pub async fn answer<P>(pipe: &mut P, welcome: &Welcome) -> Result<(), Stranger>
where
    P: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let heard = hear(pipe).await;
    let words = match &heard {
        Err(Stranger::Generation(_)) => Bytes::new(),
        Ok(_) | Err(Stranger::Gone | Stranger::NoGuest) => words(welcome),
    };
    if heard.is_ok() || matches!(heard, Err(Stranger::Generation(_))) {
        say(pipe, &words).await.map_err(|_| Stranger::Gone)?;
    }
    heard.map(drop)
}

/// A welcome in bytes.
fn words(welcome: &Welcome) -> Bytes {
    let mut out = Out::new();
    welcome.put(&mut out);
    let mut packet = out.finish();
    let words = packet.next().and_then(|words| words.get(PREAMBLE..));
    Bytes::copy_from_slice(words.unwrap_or_default())
}

async fn say<P: AsyncWrite + Unpin + ?Sized>(pipe: &mut P, words: &[u8]) -> io::Result<()> {
    let length = u32::try_from(words.len()).unwrap_or(0);
    let parts = [&MAGIC[..], &GENERATION.to_le_bytes(), &length.to_le_bytes(), words];
    pipe.write_all(&parts.concat()).await?;
    pipe.flush().await
}

async fn hear<P: AsyncRead + Unpin + ?Sized>(pipe: &mut P) -> Result<Bytes, Stranger> {
    let gone = |_| Stranger::Gone;
    let mut magic = [0; MAGIC.len()];
    pipe.read_exact(&mut magic).await.map_err(gone)?;
    if magic != MAGIC {
        return Err(Stranger::NoGuest);
    }
    let generation = pipe.read_u32_le().await.map_err(gone)?;
    let length = pipe.read_u32_le().await.map_err(gone)?;
    if generation != GENERATION {
        return Err(Stranger::Generation(generation));
    }
    let length = usize::try_from(length).ok().filter(|length| *length <= MOST_WELCOME);
    let mut words = vec![0; length.ok_or(Stranger::NoGuest)?];
    pipe.read_exact(&mut words).await.map_err(gone)?;
    Ok(words.into())
}
