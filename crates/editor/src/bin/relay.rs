//! Joins its input and output to a socket: the agent that a client of the tests
//! starts, where the agent itself is the test.

use std::{
    io::{self, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    thread,
};

fn main() -> io::Result<()> {
    let usage = || io::Error::other("usage: garth-editor-relay SOCKET");
    let socket = std::env::args_os().nth(1).ok_or_else(usage)?;
    let stream = UnixStream::connect(socket)?;
    let agent = stream.try_clone()?;
    thread::spawn(move || {
        let ended = io::copy(&mut io::stdin().lock(), &mut &agent);
        // The agent sees the end of what its client says, however it came about.
        agent.shutdown(Shutdown::Write).and(ended.map(drop))
    });
    // Each message goes on as soon as it came.
    let mut out = io::stdout().lock();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = io::Read::read(&mut &stream, &mut chunk)?;
        let Some(piece) = chunk.get(..count).filter(|piece| !piece.is_empty()) else {
            return Ok(());
        };
        out.write_all(piece)?;
        out.flush()?;
    }
}
