//! A search: results as they are found, then its summary.

use std::{
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures::FutureExt;
use garth_contract::{Code, Error, Query, Sink};
use garth_wire::{Answer, Fault, Packet, Request, Talk};

use crate::{ahead::Ahead, attend::Attendance};

/// Searches, and ends when the client has enough or gives it up.
pub(crate) async fn find(attendance: &mut Attendance, query: Query) -> Result<(), Fault> {
    let files = Arc::clone(&attendance.shared.served.files);
    let ahead = Arc::new(Ahead::default());
    // However this ends, no thread of the search is left waiting.
    let _end = EndOnDrop(Arc::clone(&ahead));
    let search = files.find(&query, Arc::clone(&ahead) as Arc<dyn Sink>);
    let mut search = pin!(AssertUnwindSafe(search).catch_unwind().fuse());
    let mut end = None;
    let mut sending: Option<Packet> = None;
    let talk = &mut attendance.talk;
    let end = poll_fn(|context| {
        hear(talk, context, &ahead)?;
        loop {
            if end.is_none() {
                end = poll_end(search.as_mut(), context);
            }
            if let Some(packet) = &mut sending {
                ready!(talk.poll_send(context, packet))?;
                sending = None;
            }
            if let Some(batch) = ahead.take(context) {
                sending = Some(batch.encode());
            } else if let Some(end) = &end {
                return Poll::Ready(Ok::<_, Fault>(end.encode()));
            } else {
                return Poll::Pending;
            }
        }
    })
    .await?;
    attendance.send(end).await
}

/// How a search ended, once it has.
fn poll_end<F, P>(search: Pin<&mut F>, context: &mut Context<'_>) -> Option<Answer>
where
    F: Future<Output = Result<garth_contract::Result<garth_contract::Summary>, P>>,
{
    match search.poll(context) {
        Poll::Ready(Ok(Ok(summary))) => Some(Answer::Summary(summary)),
        Poll::Ready(Ok(Err(error))) => Some(Answer::Refused(error)),
        Poll::Ready(Err(_)) => Some(Answer::Refused(Error::of(Code::Internal))),
        Poll::Pending => None,
    }
}

/// Hears whether the client has enough, or is gone.
fn hear(talk: &mut Talk, context: &mut Context<'_>, ahead: &Ahead) -> Result<(), Fault> {
    while let Poll::Ready(frame) = talk.poll_receive(context, 0) {
        if !matches!(Request::decode(frame?)?, Request::Enough) {
            return Err(Fault::Malformed("a request within a request"));
        }
        ahead.end();
    }
    Ok(())
}

struct EndOnDrop(Arc<Ahead>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}
