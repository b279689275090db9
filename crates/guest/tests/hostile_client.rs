//! Clients that send what no client sends: each harms itself alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test sets its own scene"
)]

mod place;

use std::{
    future::poll_fn,
    task::{Context, Poll},
};

use bytes::Bytes;
use garth_contract::{Clobber, Filesystem, Guard, Links, Parents, Part, Put, Span, Stamp};
use garth_remote::Remote;
use garth_wire::{Answer, Fault, Mux, Request, Talk, hello};
use place::{Place, memory, path, soon, until};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
};

/// More than a guest has when all its bounds are reached, in MiB.
const BOUNDED: u64 = 400;

/// A guest, and a client of it that behaves.
async fn scene() -> (Place, Remote) {
    let mut place = Place::new();
    place.write("f", "hello");
    place.listen().await;
    let client = place.client().await;
    (place, client)
}

/// Claims that others are served as ever.
async fn others_are_served(place: &Place, before: &Remote) {
    for client in [before, &soon(place.client()).await] {
        let (path, span) = (path("f"), Span::Whole { at_most: 100 });
        assert_eq!(soon(client.read(&path, span)).await.unwrap().bytes, "hello");
    }
}

async fn connect(place: &Place) -> UnixStream {
    UnixStream::connect(place.socket()).await.unwrap()
}

/// A connection that has said hello and keeps to no other rule.
async fn greeted(place: &Place) -> UnixStream {
    let mut stream = connect(place).await;
    soon(hello::ask(&mut stream)).await.unwrap();
    stream
}

/// Waits for the guest to close the connection.
async fn closed(mut stream: UnixStream) {
    let mut sink = vec![0; 1 << 16];
    soon(async { while stream.read(&mut sink).await.is_ok_and(|count| count > 0) {} }).await;
}

/// A client that speaks the protocol, stream by stream.
struct Client(Mux);

impl Client {
    async fn new(place: &Place) -> Self {
        Self(Mux::asking(Box::pin(greeted(place).await)))
    }

    /// Moves the pipe until something has come about.
    async fn until<T>(&mut self, mut wanted: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
        soon(poll_fn(|context| {
            for _ in 0..2 {
                if let Poll::Ready(wanted) = wanted(context) {
                    return Poll::Ready(wanted);
                }
                assert!(self.0.poll(context).is_pending(), "the connection is broken");
            }
            Poll::Pending
        }))
        .await
    }

    /// Opens a stream and sends a request.
    async fn ask(&mut self, request: &Request) -> Talk {
        let mut talk = poll_fn(|context| self.0.poll_open(context)).await.unwrap();
        self.add(&mut talk, request).await;
        talk
    }

    /// Sends a request on a stream.
    async fn add(&mut self, talk: &mut Talk, request: &Request) {
        let mut packet = request.encode();
        self.until(|context| talk.poll_send(context, &mut packet)).await.unwrap();
        // Once more, so that all of it leaves.
        poll_fn(|context| {
            assert!(self.0.poll(context).is_pending(), "the connection is broken");
            Poll::Ready(())
        })
        .await;
    }

    async fn answer(&mut self, talk: &mut Talk) -> Result<Answer, Fault> {
        let frame = self.until(|context| talk.poll_receive(context, 1 << 30)).await?;
        Answer::decode(frame)
    }
}

