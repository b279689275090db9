//! Streams through a pipe: whole messages, bounds, and word of an end.

use std::{
    future::poll_fn,
    task::{Context, Poll},
};

use bytes::Bytes;
use garth_contract::{Links, WsPath};
use tokio::io::{AsyncWriteExt, DuplexStream};

use crate::{Answer, Broken, Fault, MOST_HEAD, Mux, Packet, Request, Talk};

/// Two ends of one pipe, which hold little on their way.
fn ends() -> (Mux, Mux) {
    let (one, other) = tokio::io::duplex(1 << 16);
    (Mux::asking(Box::pin(one)), Mux::answering(Box::pin(other)))
}

/// Moves both ends while something is waited for.
async fn moving<T>(
    (one, other): (&mut Mux, &mut Mux),
    mut wanted: impl FnMut(&mut Context<'_>, Option<Talk>) -> Poll<T>,
) -> T {
    poll_fn(|context| {
        for _ in 0..2 {
            assert!(one.poll(context).is_pending());
            let opened = match other.poll(context) {
                Poll::Ready(talk) => Some(talk.unwrap()),
                Poll::Pending => None,
            };
            if let Poll::Ready(wanted) = wanted(context, opened) {
                return Poll::Ready(wanted);
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

fn request() -> Request {
    Request::Stat(WsPath::from_bytes(b"a").unwrap(), Links::Keep)
}

/// An answer whose body has so many bytes.
fn large(length: usize) -> Answer {
    Answer::Content(garth_contract::Content {
        bytes: Bytes::from(vec![7; length]),
        offset: 0,
        size: length as u64,
        known: None,
        lines: None,
        modified: None,
        mode: None,
    })
}

/// Opens a stream, sends a packet, and gives both ends of the stream.
async fn opened(asking: &mut Mux, answering: &mut Mux, mut packet: Packet) -> (Talk, Talk) {
    let mut ours = poll_fn(|context| asking.poll_open(context)).await.unwrap();
    let theirs = moving((asking, answering), |context, talk| {
        let _ = ours.poll_send(context, &mut packet);
        talk.map_or(Poll::Pending, Poll::Ready)
    })
    .await;
    (ours, theirs)
}

#[tokio::test]
async fn a_large_answer_comes_whole_through_a_small_pipe() {
    let (mut asking, mut answering) = ends();
    let (mut ours, mut theirs) = opened(&mut asking, &mut answering, request().encode()).await;
    let mut answer = large(3 << 20).encode();
    let (mut asked, mut sent) = (false, false);
    let frame = moving((&mut asking, &mut answering), |context, _| {
        if !asked && let Poll::Ready(frame) = theirs.poll_receive(context, 0) {
            assert!(matches!(Request::decode(frame.unwrap()), Ok(Request::Stat(..))));
            asked = true;
        }
        if asked && !sent {
            sent = theirs.poll_send(context, &mut answer).is_ready();
        }
        ours.poll_receive(context, 3 << 20)
    })
    .await;
    let Ok(Answer::Content(content)) = Answer::decode(frame.unwrap()) else { panic!("no content") };
    assert_eq!(content.bytes.len(), 3 << 20);
    assert!(content.bytes.iter().all(|byte| *byte == 7));
}

#[tokio::test]
async fn a_body_over_its_bound_is_refused_by_its_length_alone() {
    let (mut asking, mut answering) = ends();
    let packet = large(1 << 20).encode();
    let (_ours, mut theirs) = opened(&mut asking, &mut answering, packet).await;
    let refused =
        moving((&mut asking, &mut answering), |context, _| theirs.poll_receive(context, 1 << 19))
            .await;
    assert!(matches!(refused, Err(Fault::Malformed(_))), "{refused:?}");
}

#[tokio::test]
async fn a_head_over_its_bound_is_refused() {
    let glob = garth_contract::Glob::Path("x".repeat(5_000));
    let query = garth_contract::Query {
        base: WsPath::root(),
        reach: garth_contract::Reach::Tree,
        include: vec![glob; MOST_HEAD / 5_000 + 1],
        exclude: vec![],
        kinds: garth_contract::Kinds::All,
        hidden: garth_contract::Hidden::Skip,
        ignored: garth_contract::Ignored::Skip,
        grep: None,
        facts: garth_contract::Facts::All,
        order: garth_contract::Order::Path,
        skip: 0,
        take: 1,
        after: None,
    };
    let packet = Request::Find(Box::new(query)).encode();
    assert!(!packet.fits());
    let (mut asking, mut answering) = ends();
    let (_ours, mut theirs) = opened(&mut asking, &mut answering, packet).await;
    let refused =
        moving((&mut asking, &mut answering), |context, _| theirs.poll_receive(context, 0)).await;
    assert!(matches!(refused, Err(Fault::Malformed(_))), "{refused:?}");
}

#[tokio::test]
async fn who_drops_or_closes_a_stream_is_gone() {
    let (mut asking, mut answering) = ends();
    let (ours, mut theirs) = opened(&mut asking, &mut answering, request().encode()).await;
    drop(ours);
    moving((&mut asking, &mut answering), |context, _| {
        let _ = theirs.poll_receive(context, 0);
        theirs.poll_gone(context)
    })
    .await;
    let (mut ours, mut theirs) = opened(&mut asking, &mut answering, request().encode()).await;
    let mut closed = false;
    moving((&mut asking, &mut answering), |context, _| {
        closed |= ours.poll_close(context).is_ready();
        let _ = theirs.poll_receive(context, 0);
        theirs.poll_gone(context)
    })
    .await;
    // The other direction is open until it is closed too.
    let mut closed = false;
    moving((&mut asking, &mut answering), |context, _| {
        closed = closed || theirs.poll_close(context).is_ready();
        ours.poll_drain(context)
    })
    .await;
    assert!(closed);
}

/// Writes bytes into an answering end until it breaks.
async fn broken_by(bytes: &[u8]) -> Broken {
    let (mut one, other): (DuplexStream, DuplexStream) = tokio::io::duplex(1 << 20);
    let mut mux = Mux::answering(Box::pin(other));
    one.write_all(bytes).await.unwrap();
    drop(one);
    let mut talks = Vec::new();
    loop {
        match poll_fn(|context| mux.poll(context)).await {
            Ok(talk) => talks.push(talk),
            Err(broken) => return broken,
        }
    }
}

#[tokio::test]
async fn whatever_comes_through_a_pipe_at_worst_breaks_it() {
    assert_eq!(broken_by(b"").await, Broken);
    assert_eq!(broken_by(b"GET / HTTP/1.1\r\n\r\n").await, Broken);
    assert_eq!(broken_by(&[0xff; 1_000]).await, Broken);
    // A frame of 4 GiB.
    assert_eq!(broken_by(&[0, 0, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]).await, Broken);
    // A window so large that adding to it overflows.
    assert_eq!(broken_by(&[0, 1, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]).await, Broken);
    // One stream too many, each with a byte.
    let streams: Vec<u8> = (0..600_u32)
        .flat_map(|number| {
            let id = (2 * number + 1).to_be_bytes();
            [&[0, 0, 0, 1][..], &id, &[0, 0, 0, 1, b'x']].concat()
        })
        .collect();
    assert_eq!(broken_by(&streams).await, Broken);
}
