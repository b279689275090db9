//! As much HTTP as the kit speaks: each request gets a server of its own, over a
//! pair of streams, and each line the server writes goes back as an event.

use std::{io, net::SocketAddr, sync::Arc};

use clap::Parser;
use rmcp::ServiceExt;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use super::{
    super::{
        lines::Lines,
        room::Room,
        server::{Offer, Server},
    },
    fixture,
};
use crate::{
    args::{Args, Command},
    root,
};

/// The longest request that is read.
const MOST_BYTES: u64 = 1 << 20;
/// How much may wait between the front and the server.
const BUFFER: usize = 1 << 16;

/// Listens on a free port of the loopback device, until the runtime ends.
pub(crate) async fn start() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A client that goes away ends its own connection only.
            tokio::spawn(async move { drop(answer(stream).await) });
        }
    });
    Ok(address)
}

async fn answer(stream: TcpStream) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let Some(body) = request(&mut read).await? else {
        return respond(&mut write, "405 Method Not Allowed", "").await;
    };
    let Ok(Value::Object(message)) = serde_json::from_slice(&body) else {
        return respond(&mut write, "400 Bad Request", "").await;
    };
    let Some(id) = message.get("id") else {
        return respond(&mut write, "202 Accepted", "").await;
    };
    let mut server = BufReader::new(server());
    // One message is one line between the front and the server.
    server.write_all(format!("{}\n", Value::Object(message.clone())).as_bytes()).await?;
    tokio::select! {
        passed = pass(&mut server, &mut write, id) => passed,
        // The client says no more; when it closes, the call is given up.
        gone = read.read_u8() => gone.map(drop),
    }
}

/// The body of a POST; `None` for another method.
async fn request(read: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<Vec<u8>>> {
    let mut head = read.take(MOST_BYTES);
    let mut line = String::new();
    head.read_line(&mut line).await?;
    let posted = line.starts_with("POST ");
    let mut length = 0;
    loop {
        line.clear();
        head.read_line(&mut line).await?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
        }
    }
    let mut body = Vec::new();
    head.take(length).read_to_end(&mut body).await?;
    Ok(posted.then_some(body))
}

/// Sends what the server writes, until the answer to the request.
async fn pass(
    server: &mut BufReader<DuplexStream>,
    write: &mut OwnedWriteHalf,
    id: &Value,
) -> io::Result<()> {
    let mut begun = false;
    loop {
        let mut line = String::new();
        if server.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let message: Value = serde_json::from_str(&line)?;
        let last = message.get("method").is_none() && message.get("id") == Some(id);
        if last && !begun {
            return respond(write, status(&message), line.trim()).await;
        }
        if !begun {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                        Connection: close\r\n\r\n";
            write.write_all(head.as_bytes()).await?;
            begun = true;
        }
        write.write_all(format!("event: message\ndata: {}\n\n", line.trim()).as_bytes()).await?;
        if last {
            return write.shutdown().await;
        }
    }
}

/// The status that HTTP has for an answer.
fn status(message: &Value) -> &'static str {
    match message.pointer("/error/code").and_then(Value::as_i64) {
        None => "200 OK",
        Some(-32_601) => "404 Not Found",
        Some(_) => "400 Bad Request",
    }
}

async fn respond(write: &mut OwnedWriteHalf, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    write.write_all(response.as_bytes()).await?;
    write.shutdown().await
}

/// The other end of a server that has the kit's tools beside those of a dialect.
fn server() -> DuplexStream {
    let Command::Mcp(args) = Args::parse_from(["garth", "mcp", "--memory"]).command else {
        panic!("the arguments name another command");
    };
    let workspace = Arc::new(root::of_mcp(&args, &Arc::default()).unwrap().0);
    let dialect = garth_ops::dialect(&args.dialect).unwrap();
    let tools = dialect.tools.iter().chain(fixture::TOOLS).collect();
    let room = Room::new(Arc::default());
    let offer = Offer { dialect, tools, instructions: String::new() };
    let server = Server::new(workspace, offer, room.clone());
    let (near, far) = duplex(BUFFER);
    tokio::spawn(async move {
        let (read, write) = split(near);
        if let Ok(service) = server.serve(Lines::new(read, write, room)).await {
            let _ = service.waiting().await;
        }
    });
    far
}