fn stat() -> Request {
    Request::Stat(path("f"), Links::Keep)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_say_hello_is_let_go() {
    let (place, before) = scene().await;
    for garbage in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[0xff; 4_096], &[0; 64]] {
        let mut stream = connect(&place).await;
        // The guest may close before all of it is sent.
        let _ = stream.write_all(garbage).await;
        closed(stream).await;
    }
    others_are_served(&place, &before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_holds_nobody_up() {
    let (place, before) = scene().await;
    let silent = [connect(&place).await, connect(&place).await];
    let mut half = connect(&place).await;
    half.write_all(b"\x7fgarth").await.unwrap();
    others_are_served(&place, &before).await;
    drop((silent, half));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_breaks_the_rules_of_streams_is_let_go() {
    let (place, before) = scene().await;
    // A frame of 4 GiB, one of no kind, a window that overflows.
    for frame in
        [[0, 0, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff], [9, 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 0]]
    {
        let mut stream = greeted(&place).await;
        stream.write_all(&frame).await.unwrap();
        closed(stream).await;
    }
    let mut stream = greeted(&place).await;
    stream.write_all(&[0, 1, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]).await.unwrap();
    stream.shutdown().await.unwrap();
    closed(stream).await;
    others_are_served(&place, &before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_streams_fill_no_memory() {
    let (place, before) = scene().await;
    let mut stream = greeted(&place).await;
    let body = vec![b'x'; 4_096];
    for number in 0..5_000_u32 {
        let id = (2 * number + 1).to_be_bytes();
        let header = [&[0, 0, 0, 1][..], &id, &4_096_u32.to_be_bytes()].concat();
        if stream.write_all(&[header, body.clone()].concat()).await.is_err() {
            break;
        }
    }
    stream.shutdown().await.ok();
    closed(stream).await;
    others_are_served(&place, &before).await;
    assert!(memory(place.pid()) < BOUNDED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_over_its_bounds_ends_its_own_stream_only() {
    let (place, _before) = scene().await;
    let mut client = Client::new(&place).await;
    let mut good = client.ask(&stat()).await;
    assert!(matches!(client.answer(&mut good).await, Ok(Answer::Told(_))));
    let mut raw = greeted(&place).await;
    let streams = [
        // A head of 4 GiB; a body of 2^60 bytes; a request that is none.
        [&0xffff_ffff_u32.to_le_bytes()[..], &0_u64.to_le_bytes(), b"xxxx"].concat(),
        [&1_u32.to_le_bytes()[..], &(1_u64 << 60).to_le_bytes(), b"xxxx"].concat(),
        [&1_u32.to_le_bytes()[..], &0_u64.to_le_bytes(), &[200]].concat(),
    ];
    for (number, message) in streams.iter().enumerate() {
        let id = u32::try_from(2 * number + 1).unwrap().to_be_bytes();
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        let frame = [&[0, 0, 0, 1][..], &id, &length, message].concat();
        raw.write_all(&frame).await.unwrap();
        // Its end comes back: a frame with FIN, after the window that the guest grants.
        soon(async {
            loop {
                let mut header = [0; 12];
                raw.read_exact(&mut header).await.unwrap();
                let fin = header[3] & 4 != 0;
                if header[4..8] == id && fin {
                    break;
                }
            }
        })
        .await;
    }
    let mut again = client.ask(&stat()).await;
    assert!(matches!(client.answer(&mut again).await, Ok(Answer::Told(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_holds_up_no_other_stream() {
    let (place, before) = scene().await;
    place.write("large", vec![7; 16 << 20]);
    let mut client = Client::new(&place).await;
    let read = Request::Read(path("large"), Span::Whole { at_most: 1 << 30 });
    let mut slow = Vec::new();
    for _ in 0..100 {
        slow.push(client.ask(&read).await);
    }
    let mut quick = client.ask(&stat()).await;
    assert!(matches!(client.answer(&mut quick).await, Ok(Answer::Told(_))));
    others_are_served(&place, &before).await;
    // All hundred at once would have 1,600 MiB.
    assert!(memory(place.pid()) < BOUNDED, "{} MiB", memory(place.pid()));
    // Who reads in the end gets it all.
    let Ok(Answer::Content(content)) = client.answer(&mut slow[0]).await else { panic!("none") };
    assert_eq!(content.bytes.len(), 16 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_nothing_at_all_holds_up_no_other_client() {
    let (place, before) = scene().await;
    place.write("large", vec![7; 16 << 20]);
    let mut client = Client::new(&place).await;
    let read = Request::Read(path("large"), Span::Whole { at_most: 1 << 30 });
    let mut talks = Vec::new();
    for _ in 0..20 {
        talks.push(client.ask(&read).await);
    }
    others_are_served(&place, &before).await;
    assert!(memory(place.pid()) < BOUNDED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_breaks_off_never_lands() {
    let (place, before) = scene().await;
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    let write = Request::Write(path("f"), Bytes::from(vec![b'x'; 8 << 20]), put);
    let mut client = Client::new(&place).await;
    let mut talk = poll_fn(|context| client.0.poll_open(context)).await.unwrap();
    let mut packet = write.encode();
    // As much as fits into the first window, and no more.
    poll_fn(|context| {
        assert!(talk.poll_send(context, &mut packet).is_pending());
        assert!(client.0.poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    drop((talk, client));
    others_are_served(&place, &before).await;
    assert_eq!(place.text("f").unwrap(), "hello");
}

/// A part of a tree: a file and its bytes.
fn parts(name: &str) -> Request {
    let stamp = Stamp { mode: None, modified: None };
    let bytes = Part::Bytes(Bytes::from_static(b"staged"));
    Request::Parts(vec![Part::File { path: path(name), stamp }, bytes])
}

#[tokio::test(flavor = "multi_thread")]
async fn who_speaks_of_a_tree_that_is_not_there_loses_the_stream() {
    let (place, before) = scene().await;
    let read_back = Request::ReadBack(path("f"), 0, 5);
    for word in [parts("g"), read_back, Request::Land(Clobber::Replace), Request::Discard] {
        let mut client = Client::new(&place).await;
        let mut talk = client.ask(&word).await;
        assert!(client.answer(&mut talk).await.is_err(), "{word:?}");
        let mut good = client.ask(&stat()).await;
        assert!(matches!(client.answer(&mut good).await, Ok(Answer::Told(_))));
    }
    others_are_served(&place, &before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_something_else_of_a_tree_loses_it() {
    let (place, before) = scene().await;
    for word in [stat(), Request::Stage(path(""))] {
        let mut client = Client::new(&place).await;
        let mut talk = client.ask(&Request::Stage(path(""))).await;
        assert!(matches!(client.answer(&mut talk).await, Ok(Answer::Done)));
        client.add(&mut talk, &parts("g")).await;
        assert!(matches!(client.answer(&mut talk).await, Ok(Answer::Done)));
        client.add(&mut talk, &word).await;
        assert!(client.answer(&mut talk).await.is_err(), "{word:?}");
    }
    others_are_served(&place, &before).await;
    assert!(place.text("g").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_a_tree_leaves_nothing() {
    let (place, before) = scene().await;
    let mut client = Client::new(&place).await;
    let mut talk = client.ask(&Request::Stage(path(""))).await;
    assert!(matches!(client.answer(&mut talk).await, Ok(Answer::Done)));
    client.add(&mut talk, &parts("d/g")).await;
    assert!(matches!(client.answer(&mut talk).await, Ok(Answer::Done)));
    assert_eq!(place.names().len(), 2, "it is staged beside what is there");
    drop((talk, client));
    until(|| place.names() == ["f"]).await;
    others_are_served(&place, &before).await;
}
